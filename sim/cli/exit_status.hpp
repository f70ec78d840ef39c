#pragma once

#include <stdexcept>

namespace tcsim::cli {

/// What the process returns, the same for every command.
enum ExitStatus : int {
  kDone = 0,
  kCheckFailed = 1,  ///< done, but a requested check did not hold
  kUserMistake = 2,  ///< command, machine or workload
  kNotCovered = 3,   ///< a valid request that this model does not cover
  kStopped = 4,      ///< deadlock, cycle or time limit; partial results are written
  kFileTrouble = 5,  ///< cannot read or write
  kOurBug = 70,
  kInterrupted = 130  ///< partial results are written
};

/// A mistake in the command line; the message repeats the bad word. Status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A legal wish that the machine or the model cannot meet; the message says what would. Status 3.
class NotCovered : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tcsim::cli
