#pragma once

#include <filesystem>
#include <string>

#include "sim/errors/errors.hpp"
#include "sim/files/content_error.hpp"
#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {

/// The words of the last refusal, for a seed that should have been accepted.
inline std::string& last_refusal() {
  static std::string words;
  return words;
}

/// True if `read` accepts its input; false if it refuses it with one of the errors that end a
/// command with status 2 or 5 and have a message. Other exceptions pass through, as they would end
/// in status 70.
template <typename Read>
bool accepts(const Read& read) {
  const auto refused = [](const std::exception& error) {
    last_refusal() = error.what();
    require(!last_refusal().empty(), "a refusal without a word");
    return false;
  };
  try {
    read();
    return true;
  } catch (const files::ContentError& error) {
    return refused(error);
  } catch (const IoError& error) {
    return refused(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return refused(error);
  }
}

}  // namespace tcsim::fuzz
