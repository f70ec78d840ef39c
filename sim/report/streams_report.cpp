#include "sim/report/streams_report.hpp"

#include <fmt/format.h>

#include "sim/report/json_report.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/revision.hpp"
#include "sim/report/run_record.hpp"
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
                     run.precision, run.pass, run.ends_us.size(), run.machine);
}

std::vector<std::string> titles() { return {"", "time us", "samples/s"}; }

std::vector<std::vector<std::string>> rows(const StreamsRun& run) {
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < run.ends_us.size(); ++i)
    cells.push_back({fmt::format("instance {}", i + 1), fmt::format("{:.2f}", run.ends_us[i]), ""});
  const auto add = [&](const char* what, double time_us) {
    cells.push_back({what, fmt::format("{:.2f}", time_us),
                     fmt::format("{:.1f}", samples_per_second(run, time_us))});
  };
  add("together", run.together_us);
  add("one after the other", run.in_turn_us);
  return cells;
}

std::string gain_line(const StreamsRun& run) {
  return fmt::format("sharing the machine is {:.2f} times as fast\n", run.gain());
}

}  // namespace

std::string streams_text(const StreamsRun& run) {
  return heading(run) + "\n\n" + aligned_table(titles(), rows(run)) + "\n" + gain_line(run);
}

std::string streams_markdown(const StreamsRun& run) {
  return "# " + text::markdown(heading(run)) + "\n\n" + markdown_table(titles(), rows(run)) + "\n" +
         gain_line(run);
}

std::string streams_csv(const StreamsRun& run) {
  return fmt::format(
      "network,machine,batch,precision,pass,instances,together_us,in_turn_us,gain\n"
      "{},{},{},{},{},{},{},{},{}\n",
      text::csv_field(run.network), text::csv_field(run.machine), run.batch, run.precision,
      run.pass, run.ends_us.size(), stats::shortest(run.together_us),
      stats::shortest(run.in_turn_us), stats::shortest(run.gain()));
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
  json["instance_end_us"] = run.ends_us;
  json["together_us"] = run.together_us;
  json["in_turn_us"] = run.in_turn_us;
  json["gain"] = run.gain();
  json["simulation"] = {
      {"wall_s", run.wall_s}, {"stopped_by", run.stopped_by}, {"revision", revision()}};
  return json;
}

}  // namespace tcsim::report
