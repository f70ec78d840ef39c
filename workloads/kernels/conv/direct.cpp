#include "workloads/kernels/conv/direct.hpp"

#include <algorithm>
#include <iterator>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"
#include "workloads/kernels/operand.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kMostFilters = 4;
constexpr int kMostElements = 8;     // 16 bytes
constexpr int kDirectSetupOps = 40;  // index and its divisions (assumption)
constexpr int kOpsPerStep = 12;      // pointers and predicates of a tap's channels (assumption)

// Registers: sums, then FP32 numbers of x and of one filter, then the loaded data.
constexpr int kSums = 0;
constexpr int kPixel = kSums + kMostFilters;
constexpr int kFilter = kPixel + kMostElements;
constexpr int kLoaded = kFilter + kMostElements;  // of x, then of every filter
constexpr int kRegisters = kLoaded + 4 * (1 + kMostFilters);

/// Filters of a thread: a power of two that divides those of a group.
int filters_of(const ConvProblem& problem) {
  int filters = kMostFilters;
  while (problem.group_k() % filters != 0) filters /= 2;
  return filters;
}

class DirectKernel {
 public:
  DirectKernel(const ConvProblem& problem, const VectorUnit& unit)
      : problem_(problem),
        unit_(unit),
        filters_(filters_of(problem)),
        bytes_(element_bytes(problem.input)),
        vector_(widest_vector(problem.group_c(), bytes_)),
        chunks_(problem.group_c() / vector_),
        images_(forward_images(problem)),
        kernel_("direct", images_.pixels(), 1, kRegisters, kDirectSetupOps) {}

  isa::KernelLaunch launch() {
    ProgramBuilder& builder = kernel_.builder();
    for (int i = 0; i < filters_; ++i) builder.append(arithmetic(Opcode::kMov, reg(kSums + i)));
    builder.begin_loop();
    builder.append(kernel_.work().vector_ops(kOpsPerStep));
    load_pixel();
    for (int filter = 0; filter < filters_; ++filter) load_filter(filter);
    builder.append(widen(problem_.input, kLoaded, kPixel, vector_));
    for (int filter = 0; filter < filters_; ++filter) multiply(filter);
    builder.end_loop(problem_.r * problem_.s * chunks_);
    builder.append(narrow(problem_.output, unit_, kSums, filters_));
    store_sums();
    isa::KernelLaunch launch = kernel_.finish();
    launch.grid[1] = problem_.k / filters_;
    return launch;
  }

 private:
  /// First filter of the CTA.
  [[nodiscard]] isa::Expression first_filter() const {
    isa::Expression filter;
    add_term(filter, {.variable = Variable::kCtaY, .coefficient = filters_});
    return filter;
  }

  /// First channel of the step, inside its group.
  [[nodiscard]] isa::Expression channel() const {
    isa::Expression channel;
    add_term(channel, {.variable = Variable::kLoop0,
                       .coefficient = vector_,
                       .modulus = static_cast<std::uint32_t>(chunks_)});
    return channel;
  }

  void load_pixel() {
    ProgramBuilder& builder = kernel_.builder();
    isa::Expression row;
    add_term(row, {.variable = Variable::kLoop0,
                   .coefficient = 1,
                   .divisor = static_cast<std::uint32_t>(chunks_ * problem_.s)});
    isa::Expression column;
    add_term(column, {.variable = Variable::kLoop0,
                      .coefficient = 1,
                      .divisor = static_cast<std::uint32_t>(chunks_),
                      .modulus = static_cast<std::uint32_t>(problem_.s)});
    isa::Expression from_channel = channel();
    add_term(from_channel, {.variable = Variable::kCtaY,
                            .coefficient = problem_.group_c(),
                            .divisor = static_cast<std::uint32_t>(problem_.group_k() / filters_)});
    Gather::Place place = images_.place(kernel_.item(0), row, column, from_channel);
    isa::Guard guard = kernel_.exists(0);
    std::ranges::move(place.inside.bounds, std::back_inserter(guard.bounds));
    isa::Address from;
    add_scaled(from.offset, place.element, bytes_);
    // Padding is not loaded, so its registers must hold zeros.
    for (int i = 0; i < packed_registers(problem_.input, vector_); ++i)
      builder.append(arithmetic(Opcode::kMov, reg(kLoaded + i)));
    builder.append(load(global_load_of(vector_ * bytes_), reg(kLoaded), kernel_.work().pointer(0),
                        builder.access({.buffer = 0, .global = std::move(from)}),
                        builder.guard(guard)));
  }

