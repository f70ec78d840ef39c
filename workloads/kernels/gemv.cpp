#include "workloads/kernels/gemv.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/cta_room.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/operand.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kVectorBytes = 16;
// Per thread of cuBLAS's gemvx and gemv2T kernels for BF16 (TRACELENS, H100).
constexpr int kRegistersOfRow = 158;
constexpr int kRegistersOfColumn = 59;

/// Elements that the lanes of a warp read at once.
int step_of(Element input) { return kLanes * gemv_vector(input); }

/// Which operand is the matrix, and which registers hold its parts.
struct GemvPlan {
  GemvPlan(const GemmProblem& problem, const GemmTile& tile)
      : is_row(problem.m == 1),
        outputs(is_row ? problem.n : problem.m),
        outputs_of_cta(tile.m * tile.n),
        warps(tile.warps_m * tile.warps_n),
        outputs_of_warp(outputs_of_cta / warps),
        vector(gemv_vector(problem.input)),
        steps(tile.k / step_of(problem.input)),
        matrix_vectors(align_up(outputs_of_warp, kVectorRegisters)),
        vectors(matrix_vectors + outputs_of_warp * steps * kVectorRegisters),
        matrix_singles(vectors + steps * kVectorRegisters),
        singles(matrix_singles + vector),
        addresses(align_up(singles + vector + 1, 2)) {}

  [[nodiscard]] int matrix_register(int output, int step) const {
    return matrix_vectors + (output * steps + step) * kVectorRegisters;
  }
  [[nodiscard]] int vector_register(int step) const { return vectors + step * kVectorRegisters; }
  [[nodiscard]] int shuffled() const { return singles + vector; }
  [[nodiscard]] int registers() const {
    return std::max(addresses + kVectorAddressRegisters,
                    is_row ? kRegistersOfRow : kRegistersOfColumn);
  }

  bool is_row;  ///< the vector is A
  std::int64_t outputs;
  int outputs_of_cta;
  int warps;
  int outputs_of_warp;
  int vector;  ///< elements that a lane reads at once
  int steps;   ///< number of such reads of each row before multiplying
  // First registers of each part; the sums come first.
  int matrix_vectors;
  int vectors;
  int matrix_singles;
  int singles;
  int addresses;
};

class GemvProgram {
 public:
  GemvProgram(const GemmProblem& problem, const GemmTile& tile, const Target& target)
      : problem_(problem),
        plan_(problem, tile),
        unit_(vector_unit(target)),
        bytes_(element_bytes(problem.input)),
        step_(step_of(problem.input)),
        builder_("gemv"),
        work_(plan_.addresses, kVectorAddressRegisters, target.features.uniform_datapath) {}

  isa::WarpProgram program() {
    begin_kernel(builder_, work_, 2, work_.setup_ops(kVectorSetupOps));
    for (int output = 0; output < plan_.outputs_of_warp; ++output)
      builder_.append(arithmetic(Opcode::kMov, reg(output)));
    const std::int64_t trips = problem_.k / tile_k();
    if (trips > 0) {
      const Variable counter = builder_.next_counter();
      builder_.begin_loop();
      isa::Expression first;
      add_term(first, {.variable = counter, .coefficient = tile_k()});
      multiply(first, plan_.steps);
      builder_.append(work_.uniform_ops(kOpsPerCopy));
      builder_.end_loop(trips);
    }
    if (const std::int64_t rest = problem_.k % tile_k(); rest > 0)
      multiply(constant(trips * tile_k()), static_cast<int>(ceil_div<std::int64_t>(rest, step_)));
    for (int output = 0; output < plan_.outputs_of_warp; ++output) finish(output);
    return builder_.finish();
  }

 private:
  [[nodiscard]] std::int64_t tile_k() const { return std::int64_t{plan_.steps} * step_; }

  [[nodiscard]] isa::Expression output_number(int output) const {
    isa::Expression number = constant(output);
    add_term(number, {.variable = Variable::kCtaX, .coefficient = plan_.outputs_of_cta});
    add_term(number, {.variable = Variable::kWarp, .coefficient = plan_.outputs_of_warp});
    return number;
  }

