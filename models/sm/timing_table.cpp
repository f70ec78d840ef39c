#include <algorithm>

#include "models/isa/cycle.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {
namespace {

using isa::Opcode;
using isa::OpTiming;
using isa::Pipe;

constexpr int kLanesPerWarp = 32;

/// Multiply-adds per cycle of one tensor core for the operand type of `opcode`.
int macs_per_cycle(Opcode opcode, const TensorParams& tensor) {
  switch (opcode) {
    case Opcode::kHmma1688F32Bf16:
    case Opcode::kHmma16816F32Bf16:
      return tensor.bf16_macs;
    case Opcode::kHmma1684F32Tf32:
    case Opcode::kHmma1688F32Tf32:
      return tensor.tf32_macs;
    case Opcode::kImma8816S8:
    case Opcode::kImma16816S8:
    case Opcode::kImma16832S8:
      return tensor.int8_macs;
    case Opcode::kDmma884:
      return tensor.fp64_macs;
    default:
      return tensor.fp16_macs;
  }
}

/// Multiply-adds of one warp instruction. A V100 step is a quarter (FP32 accumulate) or half (FP16) of the four
/// 8x8x4 products of a warp's quad pairs (numerics.md 12).
int macs(Opcode opcode) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  const int product = info.m * info.n * info.k;
  const bool is_f16_step = opcode == Opcode::kHmma884F16Step0 || opcode == Opcode::kHmma884F16Step1;
  return is_f16_step ? 2 * product : product;
}

/// Interval from geometry: the MMA's multiply-adds over what the sub-core's tensor cores do in a cycle.
OpTiming mma_timing(Opcode opcode, const TensorParams& tensor) {
  const int rate = macs_per_cycle(opcode, tensor) * tensor.cores_per_sub_core;
  const auto row = std::find_if(tensor.instructions.begin(), tensor.instructions.end(),
                                [opcode](const TensorInstructionParams& r) { return r.opcode == opcode; });
  if (rate == 0 || row == tensor.instructions.end()) return {};
  const int interval = ceil_div(macs(opcode), rate);
  return {std::max(interval, row->min_interval_cycles), row->latency_cycles};
}

OpTiming pipe_timing(Pipe pipe, const SmParams& params) {
  const PipeParams& pipes = params.pipes;
  const auto interval = [&params](int lanes) {
    return lanes == 0 ? 0 : std::max(1, kLanesPerWarp * params.sub_cores / lanes);
  };
  switch (pipe) {
    case Pipe::kFma:
      return {interval(pipes.fp32_lanes), pipes.fp32_latency_cycles};
    case Pipe::kAlu:
      return {interval(pipes.int32_lanes), pipes.int32_latency_cycles};
    case Pipe::kHalf:
      return {interval(pipes.half2_lanes), pipes.half_latency_cycles};
    case Pipe::kFp64:
      return {interval(pipes.fp64_lanes), pipes.fp64_latency_cycles};
    case Pipe::kSfu:
      return {interval(pipes.sfu_lanes), pipes.sfu_latency_cycles};
    case Pipe::kUniform:
      return {pipes.uniform_latency_cycles > 0 ? 1 : 0, pipes.uniform_latency_cycles};
    default:
      return {1, 1};
  }
}

OpTiming timing(Opcode opcode, const SmParams& params) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  switch (opcode) {
    case Opcode::kImad:
    case Opcode::kImadWide:
    case Opcode::kDp4a:
      return {pipe_timing(Pipe::kFma, params).issue_interval, params.pipes.imad_latency_cycles};
    case Opcode::kFsetp:
    case Opcode::kIsetp:
    case Opcode::kPlop3:
      return {pipe_timing(info.pipe, params).issue_interval, params.pipes.predicate_latency_cycles};
    case Opcode::kShfl:
      return {2, params.pipes.shuffle_latency_cycles};
    case Opcode::kBra:
      return {1, params.pipes.branch_latency_cycles};
    default:
      break;
  }
  if (info.pipe == Pipe::kTensor) return mma_timing(opcode, params.tensor);
  switch (info.effect) {
    case isa::Effect::kLoadShared:
    case isa::Effect::kLoadMatrix:
      return {1, params.shared_memory.load_latency_cycles};
    case isa::Effect::kLoadGlobal:
    case isa::Effect::kStoreGlobal:
    case isa::Effect::kCopyGlobalToShared:
      return {1, params.l1.hit_latency_cycles};
    default:
      return pipe_timing(info.pipe, params);
  }
}

}  // namespace

isa::TimingTable timing_table(const SmParams& params) {
  isa::TimingTable table{};
  for (int index = 0; index < isa::kOpcodeCount; ++index) {
    table[static_cast<std::size_t>(index)] = timing(static_cast<Opcode>(index), params);
  }
  return table;
}

}  // namespace tcsim::sm
