#pragma once

#include "models/isa/opcode.hpp"
#include "models/isa/timing.hpp"
#include "sim/config/machine.hpp"
#include "workloads/kernels/features.hpp"

namespace tcsim::run {

/// The instructions of a machine that do not come with a pipe of their own but with a feature of
/// its file or with the unit for which they load and store.
class InstructionFeatures {
 public:
  explicit InstructionFeatures(const config::Machine& machine);

  /// True where `opcode` needs nothing of the kind, or the machine has it; `timing` is the
  /// machine's.
  [[nodiscard]] bool allow(isa::Opcode opcode, const isa::TimingTable& timing) const;

 private:
  const kernels::Features features_;
  const bool copies_tiles_;
};

}  // namespace tcsim::run
