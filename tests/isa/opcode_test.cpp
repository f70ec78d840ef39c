#include "models/isa/opcode.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace tcsim::isa {
namespace {

Opcode opcode(int index) { return static_cast<Opcode>(index); }

TEST(OpcodeInfo, MnemonicsAreDifferentAndParseBack) {
  std::set<std::string_view> seen;
  for (int i = 0; i < opcode_count(); ++i) {
    const std::string_view mnemonic = opcode_info(opcode(i)).mnemonic;
    EXPECT_TRUE(seen.insert(mnemonic).second) << mnemonic;
    EXPECT_EQ(parse_opcode(mnemonic), opcode(i)) << mnemonic;
  }
}

TEST(OpcodeInfo, AnUnknownMnemonicIsNothing) {
  EXPECT_FALSE(parse_opcode("HMMA.16816.F64").has_value());
  EXPECT_FALSE(parse_opcode("").has_value());
}

int bits_of(MmaInput input) {
  static const std::map<MmaInput, int> widths{
      {MmaInput::kFp16, 16}, {MmaInput::kBf16, 16}, {MmaInput::kTf32, 32}, {MmaInput::kInt8, 8},
      {MmaInput::kInt4, 4},  {MmaInput::kBit, 1},   {MmaInput::kFp64, 64}, {MmaInput::kFp8, 8}};
  return widths.at(input);
}

TEST(OpcodeInfo, MmaOperandsHoldTheFragmentsOfTheirShape) {
  // 32 lanes x registers x 4 bytes hold the m x k, k x n and m x n matrices exactly, of a sparse A
  // half.
  const int lane_bits = 32 * 32;
  for (int i = 0; i < opcode_count(); ++i) {
    const OpcodeInfo& info = opcode_info(opcode(i));
    if (!is_mma(opcode(i)) || info.mma_step.count > 1) continue;
    const int bits = bits_of(info.mma_input);
    EXPECT_EQ(info.src_registers[0] * lane_bits, info.m * info.k * bits / (info.sparse ? 2 : 1))
        << info.mnemonic;
    EXPECT_EQ(info.src_registers[1] * lane_bits, info.n * info.k * bits) << info.mnemonic;
    EXPECT_EQ(info.dst_registers, info.src_registers[2]) << info.mnemonic;
    EXPECT_EQ(info.src_registers[3], info.sparse ? 1 : 0) << info.mnemonic;
  }
}

TEST(OpcodeInfo, ExactlyProductsOfMatricesHaveShapes) {
  for (int i = 0; i < opcode_count(); ++i) {
    const OpcodeInfo& info = opcode_info(opcode(i));
    const bool multiplies = is_mma(opcode(i)) || is_group_mma(opcode(i));
    EXPECT_EQ(multiplies, info.m * info.n * info.k > 0) << info.mnemonic;
    EXPECT_EQ(multiplies, info.mma_input != MmaInput::kNone) << info.mnemonic;
  }
}

TEST(OpcodeInfo, AccumulatorsHoldTheSums) {
  for (int i = 0; i < opcode_count(); ++i) {
    const OpcodeInfo& info = opcode_info(opcode(i));
    const bool multiplies = is_mma(opcode(i)) || is_group_mma(opcode(i));
    EXPECT_EQ(multiplies, info.mma_sum.has_value()) << info.mnemonic;
    if (!multiplies || info.mma_step.count > 1) continue;
    EXPECT_EQ(info.dst_registers * 32 * 32, info.m * info.n * numerics::bits(*info.mma_sum))
        << info.mnemonic;
  }
}

TEST(OpcodeInfo, StepsFollowEachOther) {
  for (int i = 0; i < opcode_count(); ++i) {
    const MmaStep step = opcode_info(opcode(i)).mma_step;
    ASSERT_LT(step.index, step.count);
    if (step.index == 0) continue;
    EXPECT_EQ(opcode_info(opcode(i - 1)).mma_step.index, step.index - 1);
    EXPECT_EQ(opcode_info(opcode(i - 1)).mma_step.count, step.count);
  }
}

TEST(OpcodeInfo, MemoryOperationsMoveAsManyBytesAsTheirRegistersHold) {
  for (int i = 0; i < opcode_count(); ++i) {
    const OpcodeInfo& info = opcode_info(opcode(i));
    EXPECT_EQ(is_memory(opcode(i)), info.bytes_per_lane > 0) << info.mnemonic;
    if (!is_memory(opcode(i)) || info.effect == Effect::kCopyGlobalToShared) continue;
    const int registers = carries_data(info.effect) ? info.src_registers[1] : info.dst_registers;
    EXPECT_EQ(registers, info.bytes_per_lane == 2 ? 1 : info.bytes_per_lane / 4) << info.mnemonic;
  }
}

TEST(OpcodeInfo, AtomicsReturnWhatTheirOperandIsLike) {
  for (int i = 0; i < opcode_count(); ++i) {
    const OpcodeInfo& info = opcode_info(opcode(i));
    const bool is_atomic =
        info.effect >= Effect::kAtomicGlobal && info.effect <= Effect::kAtomicShared;
    EXPECT_EQ(is_atomic, info.atomic != AtomicOperation::kNone) << info.mnemonic;
    if (!is_atomic) continue;
    const bool returns = info.effect != Effect::kReduceGlobal;
    const bool swaps = info.atomic == AtomicOperation::kCompareSwap;
    EXPECT_EQ(info.dst_registers, returns ? info.src_registers[1] : 0) << info.mnemonic;
    EXPECT_EQ(info.src_registers[2], swaps ? info.src_registers[1] : 0) << info.mnemonic;
    EXPECT_EQ(info.bytes_per_lane == 8, info.atomic_type == AtomicType::kU64) << info.mnemonic;
  }
}

TEST(OpcodeInfo, BoxesHaveTheDimensionsOfTheirNames) {
  const auto dimensions = [](std::string_view mnemonic) {
    const Opcode opcode = parse_opcode(mnemonic).value();
    EXPECT_TRUE(copies_tile(opcode_info(opcode).effect)) << mnemonic;
    return box_dimensions(opcode);
  };
  EXPECT_EQ(dimensions("UTMALDG.1D"), 1);
  EXPECT_EQ(dimensions("UTMALDG.3D.MULTICAST"), 3);
  EXPECT_EQ(dimensions("UTMALDG.4D.IM2COL.MULTICAST"), 4);
  EXPECT_EQ(dimensions("UTMASTG.5D"), 5);
  for (const char* const mnemonic : {"UBLKCP.S.G", "UBLKCP.S.S", "UBLKRED.G.S.ADD", "UBLKPF"})
    EXPECT_EQ(dimensions(mnemonic), 0) << "bytes in a row";
  for (int d = 1; d <= 5; ++d) EXPECT_EQ(dimensions("UTMAREDG." + std::to_string(d) + "D.ADD"), d);
}

TEST(OpcodeInfo, OnlyMemorySpecialFunctionsAndFp64SignalThroughCounters) {
  EXPECT_TRUE(opcode_info(Opcode::kFfma).fixed_latency);
  EXPECT_TRUE(opcode_info(Opcode::kHmma16816F32).fixed_latency);
  EXPECT_TRUE(opcode_info(Opcode::kBarSync).fixed_latency);
  EXPECT_FALSE(opcode_info(Opcode::kDmma884).fixed_latency);
  EXPECT_FALSE(opcode_info(Opcode::kMufuEx2).fixed_latency);
  EXPECT_FALSE(opcode_info(Opcode::kShfl).fixed_latency);
  for (int i = 0; i < opcode_count(); ++i)
    if (is_memory(opcode(i))) {
      EXPECT_FALSE(opcode_info(opcode(i)).fixed_latency) << opcode_info(opcode(i)).mnemonic;
    }
}

TEST(WarpMacs, CountsTheProductsOfTheWholeWarp) {
  EXPECT_EQ(warp_macs(Opcode::kHmma16816F32), 2048);
  EXPECT_EQ(warp_macs(Opcode::kHmma1688F16), 1024);
  EXPECT_EQ(warp_macs(Opcode::kImma16832S8), 4096);
  EXPECT_EQ(warp_macs(Opcode::kDmma884), 256);
  EXPECT_EQ(warp_macs(Opcode::kFfma), 32);
  EXPECT_EQ(warp_macs(Opcode::kHfma2), 64);
  EXPECT_EQ(warp_macs(Opcode::kDp4a), 128);
  EXPECT_EQ(warp_macs(Opcode::kIadd3), 0);
}

TEST(WarpMacs, TheStepsOfAVoltaProductAddUpToFourQuadPairs) {
  const std::int64_t fp32 =
      warp_macs(Opcode::kHmma884F32Step0) + warp_macs(Opcode::kHmma884F32Step1) +
      warp_macs(Opcode::kHmma884F32Step2) + warp_macs(Opcode::kHmma884F32Step3);
  const std::int64_t fp16 =
      warp_macs(Opcode::kHmma884F16Step0) + warp_macs(Opcode::kHmma884F16Step1);
  EXPECT_EQ(fp32, 4 * 8 * 8 * 4);
  EXPECT_EQ(fp16, fp32);
}

}  // namespace
}  // namespace tcsim::isa
