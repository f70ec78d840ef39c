#pragma once

#include <string>

#include "sim/process/child_pool.hpp"

namespace tcsim::process {

/// What ended a child.
enum class Cause {
  kItself,     ///< it left with a status
  kTimeLimit,  ///< of the clock or of its processor time
  kMemory,     ///< there was no more, as its words tell
  kOutput,     ///< a file or stream of it grew longer than it may
  kKilled,     ///< by somebody else, as the system does where memory has run out
  kCrash       ///< any other signal
};

struct Verdict {
  Cause cause = Cause::kItself;
  std::string words;  ///< "status 3", "ended by signal 11 (Segmentation fault)", "took too long"
};

/// Of a child that was started and not told to stop.
Verdict verdict_of(const ChildResult& ending);

}  // namespace tcsim::process
