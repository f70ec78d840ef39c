#include "workloads/kernels/conv/depthwise_kernel.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kMostVector = 4;  // 8 bytes of 16-bit elements
constexpr int kMostLanes = 16;  // 128 bytes of 16-bit elements in a row
constexpr int kMostOutputs = 4;
constexpr int kLoadsAtOnce = 20;             // of a thread, in flight (assumption)
constexpr int kDepthwiseCtasPerSm = 2;       // at least, before threads take fewer pixels
constexpr std::int64_t kMostShared = 16384;  // bytes of a CTA's filters
constexpr int kDepthwiseSetupOps = 40;       // run, pixel and channel by division (assumption)
constexpr int kOpsPerRow = 4;     // pointer and predicate of a row of pixels (assumption)
constexpr int kOpsPerColumn = 2;  // predicate of a column, offset (assumption)
constexpr int kDepthwiseAddressRegisters = 20;
constexpr int kSharedElement = 4;  // bytes: filters are FP32 there
constexpr int kSharedPad = 4;      // elements, so that a filter's taps lie in different banks

std::int64_t runs_of_row(const ConvProblem& problem, int outputs) {
  return ceil_div<std::int64_t>(problem.q(), outputs);
}

std::int64_t ctas(const ConvProblem& problem, const DepthwiseShape& shape) {
  const std::int64_t runs = problem.n * problem.p() * runs_of_row(problem, shape.outputs);
  return ceil_div<std::int64_t>(runs, shape.runs_per_cta()) *
         ceil_div<std::int64_t>(problem.c, shape.channels_per_cta());
}

/// Pixels of x along a row that `outputs` pixels of y see.
std::int64_t columns_seen(const ConvProblem& problem, int outputs) {
  return (outputs - 1) * problem.stride_w + problem.s;
}

/// The part of x that a thread reads: row and column of its window.
struct Position {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

class DepthwiseKernel {
 public:
  DepthwiseKernel(const ConvProblem& problem, const Target& target)
      : problem_(problem),
        unit_(vector_unit(target)),
        shape_(depthwise_shape(problem, target)),
        images_(images()),
        plan_(batches()),
        builder_("main"),
        work_(addresses(), kDepthwiseAddressRegisters) {
    add_term(run_, {Variable::kCtaX, shape_.runs_per_cta()});
    add_term(run_, {Variable::kWarp, kLanes / shape_.lanes});
    add_term(run_, {Variable::kLane, 1, static_cast<std::uint32_t>(shape_.lanes)});
    add_term(channel_, {Variable::kCtaY, shape_.channels_per_cta()});
    add_term(channel_, {.variable = Variable::kLane,
                        .coefficient = shape_.vector,
                        .modulus = static_cast<std::uint32_t>(shape_.lanes)});
    const std::int64_t runs = problem.n * problem.p() * runs_of_row(problem, shape_.outputs);
    if (runs % shape_.runs_per_cta() != 0) exists_.bounds.push_back({run_, runs});
    if (problem.c % shape_.channels_per_cta() != 0) exists_.bounds.push_back({channel_, problem.c});
  }

  isa::KernelLaunch launch() {
    begin_kernel(builder_, work_, 2, work_.setup_ops(kDepthwiseSetupOps));
    for (int i = 0; i < shape_.outputs * shape_.vector; ++i)
      builder_.append(arithmetic(Opcode::kMov, reg(i)));
    for (std::size_t batch = 0; batch < plan_.size(); ++batch) {
      load_pixels(plan_[batch]);
      if (batch == 0 && shape_.staged) stage_filters();
      load_filters(plan_[batch]);
      multiply(plan_[batch]);
    }
    for (int i = 0; i < shape_.outputs; ++i) store_pixel(i);
    const std::int64_t runs = problem_.n * problem_.p() * runs_of_row(problem_, shape_.outputs);
    return uniform_launch(
        {.name = "depthwise",
         .grid = {ceil_div<std::int64_t>(runs, shape_.runs_per_cta()),
                  ceil_div<std::int64_t>(problem_.c, shape_.channels_per_cta()), 1},
         .warps_per_cta = DepthwiseShape::kWarps,
         .registers_per_thread = addresses() + kDepthwiseAddressRegisters,
         .shared_bytes_per_cta =
             shape_.staged ? static_cast<int>(taps() * shared_pitch() * kSharedElement) : 0},
        builder_.finish());
  }

