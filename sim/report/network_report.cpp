#include "sim/report/network_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/report/energy_section.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/network_metrics.hpp"
#include "sim/report/network_totals.hpp"
#include "sim/report/or_null.hpp"
#include "sim/report/revision.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/run_record.hpp"
#include "sim/report/words.hpp"
#include "sim/stats/writers.hpp"
#include "sim/text/counted.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownLayers = 10;
constexpr double kGiga = 1e9;

/// Behind a figure of one of several GPUs.
std::string_view per_gpu(const NetworkRun& run) { return run.gpus > 1 ? " per GPU" : ""; }

std::vector<std::string> titles(const NetworkRun& run, const NetworkTotals& totals) {
  return {"layers",
          "steps",
          "time us",
          "% of time",
          fmt::format("{}{}", totals.rate_unit, per_gpu(run)),
          "bound by"};
}

std::vector<std::vector<std::string>> top_layers(const NetworkTotals& totals) {
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < std::min(kShownLayers, totals.likes.size()); ++i) {
    const LayerTime& layer = totals.likes[i];
    cells.push_back({layer.layer, std::to_string(layer.steps), fmt::format("{:.2f}", layer.time_us),
                     fmt::format("{:.1f}", 100 * layer.time_us / totals.time_us),
                     layer.flop > 0 ? readable_number(layer.flop / layer.time_us / 1e6, 1) : "-",
                     layer.bound_by});
  }
  return cells;
}

std::string heading(const NetworkRun& run) {
  return fmt::format("{}, on {}{}", network_words(run),
                     run.gpus > 1 ? fmt::format("{} x ", run.gpus) : "", run.machine_name);
}

/// For tables that name the machine elsewhere.
std::string subject(const NetworkRun& run) {
  return network_words(run) + (run.gpus > 1 ? fmt::format(", {} GPUs", run.gpus) : "");
}

std::string size_line(const NetworkRun& run) {
  return fmt::format("{} parameters, {:.4g} G multiply-adds per sample\n",
                     with_thousands(run.parameters),
                     static_cast<double>(run.macs_per_sample) / kGiga);
}

std::string steps_words(const NetworkRun& run) { return text::counted(run.steps.size(), "step"); }

/// Of a run that did not end.
std::string stop_line(const NetworkRun& run) {
  if (run.is_complete) return "";
  return fmt::format("INCOMPLETE: {} after {}; the figures cover only the part that ran\n",
                     stop_words(run.stopped_by), steps_words(run));
}

/// Of a run that left something out.
std::string sampling_words(const NetworkTotals& totals) {
  if (!totals.is_sampled()) return "";
  return fmt::format(", {} estimated from similar steps; time +-{:.2f} % (nominal 95 % interval)",
                     totals.estimated, 100 * totals.half_width_us / totals.time_us);
}

/// Tokens per second and the time of a token, for language models; otherwise nothing.
std::string token_line(const NetworkRun& run, const NetworkTotals& totals) {
  if (run.tokens == 0 || !run.is_complete) return "";
  const double tokens_per_s =
      static_cast<double>(run.batch * run.tokens) * kMicrosecondsPerSecond / totals.time_us;
  std::string text = fmt::format("{} tokens/s", with_thousands(std::llround(tokens_per_s)));
  if (run.pass == "decode")
    text += fmt::format("; time per output token {}", readable_time(totals.time_us));
  if (run.pass == "forward" && run.is_language_model)
    text += fmt::format("; time to first token {}", readable_time(totals.time_us));
  return text + "\n";
}

/// What the GPUs do together, or nothing.
std::string collective_line(const NetworkRun& run, const NetworkTotals& totals) {
  if (run.gpus == 1) return "";
  return fmt::format(
      "samples and tokens are those of all {} GPUs together; {} of {:.1f} MB in all take {}, "
      "{:.1f} % of the time, by a model of NVLink (docs/networks.md)\n",
      run.gpus, text::counted(totals.collectives, "collective operation"),
      totals.collective_bytes / 1e6, readable_time(totals.collective_us),
      100 * totals.collective_us / totals.time_us);
}

/// Energy, power and clock of the network, or nothing.
std::string power_line(const NetworkRun& run, const NetworkTotals& totals) {
  if (totals.energy_j <= 0) return "";
  std::string text =
      fmt::format("{:.4g} J{}, {} of {} at {:.0f} MHz", totals.energy_j, per_gpu(run),
                  readable_power(totals.power_w()), readable_power(run.limit_w), totals.clock_mhz);
  if (run.clock_policy != "boost") return text + fmt::format(" (--clock {})\n", run.clock_policy);
  const std::string slower =
      slower_text({totals.power_w(), run.limit_w,
                   totals.clock_mhz * totals.tensor_peak_us / totals.time_us, run.tensor_mhz});
  return text + (slower.empty() ? "\n" : "; " + slower + "\n");
}