  /// First element along k of the lane in step `step`, counted from `first`.
  [[nodiscard]] isa::Expression place(const isa::Expression& first, int step) const {
    isa::Expression place = first;
    place.constant += std::int64_t{step} * step_;
    add_term(place, {.variable = Variable::kLane, .coefficient = plan_.vector});
    return place;
  }

  /// Only lanes with elements before the end of k, and only existing outputs.
  int guard(const isa::Expression& place, bool may_end, std::optional<int> output) {
    isa::Guard guard;
    if (may_end) guard.bounds.push_back({place, problem_.k});
    if (output && plan_.outputs % plan_.outputs_of_cta != 0)
      guard.bounds.push_back({output_number(*output), plan_.outputs});
    return builder_.guard(guard);
  }

  /// Loads what the lane multiplies in a step; zeros where there is no element.
  void load_step(const isa::Expression& first, int step, bool may_end) {
    const isa::Expression along_k = place(first, step);
    const auto load_vector = [&](int to, isa::MemoryAccess access, int guard) {
      if (may_end)
        for (int i = 0; i < kVectorRegisters; ++i)
          builder_.append(arithmetic(Opcode::kMov, reg(to + i)));
      const isa::Register pointer = work_.pointer(access.buffer);
      builder_.append(
          load(Opcode::kLdg128, reg(to), pointer, builder_.access(std::move(access)), guard));
    };
    for (int output = 0; output < plan_.outputs_of_warp; ++output) {
      isa::MemoryAccess access{.buffer = plan_.is_row ? 1 : 0};
      add_scaled(access.global.offset, output_number(output), problem_.k * bytes_);
      add_scaled(access.global.offset, along_k, bytes_);
      load_vector(plan_.matrix_register(output, step), std::move(access),
                  guard(along_k, may_end, output));
    }
    isa::MemoryAccess access{.buffer = plan_.is_row ? 0 : 1};
    add_scaled(access.global.offset, along_k, bytes_);
    load_vector(plan_.vector_register(step), std::move(access),
                guard(along_k, may_end, std::nullopt));
  }

  /// Adds the products of `steps` steps from element `first` of k on.
  void multiply(const isa::Expression& first, int steps) {
    const bool in_loop = !first.terms.empty();
    for (int step = 0; step < steps; ++step)
      load_step(first, step,
                !in_loop && first.constant + std::int64_t{step + 1} * step_ > problem_.k);
    builder_.append(work_.advance_pointer(0, kOpsPerCopy));
    builder_.append(work_.advance_pointer(1, kOpsPerCopy));
    for (int step = 0; step < steps; ++step) {
      const int vector = as_singles(plan_.vector_register(step), plan_.singles);
      for (int output = 0; output < plan_.outputs_of_warp; ++output) {
        const int row = as_singles(plan_.matrix_register(output, step), plan_.matrix_singles);
        for (int i = 0; i < plan_.vector; ++i)
          builder_.append(
              arithmetic(Opcode::kFfma, reg(output), reg(row + i), reg(vector + i), reg(output)));
      }
    }
  }

  /// First register of the FP32 values of the elements loaded into `packed`: `packed` itself, or
  /// `singles`.
  int as_singles(int packed, int singles) {
    if (problem_.input == Element::kFp32) return packed;
    builder_.append(widen(problem_.input, packed, singles, plan_.vector));
    return singles;
  }

  /// Adds the sums of the lanes; the first lane stores the output.
  void finish(int output) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      builder_.append(
          with_immediate(arithmetic(Opcode::kShfl, reg(plan_.shuffled()), reg(output)), distance));
      builder_.append(arithmetic(Opcode::kFadd, reg(output), reg(output), reg(plan_.shuffled())));
    }
    builder_.append(with_literal(Opcode::kFmul, output, output, 1));
    builder_.append(narrow(problem_.output, unit_, output, 1));
    const int bytes = element_bytes(problem_.output);
    isa::MemoryAccess access{.buffer = 2};
    add_scaled(access.global.offset, output_number(output), bytes);
    isa::Guard first_lane{{{{.constant = 0, .terms = {{Variable::kLane, 1}}}, 1}}};
    if (plan_.outputs % plan_.outputs_of_cta != 0)
      first_lane.bounds.push_back({output_number(output), plan_.outputs});
    builder_.append(store(global_store_of(bytes), reg(output), work_.pointer(2),
                          builder_.access(std::move(access)), builder_.guard(first_lane)));
  }

  const GemmProblem& problem_;
  const GemvPlan plan_;
  const VectorUnit unit_;
  const int bytes_;  ///< of an operand's element
  const int step_;
  ProgramBuilder builder_;
  AddressWork work_;
};

