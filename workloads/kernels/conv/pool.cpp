#include "workloads/kernels/conv/pool.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/conv/pool_shape.hpp"
#include "workloads/kernels/conv/seen_pixels.hpp"
#include "workloads/kernels/conv/upsample.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kPoolSetupOps = 30;  // index and its divisions (assumption)
constexpr int kOpsPerTap = 4;      // row and column of a tap's number (assumption)
constexpr int kLoadsInFlight = 8;  // of a thread (assumption)
constexpr int kMostUnrolled = 16;  // taps of a thread; else it loops (assumption)
constexpr int kSharedVector = 4;   // FP32 numbers that go to shared memory at once

/// Minus infinity as a load would leave it: two 16-bit elements or one FP32.
std::int32_t lowest(Element element) {
  constexpr std::uint32_t kHalves = 0xfc00fc00;
  constexpr std::uint32_t kBfloats = 0xff80ff80;
  if (element == Element::kFp16) return std::bit_cast<std::int32_t>(kHalves);
  if (element == Element::kBf16) return std::bit_cast<std::int32_t>(kBfloats);
  return std::bit_cast<std::int32_t>(-std::numeric_limits<float>::infinity());
}

SampledImages images_of(const PoolProblem& problem) {
  return {.rows = {.pixels = problem.p(),
                   .taps = problem.r,
                   .extent = problem.h,
                   .pixel_step = problem.stride_h,
                   .origin = constant(-problem.pad_h)},
          .columns = {.pixels = problem.q(),
                      .taps = problem.s,
                      .extent = problem.w,
                      .pixel_step = problem.stride_w,
                      .origin = constant(-problem.pad_w)},
          .images = problem.n,
          .channels = problem.c};
}

/// A window belongs to one thread, or `splits` threads share it. Then the threads of a warp
/// exchange their results by SHFL, and warps exchange theirs through shared memory.
class PoolKernel {
 public:
  PoolKernel(const PoolProblem& problem, const Target& target)
      : problem_(problem),
        shape_(pool_shape(problem, target)),
        joined_(with_joined_rows(problem)),
        images_(images_of(problem)),
        unit_(vector_unit(target)),
        items_(problem.y_elements() / shape_.vector),
        kernel_(kernel_name(), threads(), 1, registers(), kPoolSetupOps),
        item_(kernel_.item(0)) {
    if (!is_split()) return;
    item_ = {};
    add_term(item_, {Variable::kCtaX, shape_.items});
    add_term(item_, {.variable = Variable::kLane,
                     .coefficient = 1,
                     .modulus = static_cast<std::uint32_t>(shape_.items)});
    if (items_ % shape_.items != 0) exists_.bounds.push_back({item_, items_});
  }

  isa::KernelLaunch launch() {
    if (is_split()) {
      share_taps();
      exchange_lanes();
      exchange_warps();
    } else {
      take_all_taps();
    }
    if (!is_maximum()) divide();
    if (shape_.vector == 1) kernel_.builder().append(set(1, 0));
    kernel_.builder().append(
        narrow(problem_.element, unit_, 0, std::max(kLeastRegisters, shape_.vector)));
    kernel_.move({.is_store = true,
                  .buffer = 1,
                  .offset = scaled(item_, shape_.vector),
                  .bytes = bytes(),
                  .also = storing_},
                 0);
    isa::KernelLaunch launch = kernel_.finish();
    if (is_split())
      launch.shared_bytes_per_cta =
          FlatKernel::kWarps * shape_.items * shape_.vector * kBytesPerNumber;
    return launch;
  }

 private:
  static constexpr int kLeastRegisters = 2;  ///< 16-bit results are packed from this many
  static constexpr int kBytesPerNumber = 4;

  [[nodiscard]] std::string kernel_name() const {
    std::string name = std::string(pool_name(problem_.operation)) + "_" +
                       std::to_string(problem_.r) + "x" + std::to_string(problem_.s);
    return is_split() ? name + "_split" + std::to_string(shape_.splits) : name;
  }
  [[nodiscard]] bool is_maximum() const { return problem_.operation == PoolOperation::kMax; }
  [[nodiscard]] bool is_split() const { return shape_.splits > 1; }
  [[nodiscard]] std::int64_t threads() const {
    return is_split() ? ceil_div<std::int64_t>(items_, shape_.items) * FlatKernel::kWarps * kLanes
                      : items_;
  }

