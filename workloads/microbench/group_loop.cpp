#include "workloads/microbench/group_loop.hpp"

#include "models/isa/group_mma.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;

constexpr isa::Register kOperandA = 4;
constexpr isa::Register kSums = 8;
constexpr int kOperandB = isa::kGroupRows * isa::kGroupRowBytes;  // byte, behind A

constexpr int kRowBytes = 128;  // of a box; two bytes an element
constexpr int kFirstPlace = 1024;

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
                            kOperandB + mma.n * isa::kGroupRowBytes);
}

isa::KernelLaunch box_stream(const BoxStream& stream, const isa::TimingTable& timing) {
  kernels::ProgramBuilder builder("box stream");
  const int rows = stream.box_bytes / kRowBytes;
  const auto places = static_cast<std::uint32_t>(stream.places);
  const isa::Expression barrier{0, {{isa::Variable::kLoop0, isa::kBarrierBytes, 1, places}}};
  // A place is free when the box before has come.
  const isa::Expression before{1, {{isa::Variable::kLoop0, -1, places, 2}}};
  isa::Expression row{0,
                      {{isa::Variable::kLoop0, rows}, {isa::Variable::kCtaX, stream.boxes * rows}}};
  if (stream.shared_boxes > 0)
    row = {0, {{isa::Variable::kLoop0, rows, 1, static_cast<std::uint32_t>(stream.shared_boxes)}}};
  for (int i = 0; i < stream.places; ++i)
    builder.append(Opcode::kSyncsExch,
                   isa::BarrierOperand{{std::int64_t{i} * isa::kBarrierBytes}, {1}});
  builder.begin_loop();
  builder.append(Opcode::kSyncsTryWait, isa::BarrierOperand{barrier, before});
  builder.append(Opcode::kSyncsArriveBytes, isa::BarrierOperand{barrier, {stream.box_bytes}});
  builder.append(
      Opcode::kUtmaldg2d,
      isa::TileOperand{
          .map = 0,
          .coordinates = {{0}, row},
          .shared = {kFirstPlace, {{isa::Variable::kLoop0, stream.box_bytes, 1, places}}},
          .barrier = barrier});
  builder.end_loop(stream.boxes);
  for (int i = 0; i < stream.places; ++i)
    builder.append(Opcode::kSyncsTryWait,
                   isa::BarrierOperand{{std::int64_t{i} * isa::kBarrierBytes},
                                       {(stream.boxes - 1 - i) / stream.places % 2}});
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, stream.ctas, 1,
                                                kFirstPlace + stream.places * stream.box_bytes);
  const std::int64_t boxes =
      stream.shared_boxes > 0 ? stream.shared_boxes : stream.ctas * stream.boxes;
  launch.buffers.push_back({.name = "data",
                            .base_address = stream.base,
                            .bytes = static_cast<std::uint64_t>(boxes * stream.box_bytes)});
  launch.tensor_maps.push_back({.name = "data",
                                .buffer = 0,
                                .element_bytes = 2,
                                .extents = {kRowBytes / 2, boxes * rows},
                                .strides = {kRowBytes},
                                .box = {kRowBytes / 2, rows}});
  return launch;
}

}  // namespace tcsim::microbench
