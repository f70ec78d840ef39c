#include "sim/report/network_metrics.hpp"

#include <algorithm>
#include <array>

#include "sim/stats/formula.hpp"

namespace tcsim::report {
namespace {

using stats::MetricDefinition;
using Value = std::optional<double>;

constexpr std::array kNetworkFacts{
    NetworkFact{"batch", "1",
                "Samples that went through the network together; none if the run did not end",
                [](const NetworkRun& run, const NetworkTotals&) -> Value {
                  if (!run.is_complete) return std::nullopt;
                  return static_cast<double>(run.batch);
                }},
    NetworkFact{"network_gpus", "1", "GPUs that share the network; other facts are those of one",
                [](const NetworkRun& run, const NetworkTotals&) -> Value {
                  return static_cast<double>(run.gpus);
                }},
    NetworkFact{"sample_tokens", "tokens",
                "Tokens of a sample that go through the network; none if it takes no sequence",
                [](const NetworkRun& run, const NetworkTotals&) -> Value {
                  if (run.tokens == 0) return std::nullopt;
                  return static_cast<double>(run.tokens);
                }},
    NetworkFact{"prefill_time_us", "us",
                "Time of all steps of a forward pass of a language model over a prompt",
                [](const NetworkRun& run, const NetworkTotals& totals) -> Value {
                  if (!run.is_complete || !run.is_language_model || run.pass != "forward")
                    return std::nullopt;
                  return totals.time_us;
                }},
    NetworkFact{"decode_time_us", "us",
                "Time of all steps of a decode pass: one more token of each sample",
                [](const NetworkRun& run, const NetworkTotals& totals) -> Value {
                  if (!run.is_complete || run.pass != "decode") return std::nullopt;
                  return totals.time_us;
                }},
    NetworkFact{
        "network_time_us", "us", "Time of all steps, one after the other",
        [](const NetworkRun&, const NetworkTotals& totals) -> Value { return totals.time_us; }},
    NetworkFact{"network_flop", "FLOP",
                "Useful operations of all steps: two per multiply-add; none if the run did not end",
                [](const NetworkRun& run, const NetworkTotals& totals) -> Value {
                  if (!run.is_complete) return std::nullopt;
                  return totals.flop;
                }},
    NetworkFact{
        "network_peak_tflops", "TFLOPS",
        "Peak rate of the tensor cores in the number format that is used longest",
        [](const NetworkRun&, const NetworkTotals& totals) -> Value { return totals.peak_tflops; }},
    NetworkFact{
        "network_dram_bytes", "B", "Bytes to and from DRAM in all steps",
        [](const NetworkRun&, const NetworkTotals& totals) -> Value { return totals.dram_bytes; }},
    NetworkFact{"network_energy_j", "J", "Energy of all steps",
                [](const NetworkRun&, const NetworkTotals& totals) -> Value {
                  if (totals.energy_j == 0) return std::nullopt;
                  return totals.energy_j;
                }},
};

constexpr std::array kNetworkMetrics{
    MetricDefinition{"samples_per_s", "1/s",
                     "Samples that the network processes per second, on all GPUs",
                     "batch * 1000000 / network_time_us"},
    MetricDefinition{"tokens_per_s", "1/s",
                     "Tokens of all samples that the network processes per second, on all GPUs",
                     "batch * sample_tokens * 1000000 / network_time_us"},
    MetricDefinition{"time_to_first_token_us", "us",
                     "Time until a language model has processed the prompts of the batch",
                     "prefill_time_us"},
    MetricDefinition{"time_per_output_token_us", "us",
                     "Time between two tokens that a language model adds to a sample",
                     "decode_time_us"},
    MetricDefinition{"network_tflops", "TFLOPS",
                     "Useful operations per second of the whole network, of one GPU",
                     "network_flop / (network_time_us * 1000000)"},
    MetricDefinition{"network_peak_fraction", "1", "network_tflops over the peak rate of one GPU",
                     "network_tflops / network_peak_tflops"},
    MetricDefinition{"network_intensity", "FLOP/B",
                     "Useful operations per byte of DRAM, of one GPU",
                     "network_flop / network_dram_bytes"},
    MetricDefinition{"dram_bytes_per_sample", "B",
                     "Bytes to and from DRAM for a sample, of all GPUs",
                     "network_dram_bytes * network_gpus / batch"},
    MetricDefinition{"energy_per_sample_j", "J", "Energy of a sample, of all GPUs",
                     "network_energy_j * network_gpus / batch"},
    MetricDefinition{"network_energy_delay_js", "J s",
                     "Energy of all steps times their time, of all GPUs",
                     "network_energy_j * network_gpus * network_time_us / 1000000"},
};

}  // namespace

std::span<const NetworkFact> network_facts() { return kNetworkFacts; }

std::span<const MetricDefinition> network_metric_definitions() { return kNetworkMetrics; }

bool is_of_one_gpu(std::string_view metric) {
  constexpr std::array<std::string_view, 3> kOfOne{"network_tflops", "network_peak_fraction",
                                                   "network_intensity"};
  return std::ranges::find(kOfOne, metric) != kOfOne.end();
}

std::vector<stats::Metric> network_metrics(const NetworkRun& run, const NetworkTotals& totals) {
  if (totals.time_us <= 0) return {};
  stats::Values values{stats::Scope{}};
  for (const NetworkFact& fact : kNetworkFacts)
    values.set_fact(std::string(fact.name), fact.value(run, totals));
  std::vector<stats::Metric> metrics;
  for (const MetricDefinition& definition : kNetworkMetrics) {
    metrics.push_back({definition, stats::evaluate(definition.formula, values)});
    values.set_fact(std::string(definition.name), metrics.back().value);
    if (definition.name == "network_tflops" && totals.rate_unit == "TOPS")
      metrics.back().definition.unit = "TOPS";
  }
  return metrics;
}

}  // namespace tcsim::report