  // Registers: results, numbers of one tap, taps as loaded.
  [[nodiscard]] int width() const { return std::max(kLeastRegisters, shape_.vector); }
  [[nodiscard]] int numbers() const { return width(); }
  [[nodiscard]] int loaded(std::int64_t place) const {
    return 2 * width() +
           static_cast<int>(place) * packed_registers(problem_.element, shape_.vector);
  }
  [[nodiscard]] int registers() const { return loaded(kLoadsInFlight); }

  static isa::Instruction set(int to, std::int32_t bits) {
    return with_immediate(arithmetic(Opcode::kMov, reg(to)), bits);
  }
  static std::int32_t bits_of(float value) { return std::bit_cast<std::int32_t>(value); }
  /// Bytes of a thread's channels.
  [[nodiscard]] int bytes() const { return element_bytes(problem_.element) * shape_.vector; }
  /// Bytes of `count` times `elements` elements.
  [[nodiscard]] isa::Expression scaled(const isa::Expression& count, int elements) const {
    isa::Expression bytes;
    add_scaled(bytes, count, std::int64_t{element_bytes(problem_.element)} * elements);
    return bytes;
  }

  void take_all_taps() {
    start();
    if (problem_.r * problem_.s <= kMostUnrolled) return taps(constant(0), problem_.r * problem_.s);
    isa::Expression row;
    add_term(row, {Variable::kLoop0, 1});
    kernel_.builder().begin_loop();
    taps(row, problem_.s);
    kernel_.builder().end_loop(problem_.r);
  }

  /// `count` taps of the window, row by row from `row` on.
  void taps(const isa::Expression& row, std::int64_t count) {
    for (std::int64_t tap = 0; tap < count; tap += kLoadsInFlight) {
      const std::int64_t loads = std::min<std::int64_t>(kLoadsInFlight, count - tap);
      for (std::int64_t i = 0; i < loads; ++i) {
        isa::Expression at = row;
        at.constant += (tap + i) / problem_.s;
        load_tap(images_, at, constant((tap + i) % problem_.s), {}, loaded(i));
      }
      for (std::int64_t i = 0; i < loads; ++i) take(loaded(i));
    }
  }

  /// Every splits-th tap, from the thread's number on.
  void share_taps() {
    start();
    const auto rounds = ceil_div<std::int64_t>(joined_.r * joined_.s, shape_.splits);
    const bool loops = rounds > kMostUnrolled;
    if (loops) kernel_.builder().begin_loop();
    for (std::int64_t first = 0; first < (loops ? kLoadsInFlight : rounds);
         first += kLoadsInFlight) {
      const std::int64_t loads =
          loops ? kLoadsInFlight : std::min<std::int64_t>(kLoadsInFlight, rounds - first);
      for (std::int64_t i = 0; i < loads; ++i) load_share(first + i, loops, loaded(i));
      for (std::int64_t i = 0; i < loads; ++i) take(loaded(i));
    }
    if (loops) kernel_.builder().end_loop(ceil_div<std::int64_t>(rounds, kLoadsInFlight));
  }

  /// Loads the thread's tap number `round`, from that of the loop on if it `loops`.
  void load_share(std::int64_t round, bool loops, int to) {
    const std::int64_t taps = joined_.r * joined_.s;
    isa::Expression tap = constant(round * shape_.splits);
    if (loops) add_term(tap, {Variable::kLoop0, std::int64_t{kLoadsInFlight} * shape_.splits});
    add_term(tap, {Variable::kWarp, kLanes / shape_.items});
    add_term(tap, {Variable::kLane, 1, static_cast<std::uint32_t>(shape_.items)});
    isa::Guard guard = exists_;
    if (loops || (round + 1) * shape_.splits > taps) guard.bounds.push_back({tap, taps});
    isa::Expression row;
    isa::Expression column;
    add_quotient(row, 1, tap, joined_.s, 0);
    if (joined_.s > 1) {
      add_quotient(column, 1, tap, 1, joined_.s);
      kernel_.builder().append(kernel_.work().vector_ops(kOpsPerTap));
    }
    load_tap(images_of(joined_), row, column, guard, to);
  }

