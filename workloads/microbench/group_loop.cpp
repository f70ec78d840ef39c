#include "workloads/microbench/group_loop.hpp"

#include <algorithm>
#include <bit>

#include "models/isa/group_mma.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;

constexpr isa::Register kOperandA = 4;
constexpr isa::Register kSums = 8;
constexpr isa::Register kMetadata = 2;
constexpr int kOperandB = isa::kGroupRows * isa::kGroupRowBytes;  // byte, after A

constexpr int kRowBytes = 128;  // of a box; two bytes an element
constexpr int kFirstPlace = 1024;
constexpr isa::Register kWorked = 4;

}  // namespace

isa::KernelLaunch group_loop(const GroupLoop& loop, const isa::TimingTable& timing) {
  const isa::GroupMma& mma = isa::group_mma(loop.product);
  kernels::ProgramBuilder builder("group loop");
  const auto descriptor = [](int start, int rows) {
    return isa::MatrixDescriptor{.start = {start}, .leading_bytes = 16 * rows};
  };
  isa::Instruction product{.opcode = loop.product, .dst = kSums};
  if (mma.a_in_registers) product.src[0] = kOperandA;
  product.src[2] = kSums;
  if (mma.sparse) product.src[3] = kMetadata;
  product.access = builder.async(
      isa::MatrixOperands{descriptor(0, isa::kGroupRows), descriptor(kOperandB, mma.n)});
  builder.begin_loop();
  builder.append(kernels::control(Opcode::kWarpgroupArrive));
  for (int i = 0; i < loop.per_group; ++i) {
    product.immediate = i + 1 == loop.per_group ? isa::kClosesGroup : 0;
    builder.append(product);
  }
  builder.append(kernels::control(Opcode::kWarpgroupDepbar, loop.open));
  builder.end_loop(loop.groups);
  builder.append(kernels::control(Opcode::kWarpgroupDepbar, 0));
  return one_program_launch(builder.finish(), timing, loop.ctas, isa::kGroupWarps * loop.warpgroups,
                            kOperandB + mma.n * isa::kGroupRowBytes * (mma.sparse ? 2 : 1));
}

isa::KernelLaunch box_stream(const BoxStream& stream, const isa::TimingTable& timing) {
  kernels::ProgramBuilder builder("box stream");
  const int rows = stream.box_bytes / kRowBytes;
  const int place_bytes = stream.group * stream.box_bytes;
  const auto places = static_cast<std::uint32_t>(stream.places);
  const std::int64_t ring = std::int64_t{stream.places} * isa::kBarrierBytes;  // bytes of barriers
  const auto barrier_of = [&](int place) {
    return isa::Expression{std::int64_t{place} * isa::kBarrierBytes,
                           {{isa::Variable::kWarp, ring}}};
  };
  isa::Expression barrier = barrier_of(0);
  barrier.terms.push_back({isa::Variable::kLoop0, isa::kBarrierBytes, 1, places});
  // A place is free when the boxes requested for it before have arrived.
  const isa::Expression before{1, {{isa::Variable::kLoop0, -1, places, 2}}};
  const std::int64_t across = stream.pitch_bytes / kRowBytes;
  const auto down = static_cast<std::int64_t>(std::bit_floor(
      static_cast<std::uint64_t>(stream.footprint_bytes / (stream.pitch_bytes * rows))));
  /// Coordinate of the box `number` of a group: `scale` for each step of the sequence over
  /// `divisor`.
  const auto coordinate = [&](int number, std::int64_t scale, std::int64_t divisor,
                              std::int64_t modulus) {
    const std::int64_t of_warp = stream.trips * stream.group;
    return isa::Expression{.quotients = {{.coefficient = scale,
                                          .constant = number,
                                          .terms = {{isa::Variable::kLoop0, stream.group},
                                                    {isa::Variable::kWarp, of_warp},
                                                    {isa::Variable::kCtaX, stream.warps * of_warp}},
                                          .divisor = static_cast<std::uint32_t>(divisor),
                                          .modulus = static_cast<std::uint32_t>(modulus)}}};
  };
  for (int i = 0; i < stream.places; ++i)
    builder.append(Opcode::kSyncsExch, isa::BarrierOperand{barrier_of(i), {1}});
  builder.begin_loop();
  for (int i = 0; i < stream.work; ++i)
    builder.append(kernels::arithmetic(Opcode::kImad, kWorked, kWorked, kWorked, kWorked));
  builder.append(Opcode::kSyncsTryWait, isa::BarrierOperand{barrier, before});
  builder.expect_bytes(barrier, place_bytes);
  for (int i = 0; i < stream.group; ++i) {
    builder.append(
        Opcode::kUtmaldg2d,
        isa::TileOperand{
            .map = 0,
            .coordinates = {coordinate(i, kRowBytes / 2, 1, across),
                            coordinate(i, rows, across, down)},
            .shared = {kFirstPlace + i * stream.box_bytes,
                       {{isa::Variable::kWarp, std::int64_t{stream.places} * place_bytes},
                        {isa::Variable::kLoop0, place_bytes, 1, places}}},
            .barrier = barrier});
  }
  builder.end_loop(stream.trips);
  for (int i = 0; i < std::min<std::int64_t>(stream.places, stream.trips); ++i)
    builder.append(
        Opcode::kSyncsTryWait,
        isa::BarrierOperand{barrier_of(i), {(stream.trips - 1 - i) / stream.places % 2}});
  isa::KernelLaunch launch =
      one_program_launch(builder.finish(), timing, stream.ctas, stream.warps,
                         kFirstPlace + stream.warps * stream.places * place_bytes);
  launch.buffers.push_back({.name = "data",
                            .base_address = 1 << 20,
                            .bytes = static_cast<std::uint64_t>(stream.footprint_bytes)});
  launch.tensor_maps.push_back(
      {.name = "data",
       .buffer = 0,
       .element_bytes = 2,
       .extents = {stream.pitch_bytes / 2, stream.footprint_bytes / stream.pitch_bytes},
       .strides = {stream.pitch_bytes},
       .box = {kRowBytes / 2, rows}});
  return launch;
}

isa::KernelLaunch cluster_meetings(int size, int warps, std::int64_t times,
                                   const isa::TimingTable& timing) {
  kernels::ProgramBuilder builder("cluster meetings");
  builder.begin_loop();
  builder.append(kernels::control(Opcode::kMembar));  // nvcc's for barrier.cluster.arrive.release
  builder.append(kernels::control(Opcode::kClusterArrive));
  builder.append(kernels::control(Opcode::kClusterWait));
  builder.end_loop(times);
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, size, warps);
  launch.cluster = {size, 1, 1};
  return launch;
}

}  // namespace tcsim::microbench
