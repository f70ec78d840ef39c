#pragma once

#include <fmt/ostream.h>

#include <stdexcept>
#include <string>

#include "models/numerics/result.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/content_error.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::mma {

/// Exit statuses of the `mma` commands, as for every command of tcsim.
enum Status : int {
  kAgrees = 0,
  kMismatch = 1,     ///< At least one result differs.
  kMistake = 2,      ///< In the command line or in a file.
  kUnsupported = 3,  ///< Well formed, but the generation lacks it or its arithmetic is unknown.
  kUnreadable = 5,
};

/// Ends a command with one line for the user, `place: reason`, and a status.
class InputError : public std::runtime_error {
 public:
  InputError(Status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

/// The error of a refusal by models/numerics, which tells mistakes from unsupported requests.
inline InputError refused(const std::string& place, const numerics::Refusal& refusal) {
  const bool mistake = refusal.kind == numerics::Refusal::Kind::kMistake;
  return {mistake ? kMistake : kUnsupported, place + ": " + refusal.reason};
}

/// The status that `run` returns, or that of the error that ends it, which goes to `errors`.
template <typename Run>
int status_of(Run run, std::ostream& errors) {
  try {
    return run();
  } catch (const InputError& error) {
    fmt::print(errors, "{}\n", files::shown_message(error.what()));
    return error.status();
  } catch (const files::ContentError& error) {
    fmt::print(errors, "{}\n", files::shown_message(error.what()));
    return kMistake;
  } catch (const IoError& error) {
    fmt::print(errors, "{}\n", files::shown_message(error.what()));
    return kUnreadable;
  }
}

/// Place in a file; line and column count from 1.
struct Position {
  std::string file;
  int line = 1;
  int column = 1;
};

inline std::string to_string(const Position& position) {
  return position.file + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

}  // namespace tcsim::mma
