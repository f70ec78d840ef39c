#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/json/view.hpp"

namespace tcsim::json {

/// What a document may be at most. Deeper ones would take the stack of whoever walks them, and
/// objects with more keys the time of whoever searches them.
struct Limits {
  int levels = 64;
  std::size_t keys_of_an_object = 4096;
};

/// Throws config::ConfigError, `name:line:column: reason` with lines from `first_line` on, unless
/// `text` is one JSON document in UTF-8 within `limits` whose objects have every key once and whose
/// numbers fit a double. What passes can be given to any parser of the library.
void check_text(std::string_view text, const std::string& name, const Limits& limits = {},
                int first_line = 1);

/// The document in `text`. Throws as check_text.
View parse(std::string_view text, const std::string& name, const Limits& limits = {});

/// The document in the file `path`. Throws as check_text, IoError if it cannot be read.
View read(const std::filesystem::path& path, const Limits& limits = {});

}  // namespace tcsim::json
