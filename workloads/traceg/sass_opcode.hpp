#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "models/isa/opcode.hpp"

namespace tcsim::traceg {

/// How one SASS operation of a trace runs in the models: as the operation of the same timing class.
struct SassOpcode {
  isa::Opcode opcode = isa::Opcode::kNop;
  int bytes_per_lane = 0;  ///< memory operations, SYNCS
  int matrices = 0;        ///< LDSM, STSM
  /// LD, ST, ATOM, RED: the address of a lane decides between global and shared memory.
  bool is_generic = false;
  bool is_constant = false;  ///< LDC, whose address the format lacks: uses the first constant
  /// A marker of the tracer, not an instruction: ends of a repeated part.
  bool is_marker = false;
};

/// Instruction sets with a table: 70, 75, 80, 86, 90 for sm_70 and so on.
std::span<const int> known_sm_versions();

/// The operation called `mnemonic`, including dots, in the code of sm_`sm_version`; nothing if it
/// does not exist there or the models lack it.
std::optional<SassOpcode> parse_sass(std::string_view mnemonic, int sm_version);

/// The operation on shared memory that is closest to one on global memory. Requires that of a
/// generic one.
isa::Opcode in_shared_memory(isa::Opcode global);

}  // namespace tcsim::traceg