/// What the kernel does not support of `problem`; null if it supports everything.
const char* problem_beyond_gemv(const GemmProblem& problem) {
  if (problem.m != 1 && problem.n != 1) return "needs a vector: m or n must be 1";
  if (problem.batch != 1 || problem.is_grouped()) return "needs one matrix";
  if (problem.sparse || problem.weights.are_packed() || problem.block_scales)
    return "needs dense operands without factors";
  if (problem.epilogue.changes_values()) return "has no epilogue";
  const auto has_format = [](Element element) {
    return is_16_bit(element) || element == Element::kFp32;
  };
  if (!has_format(problem.input) || !has_format(problem.output) ||
      problem.accumulate != Element::kFp32)
    return "needs fp16, bf16 or fp32 operands and results, and fp32 sums";
  const bool lies_along_k = problem.m == 1 ? problem.layout_b == Layout::kTransposed
                                           : problem.layout_a == Layout::kNormal;
  if (!lies_along_k) return "needs the matrix along k";
  if (problem.k * element_bytes(problem.input) % kVectorBytes != 0)
    return "needs rows of a multiple of 16 bytes";
  return nullptr;
}

/// Why no such kernel can have `tile`, whatever the product; empty if one may.
std::string shape_problem_of(const GemmTile& tile, Element input) {
  if (tile.stages != 1) return "dot products have one stage";
  if (tile.m != 1 && tile.n != 1) return "one side of a tile of dot products must be 1";
  if (tile.m * tile.n % (tile.warps_m * tile.warps_n) != 0)
    return "every warp must have the same number of outputs of the tile";
  if (const int step = step_of(input); tile.k % step != 0)
    return "k of the tile is not a multiple of " + std::to_string(step);
  if (tile.split_k * tile.sliced_k * tile.cluster_m * tile.cluster_n != 1 || tile.serial_k ||
      tile.stream_k)
    return "dot products are not cut";
  if (tile.swapped || tile.half_boxes || tile.waits_each_k_tile || !tile.swizzle)
    return "dot products are not swapped, halfboxes, waited or noswizzle";
  return {};
}

}  // namespace

int gemv_vector(Element input) { return kVectorBytes / element_bytes(input); }

std::string why_not_gemv(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  if (const char* const reason = problem_beyond_gemv(problem))
    return std::string("a kernel of dot products ") + reason;
  if (problem.output == Element::kBf16 && !target.features.packed_conversion)
    return "BF16 results need the packing conversions of Ampere";
  if (std::string shape = shape_problem_of(tile, problem.input); !shape.empty()) return shape;
  if ((problem.m == 1 ? tile.m : tile.n) != 1) return "the tile is 1 where the product is";
  if (tile.warps_m * tile.warps_n > kMostWarps) return "needs more warps than a CTA may have";
  const GemvPlan plan(problem, tile);
  return why_no_room({.registers_per_thread = plan.registers(), .warps = plan.warps}, target);
}

isa::KernelLaunch make_gemv(const GemmProblem& problem, const GemmTile& tile,
                            const Target& target) {
  const GemvPlan plan(problem, tile);
  return uniform_launch({.grid = {ceil_div<std::int64_t>(plan.outputs, plan.outputs_of_cta), 1, 1},
                         .warps_per_cta = plan.warps,
                         .registers_per_thread = plan.registers()},
                        GemvProgram(problem, tile, target).program());
}

}  // namespace tcsim::kernels
