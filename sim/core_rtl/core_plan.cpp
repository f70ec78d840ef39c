#include "sim/core_rtl/core_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "models/isa/cycle.hpp"
#include "models/isa/mma_types.hpp"
#include "sim/config/numerics.hpp"
#include "sim/errors/errors.hpp"

namespace tcsim::core_rtl {
namespace {

using numerics::ElementType;

constexpr int kMostGridFractionBits = 30;  // of align

/// Input and sums of the MMAs that the array multiplies, or empty.
std::optional<rtl::Operation> operation_of(const isa::OpcodeInfo& info) {
  constexpr std::array kInputs{isa::MmaInput::kFp16, isa::MmaInput::kBf16, isa::MmaInput::kTf32,
                               isa::MmaInput::kInt8};
  if (std::ranges::find(kInputs, info.mma_input) == kInputs.end()) return {};
  const isa::MmaTypes types = isa::mma_types(info);
  return rtl::Operation{types.input, types.sum};
}

/// Why warp_mma lacks an MMA; empty if it has it.
std::string lack_of(const isa::OpcodeInfo& info) {
  if (info.sparse) return "sparse A has no RTL";
  if (info.mma_step.count > 1) return "steps of quad pairs have a unit of their own, 4x4x4";
  if (!operation_of(info)) return "fp64, fp8, int4 and b1 have no RTL";
  return "";
}

/// Everything for which RTL cannot be built, each reason once.
class Refusals {
 public:
  explicit Refusals(const std::string& machine) : machine_(machine) {}

  void add(std::string_view reason) {
    std::string text = fmt::format("{}: {}", machine_, reason);
    if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(std::move(text));
  }
  /// Throws NotCovered if there are any.
  void finish() const {
    if (!texts_.empty()) throw NotCovered(fmt::format("{}", fmt::join(texts_, "\n")));
  }

