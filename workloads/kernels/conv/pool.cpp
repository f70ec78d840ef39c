#include "workloads/kernels/conv/pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kPair = 2;
constexpr int kSetupOps = 30;      // index and its divisions (assumption)
constexpr int kLoadsInFlight = 8;  // of a thread (assumption)
constexpr int kMostUnrolled = 16;  // taps; larger windows loop over their rows (assumption)
constexpr int kValues = kPair;     // registers: the result, then what is loaded

bool has_packing(const Target& target) {
  return target.architecture == "ampere" || target.architecture == "hopper";
}

/// Minus infinity as a load would leave it: two 16-bit elements or one FP32.
std::int32_t lowest(Element element) {
  constexpr std::uint32_t kHalves = 0xfc00fc00;
  constexpr std::uint32_t kBfloats = 0xff80ff80;
  if (element == Element::kFp16) return std::bit_cast<std::int32_t>(kHalves);
  if (element == Element::kBf16) return std::bit_cast<std::int32_t>(kBfloats);
  return std::bit_cast<std::int32_t>(-std::numeric_limits<float>::infinity());
}

class PoolKernel {
 public:
  PoolKernel(const PoolProblem& problem, const Target& target)
      : problem_(problem),
        pairs_(problem.element, has_packing(target)),
        channels_(problem.c % kPair == 0 ? kPair : 1),
        images_{.rows = {.pixels = problem.p(),
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
                .channels = problem.c},
        kernel_(kernel_name(), problem.y_elements() / channels_, 1, (1 + kLoadsInFlight) * kPair,
                kSetupOps, has_packing(target) || target.architecture == "turing"),
        item_(kernel_.item(0)) {}

  isa::KernelLaunch launch() {
    ProgramBuilder& builder = kernel_.builder();
    if (problem_.r * problem_.s <= kMostUnrolled) {
      taps(constant(0), problem_.r * problem_.s, /*starts=*/true);
    } else {
      const float start = is_maximum() ? -std::numeric_limits<float>::infinity() : 0;
      for (int i = 0; i < kPair; ++i) builder.append(set(i, bits_of(start)));
      isa::Expression row;
      add_term(row, {isa::Variable::kLoop0, 1});
      builder.begin_loop();
      taps(row, problem_.s, /*starts=*/false);
      builder.end_loop(problem_.r);
    }
    if (!is_maximum()) divide();
    if (channels_ == 1) builder.append(set(1, 0));
    builder.append(pairs_.pack(0));
    kernel_.move(
        {.is_store = true, .buffer = 1, .offset = scaled(item_, channels_), .bytes = bytes()}, 0);
    return kernel_.finish();
  }

 private:
  [[nodiscard]] std::string kernel_name() const {
    return std::string(pool_name(problem_.operation)) + "_" + std::to_string(problem_.r) + "x" +
           std::to_string(problem_.s);
  }
  [[nodiscard]] bool is_maximum() const { return problem_.operation == PoolOperation::kMax; }

  static isa::Instruction set(int to, std::int32_t bits) {
    return with_immediate(arithmetic(Opcode::kMov, reg(to)), bits);
  }

  static std::int32_t bits_of(float value) { return std::bit_cast<std::int32_t>(value); }

  /// Of the channels of a thread.
  [[nodiscard]] int bytes() const { return pairs_.bytes() / kPair * channels_; }

  /// Bytes of `count` times `elements` elements.
  [[nodiscard]] isa::Expression scaled(const isa::Expression& count, int elements) const {
    isa::Expression bytes;
    add_scaled(bytes, count, std::int64_t{element_bytes(problem_.element)} * elements);
    return bytes;
  }

  /// `count` taps of the window, row by row from `row` on; with `starts` the first one is the
  /// result so far.
  void taps(const isa::Expression& row, std::int64_t count, bool starts) {
    for (std::int64_t tap = 0; tap < count; tap += kLoadsInFlight) {
      const int loads = static_cast<int>(std::min<std::int64_t>(kLoadsInFlight, count - tap));
      const bool begins = starts && tap == 0;
      for (int i = 0; i < loads; ++i) load_tap(row, tap + i, place(i, begins));
      for (int i = 0; i < loads; ++i) kernel_.builder().append(unpack(place(i, begins)));
      for (int i = begins ? 1 : 0; i < loads; ++i) add(place(i, begins));
    }
  }

  [[nodiscard]] Instructions unpack(int first) const {
    return channels_ == kPair ? pairs_.unpack(first) : pairs_.unpack_one(first);
  }

  static int place(int load, bool begins) { return kPair * load + (begins ? 0 : kValues); }

  void load_tap(const isa::Expression& first_row, std::int64_t tap, int to) {
    isa::Expression row = first_row;
    row.constant += tap / problem_.s;
    isa::Expression channel;
    add_quotient(channel, channels_, item_, 1, problem_.c / channels_);
    Gather::Place place =
        images_.place(item_, row, constant(tap % problem_.s), channel, problem_.c / channels_);
    if (!place.inside.bounds.empty()) {
      const std::int32_t outside = is_maximum() ? lowest(problem_.element) : 0;
      for (int i = 0; i < std::max(1, bytes() / 4); ++i)
        kernel_.builder().append(set(to + i, outside));
    }
    kernel_.move({.offset = scaled(place.element, 1),
                  .bytes = bytes(),
                  .data = to,
                  .also = std::move(place.inside)},
                 0);
  }

  void add(int values) {
    for (int i = 0; i < channels_; ++i)
      kernel_.builder().append(arithmetic(is_maximum() ? Opcode::kFmnmx : Opcode::kFadd, reg(i),
                                          reg(i), reg(values + i)));
  }

  void divide() {
    const bool has_padding = problem_.pad_h > 0 || problem_.pad_w > 0 || problem_.has_ceiling;
    if (!problem_.counts_padding && has_padding) return divide_by_pixels();
    const float share = 1.0F / static_cast<float>(problem_.r * problem_.s);
    for (int i = 0; i < channels_; ++i)
      kernel_.builder().append(
          with_immediate(arithmetic(Opcode::kFmul, reg(i), reg(i)), bits_of(share)));
  }

  /// The pixels of a window are those of its rows times those of its columns.
  void divide_by_pixels() {
    constexpr int kRows = kValues;  // registers of loads that are over
    constexpr int kColumns = kValues + 1;
    ProgramBuilder& builder = kernel_.builder();
    const std::int64_t threads_of_pixel = problem_.c / channels_;
    count_inside(images_.rows, threads_of_pixel * images_.columns.pixels, kRows);
    count_inside(images_.columns, threads_of_pixel, kColumns);
    builder.append(arithmetic(Opcode::kFmul, reg(kRows), reg(kRows), reg(kColumns)));
    builder.append(arithmetic(Opcode::kMufuRcp, reg(kRows), reg(kRows)));
    for (int i = 0; i < channels_; ++i)
      builder.append(arithmetic(Opcode::kFmul, reg(i), reg(i), reg(kRows)));
  }

  /// Register `count` becomes the number of taps of the thread's window that lie inside the image
  /// along `axis`, along which every `divisor` items are a pixel.
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
  PairValues pairs_;
  const int channels_;  ///< of a thread
  SampledImages images_;
  FlatKernel kernel_;
  isa::Expression item_;
};

}  // namespace

