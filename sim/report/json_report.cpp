#include "sim/report/json_report.hpp"

#include <fmt/format.h>

#include "sim/report/critical_path.hpp"
#include "sim/report/energy_section.hpp"
#include "sim/report/facts.hpp"
#include "sim/report/or_null.hpp"
#include "sim/report/revision.hpp"
#include "sim/report/rtl_section.hpp"
#include "sim/report/sensitivity.hpp"
#include "sim/report/values_section.hpp"
#include "sim/report/words.hpp"
#include "sim/stats/writers.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t whole(std::optional<double> value) {
  return static_cast<std::uint64_t>(value.value_or(0.0));
}

std::string kernel_tile(const RunRecord& record, std::size_t kernel) {
  return kernel < record.inputs.kernel_tiles.size() ? record.inputs.kernel_tiles[kernel]
                                                    : std::string();
}

/// The instructions that were issued or waited for, with the stalls that they had.
Json source_json(const std::vector<timeline::SourceKernel>& kernels) {
  Json json = Json::array();
  for (const timeline::SourceKernel& kernel : kernels) {
    json.push_back({{"kernel", kernel.name}, {"lines", Json::array()}});
    for (const timeline::SourceLine& line : kernel.lines) {
      Json stalls = Json::object();
      for (std::size_t i = 0; i < timeline::kStallCount; ++i)
        if (line.stalls[i] > 0)
          stalls[std::string(timeline::stall_name(static_cast<timeline::Stall>(i)))] =
              line.stalls[i];
      json.back()["lines"].push_back({{"program", line.program},
                                      {"instruction", line.instruction},
                                      {"text", line.text},
                                      {"issued", line.issued},
                                      {"lanes", line.lanes},
                                      {"sectors", line.sectors},
                                      {"bank_conflicts", line.conflicts},
                                      {"stalled_cycles", line.stalled()},
                                      {"stalls", stalls}});
    }
  }
  return json;
}

Json tried_json(const TriedAdvice& tried) {
  return {{"time_us", or_null(tried.time_us)},
          {"times_as_fast", tried.time_us ? Json(tried.times_as_fast) : Json()},
          {"reason", tried.reason}};
}

double time_us(const RunRecord& record, Cycle cycles) {
  return static_cast<double>(cycles) / record.inputs.clock_mhz;
}

Json memory_json(const RunRecord& record) {
  Json json;
  for (const char* name :
       {"dram_read_bytes", "dram_write_bytes", "l2_read_bytes", "l2_write_bytes", "shared_bytes"}) {
    json[name] = whole(record.metric(name));
  }
  for (const char* name : {"l2_hit_rate", "dram_gb_per_s", "dram_fraction", "l2_gb_per_s",
                           "l2_fraction", "sm_memory_fraction", "shared_fraction",
                           "shared_conflict_fraction", "l1_hit_rate", "arithmetic_intensity"}) {
    json[name] = or_null(record.metric(name));
  }
  return json;
}

Json kernels_json(const RunRecord& record) {
  Json kernels = Json::array();
  for (std::size_t i = 0; i < record.outcome.kernels.size(); ++i) {
    const gpu::KernelSpan& kernel = record.outcome.kernels[i];
    const Cycle cycles = kernel.end - kernel.start;
    kernels.push_back({{"name", kernel.name},
                       {"tile", kernel_tile(record, i)},
                       {"start_cycle", kernel.start},
                       {"end_cycle", kernel.end},
                       {"cycles", cycles},
                       {"time_us", time_us(record, cycles)},
                       {"ctas", kernel.ctas},
                       {"ctas_per_sm", kernel.ctas_per_sm},
                       {"ctas_at_once", kernel.ctas_at_once},
                       {"occupancy_limit", kernel.occupancy_limit},
                       {"waves", record.waves[i].count},
                       {"last_wave_fill", record.waves[i].last_wave_fill},
                       {"fewest_ctas_of_an_sm", kernel.spread.fewest},
                       {"most_ctas_of_an_sm", kernel.spread.most},
                       {"tail_share", kernel.tail_share()},
                       {"idle_sm_share", kernel.idle_share(record.inputs.sms)},
                       {"warp_instructions", kernel.warp_instructions},
                       {"mma_instructions", kernel.mma_instructions},
                       {"fidelity", fidelity(record.outcome)}});
    if (i < record.inputs.needs.size()) {
      kernels.back()["registers_per_thread"] = record.inputs.needs[i].registers_per_thread;
      kernels.back()["idle_ctas"] = record.inputs.needs[i].idle_ctas;
    }
  }
  return kernels;
}

