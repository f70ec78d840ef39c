#pragma once

#include <string>
#include <vector>

#include "models/isa/opcode.hpp"
#include "sim/config/machine_reader.hpp"

namespace tcsim::config {

/// A key whose value cannot act, or not on what one would think, because others bind.
struct InertKey {
  std::string key;  ///< "sm.instruction_fetch.*": all others of the section
  std::string why;  ///< what it does not do, the keys that bind and the values of both sides

  /// True if this is about key `path`.
  [[nodiscard]] bool concerns(const std::string& path) const;
};

/// What cannot act on `machine` in kernels whose MMA instructions are `used`, as far as one formula
/// of the machine decides: rates of tensor cores behind intervals and register ports, pins and
/// ports behind other ports, parts that are switched off.
std::vector<InertKey> inert_keys(const Machine& machine, const std::vector<isa::Opcode>& used);

/// The same for all MMA instructions that `machine` lists.
std::vector<InertKey> inert_keys(const Machine& machine);

/// "KEY = VALUE does not act: ..." for everything that cannot act on `file`.
std::vector<std::string> inert_notes(const MachineFile& file);

/// The same for the values of `file` that a --set gave, in a run with MMA instructions `used`: also
/// those that no model reads, or none but the peak, and those of instructions that do not run.
std::vector<std::string> inert_override_notes(const MachineFile& file,
                                              const std::vector<isa::Opcode>& used);
/// The same for runs that may use all MMA instructions of `file`.
std::vector<std::string> inert_override_notes(const MachineFile& file);

}  // namespace tcsim::config
