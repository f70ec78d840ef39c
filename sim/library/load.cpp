#include "sim/library/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sim/config/mistakes.hpp"
#include "sim/config/named_files.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/read_file.hpp"
#include "sim/library/library_reader.hpp"
#include "sim/library/machine_check.hpp"

namespace tcsim::library {
namespace {

namespace fs = std::filesystem;

config::NamedFiles library_files() { return {libraries_folder(), "library", "libraries"}; }

/// Why the file `path` cannot be read; empty if it can.
std::string why_unreadable(const std::string& path) {
  return config::base_lookup(library_files(), files::FileKind::kLibrary)(path, "").reason;
}

/// Throws with the place of the key for words of `machine` that name no library.
void check_names(const config::MachineFile& machine) {
  const auto found = std::ranges::find(machine.settings, "libraries", &config::Setting::key);
  const config::Setting setting = found == machine.settings.end() ? config::Setting{} : *found;
  config::Mistakes mistakes(setting.base.empty() ? machine.file : setting.base);
  std::set<std::string> seen;
  for (const std::string& word : machine.machine.libraries) {
    std::string reason = library_files().why_none(word);
    if (reason.empty() && !seen.insert(word).second) reason = "given twice";
    if (!reason.empty())
      reason = fmt::format("{}: {}", word, reason);
    else if (config::is_path(word))
      reason = why_unreadable(word);
    if (!reason.empty())
      mistakes.add({setting.line, setting.column, setting.set}, "libraries", reason);
  }
  mistakes.finish();
}

}  // namespace

fs::path libraries_folder() {
  fs::path folder = config::configs_folder() / "libraries";
  std::error_code ignored;
  return fs::exists(folder, ignored) ? folder : files::data_folder("configs") / "libraries";
}

std::vector<std::string> library_names() { return library_files().names(); }

std::string why_none(const std::string& name_or_path) {
  return library_files().why_none(name_or_path);
}

std::shared_ptr<const kernels::Library> read_library(const std::string& name_or_path) {
  const fs::path file = library_files().file_of(name_or_path);
  return read_library_text(file.string(), files::read_file(file, files::FileKind::kLibrary),
                           config::base_lookup(library_files(), files::FileKind::kLibrary));
}

std::string complete_library_text(const std::string& name_or_path) {
  const fs::path file = library_files().file_of(name_or_path);
  return complete_library_text(file.string(), files::read_file(file, files::FileKind::kLibrary),
                               config::base_lookup(library_files(), files::FileKind::kLibrary));
}

void equip(config::MachineFile& machine, const std::vector<std::string>& more) {
  check_names(machine);
  kernels::Libraries& libraries = machine.machine.kernel_libraries;
  libraries.clear();
  const std::vector<std::string> shipped = library_names();
  for (const std::string& word : more) {
    libraries.push_back(read_library(word));
    // Machines share shipped libraries, each with the tiles that it can build.
    const bool is_shipped = std::ranges::find(shipped, word) != shipped.end();
    (is_shipped ? require_kernels : require_tiles)(*libraries.back(), machine);
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

const config::MachineFile& KnownMachines::of(const std::string& name_or_path,
                                             const std::vector<std::string>& overrides,
                                             const std::vector<std::string>& more) {
  std::tuple key{name_or_path, overrides, more};
  const auto known = machines_.find(key);
  if (known != machines_.end()) return known->second;
  return machines_.emplace(std::move(key), read_machine(name_or_path, overrides, more))
      .first->second;
}

}  // namespace tcsim::library
