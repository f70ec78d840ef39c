#include "workloads/kernels/conv/depthwise.hpp"

#include <algorithm>
#include <iterator>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kPair = 2;
constexpr int kSums = 0;                                 // registers: two sums,
constexpr int kPixels = 2;                               // then two values of every tap of a batch,
constexpr int kTapsAtOnce = 12;                          // loads of a thread in flight (assumption)
constexpr int kFilters = kPixels + kPair * kTapsAtOnce;  // then those of the filters
constexpr int kRegisters = kFilters + kPair * kTapsAtOnce;

class DepthwiseKernel {
 public:
  DepthwiseKernel(const ConvProblem& problem, bool has_uniform_datapath, bool has_packing)
      : problem_(problem),
        inputs_(problem.input, has_packing),
        outputs_(problem.output, has_packing),
        images_(forward_images(problem)),
        kernel_("depthwise", problem.y_elements() / kPair, 1, kRegisters, kSetupOps,
                has_uniform_datapath) {}

  isa::KernelLaunch launch() {
    ProgramBuilder& builder = kernel_.builder();
    for (int i = 0; i < kPair; ++i) builder.append(arithmetic(Opcode::kMov, reg(kSums + i)));
    const auto taps = static_cast<int>(problem_.r * problem_.s);
    for (int first = 0; first < taps; first += kTapsAtOnce) {
      const int count = std::min(kTapsAtOnce, taps - first);
      for (int i = 0; i < count; ++i) load_tap(first + i, i);
      for (int i = 0; i < count; ++i) multiply(i);
    }
    builder.append(outputs_.pack(kSums));
    isa::Address to;
    add_scaled(to.offset, kernel_.item(0), outputs_.bytes());
    builder.append(store(
        global_store_opcode(outputs_.bytes()), reg(kSums), kernel_.work().pointer(0),
        builder.access({.buffer = 2, .global = std::move(to)}), builder.guard(kernel_.exists(0))));
    return kernel_.finish();
  }

 private:
  static constexpr int kSetupOps = 40;  // index and its divisions (assumption)
  static constexpr int kOpsPerTap = 4;  // pointer and predicate (assumption)

  void load_tap(int tap, int slot) {
    ProgramBuilder& builder = kernel_.builder();
    const std::int64_t pairs = problem_.c / kPair;
    const isa::Expression item = kernel_.item(0);
    isa::Expression channel;
    add_quotient(channel, kPair, item, 1, pairs);
    Gather::Place place =
        images_.place(item, constant(tap / problem_.s), constant(tap % problem_.s), channel, pairs);
    isa::Guard guard = kernel_.exists(0);
    std::ranges::move(place.inside.bounds, std::back_inserter(guard.bounds));
    isa::Address from;
    add_scaled(from.offset, place.element, inputs_.bytes() / kPair);
    const int pixel = kPixels + kPair * slot;
    builder.append(kernel_.work().advance_pointer(slot, kOpsPerTap));
    for (int i = 0; i < kPair; ++i) builder.append(arithmetic(Opcode::kMov, reg(pixel + i)));
    builder.append(
        load(global_load_opcode(inputs_.bytes()), reg(pixel), kernel_.work().pointer(slot),
             builder.access({.buffer = 0, .global = std::move(from)}), builder.guard(guard)));
    for (int i = 0; i < kPair; ++i) load_filter(channel, tap, i, kFilters + kPair * slot + i);
  }

  /// Filters lie one behind the other, so that a pair's elements of a tap are apart.
  void load_filter(const isa::Expression& channel, int tap, int which, int to) {
    ProgramBuilder& builder = kernel_.builder();
    const int bytes = inputs_.bytes() / kPair;
    const std::int64_t taps = problem_.r * problem_.s;
    isa::Address from;
    add_scaled(from.offset, channel, taps * bytes);
    from.offset.constant += (which * taps + tap) * bytes;
    builder.append(load(global_load_opcode(bytes), reg(to), kernel_.work().pointer(tap),
                        builder.access({.buffer = 1, .global = std::move(from)})));
    builder.append(inputs_.unpack_one(to));
  }

  void multiply(int slot) {
    const int pixel = kPixels + kPair * slot;
    kernel_.builder().append(inputs_.unpack(pixel));
    for (int i = 0; i < kPair; ++i)
      kernel_.builder().append(arithmetic(Opcode::kFfma, reg(kSums + i), reg(pixel + i),
                                          reg(kFilters + kPair * slot + i), reg(kSums + i)));
  }

  const ConvProblem& problem_;
  PairValues inputs_;
  PairValues outputs_;
  SampledImages images_;
  FlatKernel kernel_;
};

}  // namespace

std::string DepthwiseMethod::why_not() const {
  const ConvProblem& p = problem_;
  if (p.groups != p.c || p.k != p.c) return "depthwise kernels have one filter per channel";
  if (p.pass != ConvPass::kForward)
    return "depthwise kernels are generated for forward passes only";
  if (!PairValues::knows(p.input) || p.accumulate != Element::kFp32)
    return "depthwise kernels compute in FP32, not in integers or FP16";
  if (p.input == Element::kBf16 && target_.architecture != "ampere" &&
      target_.architecture != "hopper")
    return "only Ampere and later convert to BF16";
  if (p.c % kPair != 0) return "depthwise kernels take even numbers of channels";
  return {};
}

TileMenu DepthwiseMethod::menu() const {
  return {{},
          [](const GemmTile&) { return std::string("a depthwise kernel has no product"); },
          [](const GemmTile&, const GemmTile&) { return false; }};
}

double DepthwiseMethod::estimate(const GemmTile& /*tile*/) const {
  // Four operations of a lane per tap and channel against every byte once.
  constexpr double kOperationsPerTap = 4;
  constexpr double kLanes = 64;            // FP32 lanes of an SM
  constexpr double kDramEfficiency = 0.8;  // cost_model.cpp
  constexpr double kFillCycles = 1250;     // cost_model.cpp
  const auto macs = static_cast<double>(problem_.macs());
  const auto bytes = static_cast<double>(problem_.x_elements() + problem_.y_elements()) *
                     element_bytes(problem_.input);
  return kFillCycles + std::max(macs * kOperationsPerTap / (kLanes * target_.sms),
                                bytes / (kDramEfficiency * target_.dram_bytes_per_cycle));
}

std::vector<isa::KernelLaunch> DepthwiseMethod::stream(const GemmTile& /*tile*/) const {
  const bool packs = target_.architecture == "ampere" || target_.architecture == "hopper";
  const bool uniform = packs || target_.architecture == "turing";
  const ConvBuffers buffers(problem_);
  std::vector<isa::KernelLaunch> stream{DepthwiseKernel(problem_, uniform, packs).launch()};
  stream.front().buffers = {buffers.x(), buffers.w(), buffers.y()};
  return stream;
}

}  // namespace tcsim::kernels
