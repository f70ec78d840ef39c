#pragma once

#include <stdexcept>

namespace tcsim::files {

/// A file or directory that could not be read or written; the message names it and the system's
/// reason. Status 5.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tcsim::files