/// None of a run that did not end, since the step that was stopped has time but no operations.
std::optional<double> tflops_of(const NetworkRun& run, const NetworkTotals& totals) {
  return run.is_complete ? std::optional(totals.tflops()) : std::nullopt;
}

std::string rate_lines(const NetworkRun& run, const NetworkTotals& totals) {
  std::string text = readable_time(totals.time_us);
  if (run.is_complete)
    text += fmt::format(" for the batch, {:.1f} samples/s",
                        static_cast<double>(run.batch) * kMicrosecondsPerSecond / totals.time_us);
  const std::optional<double> tflops = tflops_of(run, totals);
  if (tflops && *tflops > 0) {
    text += fmt::format(", {} {}{}", readable_number(*tflops, 1), totals.rate_unit, per_gpu(run));
    if (totals.peak_tflops)
      text += fmt::format(" ({} % of {})", readable_number(100 * *tflops / *totals.peak_tflops, 1),
                          readable_number(*totals.peak_tflops, 1));
  }
  text += "\n" + token_line(run, totals);
  text +=
      fmt::format("kernels on tensor cores take {:.1f} % of the time", 100 * totals.tensor_share());
  if (totals.tensor_time_us > 0)
    text += fmt::format("; in that time the tensor pipes are {:.1f} % busy",
                        100 * totals.tensor_active_us / totals.tensor_time_us);
  return text +
         fmt::format(
             "\n{:.1f} MB to and from DRAM{}; {} in {}, {} of them reused from identical steps{}\n",
             totals.dram_bytes / 1e6, per_gpu(run), text::counted(totals.kernels, "kernel"),
             steps_words(run), totals.reused, sampling_words(totals)) +
         power_line(run, totals) + collective_line(run, totals);
}

std::string skipped_lines(const NetworkRun& run) {
  std::string text;
  for (const SkippedOperator& skipped : run.skipped)
    text += fmt::format("not simulated: {} {} ({})\n", skipped.operation, skipped.name,
                        skipped.mac_share
                            ? fmt::format("{:.1f} % of the multiply-adds", 100 * *skipped.mac_share)
                            : "share unknown");
  return text;
}

/// What run_json says of a single run, of all steps together; nothing where it cannot be added up.
void add_sums(const NetworkRun& run, const NetworkTotals& totals, Json& json) {
  const auto share = [&](double part_us) {
    return totals.time_us > 0 ? Json(part_us / totals.time_us) : Json();
  };
  json["cycles"] = totals.cycles;
  json["clock_mhz"] = totals.clock_mhz;
  const std::optional<double> tflops = tflops_of(run, totals);
  json["peak_fraction"] =
      tflops && totals.peak_tflops ? Json(*tflops / *totals.peak_tflops) : Json();
  json["pipe_active"] = share(totals.pipe_active_us);
  json["issue_fraction"] = share(totals.issue_taken_us);
  json["tensor_fraction"] = share(totals.tensor_peak_us);
  json["bound_by"] = totals.bound_by;
  Json& reasons = json["cycles_by_reason"] = Json::object();
  for (const auto& [reason, cycles] : totals.cycles_by_reason) reasons[reason] = cycles;
  json["instructions"] = {{"warp", totals.warp_instructions}, {"mma", totals.mma_instructions}};
}

Json memory_sums(const NetworkRun& run, const NetworkTotals& totals) {
  Json json;
  for (const char* name :
       {"dram_read_bytes", "dram_write_bytes", "l2_read_bytes", "l2_write_bytes", "shared_bytes"}) {
    std::uint64_t sum = 0;
    for (const NetworkStep& step : run.steps)
      sum += step.result.at("memory").at(name).get<std::uint64_t>();
    json[name] = sum;
  }
  json["l2_hit_rate"] = nullptr;
  json["arithmetic_intensity"] =
      run.is_complete && totals.dram_bytes > 0 ? Json(totals.flop / totals.dram_bytes) : Json();
  return json;
}

/// What the formulas of the metrics name.
Json facts_json(const NetworkRun& run, const NetworkTotals& totals) {
  Json json = Json::object();
  for (const NetworkFact& fact : network_facts())
    json[std::string(fact.name)] = {{"value", or_null(fact.value(run, totals))},
                                    {"unit", fact.unit == "TFLOPS" ? totals.rate_unit : fact.unit},
                                    {"sentence", fact.sentence}};
  return json;
}

constexpr std::string_view kLayersHeader =
    "layer,part,operation,workload,time_us,cycles,flop,tflops,peak_fraction,pipe_active,bound_by,"
    "dram_read_bytes,dram_write_bytes,l2_hit_rate,mma_instructions,reused,fidelity,told,half_width";

