#include "workloads/kernels/conv/winograd_fused_kernel.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/conv/winograd_transform.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kTiles = WinogradFusedKernel::kTiles;
constexpr int kFilters = WinogradFusedKernel::kFilters;
constexpr int kChannels = WinogradFusedKernel::kChannels;
constexpr int kWinogradWarps = 8;
constexpr int kWinogradSide = 4;
constexpr int kPoints = kWinogradSide * kWinogradSide;
constexpr int kWarpPoints = kPoints / kWinogradWarps;
constexpr int kWinogradBytes = 4;  // of a number between the transforms
constexpr int kVector = 4;
constexpr int kThreadSide = 8;              // filters and tiles of a thread
constexpr int kWinogradFusedSetupOps = 60;  // index and its divisions (assumption)

// Shared memory: tiles [point][channel][tile], padded so that eight channels of four tiles lie in
// different banks, then filters [point][channel][filter]; after the loop, sums [point][16
// filters][tile].
constexpr int kTilePitch = kTiles * kWinogradBytes + 16;
constexpr int kFilterPitch = kFilters * kWinogradBytes;
constexpr int kFilterBase = kPoints * kChannels * kTilePitch;
static_assert(kFilterBase + kPoints * kChannels * kFilterPitch ==
              WinogradFusedKernel::kSharedBytes);
constexpr int kBlockFilters = 16;  // whose sums are in shared memory at once

// Registers of a thread.
constexpr int kFragments = kWarpPoints * kThreadSide * kThreadSide;  // after the accumulators
constexpr int kInput = kFragments + 2 * 2 * kThreadSide;             // a tile and its transform
constexpr int kFilterVectors = kInput + 24;
constexpr int kLoads = 8;  // of filters
constexpr int kAddresses = kFilterVectors + kLoads * kVector;
constexpr int kWinogradAddressRegisters = 20;

isa::Expression term(Variable variable, std::int64_t coefficient, std::uint32_t divisor = 1,
                     std::uint32_t modulus = 0) {
  isa::Expression expression;
  add_term(expression, {variable, coefficient, divisor, modulus});
  return expression;
}

isa::Expression sum(std::initializer_list<isa::Expression> parts) {
  isa::Expression total;
  for (const isa::Expression& part : parts) add_scaled(total, part, 1);
  return total;
}

int accumulator(int point, int filter, int tile) {
  return (point * kThreadSide + filter) * kThreadSide + tile;
}

class FusedProgram {
 public:
  explicit FusedProgram(const WinogradShape& shape)
      : shape_(shape),
        problem_(shape.problem),
        steps_(problem_.c / kChannels),
        builder_("main"),
        work_(kAddresses, kWinogradAddressRegisters) {}

  isa::WarpProgram program() {
    begin_kernel(builder_, work_, 3, work_.setup_ops(kWinogradFusedSetupOps));
    builder_.append(global_loads(constant(0), {}));
    builder_.append(clear_registers(0, kFragments));
    stage();
    builder_.begin_loop();
    isa::Expression next = term(Variable::kLoop0, 1);
    next.constant = 1;
    builder_.append(
        place_in_gaps(products(), std::array{Stream{global_loads(next, {{{next, steps_}}}), 0, 60},
                                             Stream{work_.vector_ops(kLoads), 60, 100}}));
    builder_.append(control(Opcode::kBarSync));
    stage();
    builder_.end_loop(steps_);
    for (int block = 0; block < kFilters / kBlockFilters; ++block) store_block(block);
    return builder_.finish();
  }

 private:
  /// The tile and channel of a thread: four tiles of eight channels to a warp.
  [[nodiscard]] static isa::Expression loaded_tile() {
    return sum(
        {term(Variable::kWarp, kTiles / kWinogradWarps), term(Variable::kLane, 1, kChannels)});
  }
  [[nodiscard]] static isa::Expression loaded_channel() {
    return term(Variable::kLane, 1, 1, kChannels);
  }

  void bound_tile(const isa::Expression& tile, isa::Guard& guard) const {
    if (shape_.tiles() % kTiles != 0) guard.bounds.push_back({tile, shape_.tiles()});
  }
  void bound_filter(const isa::Expression& filter, isa::Guard& guard) const {
    if (problem_.k % kFilters != 0) guard.bounds.push_back({filter, problem_.k});
  }

