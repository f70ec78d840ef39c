#pragma once

#include <sstream>
#include <string>

#include "sim/errors/errors.hpp"

namespace tcsim::mma {

/// What a command returned, wrote and threw.
struct Outcome {
  int status;
  std::string out;
  std::string errors;  ///< the message of the error that ended it
};

/// `command` takes the output stream and returns whether everything agrees.
template <typename Command>
Outcome outcome_of(const Command& command) {
  std::ostringstream out;
  try {
    const bool agrees = command(out);
    return {agrees ? kDone : kCheckFailed, out.str(), ""};
  } catch (const UsageError& error) {
    return {kUserMistake, out.str(), error.what()};
  } catch (const NotCovered& error) {
    return {kNotCovered, out.str(), error.what()};
  } catch (const IoError& error) {
    return {kFileTrouble, out.str(), error.what()};
  }
}

}  // namespace tcsim::mma