/// The fields of kLayersHeader.
std::string layers_record(const NetworkStep& step) {
  std::string text =
      fmt::format("{},{},{}", text::csv_field(step.layer), step.part, text::csv_field(step.title));
  for (const char* name : {"workload", "time_us", "cycles", "flop", "tflops", "peak_fraction",
                           "pipe_active", "bound_by"})
    text += "," + csv_value(step.result.at(name));
  for (const char* name : {"dram_read_bytes", "dram_write_bytes", "l2_hit_rate"})
    text += "," + csv_value(step.result.at("memory").at(name));
  const bool is_sampled = step.result.contains("sampling");
  return text + fmt::format(",{},{},{},{},{}", csv_value(step.result.at("instructions").at("mma")),
                            step.is_reused ? 1 : 0, fidelity_of(step.result),
                            step.is_estimated ? 1 : 0,
                            is_sampled ? csv_value(step.result.at("sampling").at("half_width"))
                                       : std::string());
}

Json energy_json(const NetworkRun& run, const NetworkTotals& totals) {
  if (totals.energy_j <= 0) return {};
  return {{"clock_policy", run.clock_policy},
          {"limit_w", run.limit_w},
          {"power_w", totals.power_w()},
          {"energy_j", totals.energy_j},
          {"energy_delay_js", totals.energy_j * totals.time_us / 1e6},
          {"dram_energy_j", totals.dram_energy_j}};
}

}  // namespace

double time_us(const NetworkRun& run) { return totals_of(run).time_us; }

std::string network_text(const NetworkRun& run) {
  const NetworkTotals totals = totals_of(run);
  std::string text = heading(run) + "\n" + size_line(run) + stop_line(run) + "\n";
  if (totals.time_us > 0)
    text +=
        rate_lines(run, totals) + "\n" + aligned_table({titles(run, totals), top_layers(totals)});
  if (totals.likes.size() > kShownLayers)
    text += "and " + text::counted(totals.likes.size() - kShownLayers, "further layer") + "\n";
  if (run.sensitivity) text += "\n" + sensitivity_text(*run.sensitivity) + "\n";
  return text + skipped_lines(run);
}

std::string network_markdown(const NetworkRun& run) {
  const NetworkTotals totals = totals_of(run);
  std::string text =
      "# " + text::markdown(heading(run)) + "\n\n" + size_line(run) + stop_line(run) + "\n";
  if (totals.time_us > 0)
    text +=
        rate_lines(run, totals) + "\n" + markdown_table({titles(run, totals), top_layers(totals)});
  if (run.sensitivity) text += "\n" + text::markdown_block(sensitivity_text(*run.sensitivity));
  const std::string skipped = skipped_lines(run);
  return skipped.empty() ? text : text + "\n" + text::markdown_block(skipped);
}

std::string_view fidelity_of(const NetworkRun& run) {
  return std::ranges::any_of(
             run.steps,
             [](const NetworkStep& step) { return fidelity_of(step.result) == "sampled"; })
             ? "sampled"
             : "cycle";
}

Json network_json(const NetworkRun& run) {
  const NetworkTotals totals = totals_of(run);
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["machine"] = run.machine;
  if (!run.machine_hash.empty()) json["machine_hash"] = run.machine_hash;
  json["overrides"] = run.overrides;
  json["network"] = run.network;
  json["source"] = run.source;
  json["gpus"] = run.gpus;
  json["batch"] = run.batch;
  json["precision"] = run.precision;
  json["pass"] = run.pass;
  json["kv_cache"] = kv_cache_word(run);
  json["tokens"] = run.tokens == 0 ? Json() : Json(run.tokens);
  json["context_tokens"] = run.context_tokens == 0 ? Json() : Json(run.context_tokens);
  json["parameters"] = run.parameters;
  json["macs_per_sample"] = run.macs_per_sample;
  json["fidelity"] = fidelity_of(run);
  json["complete"] = run.is_complete;
  json["time_us"] = totals.time_us;
  if (totals.is_sampled())
    json["sampling"] = {{"told_steps", totals.estimated},
                        {"requested_error", run.sampling_error},
                        {"half_width", totals.half_width_us / totals.time_us},
                        {"nominal_confidence", 0.95}};
  json["flop"] = totals.flop;
  json["tflops"] = or_null(tflops_of(run, totals));
  json["peak_tflops"] = or_null(totals.peak_tflops);
  json["tensor_core_time_share"] = totals.tensor_share();
  json["tensor_pipe_active"] =
      totals.tensor_time_us > 0 ? Json(totals.tensor_active_us / totals.tensor_time_us) : Json();
  json["dram_bytes"] = totals.dram_bytes;
  json["reused_steps"] = totals.reused;
  if (run.gpus > 1)
    json["collectives"] = {{"count", totals.collectives},
                           {"time_us", totals.collective_us},
                           {"bytes", totals.collective_bytes},
                           {"fidelity", "model"}};
  json["workload"] = "net:" + run.network;
  json["title"] = heading(run);
  json["subject"] = subject(run);
  json["dtype"] = run.precision;
  add_sums(run, totals, json);
  json["memory"] = memory_sums(run, totals);
  json["energy"] = energy_json(run, totals);
  json["kernels"] = Json::array();  // those of the steps
  json["facts"] = facts_json(run, totals);
  json["metrics"] = stats::to_json(network_metrics(run, totals));
  if (run.sensitivity) json["sensitivity"] = sensitivity_json(*run.sensitivity);
  if (run.card) json["machine_card"] = card_json(*run.card);
  json["effective_machine"] = run.effective_machine;
  Json& layers = json["layers"] = Json::array();
  for (const LayerTime& layer : totals.layers)
    layers.push_back({{"layer", layer.layer},
                      {"time_us", layer.time_us},
                      {"flop", layer.flop},
                      {"bound_by", layer.bound_by}});
  Json& skipped = json["skipped"] = Json::array();
  for (const SkippedOperator& one : run.skipped)
    skipped.push_back({{"name", one.name},
                       {"operation", one.operation},
                       {"mac_share", one.mac_share ? Json(*one.mac_share) : Json()}});
  Json& steps = json["steps"] = Json::array();
  for (const NetworkStep& step : run.steps)
    steps.push_back({{"layer", step.layer},
                     {"part", step.part},
                     {"title", step.title},
                     {"reused", step.is_reused},
                     {"told", step.is_estimated},
                     {"result", step.result}});
  json["simulation"] = {
      {"wall_s", run.wall_s}, {"stopped_by", run.stopped_by}, {"revision", revision()}};
  return json;
}

