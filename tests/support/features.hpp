#pragma once

#include <string_view>

#include "workloads/kernels/features.hpp"

namespace tcsim::test {

// The features that the machine files of V100, T4 and A100 state, as far as kernels depend on them.

inline kernels::Features volta_features() {
  return {.packed_half = true, .mma = {isa::Opcode::kHmma884F32Step0}};
}

inline kernels::Features turing_features() {
  return {.packed_half = true,
          .uniform_datapath = true,
          .mma = {isa::Opcode::kHmma1688F32, isa::Opcode::kHmma1688F16, isa::Opcode::kImma8816S8}};
}

inline kernels::Features ampere_features() {
  return {.packed_half = true,
          .uniform_datapath = true,
          .packed_conversion = true,
          .async_copy = true,
          .mma = {isa::Opcode::kHmma1688F32, isa::Opcode::kHmma1688F16, isa::Opcode::kHmma16816F32,
                  isa::Opcode::kHmma16816F16, isa::Opcode::kHmma16816F32Bf16,
                  isa::Opcode::kHmma1688F32Tf32, isa::Opcode::kImma8816S8,
                  isa::Opcode::kImma16832S8, isa::Opcode::kDmma884, isa::Opcode::kHmmaSp16832F32,
                  isa::Opcode::kHmmaSp16832F16, isa::Opcode::kHmmaSp16832F32Bf16,
                  isa::Opcode::kHmmaSp16816F32Tf32, isa::Opcode::kImmaSp16864S8}};
}

inline kernels::Features features_named(std::string_view generation) {
  if (generation == "volta") return volta_features();
  return generation == "turing" ? turing_features() : ampere_features();
}

}  // namespace tcsim::test
