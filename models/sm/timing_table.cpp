#include <algorithm>

#include "models/isa/cycle.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/group_mma.hpp"
#include "models/sm/group_tensor.hpp"
#include "models/sm/params.hpp"
#include "models/sm/tensor_core.hpp"

namespace tcsim::sm {
namespace {

using isa::Opcode;
using isa::OpTiming;
using isa::Pipe;

/// Timing from the shape of the cores, bounded and overridden by the values in the machine file.
OpTiming mma_timing(Opcode opcode, const TensorParams& tensor) {
  const auto row = std::ranges::find(tensor.instructions, opcode, &TensorInstructionParams::opcode);
  if (row == tensor.instructions.end()) return {};
  const std::optional<MmaDerivation> derived = derive_mma(opcode, tensor);
  const int rate = tensor_rate(opcode, tensor);
  if (rate == 0 || !derived) return {};
  int interval = derived->interval_cycles();
  if (tensor.*tensor_type(opcode)->macs)  // given: independent of the shape
    interval = std::max({derived->operand_cycles, derived->least_cycles,
                         static_cast<int>(ceil_div<std::int64_t>(isa::warp_macs(opcode), rate))});
  if (tensor.instruction_timing == "derived") return {interval, derived->latency_cycles};
  return {std::max(interval, row->min_interval_cycles.value_or(1)),
          row->latency_cycles.value_or(derived->latency_cycles)};
}

/// Start to start on `lanes` of an SM; 0 if it has none.
int lane_interval(int lanes, const SmParams& params) {
  return lanes == 0 ? 0 : std::max(1, isa::kLanes * params.sub_cores / lanes);
}

/// Start to start of two SHFLs of a sub-core (assumption: no source gives more than their latency).
constexpr int kShuffleIntervalCycles = 2;

OpTiming pipe_timing(Pipe pipe, const SmParams& params) {
  const PipeParams& pipes = params.pipes;
  switch (pipe) {
    case Pipe::kFma:
      return {lane_interval(pipes.fp32_lanes, params), pipes.fp32_latency_cycles};
    case Pipe::kAlu:
      return {lane_interval(pipes.int32_lanes, params), pipes.int32_latency_cycles};
    case Pipe::kHalf:
      return {lane_interval(pipes.half2_lanes, params), pipes.half_latency_cycles};
    case Pipe::kFp64:
      if (fp64_is_shared(params))
        return {isa::kLanes / pipes.fp64_lanes, pipes.fp64_latency_cycles};
      return {lane_interval(pipes.fp64_lanes, params), pipes.fp64_latency_cycles};
    case Pipe::kSfu:
      return {lane_interval(pipes.sfu_lanes, params), pipes.sfu_latency_cycles};
    case Pipe::kUniform:
      return {pipes.uniform_latency_cycles > 0 ? 1 : 0, pipes.uniform_latency_cycles};
    default:
      return {1, 1};
  }
}

/// Start to start of two HGMMAs of a warp while their queue has room: 4, 12 and 28 cycles with n of
/// 64, 128 and 256 (measured on H100 and H200, scripts/gpu/hopper/wgmma.cu, `issue_times`).
int group_issue_cycles(Opcode opcode) { return std::max(4, isa::group_mma(opcode).n / 8 - 4); }

/// Cycles in which the tensor cores of a sub-core execute a warp's part of a product; 0: there is
/// no part.
int part_cycles(Opcode opcode, const SmParams& params) {
  const int rate = tensor_rate(opcode, params.tensor);
  if (params.group_tensor.shared_operations == 0 || rate == 0) return 0;
  if (isa::opcode_info(opcode).sparse && params.tensor.sparse_speedup == 1) return 0;
  return static_cast<int>(ceil_div<std::int64_t>(isa::warp_macs(opcode), rate));
}

/// A warpgroup product in its queue; its latency is its turn on the tensor cores.
OpTiming group_mma_timing(Opcode opcode, const SmParams& params) {
  const int part = part_cycles(opcode, params);
  if (part == 0) return {};
  return {group_issue_cycles(opcode),
          turn_cycles(opcode, part * parts_per_sub_core(params), params)};
}

OpTiming asynchronous_timing(Opcode opcode, const SmParams& params) {
  const auto one = [](bool present, int latency) {
    return present ? OpTiming{1, std::max(1, latency)} : OpTiming{};
  };
  const bool has_barriers = params.mbarrier.interval_cycles > 0;
  switch (isa::opcode_info(opcode).effect) {
    case isa::Effect::kGroupMma:
      return group_mma_timing(opcode, params);
    case isa::Effect::kGroupArrive:
    case isa::Effect::kWaitGroupMmas:
    case isa::Effect::kSetRegisters:
      return one(params.group_tensor.shared_operations > 0, 1);
    case isa::Effect::kClusterArrive:
    case isa::Effect::kClusterWait:
    case isa::Effect::kArriveRemote:
      return one(params.cluster.largest > 0, 1);
    case isa::Effect::kLoadTileToMany:
    case isa::Effect::kPutTile:
      return one(params.tile_copy.bytes_in_flight > 0 && params.cluster.largest > 0,
                 params.tile_copy.issue_cycles);
    case isa::Effect::kLoadTile:
    case isa::Effect::kStoreTile:
    case isa::Effect::kReduceTile:
    case isa::Effect::kPrefetchTile:
      return one(params.tile_copy.bytes_in_flight > 0, params.tile_copy.issue_cycles);
    case isa::Effect::kProxyFence:
      return one(has_barriers, params.mbarrier.fence_cycles);
    case isa::Effect::kWaitPhase:
      return one(has_barriers, params.mbarrier.wait_cycles);
    default:
      return one(has_barriers, 1);
  }
}

}  // namespace

isa::OpTiming timing_of(Opcode opcode, const SmParams& params) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  switch (opcode) {
    // Integer products run in the FP32 pipe, but only in the lanes that can multiply integers: half
    // of them on H100 (microarchitecture.md 3.5; Nsight Compute guide, FMA heavy).
    case Opcode::kImad:
    case Opcode::kImadWide:
      return {lane_interval(params.pipes.int32_lanes, params), params.pipes.imad_latency_cycles};
    case Opcode::kDp4a:
      return {lane_interval(params.pipes.dp4a_lanes, params), params.pipes.imad_latency_cycles};
    case Opcode::kHfma2Bf16:
      return {lane_interval(params.pipes.bf16x2_lanes, params), params.pipes.half_latency_cycles};
    case Opcode::kFsetp:
    case Opcode::kIsetp:
    case Opcode::kPlop3:
      return {pipe_timing(info.pipe, params).issue_interval, params.pipes.predicate_latency_cycles};
    case Opcode::kShfl:
    case Opcode::kShflIdx:
      return {kShuffleIntervalCycles, params.pipes.shuffle_latency_cycles};
    case Opcode::kBra:
    case Opcode::kBraSkip:
      return {1, params.pipes.branch_latency_cycles};
    default:
      break;
  }
  if (info.pipe == Pipe::kTensor) return mma_timing(opcode, params.tensor);
  if (info.effect >= isa::Effect::kInitBarrier) return asynchronous_timing(opcode, params);
  switch (info.effect) {
    case isa::Effect::kLoadShared:
    case isa::Effect::kLoadMatrix:
    case isa::Effect::kAtomicShared:
      return {1, params.shared_memory.load_latency_cycles};
    case isa::Effect::kLoadCluster:
    case isa::Effect::kStoreCluster:
    case isa::Effect::kAtomicCluster:
      if (params.cluster.largest == 0) return {};
      return {1, params.cluster.load_latency_cycles};
    case isa::Effect::kLoadGlobal:
    case isa::Effect::kStoreGlobal:
    case isa::Effect::kAtomicGlobal:
    case isa::Effect::kReduceGlobal:
    case isa::Effect::kCopyGlobalToShared:
      return {1, params.l1.hit_latency_cycles};
    case isa::Effect::kLoadConstant:
      return {1, params.constant_cache.load_latency_cycles};
    case isa::Effect::kFence:
      return {1, params.l1.fence_cycles};
    default:
      return pipe_timing(info.pipe, params);
  }
}

bool fp64_is_shared(const SmParams& params) {
  return params.pipes.fp64_lanes > 0 && params.pipes.fp64_lanes < params.sub_cores;
}

isa::TimingTable timing_table(const SmParams& params) {
  isa::TimingTable table{};
  for (int index = 0; index < isa::opcode_count(); ++index) {
    table[static_cast<std::size_t>(index)] = timing_of(static_cast<Opcode>(index), params);
  }
  return table;
}

isa::TimingTable tensor_unit_timing(const SmParams& params) {
  isa::TimingTable table = timing_table(params);
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    isa::OpTiming& timing = table[static_cast<std::size_t>(i)];
    if (!isa::is_group_mma(opcode) || timing.latency == 0) continue;
    timing.issue_interval = part_cycles(opcode, params);
    timing.latency += params.group_tensor.result_cycles;
  }
  return table;
}

}  // namespace tcsim::sm
