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

std::string heading(const StreamsRun& run) {
  return fmt::format("{}, batch {}, {}, {}, {} instances on {}", run.network, run.batch,
                     run.precision, run.pass, run.ends_us.size(), run.machine_name);
}

Table table_of(const StreamsRun& run) {
  Table table{{"", "time us", "samples/s"}, {}};
  for (std::size_t i = 0; i < run.ends_us.size(); ++i)
    table.rows.push_back(
        {fmt::format("instance {}", i + 1), fmt::format("{:.2f}", run.ends_us[i]), ""});
  const auto add = [&](const char* what, double time_us) {
    table.rows.push_back({what, fmt::format("{:.2f}", time_us),
                          fmt::format("{:.1f}", samples_per_second(run, time_us))});
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
      "network,machine,batch,precision,pass,instances,together_us,in_turn_us,gain,overrides\n"
      "{},{},{},{},{},{},{},{},{},{}\n",
      text::csv_field(run.network), text::csv_field(run.machine), run.batch, run.precision,
      run.pass, run.ends_us.size(), cell(run, run.together_us), cell(run, run.in_turn_us),
      cell(run, run.gain()), overrides_field(run.overrides));
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
  json["fidelity"] = "cycle";
  json["complete"] = run.is_complete;
  const auto or_none = [&run](const Json& figures) { return run.is_complete ? figures : Json(); };
  json["instance_end_us"] = or_none(run.ends_us);
  json["together_us"] = or_none(run.together_us);
  json["in_turn_us"] = or_none(run.in_turn_us);
  json["gain"] = or_none(run.gain());
  json["simulation"] = {
      {"wall_s", run.wall_s}, {"stopped_by", run.stopped_by}, {"revision", revision()}};
  return json;
}

}  // namespace tcsim::report
