#include "sim/results/stored_run_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "sim/report/json_report.hpp"
#include "sim/report/row_table.hpp"

namespace tcsim::results {
namespace {

using Keys = std::initializer_list<const char*>;

// No quantity of a run comes near these; within them sums, products and quotients stay finite.
constexpr double kLargestStored = 1e24;
constexpr double kLeastDivisor = 1e-12;
constexpr double kMostCount = 1e15;  // cycles, bytes, instructions, instances: exact in a double
constexpr double kMostPerSm = 1e6;

void check_texts(const View& view, Keys keys) {
  for (const char* key : keys) (void)view.at(key).get<std::string>();
}

void check_count(const View& value, double most = kMostCount) {
  (void)value.get<std::int64_t>();
  (void)value.number(0, most);
}

void check_counts(const View& view, Keys keys) {
  for (const char* key : keys) check_count(view.at(key));
}

void check_amounts(const View& view, Keys keys) {
  for (const char* key : keys) (void)view.at(key).number(0, kLargestStored);
}

/// A number by which views divide.
void check_divisor(const View& value) { (void)value.number(kLeastDivisor, kLargestStored); }

void check_verdict(const View& stats) {
  check_texts(stats.at("verdict"), {"sentence", "try"});
  if (stats.contains("held_by")) check_texts(stats, {"held_by"});
  if (const auto notes = stats.find("notes"))
    for (const View& note : notes->elements()) (void)note.get<std::string>();
  for (const View& row : stats.at("speed_of_light").elements()) {
    check_texts(row, {"id", "label"});
    check_amounts(row, {"fraction"});
  }
  for (const View& share : stats.at("cycles_by_reason").elements()) {
    check_texts(share, {"reason", "label"});
    check_counts(share, {"cycles"});
    (void)share.at("percent").number(0, 100);
  }
}

void check_metrics(const View& stats) {
  for (const char* group : {"metrics", "facts"}) {
    for (const auto& [name, entry] : stats.at(group).items()) {
      check_texts(entry, {"unit", "sentence"});
      check_optional_amount(entry.at("value"));
    }
  }
  for (const auto& [name, entry] : stats.at("metrics").items()) check_texts(entry, {"formula"});
  for (const char* name : {"time_us", "tflops", "peak_fraction", "pipe_active", "issue_fraction"})
    (void)stats.at("metrics").at(name);
  const View facts = stats.at("facts");
  check_divisor(facts.at("clock_mhz").at("value"));
  (void)facts.at("sms").at("value").number(0, kMostPerSm);  // facts are stored as fractions
  if (const auto peak = facts.find("peak_tflops"); peak && !peak->at("value").is_null())
    check_divisor(peak->at("value"));
}

void check_scope(const View& scope) {
  if (scope.at("instances").get<std::int64_t>() < 1)
    scope.at("instances").refuse("expected at least one");
  check_counts(scope, {"instances"});
  for (const auto& [name, counter] : scope.at("counters").items()) {
    check_amounts(counter, {"value"});
    check_texts(counter, {"unit", "sentence"});
  }
  for (const auto& [name, child] : scope.at("children").items()) check_scope(child);
}

void check_kernel(const View& kernel) {
  check_texts(kernel, {"name", "tile", "occupancy_limit"});
  check_counts(kernel, {"cycles", "ctas", "warp_instructions", "mma_instructions"});
  check_count(kernel.at("ctas_per_sm"), kMostPerSm);
  check_amounts(kernel, {"time_us", "waves", "last_wave_fill", "tensor_issue_slots", "tensor_macs",
                         "l2_read_bytes", "dram_read_bytes", "l2_writeback_bytes"});
  for (const char* need : {"warps_per_cta", "registers_per_thread", "shared_bytes_per_cta",
                           "ctas_at_once", "fewest_ctas_of_an_sm", "most_ctas_of_an_sm"})
    if (const auto found = kernel.find(need)) check_count(*found);
  for (const char* share : {"tail_share", "idle_sm_share"})
    if (const auto found = kernel.find(share)) (void)found->number(0, 1);
  if (const auto limits = kernel.find("ctas_per_sm_by_resource"))
    for (const auto& [resource, limit] : limits->items()) check_count(limit);
}

void check_source(const View& kernel) {
  check_texts(kernel, {"kernel"});
  for (const View& line : kernel.at("lines").elements()) {
    check_texts(line, {"text"});
    check_counts(line, {"program", "instruction", "issued", "lanes", "sectors", "bank_conflicts",
                        "stalled_cycles"});
    for (const auto& [reason, cycles] : line.at("stalls").items()) check_count(cycles);
  }
}

void check_path_shares(const View& shares) {
  for (const View& share : shares.elements()) {
    check_texts(share, {"name"});
    check_counts(share, {"cycles", "steps"});
  }
}

void check_critical_path(const View& kernel) {
  check_texts(kernel, {"kernel"});
  check_counts(kernel, {"start", "cycles", "steps"});
  (void)kernel.at("complete").get<bool>();
  for (const char* key : {"by_cause", "by_unit", "by_instruction"})
    check_path_shares(kernel.at(key));
  const View parts = kernel.at("over_time");
  const std::vector<View> edges = parts.at("edges").elements();
  double edge = 0;
  for (const View& end : edges) edge = end.number(edge + 1, kLargestStored);
  for (const auto& [cause, cycles] : parts.at("cycles").items()) {
    if (cycles.elements().size() != edges.size())
      cycles.refuse(fmt::format("has not one number for each of {} intervals", edges.size()));
    for (const View& value : cycles.elements()) check_count(value);
  }
  const View iteration = kernel.at("iteration");
  if (iteration.is_null()) return;
  check_counts(iteration, {"program", "loop", "trip", "trips"});
  check_amounts(iteration, {"cycles_per_trip"});
  for (const View& step : iteration.at("steps").elements()) {
    check_texts(step, {"cause", "unit", "text"});
    check_counts(step, {"from", "cycles", "sm", "cta"});
    for (const char* key : {"warp", "program", "instruction"})
      (void)step.at(key).number(-1, kLargestStored);
  }
}

/// Elasticities may have either sign.
void check_sensitivity(const View& sensitivity) {
  const auto check_signed = [](const View& value) {
    if (!value.is_null()) (void)value.number(-kLargestStored, kLargestStored);
  };
  check_texts(sensitivity, {"sentence", "answers_most_to"});
  check_amounts(sensitivity, {"half_width"});
  for (const char* key : {"sum_of_domains", "rest_of_an_sm"}) check_signed(sensitivity.at(key));
  for (const View& answer : sensitivity.at("answers").elements()) {
    check_texts(answer, {"resource", "label", "domain", "reason"});
    for (const View& setting : answer.at("settings").elements()) (void)setting.get<std::string>();
    check_divisor(answer.at("ratio"));
    check_optional_amount(answer.at("time_us"));
    check_signed(answer.at("elasticity"));
  }
}

/// Arrays of one length, with cycles that grow and sums that never fall.
void check_activity(const View& activity) {
  const std::size_t intervals = activity.at("cycle").elements().size();
  for (const auto& [name, values] : activity.items()) {
    const std::vector<View> elements = values.elements();
    if (elements.size() != intervals)
      values.refuse(fmt::format("has {} values, 'cycle' has {}", elements.size(), intervals));
    double before = 0;
    for (const View& value : elements) {
      const double least = name == "resident_warps" ? 0 : before;
      before = value.number(least, kMostCount);
    }
  }
  for (const char* name :
       {"resident_warps", "tensor_issue_slots", "cycles_issued", "sm_memory_cycles",
        "l2_read_bytes", "l2_write_bytes", "dram_read_bytes", "dram_write_bytes"})
    (void)activity.at(name);
}

void check_simulation(const View& result) {
  const View simulation = result.at("simulation");
  check_amounts(simulation, {"wall_s"});
  check_texts(simulation, {"stopped_by"});
}

/// Rows name directories of their own below that of the list.
void check_directory(const View& directory) {
  constexpr std::string_view kRows = "rows/";
  const auto name = directory.get<std::string>();
  if (!name.starts_with(kRows) || name.size() == kRows.size() ||
      name.find('/', kRows.size()) != std::string::npos || name.ends_with("/..") ||
      name.ends_with("/."))
    directory.refuse("expected a directory in rows/");
}

/// What only results of networks say.
void check_network_figures(const View& result) {
  if (const auto gpus = result.find("gpus")) check_count(*gpus, kMostPerSm);
  for (const char* rate : {"samples_per_s", "tokens_per_s"})
    if (const auto found = result.find(rate)) check_optional_amount(*found);
  if (const auto collectives = result.find("collectives")) check_amounts(*collectives, {"time_us"});
}

/// That `file` has the version that this tcsim reads; without one it is refused by `reason`.
void check_schema(const View& file, const std::string& reason) {
  if (!file.is_object() || !file.contains("schema_version")) file.refuse(reason);
  const View version = file.at("schema_version");
  if (version.get<std::int64_t>() != report::kSchemaVersion)
    file.refuse(fmt::format("has schema version {}; this tcsim reads {}",
                            version.get<std::int64_t>(), report::kSchemaVersion));
}

}  // namespace

void check_result(const View& result) {
  check_texts(result, {"bound_by"});
  for (const char* name : {"time_us", "tflops", "peak_fraction", "flop"})
    check_optional_amount(result.at(name));
  check_optional_amount(result.at("memory").at("arithmetic_intensity"));
  for (const View& kernel : result.at("kernels").elements()) check_texts(kernel, {"tile"});
  for (const auto& [reason, cycles] : result.at("cycles_by_reason").items()) check_count(cycles);
}

void check_card(const View& card) {
  check_texts(card, {"name", "description", "chip", "architecture"});
  (void)card.at("clock_mhz").get<int>();
  if (const auto published_mhz = card.find("published_tensor_mhz")) (void)published_mhz->get<int>();
  for (const View& rate : card.at("rates").elements()) {
    check_texts(rate, {"unit", "dtype", "acc", "formula"});
    (void)rate.at("sparse").get<bool>();
    check_divisor(rate.at("tera_ops_per_s"));
  }
  for (const View& bandwidth : card.at("bandwidths").elements()) {
    check_texts(bandwidth, {"level", "formula"});
    check_divisor(bandwidth.at("gb_per_s"));
  }
  for (const char* level : {"dram", "l2", "shared"}) {
    const std::vector<View> bandwidths = card.at("bandwidths").elements();
    if (std::ranges::none_of(bandwidths,
                             [&](const View& row) { return row.at("level").is(level); }))
      card.at("bandwidths").refuse(fmt::format("has none of level '{}'", level));
  }
}

void check_sampling(const View& result) {
  if (const auto sampling = result.find("sampling"))
    if (const auto asked = sampling->find("requested_error")) (void)asked->number(0, 1);
}

void check_amount(const View& value) { (void)value.number(0, kLargestStored); }

void check_optional_amount(const View& value) {
  if (!value.is_null()) (void)value.number(0, kLargestStored);
}

void check_version(const View& stats) { check_schema(stats, "is not the statistics of a run"); }

void check_manifest(const View& manifest) {
  check_schema(manifest, "is not the manifest of a run");
  check_texts(manifest, {"command", "revision", "started_utc"});
  check_amounts(manifest, {"wall_s"});
}

void check_run(const StoredRun& run) {
  const View& stats = run.stats;
  for (const char* part : {"title", "verdict", "facts", "metrics", "counters", "kernels",
                           "cycles_by_reason", "speed_of_light", "activity", "energy"}) {
    if (!stats.contains(part))
      stats.refuse(
          fmt::format("has no '{}': an older tcsim wrote it; run the workload again", part));
  }
  check_texts(stats, {"machine", "workload", "title", "unit", "dtype", "l2_state", "fidelity"});
  (void)stats.at("complete").get<bool>();
  check_counts(stats, {"cycles"});
  check_verdict(stats);
  check_metrics(stats);
  for (const auto& [name, scope] : stats.at("counters").items()) check_scope(scope);
  (void)run.scope("sub_core");
  for (const View& kernel : stats.at("kernels").elements()) check_kernel(kernel);
  check_activity(stats.at("activity"));
  const View energy = stats.at("energy");
  if (!energy.is_null()) {
    check_amounts(energy, {"limit_w"});
    check_texts(energy, {"data", "clock_policy"});
  }
  if (const auto card = stats.find("machine_card")) check_card(*card);
  if (const auto assumptions = stats.find("assumptions"))
    for (const View& row : assumptions->elements())
      check_texts(row, {"key", "value", "unit", "source"});
  if (const auto source = stats.find("source"))
    for (const View& kernel : source->elements()) check_source(kernel);
  if (const auto paths = stats.find("critical_path"))
    for (const View& kernel : paths->elements()) check_critical_path(kernel);
  if (const auto tried = stats.find("tried")) {
    check_texts(*tried, {"reason"});
    for (const char* key : {"time_us", "times_as_fast"}) check_optional_amount(tried->at(key));
  }
  if (const auto tiles = stats.find("tiles")) check_texts(*tiles, {"sentence", "best"});
  if (const auto sensitivity = stats.find("sensitivity")) check_sensitivity(*sensitivity);
  check_sampling(stats);
  check_simulation(stats);
  check_texts(run.manifest.at("machine"), {"effective"});
}

void check_list(const StoredList& list) {
  for (const View& row : list.rows.elements()) {
    check_texts(row, {"machine", "workload", "title", "status", "reason", "directory"});
    check_count(row.at("row"), kMostPerSm);
    check_directory(row.at("directory"));
    const View result = row.at("result");
    const bool done = row.at("status").is(report::status_text(report::RowStatus::kDone));
    if (done) check_divisor(result.at("time_us"));
    if (done || !result.is_null()) {
      check_result(result);
      check_network_figures(result);
    }
  }
  check_texts(list.manifest.at("workload"), {"words"});
}

}  // namespace tcsim::results
