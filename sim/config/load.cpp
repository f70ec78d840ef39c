#include "sim/config/load.hpp"

#include <cstdlib>
#include <filesystem>

#include "sim/config/error.hpp"
#include "sim/config/named_files.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::config {
namespace {

namespace fs = std::filesystem;

NamedFiles machine_files() { return {configs_folder(), "machine", "machines"}; }

constexpr const char* kUsualModel = "a100";

/// What `machine` says for `key`; nothing if it is `file`.
std::optional<ShippedValue> shipped_value(const std::string& machine, std::string_view key,
                                          const fs::path& file) {
  const fs::path shipped = configs_folder() / (machine + ".yaml");
  std::error_code error;
  if (!fs::exists(shipped, error) || fs::equivalent(shipped, file, error)) return {};
  try {
    const auto value = written_value(files::read_file(shipped, files::FileKind::kMachine), key);
    return value ? std::optional(ShippedValue{machine, *value}) : std::nullopt;
  } catch (const std::runtime_error&) {
    return {};  // a broken preset must not hide the mistakes of the file being read
  }
}

/// The first shipped machine that is of `architecture`, or the usual one.
std::string model_of(const std::string& architecture) {
  for (const std::string& machine : machine_names()) {
    const auto its = shipped_value(machine, "architecture", {});
    if (its && its->value == architecture) return machine;
  }
  return kUsualModel;
}

}  // namespace

fs::path configs_folder() {
  const char* const given = std::getenv("TCSIM_CONFIGS");
  if (given == nullptr || *given == '\0') return files::data_folder("configs");
  std::error_code ignored;
  if (!fs::is_directory(given, ignored))
    throw IoError(std::string("TCSIM_CONFIGS: ") + given + ": no such folder");
  return given;
}

std::vector<std::string> machine_names() { return machine_files().names(); }

BaseLookup machine_bases() { return base_lookup(machine_files(), files::FileKind::kMachine); }

MachineFile read_machine(const std::string& name_or_path,
                         const std::vector<std::string>& overrides) {
  const fs::path file = machine_files().file_of(name_or_path);
  std::optional<std::string> model;  // of the file's architecture, once a key is missing
  const PresetLookup preset = [&](std::string_view key, const std::string& architecture) {
    if (!model) model = model_of(architecture);
    auto shipped = shipped_value(*model, key, file);
    return shipped ? shipped : shipped_value(kUsualModel, key, file);
  };
  return read_machine_text(file.string(), files::read_file(file, files::FileKind::kMachine),
                           overrides, preset, machine_bases());
}

Machine load_machine(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  return read_machine(name_or_path, overrides).machine;
}

std::string shipped_word(const MachineFile& machine) {
  const std::string& name = machine.machine.name;
  MachineFile alone = machine;
  alone.machine.kernel_libraries.clear();  // which read_machine does not read
  const std::string content = canonical_text(alone);
  for (const std::string& word : machine_names()) {
    const fs::path file = machine_files().file_of(word);
    try {
      if (files::read_file(file, files::FileKind::kMachine).find(name) == std::string::npos)
        continue;
      const MachineFile shipped = read_machine(word);
      if (shipped.machine.name == name && shipped.machine.libraries == machine.machine.libraries &&
          canonical_text(shipped) == content)
        return word;
    } catch (const ConfigError&) {
      continue;  // a broken file is no machine
    } catch (const IoError&) {
      continue;  // nor is one that cannot be read
    }
  }
  return {};
}

}  // namespace tcsim::config
