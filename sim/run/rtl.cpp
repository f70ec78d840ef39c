#include "sim/run/rtl.hpp"

#include <fmt/format.h>

#include <utility>

#include "models/sm/params.hpp"
#include "sim/config/numerics.hpp"
#include "sim/errors/errors.hpp"
#include "sim/report/json_report.hpp"
#include "sim/rtl/mma_record.hpp"
#include "sim/rtl/tensor_core_loop.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/simulate.hpp"

namespace tcsim::run {
namespace {

/// Everything that a run counts.
nlohmann::ordered_json counted(const report::RunRecord& record) {
  nlohmann::ordered_json json = report::stats_json(record);
  json.erase("simulation");
  return json;
}

void add_cycles(rtl::LoopResult& result, const report::RunRecord& model,
                const report::RunRecord& in_rtl) {
  result.model_cycles = model.outcome.cycles;
  result.rtl_cycles = in_rtl.outcome.cycles;
  result.same_counters = counted(model) == counted(in_rtl);
  if (result.same_counters || !result.agrees()) return;
  result.first_difference =
      fmt::format("{} cycles with the machine file, {} in RTL; counters differ",
                  result.model_cycles, result.rtl_cycles);
}

}  // namespace

void check_rtl_run(const PreparedRun& run, const config::Machine& machine) {
  const numerics::TensorArithmetic core = config::tensor_arithmetic(machine);
  if (core != numerics::TensorArithmetic(core.base) || !rtl::make_warp_unit(core.base))
    throw NotCovered(fmt::format("{}: rtl/ has tensor cores of volta and ampere, none of {}",
                                 run.inputs.machine, to_string(core)));
  if (run.inputs.unit != "tensor")
    throw NotCovered(fmt::format("{}: {} rtl needs {} tensor", run.inputs.workload,
                                 word_of("tensor_core"), word_of("unit")));
}

report::RunRecord simulate_with_rtl(const RunRequest& request, const PreparedRun& run,
                                    const ValuesJob& values, const config::Machine& machine,
                                    const Hooks& hooks) {
  rtl::MmaRecord mmas(config::tensor_arithmetic(machine).base);
  report::ValuesRecord computed = values.compute(&mmas);
  const isa::TimingTable timing = sm::timing_table(machine.sm);
  rtl::TensorCoreLoop loop(mmas, timing, static_cast<int>(run.launches.size()));
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
