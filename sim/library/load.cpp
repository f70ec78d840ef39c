#include "sim/library/load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "sim/config/error.hpp"
#include "sim/config/mistakes.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/library/library_reader.hpp"
#include "sim/library/machine_check.hpp"

namespace tcsim::library {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& word) {
  return word.find('/') != std::string::npos || word.ends_with(".yaml") || word.ends_with(".yml");
}

std::string why_no_name(const std::string& word) {
  std::error_code ignored;
  if (is_path(word) || fs::exists(libraries_folder() / (word + ".yaml"), ignored)) return {};
  const std::vector<std::string> names = library_names();
  return fmt::format(
      "no such library{} (libraries: {}; or give a path ending in .yaml)",
      files::did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end())),
      fmt::join(names, ", "));
}

/// Throws with the place of the key for words of `machine` that name no library.
void check_names(const config::MachineFile& machine) {
  config::Mistakes mistakes(machine.file);
  const auto setting = std::ranges::find(machine.settings, "libraries", &config::Setting::key);
  std::set<std::string> seen;
  for (const std::string& word : machine.machine.libraries) {
    std::string reason = why_no_name(word);
    if (reason.empty() && !seen.insert(word).second) reason = "given twice";
    if (!reason.empty())
      mistakes.add({setting->line, setting->column, setting->set}, "libraries",
                   fmt::format("{}: {}", word, reason));
  }
  mistakes.finish();
}

}  // namespace

fs::path libraries_folder() {
  fs::path folder = config::configs_folder() / "libraries";
  std::error_code ignored;
  return fs::exists(folder, ignored) ? folder : files::data_folder("configs") / "libraries";
}

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(libraries_folder(), error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::shared_ptr<const kernels::Library> read_library(const std::string& name_or_path) {
  if (const std::string reason = why_no_name(name_or_path); !reason.empty())
    throw config::ConfigError({fmt::format("{}: {}", name_or_path, reason)});
  const fs::path file = is_path(name_or_path) ? fs::path(name_or_path)
                                              : libraries_folder() / (name_or_path + ".yaml");
  return read_library_text(file.string(), files::read_file(file, files::FileKind::kLibrary));
}

void equip(config::MachineFile& machine, const std::vector<std::string>& more) {
  check_names(machine);
  kernels::Libraries& libraries = machine.machine.kernel_libraries;
  libraries.clear();
  for (const std::string& word : more) {
    libraries.push_back(read_library(word));
    require_tiles(*libraries.back(), machine);
  }
  for (const std::string& word : machine.machine.libraries)
    if (std::ranges::find(more, word) == more.end()) libraries.push_back(read_library(word));
}

config::MachineFile read_machine(const std::string& name_or_path,
                                 const std::vector<std::string>& overrides,
                                 const std::vector<std::string>& more) {
  config::MachineFile machine = config::read_machine(name_or_path, overrides);
  equip(machine, more);
  return machine;
}

config::Machine load_machine(const std::string& name_or_path,
                             const std::vector<std::string>& overrides) {
  return read_machine(name_or_path, overrides).machine;
}

}  // namespace tcsim::library