 private:
  const std::string& machine_;
  std::vector<std::string> texts_;
};

/// The products of a pass have to form whole blocks on a grid that the shifters support.
void check_arithmetic(const CorePlan& plan, const rtl::Operation& operation, int pass_products,
                      const numerics::Arithmetic& arithmetic, Refusals& refusals) {
  const numerics::BlockParams& block = arithmetic.block;
  const std::string_view format = numerics::name(operation.input);
  if (pass_products % block.products != 0)
    refusals.add(fmt::format(
        "a pass of {} has {} {} products, but {} join a sum at once: in RTL they fit with "
        "numerics.{}.products a divisor of {}",
        sm::to_string(plan.tensor.core), pass_products, format, block.products, format,
        pass_products));
  if (block.grid_fraction_bits > kMostGridFractionBits)
    refusals.add(fmt::format("numerics.{}.grid_fraction_bits: {} is more than the {} that RTL has",
                             format, block.grid_fraction_bits, kMostGridFractionBits));
}

void add_operation(CorePlan& plan, const CoreInstruction& instruction, Refusals& refusals) {
  const rtl::Operation& operation = instruction.operation;
  if (std::ranges::find(plan.operations, operation) != plan.operations.end()) return;
  const auto arithmetic = numerics::arithmetic_of(instruction.instruction, plan.arithmetic);
  if (!arithmetic.has_value()) return refusals.add(arithmetic.refusal().reason);
  const int products = instruction.derived.pass.k;
  plan.row_bits = std::max(plan.row_bits, products * numerics::bits(operation.input));
  if (operation.input != ElementType::kInt8) {
    const numerics::BlockParams& block = arithmetic.value().block;
    check_arithmetic(plan, operation, products, arithmetic.value(), refusals);
    plan.slots = std::max(plan.slots, block.products);
    plan.blocks = std::max(plan.blocks, products / block.products);
    plan.grid_fraction_bits = std::max(plan.grid_fraction_bits, block.grid_fraction_bits);
  }
  plan.operations.push_back(operation);
  plan.pass_products.push_back(products);
  plan.arithmetics.push_back(arithmetic.value());
}

/// Whether several cores hold blocks of B of different k at once. Each would add to the same sums
/// in the same cycle, and all but one of them would be lost.
bool adds_twice_at_once(const sm::MmaDerivation& derived, const sm::TensorParams& tensor) {
  if (tensor.organisation != "weight_stationary" || derived.blocks_k == 1) return false;
  const int weights = derived.blocks_n * derived.blocks_k;
  const int sharing = std::max(1, tensor.cores_per_sub_core / weights);
  return tensor.cores_per_sub_core / sharing > 1;
}

void add_instruction(CorePlan& plan, isa::Opcode opcode, Refusals& refusals) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  if (std::string lack = lack_of(info); !lack.empty()) {
    plan.left_out.push_back({std::string(info.mnemonic), std::move(lack)});
    return;
  }
  const auto derived = sm::derive_mma(opcode, plan.tensor);
  if (!derived) {
    plan.left_out.push_back({std::string(info.mnemonic), "the cores have no such pass"});
    return;
  }
  if (adds_twice_at_once(*derived, plan.tensor))
    refusals.add(
        "several weight-stationary cores with blocks of B of different k at once have no RTL: "
        "sm.tensor.cores_per_sub_core=1");
  const rtl::Operation operation = *operation_of(info);
  plan.instructions.push_back({opcode, isa::mma_instruction(info), operation, *derived});
  add_operation(plan, plan.instructions.back(), refusals);
}

/// Number of instructions in flight: those that start while one lasts, one that loads, and one
/// whose passes wait for those of others.
int slots_of(const CorePlan& plan) {
  int slots = 0;
  for (const CoreInstruction& instruction : plan.instructions)
    slots = std::max(
        slots, ceil_div(instruction.derived.latency_cycles, instruction.derived.interval_cycles()));
  return slots + 2;
}

void check_size(const CorePlan& plan) {
  const std::int64_t multipliers = plan.tensor.core.macs() * plan.tensor.cores_per_sub_core;
  if (multipliers > kMostMultipliers)
    throw NotCovered(fmt::format(
        "{}: {} cores of {} are {} multiply-adds, RTL is built up to {}: make sm.tensor.core or "
        "sm.tensor.cores_per_sub_core smaller",
        plan.machine, plan.tensor.cores_per_sub_core, sm::to_string(plan.tensor.core), multipliers,
        kMostMultipliers));
}

/// Features that no core in RTL supports.
void check_machine(const CorePlan& plan, Refusals& refusals) {
  const sm::TensorParams& tensor = plan.tensor;
  if (plan.arithmetic.block_order != numerics::BlockOrder::kAscending)
    refusals.add("RTL adds blocks of products in ascending k: numerics.block_order=ascending");
  if (tensor.pipeline_cycles < 1)
    refusals.add("the pipeline of RTL has at least one register: sm.tensor.pipeline_cycles=1");
  const bool fills = tensor.organisation != "dot_product";
  const bool drains =
      tensor.organisation == "outer_product" || tensor.organisation == "output_stationary";
  if (fills && tensor.fill_cycles < 1)
    refusals.add(
        "what is stationary takes at least a cycle to come in RTL: sm.tensor.fill_cycles=1");
  if (drains && tensor.drain_cycles < 1)
    refusals.add("sums take at least a cycle to leave in RTL: sm.tensor.drain_cycles=1");
}

/// The array has a floating-point datapath even if no MMA needs it.
void add_floating_point(CorePlan& plan) {
  if (plan.blocks > 0) return;
  plan.slots = plan.blocks = 1;
  plan.grid_fraction_bits = 24;
  plan.row_bits = std::max(plan.row_bits, 16);
}

}  // namespace

rtl::UnitInfo CorePlan::unit() const {
  rtl::UnitInfo info{machine,         tensor.core.m, tensor.core.n, row_bits,
                     arithmetic.base, machine,       operations};
  info.pass_products = pass_products;
  info.arithmetics = arithmetics;
  info.block_slots = slots;
  info.blocks = blocks;
  info.grid_fraction_bits = grid_fraction_bits;
  return info;
}

int CorePlan::row_of(isa::Opcode opcode) const {
  const auto found = std::ranges::find(instructions, opcode, &CoreInstruction::opcode);
  return found == instructions.end() ? -1 : static_cast<int>(found - instructions.begin());
}

CorePlan plan_core(const config::Machine& machine) {
  CorePlan plan;
  plan.machine = machine.name;
  plan.tensor = machine.sm.tensor;
  plan.arithmetic = config::tensor_arithmetic(machine);
  if (plan.tensor.cores_per_sub_core == 0)
    throw NotCovered(fmt::format("{}: it has no tensor cores", plan.machine));
  Refusals refusals(plan.machine);
  check_machine(plan, refusals);
  for (const sm::TensorInstructionParams& row : plan.tensor.instructions)
    add_instruction(plan, row.opcode, refusals);
  refusals.finish();
  if (plan.instructions.empty()) {
    std::string reasons;
    for (const LeftOut& left : plan.left_out)
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", left.mnemonic, left.reason);
    throw NotCovered(fmt::format("{}: no MMA of it has RTL ({})", machine.name, reasons));
  }
  check_size(plan);
  add_floating_point(plan);
  plan.instruction_slots = slots_of(plan);
  return plan;
}

}  // namespace tcsim::core_rtl
