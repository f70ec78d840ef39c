#pragma once

#include <stdexcept>

/// What programs outside the tree may use (sim/api); everything else is hidden in libtcsim.
#define TCSIM_API __attribute__((visibility("default")))

namespace tcsim {

/// What a process returns, the same for every command.
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

/// A mistake in what was asked for; the message repeats the bad word. Status 2.
class TCSIM_API UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A legal wish that the machine or the model cannot meet; the message says what would. Status 3.
class TCSIM_API NotCovered : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file or directory that could not be read or written; the message names it and the system's
/// reason. Status 5.
class TCSIM_API IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A mistake of ours, never of the user: a broken invariant that was noticed at run time. `main`
/// ends with status 70 and says how to reproduce it.
class TCSIM_API InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace tcsim
