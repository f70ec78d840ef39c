#include "workloads/kernels/warpgroup_producer.hpp"

#include <utility>

#include "workloads/kernels/group_schedule.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"

namespace tcsim::kernels::warpgroups {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::Opcode;
using isa::Term;
using isa::Variable;
using Shape = WarpgroupPlan;

/// Boxes that `across` rows along k take.
int boxes_along(int across) { return ceil_div(across, isa::TensorMap::kMostBox); }

/// Rows of `inner` elements, `outer` of them in a matrix.
isa::TensorMap tensor_map(const char* name, int buffer, int bytes, std::int64_t inner,
                          std::int64_t outer, std::int64_t batch) {
  isa::TensorMap map{.name = name, .buffer = buffer, .element_bytes = bytes};
  map.extents = {inner, outer, batch};
  map.strides = {inner * bytes, inner * outer * bytes};
  return map;
}

/// Map of A or B, with `matrices` matrices of which a CTA reads `across` rows: as few boxes of rows
/// along k as possible, or boxes of kRowBytes of those rows, k by k.
isa::TensorMap operand_map(const Shape& shape, const char* name, Map number, bool is_turned,
                           std::int64_t total_across, std::int64_t matrices, int across) {
  const GemmProblem& problem = shape.problem;
  const std::int64_t k = number == kMapA ? problem.stored_k() : problem.k;
  isa::TensorMap map = tensor_map(name, number, shape.bytes(), is_turned ? total_across : k,
                                  is_turned ? k : total_across, matrices);
  map.box = {kRowBytes / shape.bytes(), is_turned ? shape.tile.k : across / boxes_along(across), 1};
  map.swizzle = kSwizzle;
  return map;
}

/// Pixels under the taps of a filter: boxes of channels of neighbouring rows of A.
isa::TensorMap pixel_map(const Shape& shape) {
  const TapImages& x = *shape.problem.images;
  const int bytes = shape.bytes();
  isa::TensorMap map{.name = "A", .buffer = kMapA, .element_bytes = bytes};
  map.extents = {x.channels, x.w, x.h, x.images};
  map.strides = {x.channels * bytes, x.w * x.channels * bytes, x.h * x.w * x.channels * bytes};
  map.box = {kRowBytes / bytes, shape.rows_read() / boxes_along(shape.rows_read())};
  map.swizzle = kSwizzle;
  map.im2col = {.positions = {x.positions_w, x.positions_h},
                .pad = {x.pad_w, x.pad_h},
                .stride = {x.stride_w, x.stride_h}};
  return map;
}

/// Channels of the taps of filters, one matrix for each tap.
isa::TensorMap filter_map(const Shape& shape) {
  const TapImages& x = *shape.problem.images;
  const int bytes = shape.bytes();
  isa::TensorMap map{.name = "B", .buffer = kMapB, .element_bytes = bytes};
  map.extents = {x.channels, shape.problem.n, x.taps()};
  map.strides = {x.taps() * x.channels * bytes, x.channels * bytes};
  map.box = {kRowBytes / bytes, shape.columns_read() / boxes_along(shape.columns_read()), 1};
  map.swizzle = kSwizzle;
  return map;
}

/// D, stored in boxes with so many columns.
isa::TensorMap result_map(const Shape& shape, const char* name, int columns) {
  const GemmProblem& problem = shape.problem;
  const bool is_swapped = shape.tile.swapped;
  isa::TensorMap map =
      tensor_map(name, kMapD, shape.output_bytes(), is_swapped ? problem.m : problem.n,
                 is_swapped ? problem.n : problem.m, shape.results());
  if (is_swapped)
    map.box = {isa::kGroupRows / shape.boxes_of_block(), columns, 1};
  else
    map.box = {columns, shape.store_rows(), 1};
  map.swizzle = shape.store_swizzle(columns);
  return map;
}

/// Fills stage after stage.
class Producer {
 public:
  explicit Producer(const Shape& shape)
      : shape_(shape), walk_(Walk::of_producer(shape)), builder_("producer") {}