  void load_tap(const SampledImages& images, const isa::Expression& row,
                const isa::Expression& column, isa::Guard guard, int to) {
    const std::int64_t vectors = problem_.c / shape_.vector;
    isa::Expression channel;
    add_quotient(channel, shape_.vector, item_, 1, vectors);
    Gather::Place place = images.place(item_, row, column, channel, vectors);
    std::ranges::move(place.inside.bounds, std::back_inserter(guard.bounds));
    if (!guard.bounds.empty()) {
      const std::int32_t outside = is_maximum() ? lowest(problem_.element) : 0;
      for (int i = 0; i < packed_registers(problem_.element, shape_.vector); ++i)
        kernel_.builder().append(set(to + i, outside));
    }
    kernel_.move({.offset = scaled(place.element, 1),
                  .bytes = bytes(),
                  .data = to,
                  .also = std::move(guard)},
                 0);
  }

  /// Sets the results to those of no tap.
  void start() {
    const float none = is_maximum() ? -std::numeric_limits<float>::infinity() : 0;
    for (int i = 0; i < shape_.vector; ++i) kernel_.builder().append(set(i, bits_of(none)));
  }

  /// Combines a tap, as loaded, with the results.
  void take(int packed) {
    const bool is_single = element_bytes(problem_.element) == kBytesPerNumber;
    const int values = is_single ? packed : numbers();
    kernel_.builder().append(widen(problem_.element, packed, values, shape_.vector));
    combine(values);
  }

  void combine(int values) {
    for (int i = 0; i < shape_.vector; ++i)
      kernel_.builder().append(arithmetic(is_maximum() ? Opcode::kFmnmx : Opcode::kFadd, reg(i),
                                          reg(i), reg(values + i)));
  }

  /// Combines the results of lanes with equal items.
  void exchange_lanes() {
    for (int distance = shape_.items; distance < kLanes; distance *= 2) {
      for (int i = 0; i < shape_.vector; ++i)
        kernel_.builder().append(
            with_immediate(arithmetic(Opcode::kShfl, reg(numbers() + i), reg(i)), distance));
      combine(numbers());
    }
  }

  /// The first lanes of the first warp combine the results of the other warps.
  void exchange_warps() {
    ProgramBuilder& builder = kernel_.builder();
    const int bytes_of_item = shape_.vector * kBytesPerNumber;
    isa::Expression lane;
    add_term(lane, {Variable::kLane, 1});
    isa::Expression own;
    add_term(own, {Variable::kLane, bytes_of_item});
    isa::Expression mine = own;
    add_term(mine, {Variable::kWarp, std::int64_t{shape_.items} * bytes_of_item});
    move_shared(/*is_store=*/true, mine, 0, builder.guard({{{lane, shape_.items}}}));
    builder.append(control(Opcode::kBarSync));
    isa::Expression thread = lane;
    add_term(thread, {Variable::kWarp, kLanes});
    storing_ = exists_;
    storing_.bounds.push_back({thread, shape_.items});
    const int first = builder.guard({{{thread, shape_.items}}});
    for (int warp = 1; warp < FlatKernel::kWarps; ++warp) {
      isa::Expression other = own;
      other.constant += std::int64_t{warp} * shape_.items * bytes_of_item;
      const int to = warp % 2 == 0 ? numbers() : loaded(0);
      move_shared(/*is_store=*/false, other, to, first);
      combine(to);
    }
  }

  /// Moves a thread's results between byte `place` of shared memory and registers from `first` on.
  void move_shared(bool is_store, const isa::Expression& place, int first, int guard) {
    ProgramBuilder& builder = kernel_.builder();
    for (int i = 0; i < shape_.vector; i += kSharedVector) {
      const int count = std::min(kSharedVector, shape_.vector - i);
      isa::MemoryAccess access;
      access.shared.offset = place;
      access.shared.offset.constant += std::int64_t{i} * kBytesPerNumber;
      const int index = builder.access(std::move(access));
      const isa::Register address = reg(kernel_.work().fragment_address_a());
      const int bytes = count * kBytesPerNumber;
      if (is_store)
        builder.append(store(shared_store_of(bytes), reg(first + i), address, index, guard));
      else
        builder.append(load(shared_load_of(bytes), reg(first + i), address, index, guard));
    }
  }

  void divide() {
    const bool has_padding = problem_.pad_h > 0 || problem_.pad_w > 0 || problem_.has_ceiling;
    if (!problem_.counts_padding && has_padding) return divide_by_pixels();
    const float share = 1.0F / static_cast<float>(problem_.r * problem_.s);
    for (int i = 0; i < shape_.vector; ++i)
      kernel_.builder().append(
          with_immediate(arithmetic(Opcode::kFmul, reg(i), reg(i)), bits_of(share)));
  }