/// Adds what only stats.json says of each kernel: its needs and what it moved.
Json detailed_kernels_json(const RunRecord& record) {
  Json kernels = kernels_json(record);
  for (std::size_t i = 0; i < record.outcome.kernels.size(); ++i) {
    const gpu::ActivityTotals& activity = record.outcome.kernels[i].activity;
    kernels[i]["tensor_issue_slots"] = activity.tensor_issue_slots;
    kernels[i]["tensor_macs"] = activity.tensor_macs;
    kernels[i]["sm_memory_cycles"] = activity.sm_memory_cycles;
    kernels[i]["l2_read_bytes"] = activity.l2_read_bytes;
    kernels[i]["l2_write_bytes"] = activity.l2_write_bytes;
    kernels[i]["dram_read_bytes"] = activity.dram_read_bytes;
    kernels[i]["l2_writeback_bytes"] = activity.l2_writeback_bytes;
    if (i >= record.inputs.needs.size()) continue;
    const KernelNeeds& needs = record.inputs.needs[i];
    kernels[i]["warps_per_cta"] = needs.warps_per_cta;
    kernels[i]["shared_bytes_per_cta"] = needs.shared_bytes_per_cta;
    Json& limits = kernels[i]["ctas_per_sm_by_resource"] = Json::object();
    for (const auto& limit : needs.limits) limits[limit.resource] = limit.ctas_per_sm;
  }
  return kernels;
}

/// Rates are of the operations of the run.
std::string_view unit_of(const FactDefinition& fact, const std::string& rates) {
  return fact.unit == "TFLOPS" ? std::string_view(rates) : fact.unit;
}

Json facts_json(const RunRecord& record) {
  const std::string rates = rate_unit(record.inputs.dtype);
  Json json = Json::object();
  for (const FactDefinition& fact : fact_definitions()) {
    json[std::string(fact.name)] = {{"value", or_null(fact.value(record.inputs, record.outcome))},
                                    {"unit", unit_of(fact, rates)},
                                    {"sentence", fact.sentence}};
  }
  return json;
}

Json speed_of_light_json(const RunRecord& record) {
  Json json = Json::array();
  for (const SpeedOfLight& bar : record.verdict.bars)
    json.push_back({{"id", bar.id}, {"label", bar.label}, {"fraction", bar.fraction}});
  return json;
}

Json reasons_json(const RunRecord& record) {
  constexpr double kTenths = 10.0;
  Json json = Json::array();
  for (const CycleShare& share : record.breakdown) {
    json.push_back({{"reason", share.reason},
                    {"label", share.label},
                    {"cycles", share.cycles},
                    {"percent", share.tenths / kTenths}});
  }
  return json;
}

/// Cumulative sums at growing cycles, one array per quantity.
Json activity_json(const RunRecord& record) {
  Json json{{"cycle", Json::array()}, {"resident_warps", Json::array()}};
  const auto add = [&](const char* name, std::uint64_t gpu::ActivityTotals::*total) {
    Json& values = json[name] = Json::array();
    for (const gpu::ActivitySample& sample : record.outcome.activity)
      values.push_back(sample.totals.*total);
  };
  for (const gpu::ActivitySample& sample : record.outcome.activity) {
    json["cycle"].push_back(sample.at);
    json["resident_warps"].push_back(sample.resident_warps);
  }
  add("tensor_issue_slots", &gpu::ActivityTotals::tensor_issue_slots);
  add("fma_slots", &gpu::ActivityTotals::fma_slots);
  add("cycles_issued", &gpu::ActivityTotals::cycles_issued);
  add("sm_memory_cycles", &gpu::ActivityTotals::sm_memory_cycles);
  add("l2_read_bytes", &gpu::ActivityTotals::l2_read_bytes);
  add("l2_write_bytes", &gpu::ActivityTotals::l2_write_bytes);
  add("dram_read_bytes", &gpu::ActivityTotals::dram_read_bytes);
  add("dram_write_bytes", &gpu::ActivityTotals::dram_write_bytes);
  return json;
}