  isa::WarpProgram make() {
    emit_setup(shape_, builder_);
    take_registers(register_budget(shape_.consumers()).producer, builder_);
    const GroupSchedule groups(shape_, walk_);
    std::vector<Expression> uniforms;
    if (shape_.problem.is_grouped()) uniforms = groups.uniforms();
    if (shape_.problem.images) uniforms.push_back(walk_.row(0, shape_.tile.m));
    if (shape_.stream_k) uniforms = shape_.stream_k->uniforms();
    const isa::Variable all_places = isa::uniform_variable(static_cast<int>(uniforms.size()));
    if (shape_.cluster() > 1) uniforms.push_back(walk_.all_places());
    builder_.set_uniforms(std::move(uniforms));
    builder_.begin_loop(/*is_skippable=*/shape_.stream_k.has_value());
    if (shape_.problem.is_grouped()) groups.emit(builder_);
    builder_.begin_loop();
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{walk_.stage(shape_.empty(0), kBarrierBytes, 0),
                                   walk_.parity(0, /*opposite=*/true)});
    builder_.expect_bytes(walk_.stage(shape_.full(0), kBarrierBytes, 0),
                          shape_.stage_bytes() + shape_.scale_bytes());
    if (shape_.problem.images)
      load_pixels();
    else
      load(kMapA, shape_.a_is_turned(), shape_.rows_read(), shape_.shares_a(), 0,
           place_along_k(shape_.problem.stored_k(shape_.tile.k), 0),
           [this](int first) { return walk_.row(first, shape_.tile.m); });
    for (int box = 0; box < shape_.boxes_of_b(); ++box)
      load(kMapB, shape_.b_is_turned(), shape_.columns_read(), shape_.shares_b(),
           shape_.a_bytes() + box * shape_.tile.n * kRowBytes,
           place_along_k(shape_.tile.k, box * kRowBytes / shape_.bytes()),
           [this](int first) { return walk_.column(first, shape_.tile.n); });
    if (shape_.problem.sparse) load_metadata();
    if (shape_.problem.block_scales)
      builder_.append(
          Opcode::kUtmaldg3d,
          isa::TileOperand{
              .map = kMapScaleA,
              .coordinates = {walk_.row(0, shape_.tile.m), {0, {{kStepLoop, 1}}}, walk_.matrix(1)},
              .shared = walk_.stage(shape_.first_scale(), shape_.scale_bytes(), 0),
              .barrier = walk_.stage(shape_.full(0), kBarrierBytes, 0)});
    builder_.end_loop(walk_.k_tiles());
    pass_empty_stages();
    builder_.end_loop(walk_.trips());
    // The CTA's shared memory must stay until the others have released all stages.
    for (int ahead = 0; shape_.cluster() > 1 && ahead < shape_.tile.stages; ++ahead)
      builder_.append(
          Opcode::kSyncsTryWait,
          BarrierOperand{walk_.stage_behind(shape_.empty(0), kBarrierBytes, ahead, all_places),
                         walk_.parity_behind(ahead, all_places)});
    return builder_.finish();
  }

