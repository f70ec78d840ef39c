#pragma once

#include <stdexcept>
#include <string>

#include "sim/labs/grade.hpp"

namespace tcsim::cli {

/// A signal arrived while a command ran; the command has no result.
class GradingInterrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `job` with this program and returns its standard output. A student's job runs confined
/// (sim/process) and no longer than `time_s`. Throws labs::CommandFailed: with the first line of
/// standard error that is not a note, or of a student's job with a sentence that holds no text of
/// the submission; GradingInterrupted, IoError.
std::string run_lab_job(const labs::Job& job, double time_s);

}  // namespace tcsim::cli
