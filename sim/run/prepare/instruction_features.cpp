#include "sim/run/prepare/instruction_features.hpp"

#include <algorithm>

#include "sim/config/target.hpp"

namespace tcsim::run {
namespace {

/// False for the steps of quad pairs, whose fragments LDSM does not load.
bool is_of_a_warp(isa::Opcode mma) { return isa::opcode_info(mma).mma_step.count == 1; }

bool multiplies_fp8(const isa::TimingTable& timing) {
  for (int i = 0; i < isa::opcode_count(); ++i)
    if (isa::opcode_info(static_cast<isa::Opcode>(i)).mma_input == isa::MmaInput::kFp8 &&
        timing[static_cast<std::size_t>(i)].supported())
      return true;
  return false;
}

}  // namespace

InstructionFeatures::InstructionFeatures(const config::Machine& machine)
    : features_(config::features_of(machine)),
      copies_tiles_(machine.sm.tile_copy.bytes_in_flight > 0) {}

bool InstructionFeatures::allow(isa::Opcode opcode, const isa::TimingTable& timing) const {
  switch (opcode) {
    case isa::Opcode::kF2fp:
    case isa::Opcode::kF2fpBf16:
    case isa::Opcode::kF2ipS8:
    case isa::Opcode::kI2fp:
      return features_.packed_conversion;
    case isa::Opcode::kF2fpE4m3:
      return features_.packed_conversion && multiplies_fp8(timing);
    case isa::Opcode::kLdgdepbar:
      return features_.async_copy;
    case isa::Opcode::kUtmacmdflush:
      return copies_tiles_;
    default:
      break;
  }
  switch (isa::opcode_info(opcode).effect) {
    case isa::Effect::kCopyGlobalToShared:
      return features_.async_copy;
    case isa::Effect::kLoadMatrix:
      return features_.warpgroups || std::ranges::any_of(features_.mma, is_of_a_warp);
    case isa::Effect::kStoreMatrix:
      return features_.warpgroups;
    default:
      return true;
  }
}

}  // namespace tcsim::run
