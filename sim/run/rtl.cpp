#include "sim/run/rtl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <utility>

#include "models/sm/params.hpp"
#include "sim/config/numerics.hpp"
#include "sim/core_rtl/core_units.hpp"
#include "sim/errors/errors.hpp"
#include "sim/report/json_report.hpp"
#include "sim/rtl/mma_record.hpp"
#include "sim/rtl/tensor_core_loop.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/simulate.hpp"

namespace tcsim::run {
namespace {

/// Whether a kernel of `run` has products of warpgroups.
bool has_group_products(const PreparedRun& run) {
  return std::ranges::any_of(run.launches, [](const isa::KernelLaunch& launch) {
    return std::ranges::any_of(launch.programs, [](const isa::WarpProgram& program) {
      return std::ranges::any_of(program.instructions, [](const isa::Instruction& instruction) {
        return isa::is_group_mma(instruction.opcode);
      });
    });
  });
}

/// V100's and A100's cores, with their arithmetic and measured timing, are modules of rtl/ in the
/// program, and H100's for wgmma; HMMA.884 has no other.
bool has_unit_of_its_own(const config::Machine& machine, bool group_products) {
  const sm::TensorParams& tensor = machine.sm.tensor;
  const numerics::TensorArithmetic core = config::tensor_arithmetic(machine);
  if (core != numerics::TensorArithmetic(core.base)) return false;
  if (core.base == numerics::Generation::kVolta)
    return tensor.core == sm::CoreShape{4, 4, 4} && tensor.cores_per_sub_core == 2;
  if (core.base == numerics::Generation::kHopper)
    return group_products && tensor.core == sm::CoreShape{8, 4, 16} &&
           tensor.cores_per_sub_core == 1 && tensor.organisation == "dot_product";
  return core.base == numerics::Generation::kAmpere && tensor.core == sm::CoreShape{8, 4, 8} &&
         tensor.cores_per_sub_core == 1 && tensor.organisation == "dot_product" &&
         tensor.instruction_timing == "measured" &&
         std::ranges::none_of(tensor.instructions, [](const sm::TensorInstructionParams& row) {
           return isa::opcode_info(row.opcode).shaped;
         });
}

/// The tensor cores of `machine` in RTL, built if they must be.
std::shared_ptr<const rtl::WarpUnits> units_of(const config::Machine& machine, bool group_products,
                                               const Hooks& hooks) {
  if (has_unit_of_its_own(machine, group_products))
    return rtl::warp_units_of(config::tensor_arithmetic(machine).base);
  const core_rtl::CorePlan plan = core_rtl::plan_core(machine);
  const auto signal = [&hooks] { return hooks.stop_cause() == StopCause::kNone ? 0 : SIGTERM; };
  return core_rtl::core_units(
      plan, core_rtl::build_core(plan, {.note = hooks.note, .pending_signal = signal}));
}

/// Everything that a run counts: the counters, then what is computed from them.
nlohmann::ordered_json counted(const report::RunRecord& record) {
  const nlohmann::ordered_json stats = report::stats_json(record);
  nlohmann::ordered_json json{{"counters", stats["counters"]}};
  json.update(stats);
  json.erase("simulation");
  return json;
}

void add_cycles(rtl::LoopResult& result, const report::RunRecord& model,
                const report::RunRecord& in_rtl) {
  result.model_cycles = model.outcome.cycles;
  result.rtl_cycles = in_rtl.outcome.cycles;
  const auto differences = nlohmann::ordered_json::diff(counted(model), counted(in_rtl));
  result.same_counters = differences.empty();
  if (result.same_counters || !result.agrees()) return;
  result.first_difference = fmt::format(
      "{} cycles with the machine file, {} in RTL; counters differ, first {} of stats.json",
      result.model_cycles, result.rtl_cycles, differences[0]["path"].get<std::string>());
}

}  // namespace

void check_rtl_run(const PreparedRun& run, const config::Machine& machine) {
  if (run.inputs.unit != "tensor")
    throw NotCovered(fmt::format("{}: {} rtl needs {} tensor", run.inputs.workload,
                                 word_of("tensor_core"), word_of("unit")));
  const bool group_products = has_group_products(run);
  if (has_unit_of_its_own(machine, group_products)) return;
  if (group_products)
    throw NotCovered(
        fmt::format("{}: products of warpgroups run in RTL on one core of 8x4x16, "
                    "dot_product, with the arithmetic of hopper",
                    machine.name));
  core_rtl::plan_core(machine);
}

report::RunRecord simulate_with_rtl(const RunRequest& request, const PreparedRun& run,
                                    const ValuesJob& values, const config::Machine& machine,
                                    const Hooks& hooks) {
  const bool group_products = has_group_products(run);
  rtl::MmaRecord mmas(units_of(machine, group_products, hooks), config::tensor_arithmetic(machine));
  report::ValuesRecord computed;
  try {
    computed = values.compute(&mmas, [&hooks] { hooks.poll(); });
  } catch (const Stopped&) {
    return simulate_run(request, run, machine, hooks);  // which stops at its first look
  }
  const isa::TimingTable timing = sm::tensor_unit_timing(machine.sm);
  rtl::TensorCoreLoop loop(mmas, timing, static_cast<int>(run.launches.size()));
  const bool derived = machine.sm.tensor.instruction_timing == "derived";
  if (derived && !has_unit_of_its_own(machine, group_products)) loop.require_latencies();
  report::RunRecord model = simulate_run(request, run, machine, hooks, loop.of_machine_file());
  if (!model.complete()) return model;
  report::RunRecord in_rtl = simulate_run(request, run, machine, hooks, loop.in_rtl());
  if (!in_rtl.complete()) return in_rtl;
  rtl::LoopResult result = loop.result();
  add_cycles(result, model, in_rtl);
  in_rtl.tensor_core = std::move(result);
  if (request.values.wanted) in_rtl.values = std::move(computed);
  return in_rtl;
}

}  // namespace tcsim::run