 private:
  void pass_empty_stages() {
    if (shape_.ring_places() == shape_.k_tiles) return;
    const int behind = static_cast<int>(shape_.k_tiles);
    builder_.begin_loop();
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{walk_.stage(shape_.empty(0), kBarrierBytes, behind),
                                   walk_.parity(behind, /*opposite=*/true)});
    builder_.append(Opcode::kSyncsArrive,
                    BarrierOperand{walk_.stage(shape_.full(0), kBarrierBytes, behind), {}});
    builder_.end_loop(shape_.ring_places() - shape_.k_tiles);
  }

  /// weight * (k-tile number kStepLoop / divisor) modulo modulus.
  [[nodiscard]] static Expression of_step(std::int64_t weight, std::int64_t divisor,
                                          std::int64_t modulus) {
    return {0, {}, {divided(weight, 0, {{kStepLoop, 1}}, divisor, modulus)}};
  }
  /// Element `first` of k-tile number kStepLoop, counted in the tile's slice if k is cut, or in the
  /// tap; `tile_k` are stored of each.
  [[nodiscard]] Expression place_along_k(int tile_k, int first) const {
    if (shape_.problem.images) return of_step(tile_k, 1, shape_.tap_k_tiles());
    Expression place{first, {{kStepLoop, tile_k}}};
    if (shape_.has_slices()) place.quotients = walk_.matrix(shape_.k_tiles * tile_k).quotients;
    walk_.add_first_k_tile(place, tile_k);
    return place;
  }
  /// Loads the metadata of the rows of the tile, word after word.
  void load_metadata() {
    builder_.append(
        Opcode::kUtmaldg3d,
        isa::TileOperand{.map = kMapMetadata,
                         .coordinates = {walk_.row(0, shape_.tile.m),
                                         {0, {{kStepLoop, shape_.metadata_words()}}},
                                         walk_.matrix(1)},
                         .shared = walk_.stage(shape_.first_scale(), shape_.scale_bytes(), 0),
                         .barrier = walk_.stage(shape_.full(0), kBarrierBytes, 0)});
  }
  /// The matrix of the batch, in which each slice has one; for filters, the matrix of the tap.
  [[nodiscard]] Expression matrix(Map map) const {
    if (shape_.problem.images) return of_step(1, shape_.tap_k_tiles(), 0);
    if (shape_.has_slices()) return {};
    return map == kMapB ? walk_.matrix_b(1) : walk_.matrix(1);
  }

  /// Loads the pixels of the rows of A that this CTA reads, under the tap of the k-tile.
  void load_pixels() {
    const TapImages& x = *shape_.problem.images;
    const int across = shape_.rows_read();
    const int step = across / boxes_along(across);
    for (int first = 0; first < across; first += step) {
      std::vector<Term> row{{Variable::kUniform0, 1}};
      if (shape_.shares_a()) row.push_back(shape_.place_n(across));
      const auto pixel = [&](std::int64_t stride, std::int64_t pad, std::int64_t divisor,
                             std::int64_t modulus) {
        return Expression{-pad, {}, {divided(stride, first, row, divisor, modulus)}};
      };
      const std::int64_t tap = shape_.tap_k_tiles();
      isa::TileOperand tile{
          .map = kMapA,
          .coordinates = {place_along_k(shape_.tile.k, 0),
                          pixel(x.stride_w, x.pad_w, 1, x.positions_w),
                          pixel(x.stride_h, x.pad_h, x.positions_w, x.positions_h),
                          pixel(1, 0, x.positions_w * x.positions_h, 0),
                          of_step(x.dil_w, tap, x.taps_w), of_step(x.dil_h, tap * x.taps_w, 0)}};
      append_load(std::move(tile), first, across, shape_.shares_a(),
                  shape_.shares_a() ? Opcode::kUtmaldgIm2colMulticast4d : Opcode::kUtmaldgIm2col4d);
    }
  }

  /// Loads the `across` rows of an operand that this CTA reads, from `along` on along k, to
  /// `offset` of a stage; `place` maps row number `first` of the tile to its position. Each CTA of
  /// a cluster reads a part of what they share and multicasts it to all of them.
  template <typename Place>
  void load(Map map, bool is_turned, int across, bool is_shared, int offset,
            const Expression& along, Place place) {
    const int row_elements = kRowBytes / shape_.bytes();
    const int step = is_turned ? row_elements : across / boxes_along(across);
    for (int first = 0; first < across; first += step) {
      Expression rows = place(first);
      if (is_shared) rows.terms.push_back(part_of(map, across));
      append_load(
          {.map = map,
           .coordinates = {is_turned ? rows : along, is_turned ? along : rows, matrix(map)}},
          offset / kRowBytes + first, across, is_shared,
          is_shared ? Opcode::kUtmaldgMulticast3d : Opcode::kUtmaldg3d);
    }
  }

  /// Loads into row `row` of a stage and the rows after it, out of `across` that this CTA reads.
  void append_load(isa::TileOperand tile, int row, int across, bool is_shared, Opcode opcode) {
    tile.shared = walk_.stage(shape_.first_stage() + row * kRowBytes, shape_.stage_bytes(), 0);
    tile.barrier = walk_.stage(shape_.full(0), kBarrierBytes, 0);
    if (is_shared) {
      tile.shared.terms.push_back(part_of(tile.map, std::int64_t{across} * kRowBytes));
      tile.ranks = receivers(tile.map);
    }
    builder_.append(opcode, tile);
  }

  /// Which part of the shared rows this CTA reads.
  [[nodiscard]] Term part_of(int map, std::int64_t weight) const {
    return map == kMapB ? shape_.place_m(weight) : shape_.place_n(weight);
  }

  /// The CTAs that receive it, one bit each: those in the same row (for A) or column (for B) of the
  /// cluster. Row or column number r shifts the bits of number 0, with one step for each r that
  /// exists.
  [[nodiscard]] Expression receivers(int map) const {
    const bool is_b = map == kMapB;
    const int rows = shape_.tile.cluster_m;
    const int lines = is_b ? shape_.tile.cluster_n : rows;
    const int shift = is_b ? rows : 1;
    int first = 0;
    for (int rank = 0; rank < shape_.cluster(); ++rank)
      if ((is_b ? rank / rows : rank % rows) == 0) first |= 1 << rank;
    Expression mask{first};
    for (int line = 1; line < lines; ++line) {
      const Term place = is_b ? shape_.place_n(1) : shape_.place_m(1);
      const int step = (first << (line * shift)) - (first << ((line - 1) * shift));
      mask.quotients.push_back({.coefficient = step,
                                .constant = lines - line,
                                .terms = {place},
                                .divisor = static_cast<std::uint32_t>(lines)});
    }
    return mask;
  }

  const Shape& shape_;
  const Walk walk_;
  ProgramBuilder builder_;
};

}  // namespace

