#include "sim/config/load.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sim/config/error.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::config {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml") ||
      name_or_path.ends_with(".yml"))
    return name_or_path;
  fs::path file = configs_folder() / (name_or_path + ".yaml");
  std::error_code ignored;
  if (!name_or_path.empty() && fs::exists(file, ignored)) return file;
  const std::vector<std::string> names = machine_names();
  throw ConfigError({fmt::format(
      "{}: no such machine{}{}", name_or_path,
      files::did_you_mean(name_or_path, std::vector<std::string_view>(names.begin(), names.end())),
      fmt::format(" (machines: {}; or give a path ending in .yaml)", fmt::join(names, ", ")))});
}

}  // namespace

fs::path configs_folder() {
  if (const char* given = std::getenv("TCSIM_CONFIGS"); given != nullptr && *given != '\0')
    return given;
  return files::data_folder("configs");
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(configs_folder(), error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

MachineFile read_machine(const std::string& name_or_path,
                         const std::vector<std::string>& overrides) {
  const fs::path file = file_of(name_or_path);
  const PresetLookup preset = [&](std::string_view key) -> std::optional<std::string> {
    const fs::path shipped = configs_folder() / "a100.yaml";
    std::error_code error;
    if (!fs::exists(shipped, error) || fs::equivalent(shipped, file, error)) return {};
    try {
      return written_value(files::read_file(shipped, files::FileKind::kMachine), key);
    } catch (const std::runtime_error&) {
      return {};  // a broken preset must not hide the mistakes of the file being read
    }
  };
  return read_machine_text(file.string(), files::read_file(file, files::FileKind::kMachine),
                           overrides, preset);
}

Machine load_machine(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  return read_machine(name_or_path, overrides).machine;
}

}  // namespace tcsim::config