  void load_filter(int filter) {
    ProgramBuilder& builder = kernel_.builder();
    const std::int64_t length = problem_.r * problem_.s * problem_.group_c();
    isa::Address from;
    add_scaled(from.offset, first_filter(), length * bytes_);
    from.offset.constant += filter * length * bytes_;
    add_term(from.offset,
             {.variable = Variable::kLoop0, .coefficient = std::int64_t{vector_} * bytes_});
    builder.append(load(global_load_of(vector_ * bytes_), reg(kLoaded + 4 * (1 + filter)),
                        kernel_.work().pointer(1 + filter),
                        builder.access({.buffer = 1, .global = std::move(from)})));
  }

  void multiply(int filter) {
    ProgramBuilder& builder = kernel_.builder();
    builder.append(widen(problem_.input, kLoaded + 4 * (1 + filter), kFilter, vector_));
    for (int i = 0; i < vector_; ++i)
      builder.append(arithmetic(Opcode::kFfma, reg(kSums + filter), reg(kPixel + i),
                                reg(kFilter + i), reg(kSums + filter)));
  }

  void store_sums() {
    ProgramBuilder& builder = kernel_.builder();
    const int bytes = element_bytes(problem_.output);
    isa::Address to;
    add_scaled(to.offset, kernel_.item(0), problem_.k * bytes);
    add_scaled(to.offset, first_filter(), bytes);
    builder.append(store(global_store_of(filters_ * bytes), reg(kSums), kernel_.work().pointer(0),
                         builder.access({.buffer = 2, .global = std::move(to)}),
                         builder.guard(kernel_.exists(0))));
  }

  const ConvProblem& problem_;
  const VectorUnit unit_;
  const int filters_;
  const int bytes_;
  const int vector_;  ///< elements loaded at once
  const std::int64_t chunks_;
  SampledImages images_;
  FlatKernel kernel_;
};

}  // namespace

std::string DirectMethod::why_not() const {
  const ConvProblem& p = problem_;
  if (p.pass != ConvPass::kForward) return "direct kernels are generated for forward passes only";
  const bool is_known =
      p.input == Element::kFp16 || p.input == Element::kBf16 || p.input == Element::kFp32;
  if (!is_known || p.accumulate != Element::kFp32)
    return "direct kernels compute in FP32 on fp16, bf16 and fp32 tensors";
  if (p.input == Element::kBf16 && !target_.features.packed_conversion)
    return "only Ampere and later convert to BF16";
  if (p.k / filters_of(p) > isa::kLargestGrid[1])
    return "the filters exceed the 65535 CTAs of a grid's y";
  return why_not_narrow(p.output, filters_of(p), target_.features);
}

double DirectMethod::estimate(const GemmTile& /*tile*/) const {
  // The steps of a warp follow each other, as each waits for what it loads. In simulations of V100,
  // T4, A100 and H100 a step takes about so long, and longer by its share of a sector from DRAM.
  constexpr double kStepCycles = 250;
  constexpr double kSectorCycles = 500;
  constexpr double kSectorBytes = 32;
  const int step_bytes = widest_vector(problem_.group_c(), element_bytes(problem_.input)) *
                         element_bytes(problem_.input);
  const double step_cycles = kStepCycles + kSectorCycles * step_bytes / kSectorBytes;
  const isa::KernelLaunch launch = DirectKernel(problem_, vector_unit(target_)).launch();
  const isa::Loop& loop = launch.programs.front().loops.front();
  const auto steps = static_cast<double>(loop.trips.constant);
  const std::int64_t warps =
      ceil_div<std::int64_t>(problem_.n * problem_.p() * problem_.q(), kLanes) *
      (problem_.k / filters_of(problem_));
  const double lane_operations =
      static_cast<double>(warps * kLanes) * steps * (loop.last - loop.first + 1);
  const auto bytes =
      static_cast<double>(problem_.x_bytes() + problem_.w_bytes() + problem_.y_bytes());
  return kFillCycles + std::max({lane_operations / (target_.fp32_lanes * target_.sms),
                                 steps * step_cycles, dram_cycles(bytes)});
}

std::vector<isa::KernelLaunch> DirectMethod::stream(const GemmTile& /*tile*/) const {
  const VectorUnit unit = vector_unit(target_);
  const ConvBuffers buffers(problem_);
  std::vector<isa::KernelLaunch> stream{DirectKernel(problem_, unit).launch()};
  stream.front().buffers = {buffers.x(), buffers.w(), buffers.y()};
  return stream;
}

}  // namespace tcsim::kernels