 private:
  /// Pixels that are loaded together, and the taps that use them.
  struct Batch {
    std::vector<Position> pixels;
    std::vector<std::int64_t> taps;
  };

  [[nodiscard]] std::int64_t taps() const { return problem_.r * problem_.s; }
  [[nodiscard]] int shared_pitch() const { return shape_.channels_per_cta() + kSharedPad; }
  [[nodiscard]] bool is_wide() const { return is_16_bit(problem_.input); }
  [[nodiscard]] int bytes() const { return shape_.vector * element_bytes(problem_.input); }

  /// Places that a filter takes on its way to shared memory: as loaded, and as FP32.
  static constexpr std::size_t kStagingPlaces = 2;

  // Registers: sums, a pixel's numbers, pixels as loaded, filters.
  [[nodiscard]] int sum(int output) const { return output * shape_.vector; }
  [[nodiscard]] int numbers() const { return sum(shape_.outputs); }
  [[nodiscard]] int pixel(std::size_t place) const {
    return numbers() + kMostVector +
           static_cast<int>(place) * packed_registers(problem_.input, shape_.vector);
  }
  [[nodiscard]] int filter(std::size_t place) const {
    std::size_t most = 0;
    for (const Batch& batch : plan_) most = std::max(most, batch.pixels.size());
    return align_up(pixel(most), kVectorRegisters) + static_cast<int>(place) * shape_.vector;
  }
  [[nodiscard]] int addresses() const {
    std::size_t most = kStagingPlaces;
    for (const Batch& batch : plan_) most = std::max(most, batch.taps.size());
    return align_up(filter(most), kVectorRegisters);
  }

  /// x as runs of pixels see it: a tap is a column of the part that the whole run sees.
  [[nodiscard]] SampledImages images() const {
    SampledImages images = forward_images(problem_);
    images.columns.pixels = runs_of_row(problem_, shape_.outputs);
    images.columns.taps = columns_seen(problem_, shape_.outputs);
    images.columns.pixel_step = shape_.outputs * problem_.stride_w;
    images.columns.tap_step = 1;
    return images;
  }

  /// Batches of whole rows of the part that a run sees, as far as loads may be in flight; or pieces
  /// of rows that are longer, if a run is one pixel.
  [[nodiscard]] std::vector<Batch> batches() const {
    const std::int64_t columns = columns_seen(problem_, shape_.outputs);
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, kLoadsAtOnce / columns);
    const std::int64_t columns_at_once = std::min<std::int64_t>(columns, kLoadsAtOnce);
    std::vector<Batch> all;
    for (std::int64_t row = 0; row < problem_.r; row += rows_at_once)
      for (std::int64_t column = 0; column < columns; column += columns_at_once) {
        Batch batch;
        for (std::int64_t i = row; i < std::min(problem_.r, row + rows_at_once); ++i) {
          const std::int64_t end = std::min(columns, column + columns_at_once);
          for (std::int64_t j = column; j < end; ++j) batch.pixels.push_back({i, j});
          for (std::int64_t j = column; j < std::min(end, problem_.s); ++j)
            batch.taps.push_back(i * problem_.s + j);
        }
        all.push_back(std::move(batch));
      }
    return all;
  }

  void load_pixels(const Batch& batch) {
    std::int64_t row = -1;
    for (std::size_t i = 0; i < batch.pixels.size(); ++i) {
      const Position& at = batch.pixels[i];
      const int pointer = static_cast<int>(at.row);
      builder_.append(work_.advance_pointer(pointer, at.row == row ? kOpsPerColumn : kOpsPerRow));
      row = at.row;
      Gather::Place place = images_.place(run_, constant(at.row), constant(at.column), channel_);
      isa::Guard guard = exists_;
      std::ranges::move(place.inside.bounds, std::back_inserter(guard.bounds));
      const int to = pixel(i);
      const int count = packed_registers(problem_.input, shape_.vector);
      if (!guard.bounds.empty()) clear(to, count);
      isa::MemoryAccess access{.buffer = 0};
      add_scaled(access.global.offset, place.element, element_bytes(problem_.input));
      builder_.append(load(global_load_of(bytes()), reg(to), work_.pointer(pointer),
                           builder_.access(std::move(access)), builder_.guard(guard)));
    }
  }

