#pragma once

#include <filesystem>
#include <string>

#include "sim/files/content_error.hpp"
#include "sim/files/io_error.hpp"
#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {

/// True if `read` takes its input; false if it refuses it with one of the errors that end a command
/// with status 2 or 5 and that say something. Everything else goes through, as it would end in
/// status 70.
template <typename Read>
bool accepts(const Read& read) {
  const auto refused = [](const std::exception& error) {
    require(!std::string_view(error.what()).empty(), "a refusal without a word");
    return false;
  };
  try {
    read();
    return true;
  } catch (const files::ContentError& error) {
    return refused(error);
  } catch (const files::IoError& error) {
    return refused(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return refused(error);
  }
}

}  // namespace tcsim::fuzz
