#include "workloads/microbench/ring_pipeline.hpp"

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
constexpr int kTileElements = kTileRowBytes / 2;
constexpr int kGroupTileBytes = isa::kGroupRows * kTileRowBytes;  // of A, of a warpgroup

class Programs {
 public:
  explicit Programs(const RingPipeline& pipeline)
      : pipeline_(pipeline), columns_(isa::group_mma(pipeline.product).n) {}

  [[nodiscard]] int rows_of_a() const { return isa::kGroupRows * pipeline_.warpgroups; }
  [[nodiscard]] int stage_bytes() const { return (rows_of_a() + columns_) * kTileRowBytes; }
  [[nodiscard]] int consumer_warps() const { return isa::kGroupWarps * pipeline_.warpgroups; }

  [[nodiscard]] isa::WarpProgram producer() const {
    kernels::ProgramBuilder builder("ring pipeline");
    for (int stage = 0; stage < pipeline_.stages; ++stage) {
      builder.append(Opcode::kSyncsExch, isa::BarrierOperand{{full(stage)}, {1}});
      builder.append(Opcode::kSyncsExch, isa::BarrierOperand{{empty(stage)}, {consumer_warps()}});
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

  /// Position in the stage of k-tile `ahead` + loop counter; stages are `apart` bytes apart, from
  /// `first` on.
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
    builder.expect_bytes(barrier, stage_bytes());
    const auto row_tiles = static_cast<std::uint32_t>(pipeline_.row_tiles);
    const isa::Expression column{0, {{Variable::kLoop0, kTileElements, 1, row_tiles}}};
    for (const int map : {0, 1}) {
      const int rows = map == 0 ? rows_of_a() : columns_;
      const isa::Expression of_cta{0, {{Variable::kCtaX, rows}}};
      const bool is_own = map == 0 || pipeline_.own_b;
      builder.append(
          Opcode::kUtmaldg2d,
          isa::TileOperand{
              .map = map,
              .coordinates = {column, is_own ? of_cta : isa::Expression{}},
              .shared = of_stage(kFirstStage + (map == 0 ? 0 : rows_of_a() * kTileRowBytes),
                                 stage_bytes(), 0),
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

  /// Multiplies k-tile `ahead` + loop counter; the products of the previous k-tile have then ended.
  void multiply(kernels::ProgramBuilder& builder, std::uint32_t ahead) const {
    if (is_coupled())
      builder.append(Opcode::kSyncsTryWait,
                     isa::BarrierOperand{of_stage(full(0), isa::kBarrierBytes, ahead),
                                         {0, {{Variable::kLoop0, 1, stages(), 2, ahead}}}});
    builder.append(kernels::control(Opcode::kWarpgroupArrive));
    for (int step = 0; step < kTileRowBytes / kStepBytes; ++step) {
      const auto operand = [&](int offset, int apart) {
        isa::Expression start =
            of_stage(kFirstStage + offset + step * kStepBytes, stage_bytes(), ahead);
        if (apart != 0) start.terms.push_back({Variable::kWarp, apart, isa::kGroupWarps});
        return isa::MatrixDescriptor{
            .start = start, .stride_bytes = kPatternBytes, .swizzle = isa::TileSwizzle::k128};
      };
      const int tile_of_group = pipeline_.warpgroups > 1 ? kGroupTileBytes : 0;
      isa::Instruction product{.opcode = pipeline_.product, .dst = kTileSums};
      product.src[2] = kTileSums;
      product.access = builder.async(
          isa::MatrixOperands{operand(0, tile_of_group), operand(rows_of_a() * kTileRowBytes, 0)});
      product.immediate = (step + 1) * kStepBytes == kTileRowBytes ? isa::kClosesGroup : 0;
      builder.append(product);
    }
    builder.append(kernels::control(Opcode::kWarpgroupDepbar, 1));
  }

  const RingPipeline& pipeline_;
  int columns_;
};

}  // namespace

std::int64_t matrix_bytes(const RingPipeline& pipeline) {
  const std::int64_t rows_of_b =
      isa::group_mma(pipeline.product).n * (pipeline.own_b ? pipeline.ctas : 1);
  const std::int64_t rows =
      std::int64_t{isa::kGroupRows} * pipeline.warpgroups * pipeline.ctas + rows_of_b;
  return rows * pipeline.row_tiles * kTileRowBytes;
}

isa::KernelLaunch ring_pipeline(const RingPipeline& pipeline, const isa::TimingTable& timing) {
  const Programs programs(pipeline);
  const int producer_warp = programs.consumer_warps();
  isa::KernelLaunch launch =
      one_program_launch(programs.consumer(), timing, pipeline.ctas, producer_warp + 1,
                         kFirstStage + pipeline.stages * programs.stage_bytes());
  isa::WarpProgram producer = programs.producer();
  isa::assemble(producer, timing);
  launch.programs.push_back(std::move(producer));
  launch.program_of_warp[static_cast<std::size_t>(producer_warp)] = 1;
  const std::int64_t pitch = std::int64_t{pipeline.row_tiles} * kTileRowBytes;
  std::uint64_t base = pipeline.base;
  const auto add = [&](const char* name, int box_rows, std::int64_t rows) {
    const int number = static_cast<int>(launch.buffers.size());
    launch.buffers.push_back(
        {.name = name, .base_address = base, .bytes = static_cast<std::uint64_t>(rows * pitch)});
    launch.tensor_maps.push_back({.name = name,
                                  .buffer = number,
                                  .element_bytes = 2,
                                  .extents = {pitch / 2, rows},
                                  .strides = {pitch},
                                  .box = {kTileElements, box_rows},
                                  .swizzle = isa::TileSwizzle::k128});
    base += launch.buffers.back().bytes;
  };
  const int columns = isa::group_mma(pipeline.product).n;
  add("A", programs.rows_of_a(), programs.rows_of_a() * pipeline.ctas);
  add("B", columns, pipeline.own_b ? columns * pipeline.ctas : columns);
  return launch;
}

}  // namespace tcsim::microbench
