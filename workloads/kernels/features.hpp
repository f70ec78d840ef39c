#pragma once

#include <algorithm>
#include <vector>

#include "models/isa/opcode.hpp"

namespace tcsim::kernels {

/// The chip features that kernels depend on, from its machine file: features.* and the instructions
/// of sm.tensor.
struct Features {
  bool packed_half = false;        ///< HADD2.F32 and HFMA2 with the operands of Volta and later
  bool uniform_datapath = false;   ///< uniform registers and their instructions
  bool packed_conversion = false;  ///< F2FP, F2IP (two FP32 numbers to one register), I2FP
  bool async_copy = false;         ///< LDGSTS: global to shared memory, bypassing the registers
  bool warpgroups = false;         ///< wgmma, TMA and mbarriers
  std::vector<isa::Opcode> mma{};  ///< MMA instructions of the tensor cores

  [[nodiscard]] bool has(isa::Opcode opcode) const {
    return std::ranges::find(mma, opcode) != mma.end();
  }
  /// True if the MMAs are those of quad pairs, executed in steps.
  [[nodiscard]] bool has_quad_pairs() const { return has(isa::Opcode::kHmma884F32Step0); }
  /// True if attention may copy tiles with LDGSTS and multiply with HMMA.16816.
  [[nodiscard]] bool has_async_mma() const { return async_copy && has(isa::Opcode::kHmma16816F32); }
  [[nodiscard]] bool has_sparse_mma() const { return has(isa::Opcode::kHmmaSp16832F32); }
};

}  // namespace tcsim::kernels
