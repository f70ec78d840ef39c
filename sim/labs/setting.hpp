#pragma once

#include <optional>
#include <string>

namespace tcsim::labs {

inline constexpr const char* kNoSetting = "its first line is not a setting KEY=VALUE";

/// The setting KEY=VALUE on the first line of `text`, a submitted file. It becomes an argument of
/// tcsim, so nothing that could be an option or a path is one. Nothing if the line is no setting.
std::optional<std::string> setting_of(const std::string& text);

}  // namespace tcsim::labs
