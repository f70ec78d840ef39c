#include "sim/report/run_record.hpp"

#include "sim/report/configuration_hash.hpp"
#include "sim/stats/internal_error.hpp"

namespace tcsim::report {
namespace {

void set_power_facts(const RunInputs& inputs, stats::Values& values) {
  const auto set = [&](const char* name, auto part) {
    values.set_fact(name, inputs.power ? std::optional<double>(part(*inputs.power)) : std::nullopt);
  };
  set("tensor_pj_per_flop", [](const auto& power) { return power.energies.tensor_pj_per_flop; });
  set("vector_pj_per_flop", [](const auto& power) { return power.energies.vector_pj_per_flop; });
  set("l1_pj_per_byte", [](const auto& power) { return power.energies.l1_pj_per_byte; });
  set("l2_pj_per_byte", [](const auto& power) { return power.energies.l2_pj_per_byte; });
  set("dram_pj_per_byte", [](const auto& power) { return power.energies.dram_pj_per_byte; });
  set("constant_w", [](const auto& power) { return power.constant_w; });
  set("tensor_flop_per_slot", [](const auto& power) { return power.tensor_flop_per_slot; });
  set("shared_bytes_per_cycle", [](const auto& power) { return power.shared_bytes_per_cycle; });
  set("vector_flop",
      [&](const auto&) { return inputs.unit == "tensor" ? 0.0 : inputs.flop.value_or(0.0); });
}

stats::Values values_of(const RunInputs& inputs, const gpu::Outcome& outcome,
                        const stats::Scope& counters) {
  stats::Values values(counters);
  values.set_fact("cycles", static_cast<double>(outcome.cycles));
  values.set_fact("clock_mhz", inputs.clock_mhz);
  // Operations of an unfinished run are not known, so neither is its rate.
  values.set_fact("flop", outcome.stop == gpu::StopReason::kFinished ? inputs.flop : std::nullopt);
  values.set_fact("peak_tflops", inputs.peak_tflops);
  values.set_fact("dram_peak_gb_per_s", inputs.dram_peak_gb_per_s);
  values.set_fact("l2_peak_bytes_per_cycle", inputs.l2_peak_bytes_per_cycle);
  set_power_facts(inputs, values);
  return values;
}

}  // namespace

std::optional<double> RunRecord::metric(std::string_view name) const {
  for (const stats::Metric& metric : metrics) {
    if (metric.definition.name == name) return metric.value;
  }
  throw InternalError("no metric named " + std::string(name));
}

RunRecord make_record(const RunInputs& inputs, const gpu::Outcome& outcome,
                      const stats::Group& counters, const SimulationCost& cost) {
  RunRecord record;
  record.inputs = inputs;
  record.outcome = outcome;
  record.cost = cost;
  record.configuration_hash = configuration_hash(inputs);
  record.counters = stats::summarize(counters);
  record.stopped_by = stop_text(outcome.stop);
  stats::Values values = values_of(inputs, outcome, record.counters);
  record.metrics = stats::evaluate_metrics(values);
  record.breakdown =
      cycle_breakdown(stats::scope_named(record.counters, "sub_core"), outcome.cycles);
  for (const gpu::KernelSpan& kernel : outcome.kernels) {
    record.waves.push_back(waves_of(kernel.ctas, inputs.sms * std::int64_t{kernel.ctas_per_sm}));
  }
  record.verdict = judge(
      {inputs.unit == "tensor", record.metric("issue_fraction"), record.metric("peak_fraction"),
       record.metric("issue_active"), record.metric("sm_memory_fraction"),
       record.metric("l2_fraction"), record.metric("dram_fraction")},
      record.breakdown);
  return record;
}

std::string_view stop_text(gpu::StopReason reason) {
  switch (reason) {
    case gpu::StopReason::kFinished:
      return "finished";
    case gpu::StopReason::kInterrupted:
      return "interrupted";
    case gpu::StopReason::kCycleLimit:
      return "cycle limit";
    case gpu::StopReason::kDeadlock:
      return "deadlock";
  }
  throw InternalError("unknown stop reason");
}

}  // namespace tcsim::report
