#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tcsim::sweep {

inline constexpr std::string_view kInputFolder = "inputs/";

/// The name, below the sweep's folder, of a copy of `file` with the content `text`: its own name
/// with the first digits of the content's hash.
std::string input_name(const std::filesystem::path& file, const std::string& text);

/// Whether `name` is one that input_name gives for the content `text`.
bool is_named_by(const std::string& name, const std::string& text);

}  // namespace tcsim::sweep