Json simulation_json(const RunRecord& record) {
  const double wall_s = record.cost.wall_s;
  const double instructions = record.metric("warp_instructions").value_or(0.0);
  const auto cycles = static_cast<double>(record.outcome.cycles);
  return {{"wall_s", wall_s},
          {"warp_instructions_per_s", wall_s > 0 ? Json(instructions / wall_s) : Json()},
          {"cycles_per_s", wall_s > 0 ? Json(cycles / wall_s) : Json()},
          {"peak_rss_bytes", record.cost.peak_rss_bytes},
          {"quantum_cycles", record.cost.quantum_cycles},
          {"complete", record.complete()},
          {"stopped_by", record.stopped_by},
          {"revision", revision()}};
}

/// What was left out, and the 95 % interval of the time that comes from it.
Json sampling_json(const RunRecord& record) {
  const gpu::Sampling& sampling = record.outcome.sampling;
  const double instructions = record.metric("warp_instructions").value_or(0.0);
  const auto cycles = static_cast<double>(record.outcome.cycles);
  return {{"gaps", sampling.gaps},
          {"instructions_simulated", 1 - sampling.instructions_left_out / instructions},
          {"cycles_simulated", 1 - sampling.cycles_left_out / cycles},
          {"half_width_cycles", sampling.half_width_cycles},
          {"half_width", sampling.half_width_cycles / cycles},
          {"nominal_confidence", 0.95}};
}

/// What was left out, part by part.
Json left_out_json(const gpu::Sampling& sampling) {
  Json json = Json::array();
  for (const gpu::LeftOut& part : sampling.parts)
    json.push_back({{"after_simulated_cycles", part.at},
                    {"what", part.is_of_waves ? "waves" : "iterations"},
                    {"instructions", part.instructions},
                    {"cycles", part.cycles},
                    {"half_width_cycles", part.half_width}});
  return json;
}

}  // namespace

Json run_json(const RunRecord& record) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["machine"] = record.inputs.machine;
  if (!record.machine_hash.empty()) json["machine_hash"] = record.machine_hash;
  json["overrides"] = record.inputs.overrides;
  json["workload"] = record.inputs.workload;
  json["title"] = record.inputs.title;
  json["dtype"] = record.inputs.dtype;
  json["l2_state"] = record.inputs.l2_state;
  json["validated"] = record.validated;
  json["notes"] = record.inputs.notes;
  json["time_us"] = or_null(record.metric("time_us"));
  json["cycles"] = record.outcome.cycles;
  json["clock_mhz"] = record.inputs.clock_mhz;
  json["flop"] = or_null(record.inputs.flop);
  json["tflops"] = or_null(record.metric("tflops"));
  json["peak_tflops"] = or_null(record.inputs.peak_tflops);
  const auto& attainable = record.inputs.attainable;
  json["attainable_tflops"] = attainable ? Json(attainable->tflops) : Json();
  if (record.inputs.sparse) {
    const auto tflops = record.metric("tflops");
    json["executed_tflops"] = tflops ? Json(*tflops * kSparseShare) : Json();
  }
  for (const char* name : {"peak_fraction", "pipe_active", "issue_fraction", "tensor_fraction"})
    json[name] = or_null(record.metric(name));
  json["bound_by"] = record.verdict.bound_by;
  Json& reasons = json["cycles_by_reason"] = Json::object();
  for (const CycleShare& share : record.breakdown) reasons[share.reason] = share.cycles;
  json["memory"] = memory_json(record);
  json["instructions"] = {{"warp", whole(record.metric("warp_instructions"))},
                          {"mma", whole(record.metric("mma_instructions"))}};
  json["kernels"] = kernels_json(record);
  if (record.outcome.sampling.gaps > 0) json["sampling"] = sampling_json(record);
  json["energy"] = energy_json(record);
  if (record.values) json["values"] = values_json(*record.values);
  if (record.tensor_core) json["tensor_core"] = rtl_json(*record.tensor_core);
  if (record.sensitivity) json["sensitivity"] = sensitivity_json(*record.sensitivity);
  if (record.tiles) json["tiles"] = tile_search_json(*record.tiles);
  if (record.tried) json["tried"] = tried_json(*record.tried);
  json["simulation"] = simulation_json(record);
  return json;
}

