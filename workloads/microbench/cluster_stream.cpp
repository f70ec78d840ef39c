#include "workloads/microbench/cluster_stream.hpp"

#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kAtOnce = 4;  // accesses of a warp before it waits for data
constexpr isa::Register kAddress = 0;
constexpr int kFirstData = 4;
constexpr std::int64_t kRank1 = isa::cluster_address(1, 0);

/// In a launch of one cluster.
isa::Guard of_rank_0() { return {{{{0, {{Variable::kCtaX, 1}}}, 1}}}; }
isa::Guard of_rank_1() {  // rank < 2 and -rank < 0
  return {{{{0, {{Variable::kCtaX, 1}}}, 2}, {{0, {{Variable::kCtaX, -1}}}, 0}}};
}

/// The first byte of the shared memory of the next rank, cyclically in a cluster of `size`.
isa::Term next_rank(int size) {
  return {.variable = Variable::kCtaX,
          .coefficient = kRank1,
          .modulus = static_cast<std::uint32_t>(size),
          .offset = 1};
}

/// CTAs stay until all accesses to their shared memory are done.
void meet(kernels::ProgramBuilder& builder) {
  builder.append(kernels::control(Opcode::kMembar));
  builder.append(kernels::control(Opcode::kClusterArrive));
  builder.append(kernels::control(Opcode::kClusterWait));
}

}  // namespace

std::int64_t bytes_per_trip(const ClusterStream& stream) {
  return std::int64_t{stream.warps} * isa::kLanes * stream.bytes * kAtOnce;
}

isa::KernelLaunch cluster_stream(const ClusterStream& stream, const isa::TimingTable& timing) {
  kernels::ProgramBuilder builder("cluster stream");
  const int guard = stream.all_work ? isa::kNoIndex : builder.guard(of_rank_0());
  const std::int64_t row = std::int64_t{isa::kLanes} * stream.bytes;
  const bool is_wide = stream.bytes > 4;
  const Opcode load = is_wide ? Opcode::kLd128 : Opcode::kLd32;
  const Opcode store = is_wide ? Opcode::kSt128 : Opcode::kSt32;
  builder.begin_loop();
  for (int i = 0; i < kAtOnce; ++i) {
    isa::MemoryAccess access;
    access.shared.offset = {
        std::int64_t{i} * stream.warps * row,
        {{Variable::kLane, stream.bytes}, {Variable::kWarp, row}, next_rank(stream.size)}};
    const int number = builder.access(access);
    const auto data = kernels::reg(kFirstData + i * kernels::kVectorRegisters);
    builder.append(stream.stores ? kernels::store(store, data, kAddress, number, guard)
                                 : kernels::load(load, data, kAddress, number, guard));
  }
  builder.end_loop(stream.trips);
  meet(builder);
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, stream.size, stream.warps,
                                                static_cast<int>(bytes_per_trip(stream)));
  launch.cluster = {stream.size, 1, 1};
  return launch;
}

isa::KernelLaunch cluster_put(const ClusterPut& put, const isa::TimingTable& timing) {
  constexpr std::int64_t kDestination = ClusterPut::kMostTileBytes;
  constexpr std::int64_t kBarrier = 2 * kDestination;
  kernels::ProgramBuilder builder("cluster put");
  const int gives = put.all_work ? isa::kNoIndex : builder.guard(of_rank_0());
  const int takes = put.all_work ? isa::kNoIndex : builder.guard(of_rank_1());
  builder.append(Opcode::kSyncsExch, isa::BarrierOperand{{kBarrier}, {1}});
  builder.append(Opcode::kSyncsArriveBytes, isa::BarrierOperand{{kBarrier}, {put.tile_bytes}},
                 takes);
  builder.append(kernels::control(Opcode::kFenceViewAsync));
  builder.append(kernels::control(Opcode::kClusterArrive));
  builder.append(kernels::control(Opcode::kClusterWait));
  const isa::Term of_command{Variable::kLoop0, put.command_bytes};
  const isa::RowOperand to{
      isa::kNoIndex, {kDestination, {of_command, next_rank(put.size)}}, {put.command_bytes}};
  builder.begin_loop();
  builder.append(Opcode::kUblkcpSS,
                 isa::TileOperand{.shared = {0, {of_command}}, .barrier = {kBarrier}, .row = to},
                 gives);
  builder.end_loop(put.tile_bytes / put.command_bytes);
  builder.append(Opcode::kSyncsTryWait, isa::BarrierOperand{{kBarrier}, {0}}, takes);
  builder.append(kernels::control(Opcode::kClusterArrive));
  builder.append(kernels::control(Opcode::kClusterWait));
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, put.size, 1,
                                                static_cast<int>(kBarrier) + isa::kBarrierBytes);
  launch.cluster = {put.size, 1, 1};
  return launch;
}

isa::KernelLaunch cluster_chase(std::int64_t loads, int rank, const isa::TimingTable& timing) {
  constexpr isa::Register kChain = 2;
  kernels::ProgramBuilder builder("cluster chase");
  isa::Guard first_thread = of_rank_0();
  first_thread.bounds.push_back({{0, {{Variable::kLane, 1}}}, 1});
  const int guard = builder.guard(first_thread);
  const int access = builder.access({.shared = {{rank * kRank1, {}}}});
  builder.begin_loop();
  builder.append(kernels::load(Opcode::kLd32, kChain, kChain, access, guard));
  builder.end_loop(loads);
  meet(builder);
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, 2, 1, sizeof(int));
  launch.cluster = {2, 1, 1};
  return launch;
}

}  // namespace tcsim::microbench
