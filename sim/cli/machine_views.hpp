#pragma once

#include <string>
#include <vector>

#include "sim/cli/table.hpp"

namespace tcsim::cli {

// What `tcsim machine ...` prints. Mistakes throw ConfigError or IoError.

/// One line per shipped machine.
std::string list_machines(Format format);

/// Every effective value of `machine` with unit, origin and source.
std::string show_machine(const std::string& machine, const std::vector<std::string>& overrides,
                         Format format);

/// The whole of `machine` as the text of a file without a base, each value with its source.
std::string machine_yaml(const std::string& machine, const std::vector<std::string>& overrides);

/// A machine that builds on another one.
struct NewMachine {
  std::string name;
  std::string base;                    ///< name or file of a machine
  std::vector<std::string> overrides;  ///< what differs: key.path=value
};

/// The text of its file.
std::string new_machine(const NewMachine& machine);

/// Kind, range, reader and sentence of the key, and its value on each shipped machine; for a
/// section, the keys in it.
std::string explain_key(const std::string& key, Format format);

/// How the interval and latency of MMA `mnemonic` follow from the tensor cores of `machines`, or of
/// all shipped machines that have it; `overrides` hold for each.
std::string explain_instruction(const std::string& mnemonic,
                                const std::vector<std::string>& machines,
                                const std::vector<std::string>& overrides, Format format);

/// One row per key of a machine file.
std::string explain_all(Format format);

/// The keys in which machines `a` and `b` differ.
std::string diff_machines(const std::string& a, const std::string& b, Format format);

}  // namespace tcsim::cli
