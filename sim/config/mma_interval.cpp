#include "sim/config/mma_interval.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/group_mma.hpp"
#include "models/sm/decode.hpp"
#include "models/sm/group_tensor.hpp"
#include "models/sm/params.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

/// The instructions that follow each other wherever `opcode` stands: the steps of an HMMA.884, of
/// which the first reads the fragments of all.
std::vector<isa::Opcode> group_of(isa::Opcode opcode) {
  const isa::MmaStep step = isa::opcode_info(opcode).mma_step;
  std::vector<isa::Opcode> steps;
  for (int i = 0; i < step.count; ++i)
    steps.push_back(static_cast<isa::Opcode>(static_cast<int>(opcode) - step.index + i));
  return steps;
}

/// What makes the turn of product `opcode`, whose passes take `array_cycles`, longer than its
/// multiply-adds would take on all sub-cores.
std::string_view turn_key_of(isa::Opcode opcode, int array_cycles, const sm::SmParams& params) {
  sm::SmParams free = params;
  free.group_tensor.extra_cycles = 0;
  const int turn = sm::turn_cycles(opcode, array_cycles, free);
  const bool all_work = sm::parts_per_sub_core(params) * params.sub_cores == isa::kGroupWarps;
  if (turn == array_cycles) return all_work ? "sm.group_tensor.extra_cycles" : "sm.sub_cores";
  free.group_tensor.register_least_cycles = 0;
  return sm::turn_cycles(opcode, array_cycles, free) == turn
             ? "sm.l1.bytes_per_cycle"
             : "sm.group_tensor.register_least_cycles";
}

std::optional<MmaInterval> group_interval(const sm::SmParams& params, isa::Opcode opcode) {
  const int turn = sm::timing_of(opcode, params).latency;
  if (turn == 0) return {};
  MmaInterval interval{opcode};
  interval.macs = isa::warp_macs(opcode);
  interval.rate = sm::tensor_rate(opcode, params.tensor);
  interval.rate_cycles = static_cast<int>(ceil_div<std::int64_t>(interval.macs, interval.rate));
  interval.turn_cycles = turn * params.sub_cores / isa::kGroupWarps;
  interval.turn_key =
      turn_key_of(opcode, interval.rate_cycles * sm::parts_per_sub_core(params), params);
  return interval;
}

}  // namespace

int MmaInterval::cycles() const {
  return std::max({rate_cycles, pass_cycles, operand_cycles, least_cycles, min_cycles, port_cycles,
                   turn_cycles});
}

std::string MmaInterval::binding_keys() const {
  if (!is_held()) return std::string(rate_key(opcode));
  if (turn_cycles == cycles()) return std::string(turn_key);
  if (is_held_by_min())
    return fmt::format("{}.{}.min_interval_cycles", kInstructionsPath,
                       isa::opcode_info(opcode).mnemonic);
  if (pass_cycles == cycles()) return "sm.tensor.core";
  if (operand_cycles == cycles()) return "sm.tensor.operand_registers_per_cycle";
  if (least_cycles == cycles())
    return isa::opcode_info(opcode).sparse ? "sm.tensor.sparse_least_interval_cycles"
                                           : "sm.tensor.least_interval_cycles";
  return "sm.register_file.banks x read_ports_per_bank";
}

std::string MmaInterval::comparison(int other_cycles) const {
  return fmt::format("{}: {} cycles{} >= {}", isa::opcode_info(opcode).mnemonic, cycles(),
                     is_held_by_ports() ? fmt::format(" for {} registers", registers) : "",
                     other_cycles);
}

std::string MmaInterval::binding_text(int other_cycles) const {
  return fmt::format("{} binds ({})", binding_keys(), comparison(other_cycles));
}

std::optional<MmaInterval> mma_interval(const Machine& machine, isa::Opcode opcode) {
  if (isa::is_group_mma(opcode)) return group_interval(machine.sm, opcode);
  const sm::TensorParams& tensor = machine.sm.tensor;
  const auto row =
      std::ranges::find(tensor.instructions, opcode, &sm::TensorInstructionParams::opcode);
  if (row == tensor.instructions.end()) return {};
  const auto derived = sm::derive_mma(opcode, tensor);
  const int rate = sm::tensor_rate(opcode, tensor);
  if (rate == 0 || !derived) return {};
  const sm::RegisterFileParams& file = machine.sm.register_file;
  MmaInterval interval{opcode};
  interval.macs = isa::warp_macs(opcode);
  interval.rate = rate;
  interval.rate_cycles = static_cast<int>(ceil_div<std::int64_t>(interval.macs, rate));
  const bool is_given = (tensor.*sm::tensor_type(opcode)->macs).has_value();
  interval.pass_cycles = is_given ? 0 : derived->pass_cycles;
  interval.operand_cycles = derived->operand_cycles;
  interval.least_cycles = derived->least_cycles;
  interval.min_cycles =
      tensor.instruction_timing == "derived" ? 1 : row->min_interval_cycles.value_or(1);
  const std::vector<isa::Opcode> group = group_of(opcode);
  int registers = 0;
  for (const isa::Opcode step : group) registers += sm::window_registers(step, tensor);
  const auto steps = static_cast<int>(group.size());
  interval.registers = ceil_div(registers, steps);
  interval.port_cycles = ceil_div(registers, steps * file.banks * file.read_ports_per_bank);
  return interval;
}

std::string_view rate_key(isa::Opcode opcode) {
  const sm::TensorType* const type = sm::tensor_type(opcode);
  return type == nullptr ? std::string_view() : type->key;
}

bool is_rate_key(std::string_view key) {
  return std::ranges::find(sm::kTensorTypes, key, &sm::TensorType::key) != sm::kTensorTypes.end();
}

}  // namespace tcsim::config