Json stats_json(const RunRecord& record) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["configuration_hash"] = record.configuration_hash;
  json["machine"] = record.inputs.machine;
  json["overrides"] = record.inputs.overrides;
  json["workload"] = record.inputs.workload;
  json["title"] = record.inputs.title;
  json["unit"] = record.inputs.unit;
  json["dtype"] = record.inputs.dtype;
  json["l2_state"] = record.inputs.l2_state;
  json["fidelity"] = fidelity(record.outcome);
  if (record.outcome.sampling.gaps > 0) {
    json["sampling"] = sampling_json(record);
    json["sampling"]["requested_error"] = record.inputs.sampling_error;
    json["sampling"]["left_out"] = left_out_json(record.outcome.sampling);
  }
  json["validated"] = record.validated;
  json["notes"] = record.inputs.notes;
  json["complete"] = record.complete();
  json["cycles"] = record.outcome.cycles;
  if (record.inputs.attainable && !record.inputs.attainable->held_by.empty())
    json["held_by"] = record.inputs.attainable->held_by;
  json["verdict"] = {{"bound_by", record.verdict.bound_by},
                     {"phrase", record.verdict.phrase},
                     {"sentence", record.verdict.sentence},
                     {"try", record.verdict.advice},
                     {"try_options", record.verdict.options}};
  json["speed_of_light"] = speed_of_light_json(record);
  json["cycles_by_reason"] = reasons_json(record);
  json["facts"] = facts_json(record);
  json["metrics"] = stats::to_json(record.metrics_with_half_widths());
  json["counters"] = {{record.counters.name, stats::to_json(record.counters)}};
  json["kernels"] = detailed_kernels_json(record);
  json["activity"] = activity_json(record);
  json["energy"] = energy_json(record);
  if (record.values) json["values"] = values_json(*record.values);
  if (record.tensor_core) json["tensor_core"] = rtl_json(*record.tensor_core);
  if (record.sensitivity) json["sensitivity"] = sensitivity_json(*record.sensitivity);
  if (!record.source.empty()) json["source"] = source_json(record.source);
  if (!record.critical_paths.empty())
    json["critical_path"] = critical_path_json(record.critical_paths);
  if (record.tiles) json["tiles"] = tile_search_json(*record.tiles);
  if (record.tried) json["tried"] = tried_json(*record.tried);
  if (record.inputs.card) {
    json["machine_card"] = card_json(*record.inputs.card);
    json["assumptions"] = assumptions_json(*record.inputs.card);
  }
  json["simulation"] = simulation_json(record);
  return json;
}

std::string tile_of(const Json& result) {
  for (const Json& kernel : result.at("kernels"))
    if (kernel.at("tile") != "") return kernel.at("tile").get<std::string>();
  return "";
}

std::string_view fidelity_of(const Json& result) {
  if (const auto whole = result.find("fidelity"); whole != result.end()) {
    for (const std::string_view word : {"sampled", "model"})
      if (whole->get_ref<const std::string&>() == word) return word;
    return "cycle";
  }
  const Json& kernels = result.at("kernels");
  const bool is_sampled = std::ranges::any_of(
      kernels, [](const Json& kernel) { return kernel.at("fidelity") == "sampled"; });
  return is_sampled ? "sampled" : "cycle";
}

std::string stats_csv(const std::string& run, const RunRecord& record) {
  const std::string word(fidelity(record.outcome));
  std::string text = stats::to_csv(run, record.counters, record.metrics, word);
  const std::string rates = rate_unit(record.inputs.dtype);
  for (const FactDefinition& fact : fact_definitions()) {
    const std::optional<double> value = fact.value(record.inputs, record.outcome);
    text += fmt::format("{},run,{},{},{},{}\n", text::csv_field(run), fact.name,
                        unit_of(fact, rates), value ? stats::shortest(*value) : "", word);
  }
  return text;
}

std::string kernels_csv(const std::string& run, const RunRecord& record) {
  std::string text;
  for (std::size_t i = 0; i < record.outcome.kernels.size(); ++i) {
    const gpu::KernelSpan& kernel = record.outcome.kernels[i];
    const Cycle cycles = kernel.end - kernel.start;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", text::csv_field(run),
                        text::csv_field(kernel.name), text::csv_field(kernel_tile(record, i)),
                        kernel.start, kernel.end, cycles, time_us(record, cycles), kernel.ctas,
                        kernel.ctas_per_sm, kernel.occupancy_limit, record.waves[i].count,
                        record.waves[i].last_wave_fill, kernel.warp_instructions,
                        kernel.mma_instructions, fidelity(record.outcome));
  }
  return text;
}

}  // namespace tcsim::report