  /// The number of pixels of a window is that of its rows times that of its columns.
  void divide_by_pixels() {
    const int rows = numbers();  // registers of taps that have been used
    const int columns = numbers() + 1;
    ProgramBuilder& builder = kernel_.builder();
    const std::int64_t threads_of_pixel = problem_.c / shape_.vector;
    count_inside(images_.rows, threads_of_pixel * images_.columns.pixels, rows);
    count_inside(images_.columns, threads_of_pixel, columns);
    builder.append(arithmetic(Opcode::kFmul, reg(rows), reg(rows), reg(columns)));
    builder.append(arithmetic(Opcode::kMufuRcp, reg(rows), reg(rows)));
    for (int i = 0; i < shape_.vector; ++i)
      builder.append(arithmetic(Opcode::kFmul, reg(i), reg(i), reg(rows)));
  }

  /// Sets register `count` to the number of taps of the thread's window that lie inside the image
  /// along `axis`, where every `divisor` items are a pixel.
  void count_inside(const Sampling& axis, std::int64_t divisor, int count) {
    ProgramBuilder& builder = kernel_.builder();
    builder.append(set(count, 0));
    isa::Expression first = axis.origin;
    add_quotient(first, axis.pixel_step, item_, divisor, axis.pixels);
    for (std::int64_t tap = 0; tap < axis.taps; ++tap) {
      isa::Expression place = first;
      place.constant += tap * axis.tap_step;
      isa::Guard inside;
      axis.add_bounds(place, inside);
      isa::Instruction add =
          with_immediate(arithmetic(Opcode::kFadd, reg(count), reg(count)), bits_of(1));
      add.guard = builder.guard(inside);
      builder.append(add);
    }
  }

  const PoolProblem& problem_;
  const PoolShape shape_;
  const PoolProblem joined_;  ///< rows joined into one if they are contiguous
  const SampledImages images_;
  const VectorUnit unit_;
  const std::int64_t items_;
  FlatKernel kernel_;
  isa::Expression item_;  ///< window and channels of the thread
  isa::Guard exists_;     ///< if items are split: the item exists
  isa::Guard storing_;    ///< the thread has the result
};

}  // namespace

std::int64_t window_positions(std::int64_t extent, std::int64_t size, std::int64_t stride,
                              std::int64_t pad, bool has_ceiling) {
  const std::int64_t room = extent + 2 * pad - size;
  if (room < 0) return 0;
  if (!has_ceiling) return room / stride + 1;
  const std::int64_t count = ceil_div(room, stride) + 1;
  return (count - 1) * stride < extent + pad ? count : count - 1;
}

std::int64_t PoolProblem::seen_x_elements() const {
  if (is_upsampling()) return x_elements();
  return n * seen_pixels(h, p(), stride_h, r, 1, pad_h) *
         seen_pixels(w, q(), stride_w, s, 1, pad_w) * c;
}

std::string why_not_a_pool(const PoolProblem& problem) {
  if (problem.is_upsampling()) return {};
  if (problem.r > problem.h + 2 * problem.pad_h || problem.s > problem.w + 2 * problem.pad_w)
    return "the window is larger than the padded image";
  if (2 * problem.pad_h > problem.r || 2 * problem.pad_w > problem.s)
    return "the padding is wider than half of the window";
  return {};
}

std::string why_no_pool(const PoolProblem& problem, const Target& target) {
  if (problem.element == Element::kBf16 && !target.features.packed_conversion)
    return "bf16 kernels need F2FP.BF16, which " + target.architecture + " lacks";
  if (problem.element == Element::kFp16 && !target.features.packed_half)
    return "no fp16 pooling kernels for " + target.architecture;
  if (!PairValues::knows(problem.element)) return "the pooling kernels take floating point";
  return {};
}

isa::KernelLaunch make_pool(const PoolProblem& problem, const Target& target) {
  const std::string reason = why_no_pool(problem, target);
  if (!reason.empty())
    throw std::invalid_argument(std::string(pool_name(problem.operation)) + ": " + reason);
  isa::KernelLaunch launch = problem.is_upsampling() ? make_upsample(problem, target)
                                                     : PoolKernel(problem, target).launch();
  BufferRow row;
  launch.buffers = {row.place("x", problem.x_elements(), problem.element, true),
                    row.place("y", problem.y_elements(), problem.element, false)};
  return launch;
}

}  // namespace tcsim::kernels
