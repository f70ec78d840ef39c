#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/json/view.hpp"

namespace tcsim::json {

/// Limits of a document. Deeper documents would exhaust the stack of recursive code; objects with
/// more keys would make searches too slow.
struct Limits {
  int levels = 64;
  std::size_t keys_of_an_object = 4096;
};

/// Throws config::ConfigError, `name:line:column: reason` with lines from `first_line` on, unless
/// `text` is one JSON document in UTF-8 within `limits` whose objects have every key once and whose
/// numbers fit a double. A text that passes is safe for any of the library's parsers.
void check_text(std::string_view text, const std::string& name, const Limits& limits = {},
                int first_line = 1);

/// The document in `text`. Throws like check_text.
View parse(std::string_view text, const std::string& name, const Limits& limits = {});

/// The document in the file `path`. Throws like check_text, and IoError if it cannot be read.
View read(const std::filesystem::path& path, const Limits& limits = {});

}  // namespace tcsim::json
