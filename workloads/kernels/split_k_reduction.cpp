#include "workloads/kernels/split_k_reduction.hpp"

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/output_conversion.hpp"
#include "workloads/kernels/post_operations.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Variable;

constexpr int kWorkspace = 0;
constexpr int kD = 1;
constexpr int kReductionWarps = 4;      // assumption: small CTAs spread a small D over all SMs
constexpr int kSlicesInFlight = 8;      // slices read before the first is added (assumption)
constexpr int kReductionSetupOps = 24;  // index, bounds and pointers (assumption)
constexpr int kOpsPerSlice = 2;         // the pointer to the next slice
constexpr int kReductionAddressRegisters = 20;
constexpr int kLongestVector = 4;  // FP32 numbers of a thread

class Reduction {
 public:
  Reduction(const GemmProblem& problem, int slices, const Recipe& recipe, const OutputPlace& place)
      : problem_(problem),
        recipe_(recipe),
        slices_(slices),
        elements_(problem_.m * problem_.n),
        sum_bytes_(element_bytes(problem_.accumulate)),
        post_(problem_.epilogue, kD + 1),
        place_(place),
        vector_(vector_elements()),
        of_warp_(std::int64_t{kLanes} * vector_),
        vector_registers_(std::max(1, vector_ * sum_bytes_ / 4)),
        loaded_(std::min(slices_, kSlicesInFlight)),
        builder_("reduce"),
        work_(data_registers(), kReductionAddressRegisters) {}

  isa::KernelLaunch launch() {
    emit();
    return uniform_launch(
        {.grid = {ceil_div(elements_, kReductionWarps * of_warp_), 1, problem_.batch},
         .warps_per_cta = kReductionWarps,
         .registers_per_thread = data_registers() + kReductionAddressRegisters},
        builder_.finish());
  }

 private:
  /// Elements of D that are adjacent and, where it matters, belong to one row.
  [[nodiscard]] std::int64_t contiguous() const {
    if (place_.column_block > 0) return place_.column_block;
    return post_.changes_values() ? problem_.n : elements_;
  }

  /// The steps after the sums take FP32 numbers.
  [[nodiscard]] int vector_elements() const {
    const int widest = widest_vector(contiguous(), sum_bytes_);
    return post_.changes_values() ? std::min(widest, kLongestVector) : widest;
  }

  /// Registers of the sums, followed by scale, bias, C, scratch and the FP32 numbers of FP16 sums.
  [[nodiscard]] int sum_registers() const { return align_up(loaded_ * vector_registers_, 4); }
  [[nodiscard]] int data_registers() const {
    if (!post_.changes_values()) return sum_registers();
    return scratch_register() + kPostScratch + (widens() ? kLongestVector : 0);
  }
  [[nodiscard]] bool widens() const { return problem_.accumulate == Element::kFp16; }
  [[nodiscard]] int scratch_register() const { return residual_register() + kLongestVector; }
  [[nodiscard]] int singles_register() const {
    return widens() && post_.changes_values() ? scratch_register() + kPostScratch : 0;
  }
  [[nodiscard]] int scale_register() const {
    return post_.scale_buffer == EpiloguePost::kNone ? kNoVector : sum_registers();
  }
  [[nodiscard]] int bias_register() const {
    return post_.bias_buffer == EpiloguePost::kNone ? kNoVector : sum_registers() + kLongestVector;
  }
  [[nodiscard]] int residual_register() const { return sum_registers() + 2 * kLongestVector; }

  /// Number of the thread's first element in its matrix.
  [[nodiscard]] isa::Expression first_element() const {
    isa::Expression first;
    add_term(first, {.variable = Variable::kCtaX, .coefficient = kReductionWarps * of_warp_});
    add_term(first, {.variable = Variable::kWarp, .coefficient = of_warp_});
    add_term(first, {.variable = Variable::kLane, .coefficient = vector_});
    return first;
  }

  /// The vector in matrix number factor * batch + index, with elements of `bytes`.
  [[nodiscard]] isa::Address place(std::int64_t factor, std::int64_t index, int bytes) const {
    isa::Address address;
    add_scaled(address.offset, first_element(), bytes);
    address.offset.constant += index * elements_ * bytes;
    add_term(address.offset,
             {.variable = Variable::kCtaZ, .coefficient = factor * elements_ * bytes});
    return address;
  }

