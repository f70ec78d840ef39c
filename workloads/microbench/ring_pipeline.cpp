#include "workloads/microbench/ring_pipeline.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/assemble.hpp"
#include "models/isa/group_mma.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr isa::Register kTileSums = 8;
constexpr int kTileRowBytes = 128;  // of a k-tile
constexpr int kPatternBytes = 8 * kTileRowBytes;
constexpr int kStepBytes = isa::kGroupRowBytes;  // of a row, for one product
constexpr int kFirstStage = 1024;
constexpr int kProducerWarp = isa::kGroupWarps;

class Programs {
 public:
  explicit Programs(const RingPipeline& pipeline)
      : pipeline_(pipeline), columns_(isa::group_mma(pipeline.product).n) {}

  [[nodiscard]] int stage_bytes() const { return (isa::kGroupRows + columns_) * kTileRowBytes; }

  [[nodiscard]] isa::WarpProgram producer() const {
    kernels::ProgramBuilder builder("ring pipeline");
    for (int stage = 0; stage < pipeline_.stages; ++stage) {
      builder.append(Opcode::kSyncsExch, isa::BarrierOperand{{full(stage)}, {1}});
      builder.append(Opcode::kSyncsExch, isa::BarrierOperand{{empty(stage)}, {isa::kGroupWarps}});
    }
    builder.append(kernels::control(Opcode::kBarSync));
    if (pipeline_.produces) fill(builder);
    return builder.finish();
  }

  [[nodiscard]] isa::WarpProgram consumer() const {
    kernels::ProgramBuilder builder("ring pipeline");
    builder.append(kernels::control(Opcode::kBarSync));
    if (!pipeline_.consumes) return builder.finish();
    multiply(builder, 0);
    builder.begin_loop();
    multiply(builder, 1);
    if (is_coupled())
      builder.append(Opcode::kSyncsArrive,
                     isa::BarrierOperand{of_stage(empty(0), isa::kBarrierBytes, 0), {}});
    builder.end_loop(pipeline_.trips - 1);
    builder.append(kernels::control(Opcode::kWarpgroupDepbar, 0));
    return builder.finish();
  }

 private:
  static int full(int stage) { return stage * isa::kBarrierBytes; }
  [[nodiscard]] int empty(int stage) const { return full(pipeline_.stages + stage); }
  [[nodiscard]] bool is_coupled() const { return pipeline_.produces && pipeline_.consumes; }
  [[nodiscard]] std::uint32_t stages() const {
    return static_cast<std::uint32_t>(pipeline_.stages);
  }

  /// Of the stage of k-tile `ahead` + loop counter: so many bytes apart, from `first` on.
  [[nodiscard]] isa::Expression of_stage(int first, int apart, std::uint32_t ahead) const {
    return {first, {{Variable::kLoop0, apart, 1, stages(), ahead}}};
  }

  void fill(kernels::ProgramBuilder& builder) const {
    const isa::Expression barrier = of_stage(full(0), isa::kBarrierBytes, 0);
    const isa::Expression before{1, {{Variable::kLoop0, -1, stages(), 2}}};
    const isa::Expression free =
        pipeline_.consumes ? of_stage(empty(0), isa::kBarrierBytes, 0) : barrier;
    builder.begin_loop();
    builder.append(Opcode::kSyncsTryWait, isa::BarrierOperand{free, before});
    builder.append(Opcode::kSyncsArriveBytes, isa::BarrierOperand{barrier, {stage_bytes()}});
    for (const int map : {0, 1}) {
      const int rows = map == 0 ? isa::kGroupRows : columns_;
      const int start = kFirstStage + (map == 0 ? 0 : isa::kGroupRows * kTileRowBytes);
      builder.append(
          Opcode::kUtmaldg2d,
          isa::TileOperand{
              .map = map,
              .coordinates = {{}, {0, {{Variable::kCtaX, rows}, {Variable::kLoop0, rows}}}},
              .shared = of_stage(start, stage_bytes(), 0),
              .barrier = barrier});
    }
    builder.end_loop(pipeline_.trips);
    if (pipeline_.consumes) return;
    for (int i = 0; i < pipeline_.stages; ++i)
      if (const std::int64_t last = pipeline_.trips - 1 - i; last >= 0)
        builder.append(Opcode::kSyncsTryWait,
                       isa::BarrierOperand{{full(static_cast<int>(last % pipeline_.stages))},
                                           {last / pipeline_.stages % 2}});
  }

  /// k-tile `ahead` + loop counter; the products of the one before have ended then.
  void multiply(kernels::ProgramBuilder& builder, std::uint32_t ahead) const {
    if (is_coupled())
      builder.append(Opcode::kSyncsTryWait,
                     isa::BarrierOperand{of_stage(full(0), isa::kBarrierBytes, ahead),
                                         {0, {{Variable::kLoop0, 1, stages(), 2, ahead}}}});
    builder.append(kernels::control(Opcode::kWarpgroupArrive));
    for (int step = 0; step < kTileRowBytes / kStepBytes; ++step) {
      const auto operand = [&](int offset) {
        return isa::MatrixDescriptor{
            .start = of_stage(kFirstStage + offset + step * kStepBytes, stage_bytes(), ahead),
            .stride_bytes = kPatternBytes,
            .swizzle = isa::TileSwizzle::k128};
      };
      isa::Instruction product{.opcode = pipeline_.product, .dst = kTileSums};
      product.src[2] = kTileSums;
      product.access =
          builder.async(isa::MatrixOperands{operand(0), operand(isa::kGroupRows * kTileRowBytes)});
      product.immediate = (step + 1) * kStepBytes == kTileRowBytes ? isa::kClosesGroup : 0;
      builder.append(product);
    }
    builder.append(kernels::control(Opcode::kWarpgroupDepbar, 1));
  }

  const RingPipeline& pipeline_;
  int columns_;
};

}  // namespace

std::int64_t sequence_bytes(const RingPipeline& pipeline) {
  return (pipeline.ctas + pipeline.trips) * Programs(pipeline).stage_bytes();
}

isa::KernelLaunch ring_pipeline(const RingPipeline& pipeline, const isa::TimingTable& timing) {
  const Programs programs(pipeline);
  isa::KernelLaunch launch =
      one_program_launch(programs.consumer(), timing, pipeline.ctas, kProducerWarp + 1,
                         kFirstStage + pipeline.stages * programs.stage_bytes());
  isa::WarpProgram producer = programs.producer();
  isa::assemble(producer, timing);
  launch.programs.push_back(std::move(producer));
  launch.program_of_warp[kProducerWarp] = 1;
  std::uint64_t base = pipeline.base;
  for (const int rows : {isa::kGroupRows, isa::group_mma(pipeline.product).n}) {
    const std::int64_t all_rows = rows * (pipeline.ctas + pipeline.trips);
    const int number = static_cast<int>(launch.buffers.size());
    launch.buffers.push_back({.name = number == 0 ? "A" : "B",
                              .base_address = base,
                              .bytes = static_cast<std::uint64_t>(all_rows * kTileRowBytes)});
    launch.tensor_maps.push_back({.name = launch.buffers.back().name,
                                  .buffer = number,
                                  .element_bytes = 2,
                                  .extents = {kTileRowBytes / 2, all_rows},
                                  .strides = {kTileRowBytes},
                                  .box = {kTileRowBytes / 2, rows},
                                  .swizzle = isa::TileSwizzle::k128});
    base += launch.buffers.back().bytes;
  }
  return launch;
}

}  // namespace tcsim::microbench
