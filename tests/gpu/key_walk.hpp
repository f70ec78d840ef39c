#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::gpu::test {

/// A small machine, derived from a shipped one, with some keys changed.
struct WalkCase {
  std::string base;                    ///< v100, a100, h100
  std::vector<std::string> keys;       ///< the changed ones, as they are written in a machine file
  std::vector<std::string> overrides;  ///< "key=value", one for each of `keys`
};

/// How a run on the machine of a case ended.
struct WalkRun {
  bool ran = false;  ///< false: there is no kernel for it, and `reason` states why
  Cycle cycles = 0;
  double us = 0;
  std::string reason;
};

struct WalkResult {
  /// What went wrong: a signal, a hang, a deadlock, an exception, a result that no machine has;
  /// empty otherwise.
  std::string fault;
  std::string refusal;  ///< by the checks of machine files; empty if it was accepted
  std::map<std::string, WalkRun> runs;  ///< by work: gemm, conv, attention, softmax
};

/// The names of the machines that are walked.
const std::vector<std::string>& walk_bases();

/// Runs the four works on the machine of `walk`, in a child process with limits on time and memory.
WalkResult run_walk_case(const WalkCase& walk);

/// Every key of the schema that is not descriptive: each at both ends of its range, at one, next to
/// the value of `base`, and at every other word.
std::vector<WalkCase> single_key_cases(const std::string& base);

/// `count` cases of two or three keys each, at random.
std::vector<WalkCase> random_cases(const std::string& base, std::size_t count, unsigned seed);

/// "a100 sm.l1.ways=1", for messages.
std::string text_of(const WalkCase& walk);

}  // namespace tcsim::gpu::test