  void clear(int first, int count) {
    for (int i = 0; i < count; i += 2)
      builder_.append(arithmetic(i + 1 < count ? Opcode::kCs2r : Opcode::kMov, reg(first + i)));
  }

  /// The filters of the CTA's channels are contiguous. Threads bring them as FP32 to shared memory,
  /// where the taps come first and channels are adjacent.
  void stage_filters() {
    const int vector = shape_.vector;
    const std::int64_t elements = shape_.channels_per_cta() * taps();
    const std::int64_t per_round = std::int64_t{DepthwiseShape::kWarps} * kLanes * vector;
    const int staging = filter(0);
    const int packed = staging + vector;
    for (std::int64_t round = 0; round * per_round < elements; ++round) {
      isa::Expression element = constant(round * per_round);
      add_term(element, {Variable::kWarp, std::int64_t{kLanes} * vector});
      add_term(element, {Variable::kLane, vector});
      isa::Guard guard;
      if ((round + 1) * per_round > elements) guard.bounds.push_back({element, elements});
      isa::Expression in_buffer = element;
      add_term(in_buffer, {Variable::kCtaY, elements});
      if (problem_.c % shape_.channels_per_cta() != 0)
        guard.bounds.push_back({in_buffer, problem_.c * taps()});
      isa::MemoryAccess from{.buffer = 1};
      add_scaled(from.global.offset, in_buffer, element_bytes(problem_.input));
      const int index = builder_.guard(guard);
      const int to = is_wide() ? packed : staging;
      builder_.append(work_.advance_pointer(1, kOpsPerColumn));
      builder_.append(load(global_load_of(bytes()), reg(to), work_.pointer(1),
                           builder_.access(std::move(from)), index));
      builder_.append(widen(problem_.input, to, staging, vector));
      for (int i = 0; i < vector; ++i) store_staged(element, i, staging + i, index);
    }
    builder_.append(control(Opcode::kBarSync));
  }

  /// Register `from` is element number `first` + `i` of the CTA's filters.
  void store_staged(isa::Expression first, int i, int from, int guard) {
    first.constant += i;
    isa::MemoryAccess to;
    add_quotient(to.shared.offset, kSharedElement, first, taps(), 0);
    add_quotient(to.shared.offset, std::int64_t{shared_pitch()} * kSharedElement, first, 1, taps());
    builder_.append(work_.vector_ops(kOpsPerColumn));
    builder_.append(store(Opcode::kSts32, reg(from), reg(work_.fragment_address_a()),
                          builder_.access(std::move(to)), guard));
  }

  void load_filters(const Batch& batch) {
    for (std::size_t i = 0; i < batch.taps.size(); ++i) {
      if (!shape_.staged) {
        for (int j = 0; j < shape_.vector; ++j) load_filter(batch.taps[i], j, filter(i) + j);
        continue;
      }
      isa::MemoryAccess from;
      from.shared.offset = constant(batch.taps[i] * shared_pitch() * kSharedElement);
      add_term(from.shared.offset, {.variable = Variable::kLane,
                                    .coefficient = std::int64_t{shape_.vector} * kSharedElement,
                                    .modulus = static_cast<std::uint32_t>(shape_.lanes)});
      builder_.append(load(shape_.vector == kMostVector ? Opcode::kLds128 : Opcode::kLds64,
                           reg(filter(i)), reg(work_.fragment_address_b()),
                           builder_.access(std::move(from))));
    }
  }

  /// Tap `tap` of channel number `which` of the thread.
  void load_filter(std::int64_t tap, int which, int to) {
    const int bytes = element_bytes(problem_.input);
    isa::MemoryAccess from{.buffer = 1};
    add_scaled(from.global.offset, channel_, taps() * bytes);
    from.global.offset.constant += (which * taps() + tap) * bytes;
    isa::Guard guard;
    if (problem_.c % shape_.channels_per_cta() != 0) guard.bounds.push_back({channel_, problem_.c});
    const int packed = is_wide() ? numbers() : to;
    builder_.append(load(global_load_of(bytes), reg(packed), work_.pointer(which),
                         builder_.access(std::move(from)), builder_.guard(guard)));
    if (is_wide()) builder_.append(widen(problem_.input, packed, to, 1));
  }

