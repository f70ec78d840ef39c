// What an SM issues per cycle is what the keys of its machine say, opcode by opcode.

#include <gtest/gtest.h>

#include <map>

#include "models/sm/tensor_core.hpp"
#include "sim/config/load.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/target.hpp"

namespace tcsim::config {
namespace {

using isa::Opcode;
using kernels::Element;
using kernels::Unit;
using sm::PipeParams;
using sm::TensorParams;

constexpr double kLanes = 32;

/// Lanes of an SM that work on `opcode` in a cycle; 0 where the machine lacks it.
double lanes_at_work(const Machine& machine, Opcode opcode) {
  const isa::OpTiming timing = sm::timing_table(machine.sm)[static_cast<std::size_t>(opcode)];
  if (!timing.supported()) return 0;
  const bool is_shared =
      isa::opcode_info(opcode).pipe == isa::Pipe::kFp64 && sm::fp64_is_shared(machine.sm);
  return kLanes * (is_shared ? 1 : machine.sm.sub_cores) / timing.issue_interval;
}

const std::map<Opcode, int PipeParams::*>& latency_keys() {
  static const std::map<Opcode, int PipeParams::*> all{
      {Opcode::kFadd, &PipeParams::fp32_lanes},
      {Opcode::kFmul, &PipeParams::fp32_lanes},
      {Opcode::kFfma, &PipeParams::fp32_lanes},
      {Opcode::kFmnmx, &PipeParams::int32_lanes},
      {Opcode::kFsetp, &PipeParams::int32_lanes},
      {Opcode::kIadd3, &PipeParams::int32_lanes},
      {Opcode::kLop3, &PipeParams::int32_lanes},
      {Opcode::kShf, &PipeParams::int32_lanes},
      {Opcode::kLea, &PipeParams::int32_lanes},
      {Opcode::kIsetp, &PipeParams::int32_lanes},
      {Opcode::kSel, &PipeParams::int32_lanes},
      {Opcode::kMov, &PipeParams::int32_lanes},
      {Opcode::kPrmt, &PipeParams::int32_lanes},
      {Opcode::kPlop3, &PipeParams::int32_lanes},
      {Opcode::kCs2r, &PipeParams::int32_lanes},
      {Opcode::kF2fp, &PipeParams::int32_lanes},
      {Opcode::kF2fpBf16, &PipeParams::int32_lanes},
      {Opcode::kF2fpE4m3, &PipeParams::int32_lanes},
      {Opcode::kF2ipS8, &PipeParams::int32_lanes},
      {Opcode::kI2fp, &PipeParams::int32_lanes},
      {Opcode::kImad, &PipeParams::int32_lanes},
      {Opcode::kImadWide, &PipeParams::int32_lanes},
      {Opcode::kDp4a, &PipeParams::dp4a_lanes},
      {Opcode::kHadd2, &PipeParams::half2_lanes},
      {Opcode::kHmul2, &PipeParams::half2_lanes},
      {Opcode::kHfma2, &PipeParams::half2_lanes},
      {Opcode::kHadd2F32, &PipeParams::half2_lanes},
      {Opcode::kDadd, &PipeParams::fp64_lanes},
      {Opcode::kDmul, &PipeParams::fp64_lanes},
      {Opcode::kDfma, &PipeParams::fp64_lanes},
      {Opcode::kMufuEx2, &PipeParams::sfu_lanes},
      {Opcode::kMufuRcp, &PipeParams::sfu_lanes},
      {Opcode::kMufuRsq, &PipeParams::sfu_lanes},
      {Opcode::kMufuLg2, &PipeParams::sfu_lanes},
      {Opcode::kF2f, &PipeParams::sfu_lanes},
      {Opcode::kI2f, &PipeParams::sfu_lanes},
      {Opcode::kF2i, &PipeParams::sfu_lanes},
      {Opcode::kPopc, &PipeParams::sfu_lanes},
      {Opcode::kF2iS8, &PipeParams::sfu_lanes},
      {Opcode::kI2fS8, &PipeParams::sfu_lanes},
      {Opcode::kS2r, &PipeParams::sfu_lanes},
      {Opcode::kLop3AndOr, &PipeParams::int32_lanes},
      {Opcode::kShfRight, &PipeParams::int32_lanes},
      {Opcode::kHfma2Bf16, &PipeParams::bf16x2_lanes}};
  return all;
}

TEST(OpcodeRate, IsThatOfItsLanesOnEveryMachine) {
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    for (const auto& [opcode, key] : latency_keys())
      EXPECT_EQ(lanes_at_work(machine, opcode), machine.sm.pipes.*key)
          << name << ' ' << isa::opcode_info(opcode).mnemonic;
  }
}

TEST(OpcodeRate, FollowsItsOwnKey) {
  for (const int lanes : {16, 32, 128}) {
    const std::string count = std::to_string(lanes);
    const Machine machine =
        load_machine("a100", {"sm.pipes.fp32_lanes=64", "sm.pipes.int32_lanes=" + count,
                              "sm.pipes.dp4a_lanes=" + count, "sm.pipes.half2_lanes=" + count,
                              "sm.pipes.bf16x2_lanes=" + count});
    for (const Opcode opcode :
         {Opcode::kImad, Opcode::kDp4a, Opcode::kIadd3, Opcode::kHfma2, Opcode::kHfma2Bf16})
      EXPECT_EQ(lanes_at_work(machine, opcode), lanes) << isa::opcode_info(opcode).mnemonic;
    EXPECT_EQ(lanes_at_work(machine, Opcode::kFfma), 64);
  }
  EXPECT_EQ(lanes_at_work(load_machine("a100", {"sm.pipes.dp4a_lanes=0"}), Opcode::kDp4a), 0);
}

/// CUDA C Programming Guide: 128 results of BF16 on 8.0 and 8.6, 256 on 9.0.
TEST(OpcodeRate, OfBfloatIsThatOfTheGuide) {
  const std::map<std::string, int> expected{{"a100", 64}, {"rtx3090", 64}, {"h100", 128}};
  for (const auto& [machine, lanes] : expected)
    EXPECT_EQ(lanes_at_work(load_machine(machine), Opcode::kHfma2Bf16), lanes) << machine;
}

TEST(OpcodeRate, EveryArithmeticOpcodeHasAKey) {
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const isa::Pipe pipe = isa::opcode_info(opcode).pipe;
    if (pipe <= isa::Pipe::kSfu) {
      EXPECT_TRUE(latency_keys().contains(opcode)) << isa::opcode_info(opcode).mnemonic;
    }
  }
}

