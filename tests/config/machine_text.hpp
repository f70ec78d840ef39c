#pragma once

#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"

namespace tcsim::config {

/// Replaces one piece of text, which must occur exactly once.
struct Edit {
  std::string from;
  std::string to;
};

/// Text of a file below the source tree.
std::string source_text(const std::string& path);

/// The shipped a100.yaml without its comments, so that edits are short to write.
std::string plain_a100();

std::string edited(std::string text, const std::vector<Edit>& edits);

/// What the reader reports about `text`, called m.yaml, with `overrides` on top; empty if it is
/// valid. For a missing key it suggests the value "7" of a preset a100.
std::vector<std::string> mistakes_of(const std::string& text,
                                     const std::vector<std::string>& overrides = {});

/// `message` with each {piece} replaced by the line of `text` on which `piece` first starts.
std::string with_lines(const std::string& message, const std::string& text);

/// The line, from 1, on which `piece` starts in `text`; it must occur.
int line_of(const std::string& text, const std::string& piece);

}  // namespace tcsim::config