  void emit() {
    begin_kernel(builder_, work_, 3, work_.setup_ops(kReductionSetupOps));
    isa::Guard inside;
    if (elements_ % (kReductionWarps * of_warp_) != 0)
      inside.bounds.push_back({first_element(), elements_});
    const int guard = builder_.guard(inside);
    for (int slice = 0; slice < loaded_; ++slice) load_slice(slice, guard);
    load_post(guard);
    // Register set 0 holds the sum; the others are refilled as soon as they are added.
    for (int slice = 1; slice < slices_; ++slice) {
      builder_.append(add_registers(problem_.accumulate, 0, buffer_of(slice), vector_registers_));
      if (const int next = slice + loaded_ - 1; next < slices_) load_slice(next, guard);
    }
    finish(guard);
  }

  /// Slices after the first take turns in register sets 1 to loaded_ - 1.
  [[nodiscard]] int buffer_of(int slice) const {
    return slice == 0 ? 0 : (1 + (slice - 1) % (loaded_ - 1)) * vector_registers_;
  }

  void load_slice(int slice, int guard) {
    builder_.append(work_.advance_pointer(slice, kOpsPerSlice));
    const int access =
        builder_.access({.buffer = kWorkspace, .global = place(slices_, slice, sum_bytes_)});
    builder_.append(load(global_load_of(vector_ * sum_bytes_), reg(buffer_of(slice)),
                         work_.pointer(slice), access, guard));
  }

  void load_post(int guard) {
    isa::Address column;
    add_quotient(column.offset, 4, first_element(), 1, problem_.n);
    add_term(column.offset, {.variable = Variable::kCtaZ, .coefficient = 4 * problem_.n});
    const auto load_from = [&](int buffer, int to, const isa::Address& address, int bytes) {
      if (buffer == EpiloguePost::kNone) return;
      builder_.append(load(global_load_of(bytes), reg(to), work_.pointer(buffer),
                           builder_.access({.buffer = buffer, .global = address}), guard));
    };
    load_from(post_.scale_buffer, scale_register(), column, 4 * vector_);
    load_from(post_.bias_buffer, bias_register(), column, 4 * vector_);
    const int bytes = element_bytes(problem_.output);
    load_from(post_.residual_buffer, residual_register(), place(1, 0, bytes), vector_ * bytes);
  }

  [[nodiscard]] Instructions apply_post() const {
    const int values = singles_register();
    Instructions ops = to_singles(problem_.accumulate, 0, values, vector_, recipe_.has_packing);
    extend(ops, scale_and_shift(values, vector_, scale_register(), bias_register()));
    if (post_.residual_buffer != EpiloguePost::kNone)
      extend(ops,
             add_packed(problem_.output, values, residual_register(), vector_, scratch_register()));
    extend(ops, activate(post_.activation, values, vector_, scratch_register()));
    return ops;
  }

  void finish(int guard) {
    const OutputConversion conversion{
        .accumulate = post_.changes_values() ? Element::kFp32 : problem_.accumulate,
        .output = problem_.output,
        .has_packing = recipe_.has_packing,
        .swapped_pairs = false};
    builder_.append(scale_registers(problem_.accumulate, 0, 0, vector_registers_, false));
    if (post_.changes_values()) builder_.append(apply_post());
    builder_.append(conversion.convert(singles_register(), vector_));
    const int bytes = element_bytes(problem_.output);
    isa::Address address;
    place_.add_element(address.offset, first_element(), problem_.n, bytes);
    add_term(address.offset,
             {.variable = Variable::kCtaZ, .coefficient = place_.batch_stride * bytes});
    const int access = builder_.access({.buffer = kD, .global = std::move(address)});
    builder_.append(store(global_store_of(vector_ * bytes), reg(singles_register()),
                          work_.pointer(0), access, guard));
  }

  const GemmProblem& problem_;
  const Recipe& recipe_;
  const int slices_;
  const std::int64_t elements_;  ///< of one matrix
  const int sum_bytes_;
  const EpiloguePost post_;
  const OutputPlace& place_;
  const int vector_;            ///< elements of one thread
  const std::int64_t of_warp_;  ///< elements of its warp
  const int vector_registers_;
  const int loaded_;  ///< register sets
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch make_reduction(const GemmProblem& problem, int slices, const Recipe& recipe,
                                 const OutputPlace& place) {
  return Reduction(problem, slices, recipe, place).launch();
}

isa::KernelLaunch make_reduction(const KernelPlan& plan) {
  return make_reduction(plan.problem, plan.tile.split_k, plan.recipe, plan.output);
}

}  // namespace tcsim::kernels
