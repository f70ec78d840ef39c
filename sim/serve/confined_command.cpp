#include "sim/serve/confined_command.hpp"

#include <algorithm>
#include <iterator>

#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/run/child_runs.hpp"

namespace tcsim::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kOutputMib =
    64;  // of each file: a report has less than one, a timeline more

/// Folders of what tcsim ships and a run reads.
std::vector<fs::path> shipped_folders() {
  return {config::configs_folder(), files::data_folder("configs"),
          files::data_folder("tests/validation")};
}

}  // namespace

Launch launch_of(const ConfinedCommand& command) {
  Launch launch;
  launch.command.words = {run::this_program().string()};
  std::ranges::copy(command.words, std::back_inserter(launch.command.words));
  launch.command.input = command.input;
  launch.options.directory = command.folder;
  launch.options.limits.time_s = command.time_s;
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer maps terabytes
  launch.options.limits.memory_mib = command.memory_mib;
#endif
  process::Confinement confinement;
  confinement.output_mib = kOutputMib;
  confinement.environment = {"TCSIM_CONFIGS", "TCSIM_VALIDATION"};
  confinement.readable = shipped_folders();
  std::ranges::copy(command.readable, std::back_inserter(confinement.readable));
  if (command.writes) confinement.writable = {command.folder};
  launch.options.confinement = std::move(confinement);
  return launch;
}

std::string program_hash() {
  const auto content = [](const fs::path& path) {
    return report::hash_file(path, files::FileKind::kInput);
  };
  std::string text = content(run::this_program()) + '\n';
  for (const fs::path& folder : shipped_folders()) {
    std::vector<fs::path> found;
    std::error_code error;
    for (auto entry = fs::recursive_directory_iterator(folder, error);
         !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
      if (entry->is_regular_file()) found.push_back(entry->path());
    std::ranges::sort(found);
    for (const fs::path& file : found)
      text += file.lexically_relative(folder).string() + ' ' + content(file) + '\n';
  }
  return report::hash_text(text);
}

}  // namespace tcsim::serve