std::int64_t PoolProblem::windows(std::int64_t extent, std::int64_t taps, std::int64_t stride,
                                  std::int64_t pad) const {
  const std::int64_t room = extent + 2 * pad - taps;
  if (!has_ceiling) return room / stride + 1;
  const std::int64_t count = ceil_div(room, stride) + 1;
  return (count - 1) * stride < extent + pad ? count : count - 1;
}

std::string_view pool_name(PoolOperation operation) {
  return operation == PoolOperation::kMax ? "max_pool" : "avg_pool";
}

std::string why_not_a_pool(const PoolProblem& problem) {
  if (problem.r > problem.h + 2 * problem.pad_h || problem.s > problem.w + 2 * problem.pad_w)
    return "the window is larger than the padded image";
  if (2 * problem.pad_h > problem.r || 2 * problem.pad_w > problem.s)
    return "the padding is wider than half of the window";
  return {};
}

std::string why_no_pool(const PoolProblem& problem, const Target& target) {
  if (problem.element == Element::kBf16 && !has_packing(target))
    return "bf16 kernels need F2FP.BF16, which " + target.architecture + " lacks";
  if (problem.element == Element::kFp16 && target.architecture == "pascal")
    return "no fp16 pooling kernels for pascal";
  if (!PairValues::knows(problem.element)) return "the pooling kernels take floating point";
  return {};
}

isa::KernelLaunch make_pool(const PoolProblem& problem, const Target& target) {
  const std::string reason = why_no_pool(problem, target);
  if (!reason.empty())
    throw std::invalid_argument(std::string(pool_name(problem.operation)) + ": " + reason);
  isa::KernelLaunch launch = PoolKernel(problem, target).launch();
  const int bytes = element_bytes(problem.element);
  BufferRow row;
  launch.buffers = {row.place("x", problem.x_elements() * bytes, true),
                    row.place("y", problem.y_elements() * bytes, false)};
  return launch;
}

}  // namespace tcsim::kernels
