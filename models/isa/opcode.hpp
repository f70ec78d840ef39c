#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tcsim::isa {

/// SASS-class operations. One enumerator per timing class; the mnemonic and operand widths are a row of
/// `opcode_info`. Names follow the SASS mnemonics, dots dropped.
enum class Opcode : std::uint8_t {
  // CUDA-core arithmetic.
  kFadd, kFmul, kFfma, kFmnmx, kFsetp,
  kHadd2, kHmul2, kHfma2,
  kDadd, kDmul, kDfma,
  kIadd3, kLop3, kShf, kLea, kIsetp, kSel, kMov, kPrmt, kPlop3, kCs2r,
  kImad, kImadWide, kDp4a,
  kF2fp,
  kMufuEx2, kMufuRcp, kMufuRsq, kF2f, kI2f, kF2i, kPopc,
  kShfl, kS2r,
  // Uniform datapath (Turing on).
  kUiadd3, kUlop3, kUmov, kUshf, kUldc, kUisetp, kUsel, kUlea,
  // Tensor cores. V100 steps move 64-bit pairs; the shape digits are m, n, k.
  kHmma884F32Step0, kHmma884F32Step1, kHmma884F32Step2, kHmma884F32Step3,
  kHmma884F16Step0, kHmma884F16Step1,
  kHmma1688F32, kHmma1688F16, kHmma1688F32Bf16,
  kHmma16816F32, kHmma16816F16, kHmma16816F32Bf16,
  kHmma1684F32Tf32, kHmma1688F32Tf32,
  kImma8816S8, kImma16816S8, kImma16832S8,
  kDmma884,
  // Memory.
  kLdg32, kLdg64, kLdg128, kStg32, kStg64, kStg128,
  kLds32, kLds64, kLds128, kSts32, kSts64, kSts128,
  kLdsmX1, kLdsmX2, kLdsmX4, kLdsmTX1, kLdsmTX2, kLdsmTX4,
  kLdgsts32, kLdgsts64, kLdgsts128,
  kLdgdepbar, kDepbar,
  kLdg16, kStg16, kLds16, kSts16,
  // Control.
  kBarSync, kBra, kExit, kNop,
  kCount,
};

inline constexpr int kOpcodeCount = static_cast<int>(Opcode::kCount);

/// The execution pipe of a sub-core that an instruction is issued to.
enum class Pipe : std::uint8_t {
  kFma,      ///< FP32 multiply-add and integer multiply-add
  kAlu,      ///< 32-bit integer, logic, compare, move
  kHalf,     ///< packed FP16
  kFp64,
  kSfu,      ///< transcendental and conversion
  kUniform,
  kTensor,
  kMemory,   ///< the sub-core's memory queue
  kControl,  ///< branch, barrier, exit, no-operation
  kCount,
};
inline constexpr int kPipeCount = static_cast<int>(Pipe::kCount);

/// What an instruction does outside the register file.
enum class Effect : std::uint8_t {
  kNone, kLoadGlobal, kStoreGlobal, kLoadShared, kStoreShared, kLoadMatrix, kCopyGlobalToShared,
  kCloseCopyGroup, kWaitCopyGroups, kBarrier, kBranch, kExit,
};

/// One row of the instruction table. Register counts are 32-bit registers per lane.
struct OpcodeInfo {
  std::string_view mnemonic;
  Pipe pipe;
  bool fixed_latency;  ///< false: completion is signalled through a dependence counter
  Effect effect;
  std::uint8_t dst_registers;
  std::array<std::uint8_t, 3> src_registers;  ///< 0: the operand does not exist
  std::uint8_t bytes_per_lane;                ///< memory operations: bytes moved by one lane (LDSM: bytes received)
  std::uint16_t m, n, k;                      ///< MMA shape; all 0 for other operations
};

/// The row of `opcode`.
const OpcodeInfo& opcode_info(Opcode opcode);

/// The opcode written `mnemonic` (for example "HMMA.16816.F32"), or nothing.
std::optional<Opcode> parse_opcode(std::string_view mnemonic);

inline bool is_mma(Opcode opcode) { return opcode_info(opcode).pipe == Pipe::kTensor; }
inline bool is_memory(Opcode opcode) {
  const Effect effect = opcode_info(opcode).effect;
  return effect >= Effect::kLoadGlobal && effect <= Effect::kCopyGlobalToShared;
}

}  // namespace tcsim::isa
