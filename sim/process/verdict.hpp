#pragma once

#include <string>

#include "sim/process/child_pool.hpp"

namespace tcsim::process {

/// Why a child ended.
enum class Cause {
  kItself,     ///< it exited with a status
  kTimeLimit,  ///< wall-clock or processor time
  kMemory,     ///< memory was exhausted, according to its error text
  kOutput,     ///< one of its files or streams exceeded its limit
  kKilled,     ///< by somebody else, as the system does when memory runs out
  kCrash       ///< any other signal
};

struct Verdict {
  Cause cause = Cause::kItself;
  std::string words;  ///< "status 3", "ended by signal 11 (Segmentation fault)", "took too long"
};

/// For a child that was started and not told to stop.
Verdict verdict_of(const ChildResult& ending);

}  // namespace tcsim::process