  /// Channels of step `step` into registers, where `has_step` holds.
  Instructions global_loads(const isa::Expression& step, const isa::Guard& has_step) {
    Instructions ops;
    int index = 0;
    const auto load_from = [&](int buffer, int count, int to, const isa::Expression& element,
                               isa::Guard guard) {
      const int bytes = buffer == 0 ? element_bytes(problem_.input) : kWinogradBytes;
      std::ranges::copy(has_step.bounds, std::back_inserter(guard.bounds));
      isa::MemoryAccess access{.buffer = buffer};
      add_scaled(access.global.offset, element, bytes);
      extend(ops, work_.advance_pointer(index, kOpsPerAccess));
      ops.push_back(load(global_load_of(count * bytes), reg(to), work_.pointer(index),
                         builder_.access(std::move(access)), builder_.guard(guard)));
      ++index;
    };
    const WinogradTransform tile(winograd_matrices(2).input, 1, kInput);
    const isa::Expression number = sum({term(Variable::kCtaX, kTiles), loaded_tile()});
    isa::Expression channel = loaded_channel();
    add_scaled(channel, step, kChannels);
    for (int row = 0; row < kWinogradSide; ++row)
      for (int column = 0; column < kWinogradSide; ++column) {
        Gather::Place place =
            shape_.output_tiles().inputs().place(number, constant(row), constant(column), channel);
        bound_tile(number, place.inside);
        const int to = tile.element(row, column);
        ops.push_back(arithmetic(Opcode::kMov, reg(to)));  // padding
        load_from(0, 1, to, place.element, std::move(place.inside));
      }
    for (int i = 0; i < kLoads; ++i) {
      const FilterVector vector = filter_vector(i);
      const isa::Expression filter = sum({term(Variable::kCtaY, kFilters), vector.filter});
      isa::Expression element;
      add_scaled(element, vector.point, problem_.k * problem_.c);
      add_scaled(element, filter, problem_.c);
      add_scaled(element, step, kChannels);
      element.constant += vector.channel;
      isa::Guard guard;
      bound_filter(filter, guard);
      load_from(1, kVector, kFilterVectors + i * kVector, element, std::move(guard));
    }
    return ops;
  }

  /// What load number `i` of the filters loads: four channels of a filter at a point.
  struct FilterVector {
    isa::Expression point;
    isa::Expression filter;
    int channel;
  };
  [[nodiscard]] static FilterVector filter_vector(int i) {
    FilterVector vector{term(Variable::kWarp, kWarpPoints), term(Variable::kLane, 1),
                        i % 2 * kVector};
    vector.point.constant = i / kVector;
    vector.filter.constant = std::int64_t{i} / 2 % 2 * (kFilters / 2);
    return vector;
  }

  int shared(int base, int pitch, const isa::Expression& row, const isa::Expression& column) {
    isa::Expression offset = constant(base);
    add_scaled(offset, row, pitch);
    add_scaled(offset, column, kWinogradBytes);
    return builder_.access({.shared = {.offset = std::move(offset)}});
  }

  /// Transforms the loaded data and stores it to shared memory, after a barrier.
  void stage() {
    WinogradTransform tile(winograd_matrices(2).input, 1, kInput);
    const PairValues values(problem_.input, shape_.unit);
    for (int point = 0; point < kPoints; ++point)
      builder_.append(
          values.unpack_one(tile.element(point / kWinogradSide, point % kWinogradSide)));
    builder_.append(tile.emit());
    for (int point = 0; point < kPoints; ++point) {
      isa::Expression row = loaded_channel();
      row.constant = std::int64_t{point} * kChannels;
      builder_.append(
          store(Opcode::kSts32, reg(tile.element(point / kWinogradSide, point % kWinogradSide)),
                work_.shared_store_address(), shared(0, kTilePitch, row, loaded_tile())));
    }
    for (int i = 0; i < kLoads; ++i)
      for (int channel = 0; channel < kVector; ++channel) {
        const FilterVector vector = filter_vector(i);
        isa::Expression row;
        add_scaled(row, vector.point, kChannels);
        row.constant += vector.channel + channel;
        builder_.append(store(Opcode::kSts32, reg(kFilterVectors + i * kVector + channel),
                              work_.shared_store_address(),
                              shared(kFilterBase, kFilterPitch, row, vector.filter)));
      }
    builder_.append(control(Opcode::kBarSync));
  }

  [[nodiscard]] static int fragment(int step, int number) {
    return kFragments + step % 2 * 2 * kThreadSide + number;
  }

  /// Eight filters and eight tiles of a channel at one of the warp's points, in separated halves,
  /// so that lanes read whole rows of banks.
  Instructions fragments(int step) {
    constexpr int kFilterGroups = kFilters / kThreadSide;
    constexpr int kTileGroups = kTiles / kThreadSide;
    isa::Expression row = term(Variable::kWarp, std::int64_t{kWarpPoints} * kChannels);
    row.constant = std::int64_t{step} % kWarpPoints * kChannels + step / kWarpPoints;
    Instructions loads;
    for (int half = 0; half < 2; ++half) {
      isa::Expression filter = term(Variable::kLane, kVector, kTileGroups);
      filter.constant = std::int64_t{half} * kFilterGroups * kVector;
      isa::Expression tile = term(Variable::kLane, kVector, 1, kTileGroups);
      tile.constant = std::int64_t{half} * kTileGroups * kVector;
      loads.push_back(load(Opcode::kLds128, reg(fragment(step, half * kVector)),
                           reg(work_.fragment_address_a()),
                           shared(kFilterBase, kFilterPitch, row, filter)));
      loads.push_back(load(Opcode::kLds128, reg(fragment(step, kThreadSide + half * kVector)),
                           reg(work_.fragment_address_b()), shared(0, kTilePitch, row, tile)));
    }
    return loads;
  }