/// Multiply-adds per cycle and SM of the dense type that `opcode` multiplies, or 0.
double key_of(const TensorParams& tensor, isa::MmaInput input) {
  switch (input) {
    case isa::MmaInput::kFp16:
      return sm::dense_macs(*sm::tensor_type("fp16"), tensor);
    case isa::MmaInput::kBf16:
      return sm::dense_macs(*sm::tensor_type("bf16"), tensor);
    case isa::MmaInput::kTf32:
      return sm::dense_macs(*sm::tensor_type("tf32"), tensor);
    case isa::MmaInput::kInt8:
      return sm::dense_macs(*sm::tensor_type("int8"), tensor);
    case isa::MmaInput::kInt4:
      return sm::dense_macs(*sm::tensor_type("int4"), tensor);
    case isa::MmaInput::kBit:
      return sm::dense_macs(*sm::tensor_type("b1"), tensor);
    case isa::MmaInput::kFp64:
      return sm::dense_macs(*sm::tensor_type("fp64"), tensor);
    case isa::MmaInput::kFp8:
      return sm::dense_macs(*sm::tensor_type("fp8"), tensor);
    case isa::MmaInput::kNone:
      break;
  }
  return 0;
}

TEST(OpcodeRate, OfAnMmaIsThatOfItsTypeOrOfItsOperandsOrLeastInterval) {
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    const TensorParams& tensor = machine.sm.tensor;
    const isa::TimingTable table = sm::timing_table(machine.sm);
    for (const sm::TensorInstructionParams& row : tensor.instructions) {
      const isa::OpcodeInfo& info = isa::opcode_info(row.opcode);
      const isa::OpTiming timing = table[static_cast<std::size_t>(row.opcode)];
      if (!timing.supported()) continue;
      const double rate =
          key_of(tensor, info.mma_input) * tensor.cores_per_sub_core *
          (info.sparse ? tensor.sparse_speedup : 1) /
          (info.mma_sum == numerics::ElementType::kFp32 ? tensor.fp32_sum_slowdown : 1);
      const double of_rate = static_cast<double>(isa::warp_macs(row.opcode)) / rate;
      const int bound = std::max(
          {row.min_interval_cycles.value_or(1),
           info.sparse ? tensor.sparse_least_interval_cycles : tensor.least_interval_cycles,
           (info.src_registers[0] + info.src_registers[1]) / info.mma_step.count});
      const double cycles = std::max<double>(of_rate, bound);
      EXPECT_GE(timing.issue_interval, of_rate) << name << ' ' << info.mnemonic;
      EXPECT_NEAR(timing.issue_interval, cycles, 0.01 * cycles) << name << ' ' << info.mnemonic;
    }
  }
}