Json network_summary(Json network) {
  for (const char* part :
       {"steps", "layers", "machine_card", "effective_machine", "facts", "subject"})
    network.erase(part);
  const Json metrics = network.at("metrics");
  network.erase("metrics");
  for (const auto& [name, metric] : metrics.items()) network[name] = metric.at("value");
  return network;
}

std::string network_stats_csv(const std::string& name, const NetworkRun& run) {
  std::string text(stats::kStatsCsvHeader);
  const auto add = [&](std::string_view scope, std::string_view metric, std::string_view unit,
                       const Json& value, std::string_view fidelity) {
    text +=
        fmt::format("{},{},{},{},{},{}\n", text::csv_field(name),
                    text::csv_field(std::string(scope)), metric, unit, csv_value(value), fidelity);
  };
  for (const stats::Metric& metric : network_metrics(run, totals_of(run)))
    add("network", metric.definition.name, metric.definition.unit, or_null(metric.value),
        fidelity_of(run));
  for (const NetworkStep& step : run.steps) {
    const std::string scope = step.layer + "." + step.part;
    const Json& memory = step.result.at("memory");
    const std::string_view fidelity = fidelity_of(step.result);
    add(scope, "time_us", "us", step.result.at("time_us"), fidelity);
    add(scope, "cycles", "cycles", step.result.at("cycles"), fidelity);
    const std::string unit = rate_unit(step.result.at("dtype").get<std::string>());
    add(scope, "tflops", unit, step.result.at("tflops"), fidelity);
    for (const char* bytes :
         {"dram_read_bytes", "dram_write_bytes", "l2_read_bytes", "l2_write_bytes"})
      add(scope, bytes, "B", memory.at(bytes), fidelity);
  }
  return text;
}

std::string layers_csv(const NetworkRun& run) {
  std::string text = std::string(kLayersHeader) + "\n";
  for (const NetworkStep& step : run.steps) text += layers_record(step) + "\n";
  return text;
}

std::string network_csv(const NetworkRun& run) {
  std::string text = fmt::format("machine,overrides,gpus,{}\n", kLayersHeader);
  const std::string first = fmt::format("{},{},{},", text::csv_field(run.machine),
                                        overrides_field(run.overrides), run.gpus);
  for (const NetworkStep& step : run.steps) text += first + layers_record(step) + "\n";
  return text;
}

std::string network_kernels_csv(const NetworkRun& run) {
  std::string text =
      "layer,part,kernel,tile,time_us,cycles,ctas,ctas_per_sm,waves,warp_instructions,"
      "mma_instructions,fidelity\n";
  for (const NetworkStep& step : run.steps) {
    for (const Json& kernel : step.result.at("kernels")) {
      text += fmt::format("{},{}", text::csv_field(step.layer), step.part);
      for (const char* name : {"name", "tile", "time_us", "cycles", "ctas", "ctas_per_sm", "waves",
                               "warp_instructions", "mma_instructions", "fidelity"})
        text += "," + csv_value(kernel.at(name));
      text += "\n";
    }
  }
  return text;
}

}  // namespace tcsim::report
