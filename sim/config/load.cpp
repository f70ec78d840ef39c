#include "sim/config/load.hpp"

#include <cstdlib>
#include <filesystem>

#include "sim/config/named_files.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::config {
namespace {

namespace fs = std::filesystem;

NamedFiles machine_files() { return {configs_folder(), "machine", "machines"}; }

}  // namespace

fs::path configs_folder() {
  if (const char* given = std::getenv("TCSIM_CONFIGS"); given != nullptr && *given != '\0')
    return given;
  return files::data_folder("configs");
}

std::vector<std::string> machine_names() { return machine_files().names(); }

MachineFile read_machine(const std::string& name_or_path,
                         const std::vector<std::string>& overrides) {
  const fs::path file = machine_files().file_of(name_or_path);
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