/// SASS names the format of the sums first: HMMA.16816.F32.BF16.
TEST(OpcodeRate, TheFormatOfTheSumsIsThatOfTheMnemonic) {
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const std::string mnemonic(isa::opcode_info(opcode).mnemonic);
    const bool multiplies = isa::is_mma(opcode) || isa::is_group_mma(opcode);
    const bool is_named = multiplies && mnemonic.find(".F32") != std::string::npos;
    EXPECT_EQ(isa::opcode_info(opcode).mma_sum == numerics::ElementType::kFp32, is_named)
        << mnemonic;
  }
}

TEST(OpcodeRate, Fp32SumsTakeAsManyTimesLongerAsTheKeySays) {
  const Machine fast = load_machine("a100");
  const Machine slow = load_machine("a100", {"sm.tensor.fp32_sum_slowdown=2"});
  const auto interval = [](const Machine& machine, Opcode opcode) {
    return sm::timing_table(machine.sm)[static_cast<std::size_t>(opcode)].issue_interval;
  };
  for (const Opcode opcode : {Opcode::kHmma16816F32, Opcode::kHmma16816F32Bf16,
                              Opcode::kHmma1688F32Tf32, Opcode::kHmmaSp16832F32})
    EXPECT_EQ(interval(slow, opcode), 2 * interval(fast, opcode));
  for (const Opcode opcode : {Opcode::kHmma16816F16, Opcode::kImma16832S8, Opcode::kDmma884})
    EXPECT_EQ(interval(slow, opcode), interval(fast, opcode));
  kernels::GemmProblem problem;
  EXPECT_EQ(make_target(slow, problem).macs_per_cycle_per_sm, 512);
  problem.accumulate = Element::kFp16;
  EXPECT_EQ(make_target(slow, problem).macs_per_cycle_per_sm, 1024);
}

/// The peaks that are printed, what the chooser of tiles reckons with and what the SM issues come
/// from one key.
TEST(OpcodeRate, IsTheOneThatPeaksAndKernelsReckonWith) {
  const std::map<Element, std::string> names{{Element::kFp16, "fp16"}, {Element::kBf16, "bf16"},
                                             {Element::kTf32, "tf32"}, {Element::kFp32, "fp32"},
                                             {Element::kFp64, "fp64"}, {Element::kInt8, "int8"}};
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    for (const auto& [element, dtype] : names)
      for (const auto& [unit, word] :
           {std::pair(Unit::kTensor, "tensor"), std::pair(Unit::kCudaCore, "cuda-core")}) {
        kernels::GemmProblem problem;
        problem.input = element;
        problem.unit = unit;
        const auto peak = peak_rate(machine, word, dtype);
        EXPECT_EQ(make_target(machine, problem).macs_per_cycle_per_sm,
                  peak ? peak->macs_per_cycle_per_sm : 0)
            << name << ' ' << word << ' ' << dtype;
      }
    for (const auto& [opcode, dtype] :
         {std::pair(Opcode::kFfma, "fp32"), std::pair(Opcode::kHfma2, "fp16"),
          std::pair(Opcode::kHfma2Bf16, "bf16"), std::pair(Opcode::kDfma, "fp64"),
          std::pair(Opcode::kDp4a, "int8")}) {
      const auto peak = peak_rate(machine, "cuda-core", dtype);
      const double macs = static_cast<double>(isa::warp_macs(opcode)) / kLanes;
      EXPECT_EQ(lanes_at_work(machine, opcode) * macs, peak ? peak->macs_per_cycle_per_sm : 0)
          << name << ' ' << dtype;
    }
  }
}

}  // namespace
}  // namespace tcsim::config
