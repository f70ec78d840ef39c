#pragma once

#include <string>
#include <vector>

#include "models/isa/opcode.hpp"
#include "sim/config/machine_reader.hpp"

namespace tcsim::config {

/// A key whose value has no effect, or not the expected one, because other keys are the limit.
struct InertKey {
  std::string key;  ///< "sm.instruction_fetch.*": all other keys of the section
  std::string why;  ///< what it does not do, the limiting keys and the values of both sides

  /// True if this is about key `path`.
  [[nodiscard]] bool concerns(const std::string& path) const;
};

/// Keys of `machine` without effect in kernels whose MMA instructions are `used`, where one formula
/// decides this: rates of tensor cores limited by intervals and register ports, pins and ports
/// limited by other ports, times that contain others, parts that are switched off.
std::vector<InertKey> inert_keys(const Machine& machine, const std::vector<isa::Opcode>& used);

/// The same for all MMA instructions that `machine` lists, and the products of warpgroups.
std::vector<InertKey> inert_keys(const Machine& machine);

/// "KEY = VALUE has no effect: ..." for every key of `file` without effect.
std::vector<std::string> inert_notes(const MachineFile& file);

/// The same for the values of `file` that come from --set, in a run with MMA instructions and
/// products of warpgroups `used`. It also covers keys that no model reads, keys that only the peak
/// reads, and keys of instructions that do not run.
std::vector<std::string> inert_override_notes(const MachineFile& file,
                                              const std::vector<isa::Opcode>& used);
/// The same for runs that may use any MMA instruction and product of `file`.
std::vector<std::string> inert_override_notes(const MachineFile& file);

}  // namespace tcsim::config
