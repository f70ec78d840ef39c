#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"

namespace tcsim::config {

/// The folder of the files that tcsim ships: $TCSIM_CONFIGS if that is set, otherwise that of the
/// source tree, otherwise the installed one next to the program. Throws IoError if $TCSIM_CONFIGS
/// is no folder.
std::filesystem::path configs_folder();

/// Names of the machines in the configs folder (file stems), sorted.
std::vector<std::string> machine_names();

/// The bases that machine files name: other ones, by name or by path.
BaseLookup machine_bases();

/// Reads the machine `name_or_path` with `overrides` ("key.path=value", in order) on top. A word
/// with a slash or ending in .yaml or .yml is a path, any other one the name of a machine. Throws
/// ConfigError with every mistake, IoError if the file cannot be read.
MachineFile read_machine(const std::string& name_or_path,
                         const std::vector<std::string>& overrides = {});

/// The same, without the origins of the values.
Machine load_machine(const std::string& name_or_path,
                     const std::vector<std::string>& overrides = {});

/// The word for the shipped machine that equals `machine` in its name and in everything that models
/// read of its file, wherever that file is; "" if there is none.
std::string shipped_word(const MachineFile& machine);

}  // namespace tcsim::config
