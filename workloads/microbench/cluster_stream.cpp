#include "workloads/microbench/cluster_stream.hpp"

#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kAtOnce = 4;  // accesses of a warp before it waits for data
constexpr int kBytes = 16;  // per thread
constexpr isa::Register kAddress = 0;
constexpr int kFirstData = 4;
constexpr std::int64_t kRank1 = isa::cluster_address(1, 0);

/// Of rank 0, in a launch of one cluster.
isa::Guard of_rank_0() { return {{{{0, {{Variable::kCtaX, 1}}}, 1}}}; }

/// CTAs stay until all accesses of their shared memory are done.
void meet(kernels::ProgramBuilder& builder) {
  builder.append(kernels::control(Opcode::kMembar));
  builder.append(kernels::control(Opcode::kClusterArrive));
  builder.append(kernels::control(Opcode::kClusterWait));
}

}  // namespace

std::int64_t bytes_per_trip(const ClusterStream& stream) {
  return std::int64_t{stream.warps} * isa::kLanes * kBytes * kAtOnce;
}

isa::KernelLaunch cluster_stream(const ClusterStream& stream, const isa::TimingTable& timing) {
  kernels::ProgramBuilder builder("cluster stream");
  const int guard = stream.all_work ? isa::kNoIndex : builder.guard(of_rank_0());
  const std::int64_t row = std::int64_t{isa::kLanes} * kBytes;
  builder.begin_loop();
  for (int i = 0; i < kAtOnce; ++i) {
    isa::MemoryAccess access;
    access.shared.offset = {std::int64_t{i} * stream.warps * row,
                            {{Variable::kLane, kBytes},
                             {Variable::kWarp, row},
                             {.variable = Variable::kCtaX,
                              .coefficient = kRank1,
                              .modulus = static_cast<std::uint32_t>(stream.size),
                              .offset = 1}}};
    const int number = builder.access(access);
    const auto data = kernels::reg(kFirstData + i * kernels::kVectorRegisters);
    builder.append(stream.stores ? kernels::store(Opcode::kSt128, data, kAddress, number, guard)
                                 : kernels::load(Opcode::kLd128, data, kAddress, number, guard));
  }
  builder.end_loop(stream.trips);
  meet(builder);
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, stream.size, stream.warps,
                                                static_cast<int>(bytes_per_trip(stream)));
  launch.cluster = {stream.size, 1, 1};
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
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, 2, 1, kBytes);
  launch.cluster = {2, 1, 1};
  return launch;
}

}  // namespace tcsim::microbench