  Instructions products() {
    constexpr int kSteps = kChannels * kWarpPoints;
    Instructions ops = fragments(0);
    for (int step = 0; step < kSteps; ++step) {
      if (step + 1 < kSteps) extend(ops, fragments(step + 1));
      for (int filter = 0; filter < kThreadSide; ++filter)
        for (int tile = 0; tile < kThreadSide; ++tile) {
          const isa::Register to = reg(accumulator(step % kWarpPoints, filter, tile));
          ops.push_back(arithmetic(Opcode::kFfma, to, reg(fragment(step, filter)),
                                   reg(fragment(step, kThreadSide + tile)), to));
        }
    }
    return ops;
  }

  /// Passes the sums of 16 filters from the lanes that have them to those that transform and store
  /// them.
  void store_block(int block) {
    constexpr int kHalfLanes = 16;
    const int half = block / 2;
    // Lanes 16 i to 16 i + 15 hold filters 16 i to 16 i + 15 of each half.
    isa::Guard has_filters{{{term(Variable::kLane, 1), kHalfLanes}}};
    if (block % 2 == 1) {
      isa::Expression beyond = term(Variable::kLane, -1);
      beyond.constant = kHalfLanes - 1;
      has_filters = {{{beyond, 0}}};
    }
    const int guard = builder_.guard(has_filters);
    if (block > 0) builder_.append(control(Opcode::kBarSync));
    for (int point = 0; point < kWarpPoints; ++point)
      for (int filter = 0; filter < kVector; ++filter)
        for (int tiles = 0; tiles < 2; ++tiles) {
          isa::Expression row =
              sum({term(Variable::kWarp, std::int64_t{kWarpPoints} * kBlockFilters),
                   term(Variable::kLane, kVector, kVector, kVector)});
          row.constant = std::int64_t{point} * kBlockFilters + filter;
          isa::Expression column = term(Variable::kLane, kVector, 1, kVector);
          column.constant = std::int64_t{tiles} * kTiles / 2;
          builder_.append(store(
              Opcode::kSts128, reg(accumulator(point, half * kVector + filter, tiles * kVector)),
              work_.shared_store_address(), shared(0, kTilePitch, row, column), guard));
        }
    builder_.append(control(Opcode::kBarSync));
    for (int item = 0; item < 2; ++item) store_item(block, item);
  }

  void store_item(int block, int item) {
    WinogradTransform sums(winograd_matrices(2).output, 1, kInput);
    isa::Expression tile = sum({term(Variable::kLane, 1, kBlockFilters), term(Variable::kWarp, 2)});
    tile.constant = std::int64_t{item} * kTiles / 2;
    for (int point = 0; point < kPoints; ++point) {
      isa::Expression row = term(Variable::kLane, 1, 1, kBlockFilters);
      row.constant = std::int64_t{point} * kBlockFilters;
      builder_.append(load(Opcode::kLds32,
                           reg(sums.element(point / kWinogradSide, point % kWinogradSide)),
                           reg(work_.fragment_address_a()), shared(0, kTilePitch, row, tile)));
    }
    builder_.append(sums.emit());
    const isa::Expression number = sum({term(Variable::kCtaX, kTiles), tile});
    isa::Expression filter =
        sum({term(Variable::kCtaY, kFilters), term(Variable::kLane, 1, 1, kBlockFilters)});
    filter.constant += std::int64_t{block} * kBlockFilters;
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column) {
        Gather::Place place =
            shape_.output_tiles().outputs().place(number, constant(row), constant(column), filter);
        bound_tile(number, place.inside);
        bound_filter(filter, place.inside);
        const int bytes = element_bytes(problem_.output);
        isa::MemoryAccess access{.buffer = 2};
        add_scaled(access.global.offset, place.element, bytes);
        builder_.append(work_.advance_pointer(2 * row + column, kOpsPerAccess));
        builder_.append(narrow(problem_.output, shape_.unit, sums.element(row, column), 1));
        builder_.append(store(global_store_of(bytes), reg(sums.element(row, column)),
                              work_.pointer(2 * row + column), builder_.access(std::move(access)),
                              builder_.guard(place.inside)));
      }
  }

  const WinogradShape& shape_;
  const ConvProblem& problem_;
  const std::int64_t steps_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch WinogradFusedKernel::make(const WinogradShape& shape) {
  return uniform_launch({.name = "winograd_2x2_fused",
                         .grid = {ceil_div<std::int64_t>(shape.tiles(), kTiles),
                                  ceil_div<std::int64_t>(shape.problem.k, kFilters), 1},
                         .warps_per_cta = kWinogradWarps,
                         .registers_per_thread = kAddresses + kWinogradAddressRegisters,
                         .shared_bytes_per_cta = kSharedBytes},
                        FusedProgram(shape).program());
}

}  // namespace tcsim::kernels
