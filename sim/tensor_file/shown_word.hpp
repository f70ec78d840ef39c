#pragma once

#include <string>
#include <string_view>

namespace tcsim::tensor_file {

/// A word of a file as a message may show it: in quotes, at most 40 characters, `?` for bytes that
/// are no printable ASCII.
std::string shown_word(std::string_view word);

}  // namespace tcsim::tensor_file
