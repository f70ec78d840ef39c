#include "sim/report/run_record.hpp"

#include <algorithm>

#include "sim/config/peak.hpp"
#include "sim/errors/errors.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/report/facts.hpp"

namespace tcsim::report {
namespace {

stats::Values values_of(const RunInputs& inputs, const gpu::Outcome& outcome,
                        const stats::Scope& counters) {
  stats::Values values(counters);
  for (const FactDefinition& fact : fact_definitions())
    values.set_fact(std::string(fact.name), fact.value(inputs, outcome));
  return values;
}

/// ResourceUse::ended_fraction.
double ended_fraction(const RunInputs& inputs, const gpu::Outcome& outcome) {
  Cycle idle = 0;
  for (const gpu::KernelSpan& kernel : outcome.kernels)
    if (kernel.spread.fewest > 0) idle += kernel.spread.idle_cycles;
  const Cycle all = outcome.cycles * inputs.sms;
  return all > 0 ? static_cast<double>(idle) / static_cast<double>(all) : 0;
}

/// ResourceUse::waves_fraction.
double waves_fraction(const gpu::Outcome& outcome) {
  Cycle all = 0;
  Cycle several = 0;
  for (const gpu::KernelSpan& kernel : outcome.kernels) {
    const Cycle time = std::max<Cycle>(kernel.end - kernel.start, 0);
    all += time;
    if (kernel.ctas > kernel.ctas_at_once) several += time;
  }
  return all > 0 ? static_cast<double>(several) / static_cast<double>(all) : 0;
}

}  // namespace

std::string RunInputs::tile() const {
  const auto tile = std::ranges::find_if_not(kernel_tiles, &std::string::empty);
  return tile == kernel_tiles.end() ? std::string() : *tile;
}

std::optional<double> RunRecord::metric(std::string_view name) const {
  for (const stats::Metric& metric : metrics) {
    if (metric.definition.name == name) return metric.value;
  }
  throw InternalError("no metric named " + std::string(name));
}

double RunRecord::tensor_share() const {
  if (inputs.unit != "tensor") return 0;
  const auto share = metric("tensor_fraction");
  return share ? *share : metric("issue_fraction").value_or(0.0);
}

std::vector<stats::Metric> RunRecord::metrics_with_half_widths() const {
  std::vector<stats::Metric> all = metrics;
  if (outcome.sampling.gaps == 0) return all;
  std::map<std::string, double> half_widths = outcome.sampling.half_widths;
  half_widths["cycles"] = outcome.sampling.half_width_cycles;
  stats::set_half_widths(all, values_of(inputs, outcome, counters), half_widths);
  return all;
}

/// How close DRAM came to its ceiling: that of its pins, or that of reads on their way to the L2.
std::optional<double> dram_use(const RunRecord& record) {
  const auto pins = record.metric("dram_fraction");
  const auto read = record.metric("dram_read_bytes");
  const double us = record.metric("time_us").value_or(0);
  const double ceiling = record.inputs.dram_read_peak_gb_per_s;
  if (!pins || !read || us <= 0 || ceiling <= 0) return pins;
  constexpr double kMegabytesPerGigabyte = 1000.0;
  return std::max(*pins, *read / (us * kMegabytesPerGigabyte) / ceiling);
}

RunRecord make_record(const RunInputs& inputs, const gpu::Outcome& outcome,
                      const stats::Group& counters, const SimulationCost& cost) {
  RunRecord record;
  record.inputs = inputs;
  record.outcome = outcome;
  record.cost = cost;
  record.configuration_hash = configuration_hash(inputs);
  record.counters = stats::summarize(counters);
  stats::set_half_widths(record.counters, outcome.sampling.half_widths);
  record.stopped_by = stop_text(outcome.stop);
  stats::Values values = values_of(inputs, outcome, record.counters);
  record.metrics = stats::evaluate_metrics(values);
  if (config::counts_whole_numbers(inputs.dtype))
    std::ranges::find(record.metrics, "tflops", [](const stats::Metric& metric) {
      return metric.definition.name;
    })->definition.unit = "TOPS";
  record.breakdown =
      cycle_breakdown(stats::scope_named(record.counters, "sub_core"), outcome.cycles);
  for (const gpu::KernelSpan& kernel : outcome.kernels) {
    record.waves.push_back(waves_of(kernel.ctas, kernel.ctas_at_once));
  }
  record.verdict = judge(
      {inputs.unit == "tensor", record.metric("issue_fraction"), record.metric("fma_fraction"),
       record.metric("issue_active"), record.metric("sm_memory_fraction"),
       record.metric("l2_fraction"), dram_use(record), record.metric("shared_conflict_fraction"),
       ended_fraction(inputs, outcome), waves_fraction(outcome)},
      record.breakdown, inputs.remedies);
  // What the cycles until it was seen went to says nothing.
  if (outcome.stop == gpu::StopReason::kDeadlock)
    record.verdict = {
        .bound_by = "deadlock",
        .phrase = "a deadlock",
        .sentence =
            "Warps wait for an event that never happens; the lines about the deadlock name it.",
        .advice = {},
        .options = {},
        .bars = std::move(record.verdict.bars)};
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
    case gpu::StopReason::kUnsure:
      return "sampling";
  }
  throw InternalError("unknown stop reason");
}

}  // namespace tcsim::report
