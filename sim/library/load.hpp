#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "sim/config/load.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::library {

/// The libraries that tcsim ships: "libraries" in the configs folder, or next to the shipped
/// machines if that has none.
std::filesystem::path libraries_folder();

/// Names of the libraries in that folder (file stems), sorted.
std::vector<std::string> library_names();

/// Why `name_or_path` names no library; empty if it names one.
std::string why_none(const std::string& name_or_path);

/// Reads a library. A word with a slash or ending in .yaml or .yml is a path, any other one the
/// name of a library. Throws ConfigError with every mistake, IoError if the file cannot be
/// read.
std::shared_ptr<const kernels::Library> read_library(const std::string& name_or_path);

/// The same library as the text of a file that needs no other file. Throws as read_library.
std::string complete_library_text(const std::string& name_or_path);

/// Reads `more` and, after them, the libraries that `machine` names, into
/// machine.kernel_libraries. Throws as read_library, for kernels of `more` of which the machine has
/// no instructions, and for tiles of files that are not shipped if it cannot build them; a mistake
/// in a name that the machine file gives has its place.
void equip(config::MachineFile& machine, const std::vector<std::string>& more = {});

/// config::read_machine and equip.
config::MachineFile read_machine(const std::string& name_or_path,
                                 const std::vector<std::string>& overrides = {},
                                 const std::vector<std::string>& more = {});
config::Machine load_machine(const std::string& name_or_path,
                             const std::vector<std::string>& overrides = {});

/// Machines and their libraries, each read once: for many runs on a few machines.
class KnownMachines {
 public:
  /// As read_machine, also in what it throws; valid as long as this object.
  const config::MachineFile& of(const std::string& name_or_path,
                                const std::vector<std::string>& overrides,
                                const std::vector<std::string>& more);

 private:
  using Words = std::vector<std::string>;

  std::map<std::tuple<std::string, Words, Words>, config::MachineFile> machines_;
};

}  // namespace tcsim::library