std::vector<isa::TensorMap> tensor_maps(const Shape& shape) {
  const GemmProblem& problem = shape.problem;
  const isa::TensorMap d = result_map(shape, "D", shape.store_columns());
  if (problem.images) return {pixel_map(shape), filter_map(shape), d};
  std::vector<isa::TensorMap> maps{operand_map(shape, "A", kMapA, shape.a_is_turned(), problem.m,
                                               problem.batch, shape.rows_read()),
                                   operand_map(shape, "B", kMapB, shape.b_is_turned(), problem.n,
                                               problem.matrices_b(), shape.columns_read()),
                                   d};
  if (shape.tile.swapped) {
    std::swap(maps[kMapA].buffer, maps[kMapB].buffer);
    std::swap(maps[kMapA].name, maps[kMapB].name);
  }
  if (shape.rest_of_columns() > 0)
    maps.push_back(result_map(shape, "D_rest", shape.rest_of_columns()));
  if (problem.block_scales) {
    maps.push_back(tensor_map("scale_a", kMapScaleA, kFactorBytes, problem.factor_rows(),
                              shape.k_tiles, problem.batch));
    maps.back().box = {shape.tile.m, 1, 1};
  }
  if (problem.sparse) {
    const MetadataOrder order(problem, shape.tile);
    maps.push_back(tensor_map("E", kMapMetadata, kMetadataRowBytes, order.padded_rows(),
                              order.steps(), problem.batch));
    maps.back().box = {shape.tile.m, shape.metadata_words(), 1};
  }
  return maps;
}

void emit_setup(const Shape& shape, ProgramBuilder& builder) {
  BarrierSetup barriers(builder);
  for (int stage = 0; stage < shape.tile.stages; ++stage) {
    barriers.init(shape.full(stage), 1);
    barriers.init(shape.empty(stage), shape.partners() * shape.readers());
  }
  for (int consumer = 0; consumer < shape.consumers(); ++consumer) {
    barriers.init(shape.meeting(consumer), shape.meeting_warps());
    barriers.init(shape.turn(consumer), 1);
    if (!shape.stream_k) continue;
    barriers.init(shape.hand_over(consumer, /*is_behind_wait=*/true), isa::kGroupWarps);
    barriers.init(shape.hand_over(consumer, /*is_behind_wait=*/false), isa::kGroupWarps);
  }
  if (shape.cluster() == 1) return builder.append(control(Opcode::kBarSync));
  builder.append(control(Opcode::kClusterArrive));
  builder.append(control(Opcode::kClusterWait));
}

isa::WarpProgram idle_program(const Shape& shape) {
  ProgramBuilder builder("idle");
  emit_setup(shape, builder);
  take_registers(register_budget(shape.consumers()).producer, builder);
  return builder.finish();
}

isa::WarpProgram producer_program(const Shape& shape) { return Producer(shape).make(); }

}  // namespace tcsim::kernels::warpgroups