  /// The taps of every output are used in the order of their numbers.
  void multiply(const Batch& batch) {
    for (std::size_t i = 0; i < batch.pixels.size(); ++i) {
      const Position& at = batch.pixels[i];
      const int values = is_wide() ? numbers() : pixel(i);
      if (is_wide()) builder_.append(widen(problem_.input, pixel(i), values, shape_.vector));
      for (int output = 0; output < shape_.outputs; ++output) {
        const std::int64_t column = at.column - output * problem_.stride_w;
        if (column < 0 || column >= problem_.s) continue;
        const auto tap =
            std::ranges::find(batch.taps, at.row * problem_.s + column) - batch.taps.begin();
        for (int j = 0; j < shape_.vector; ++j) {
          const isa::Register to = reg(sum(output) + j);
          builder_.append(arithmetic(Opcode::kFfma, to, reg(values + j),
                                     reg(filter(static_cast<std::size_t>(tap)) + j), to));
        }
      }
    }
  }

  void store_pixel(int output) {
    isa::Expression column = constant(output);
    add_quotient(column, shape_.outputs, run_, 1, images_.columns.pixels);
    isa::Guard guard = exists_;
    if (problem_.q() % shape_.outputs != 0) guard.bounds.push_back({column, problem_.q()});
    isa::Expression element = channel_;
    add_quotient(element, problem_.q() * problem_.c, run_, images_.columns.pixels, 0);
    add_scaled(element, column, problem_.c);
    isa::MemoryAccess to{.buffer = 2};
    add_scaled(to.global.offset, element, element_bytes(problem_.output));
    builder_.append(narrow(problem_.output, unit_, sum(output), shape_.vector));
    builder_.append(work_.advance_pointer(0, output == 0 ? kOpsPerRow : kOpsPerColumn));
    builder_.append(store(global_store_of(shape_.vector * element_bytes(problem_.output)),
                          reg(sum(output)), work_.pointer(0), builder_.access(std::move(to)),
                          builder_.guard(guard)));
  }

  const ConvProblem& problem_;
  const VectorUnit unit_;
  const DepthwiseShape shape_;
  const SampledImages images_;
  const std::vector<Batch> plan_;
  ProgramBuilder builder_;
  AddressWork work_;
  isa::Expression run_;      ///< number of the thread's run of pixels
  isa::Expression channel_;  ///< the thread's first
  isa::Guard exists_;
};

/// The number of adjacent lanes that leaves the fewest lanes without a channel.
int lanes_of(std::int64_t vectors) {
  int best = kMostLanes;
  for (int lanes = kMostLanes; lanes >= 4; lanes /= 2)
    if (ceil_div<std::int64_t>(vectors, lanes) * lanes <
        ceil_div<std::int64_t>(vectors, best) * best)
      best = lanes;
  return best;
}

}  // namespace

DepthwiseShape depthwise_shape(const ConvProblem& problem, const Target& target) {
  DepthwiseShape shape;
  shape.vector = problem.c % kMostVector == 0 ? kMostVector : 2;
  shape.lanes = lanes_of(problem.c / shape.vector);
  shape.staged = problem.r * problem.s * (shape.channels_per_cta() + kSharedPad) * kSharedElement <=
                 kMostShared;
  for (shape.outputs = kMostOutputs; shape.outputs > 1; shape.outputs /= 2)
    if (columns_seen(problem, shape.outputs) <= kLoadsAtOnce && shape.outputs < 2 * problem.q() &&
        ctas(problem, shape) >= std::int64_t{kDepthwiseCtasPerSm} * target.sms)
      break;
  return shape;
}

isa::KernelLaunch make_depthwise(const ConvProblem& problem, const Target& target) {
  return DepthwiseKernel(problem, target).launch();
}

}  // namespace tcsim::kernels
