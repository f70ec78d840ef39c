#include "sim/report/streams_report.hpp"

#include <fmt/format.h>

#include "sim/report/json_report.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/revision.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/run_record.hpp"
#include "sim/report/words.hpp"
#include "sim/stats/writers.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

double samples_per_second(const StreamsRun& run, double time_us) {
  const auto samples = static_cast<double>(run.batch) * static_cast<double>(run.ends_us.size());
  return time_us > 0 ? samples * kMicrosecondsPerSecond / time_us : 0;
}

/// 0 where the network takes no sequence.
double tokens_per_second(const StreamsRun& run, double time_us) {
  return static_cast<double>(run.tokens) * samples_per_second(run, time_us);
}

std::string heading(const StreamsRun& run) {
  return fmt::format("{}, {} instances on {}", network_words(run), run.ends_us.size(),
                     run.machine_name);
}

Table table_of(const StreamsRun& run) {
  const bool has_tokens = run.tokens > 0;
  Table table{{"", "time us", "samples/s"}, {}};
  if (has_tokens) table.columns.emplace_back("tokens/s");
  for (std::size_t i = 0; i < run.ends_us.size(); ++i) {
    table.rows.push_back(
        {fmt::format("instance {}", i + 1), fmt::format("{:.2f}", run.ends_us[i]), ""});
    if (has_tokens) table.rows.back().emplace_back("");
  }
  const auto add = [&](const char* what, double time_us) {
    table.rows.push_back({what, fmt::format("{:.2f}", time_us),
                          fmt::format("{:.1f}", samples_per_second(run, time_us))});
    if (has_tokens)
      table.rows.back().push_back(fmt::format("{:.1f}", tokens_per_second(run, time_us)));
  };
  add("together", run.together_us);
  add("one after the other", run.in_turn_us);
  return table;
}

std::string gain_line(const StreamsRun& run) {
  if (!run.is_complete)
    return fmt::format("INCOMPLETE: {}; no time is known\n", stop_words(run.stopped_by));
  return fmt::format("sharing the machine is {:.2f} times as fast\n", run.gain());
}

/// Figures of a run that was stopped are none.
std::string cell(const StreamsRun& run, double figure) {
  return run.is_complete ? stats::shortest(figure) : "";
}

/// A number of tokens; none where it does not apply.
Json tokens_or_none(std::int64_t tokens) { return tokens == 0 ? Json() : Json(tokens); }

/// Fields of streams_csv behind those that it has had from the start.
std::string later_fields(const StreamsRun& run) {
  const std::string tokens_per_s =
      run.tokens > 0 ? cell(run, tokens_per_second(run, run.together_us)) : "";
  return fmt::format("{},{},{},{},{},{}", csv_value(tokens_or_none(run.tokens)),
                     csv_value(tokens_or_none(run.context_tokens)), kv_cache_word(run),
                     stats::shortest(run.clock_mhz),
                     cell(run, samples_per_second(run, run.together_us)), tokens_per_s);
}

}  // namespace

std::string streams_text(const StreamsRun& run) {
  const std::string table = run.is_complete ? aligned_table(table_of(run)) + "\n" : "";
  return heading(run) + "\n\n" + table + gain_line(run);
}

std::string streams_markdown(const StreamsRun& run) {
  const std::string table = run.is_complete ? markdown_table(table_of(run)) + "\n" : "";
  return "# " + text::markdown(heading(run)) + "\n\n" + table + gain_line(run);
}

std::string streams_csv(const StreamsRun& run) {
  return fmt::format(
      "network,machine,batch,precision,pass,instances,together_us,in_turn_us,gain,overrides,"
      "tokens,context_tokens,kv_cache,clock_mhz,samples_per_s,tokens_per_s\n"
      "{},{},{},{},{},{},{},{},{},{},{}\n",
      text::csv_field(run.network), text::csv_field(run.machine), run.batch, run.precision,
      run.pass, run.ends_us.size(), cell(run, run.together_us), cell(run, run.in_turn_us),
      cell(run, run.gain()), overrides_field(run.overrides), later_fields(run));
}

Json streams_json(const StreamsRun& run) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["machine"] = run.machine;
  json["overrides"] = run.overrides;
  json["network"] = run.network;
  json["batch"] = run.batch;
  json["precision"] = run.precision;
  json["pass"] = run.pass;
  json["kv_cache"] = kv_cache_word(run);
  json["tokens"] = tokens_or_none(run.tokens);
  json["context_tokens"] = tokens_or_none(run.context_tokens);
  json["clock_mhz"] = run.clock_mhz;
  json["fidelity"] = "cycle";
  json["complete"] = run.is_complete;
  const auto or_none = [&run](const Json& figures) { return run.is_complete ? figures : Json(); };
  json["instance_end_us"] = or_none(run.ends_us);
  json["together_us"] = or_none(run.together_us);
  json["in_turn_us"] = or_none(run.in_turn_us);
  json["gain"] = or_none(run.gain());
  json["samples_per_s"] = or_none(samples_per_second(run, run.together_us));
  json["tokens_per_s"] = run.tokens > 0 ? or_none(tokens_per_second(run, run.together_us)) : Json();
  json["simulation"] = {
      {"wall_s", run.wall_s}, {"stopped_by", run.stopped_by}, {"revision", revision()}};
  return json;
}

}  // namespace tcsim::report
