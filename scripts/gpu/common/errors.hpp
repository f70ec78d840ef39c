#pragma once

#include <stdexcept>
#include <string>

namespace tcsim::measure {

/// Statuses of the programs, as in tcsim: 2 mistake in the command, 3 not possible on this GPU or
/// host, 4 stopped by the GPU with partial results, 5 cannot read or write, 130 interrupted.
enum ExitStatus {
  kDone = 0,
  kMistake = 2,
  kNotCovered = 3,
  kStopped = 4,
  kUnreadable = 5,
  kInterrupted = 130
};

/// A message for the user and the status to exit with.
class ProgramError : public std::runtime_error {
 public:
  ProgramError(ExitStatus status, const std::string& sentence)
      : std::runtime_error(sentence), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

}  // namespace tcsim::measure
