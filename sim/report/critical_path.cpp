#include "sim/report/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "sim/files/json_text.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;
using timeline::KernelPath;
using timeline::PathShare;
using timeline::PathStep;

constexpr std::size_t kShownInstructions = 10;

Json shares_json(const std::vector<PathShare>& shares, std::size_t most) {
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(most, shares.size()); ++i)
    json.push_back(
        {{"name", shares[i].name}, {"cycles", shares[i].cycles}, {"steps", shares[i].steps}});
  return json;
}

Json step_json(const KernelPath& path, const PathStep& step) {
  return {{"from", step.from},
          {"cycles", step.cycles()},
          {"cause", cause_name(step.cause)},
          {"unit", path.unit_of(step)},
          {"sm", step.sm},
          {"warp", step.warp},
          {"cta", step.cta},
          {"program", step.program},
          {"instruction", step.instruction},
          {"text", path.text_of(step)}};
}

Json iteration_json(const KernelPath& path) {
  const timeline::PathIteration iteration = timeline::steady_iteration(path);
  if (iteration.trips == 0) return {};
  Json steps = Json::array();
  for (std::size_t i = iteration.first; i < iteration.end; ++i)
    steps.push_back(step_json(path, path.steps[i]));
  return {{"program", iteration.program},
          {"loop", iteration.loop},
          {"trip", iteration.trip},
          {"trips", iteration.trips},
          {"cycles_per_trip",
           static_cast<double>(iteration.cycles_of_run) / static_cast<double>(iteration.trips)},
          {"steps", steps}};
}

/// Causes that have a part in the path, each with its cycles by interval.
Json over_time_json(const KernelPath& path) {
  constexpr int kIntervals = 64;
  const timeline::PathOverTime parts = timeline::over_time(path, kIntervals);
  Json causes = Json::object();
  for (const PathShare& share : timeline::shares_by_cause(path)) causes[share.name] = Json::array();
  for (std::size_t cause = 0; cause < timeline::kPathCauseCount; ++cause) {
    const auto row = causes.find(std::string(cause_name(static_cast<timeline::PathCause>(cause))));
    if (row == causes.end()) continue;
    for (const auto& cycles : parts.cycles) row->push_back(cycles[cause]);
  }
  return {{"edges", parts.edges}, {"cycles", causes}};
}

}  // namespace

Json critical_path_json(const std::vector<KernelPath>& paths) {
  Json json = Json::array();
  for (const KernelPath& path : paths) {
    json.push_back(
        {{"kernel", path.name},
         {"start", path.start},
         {"cycles", path.end - path.start},
         {"steps", path.steps.size()},
         {"complete", path.complete},
         {"by_cause", shares_json(timeline::shares_by_cause(path), timeline::kPathCauseCount)},
         {"by_unit", shares_json(timeline::shares_by_unit(path), path.steps.size())},
         {"by_instruction", shares_json(timeline::shares_by_instruction(path), kShownInstructions)},
         {"over_time", over_time_json(path)},
         {"iteration", iteration_json(path)}});
  }
  return json;
}

std::string critical_path_file(const std::vector<KernelPath>& paths) {
  std::string text = "{\"schema_version\": 1,\n \"columns\": ";
  text += Json({"from", "cycles", "cause", "unit", "sm", "warp", "cta", "program", "instruction",
                "loop", "trip"})
              .dump();
  text += ",\n \"kernels\": [";
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const KernelPath& path = paths[i];
    text += fmt::format("{}\n  {{\"kernel\": {}, \"start\": {}, \"cycles\": {}, \"steps\": [",
                        i == 0 ? "" : ",", files::json_text(Json(path.name), -1), path.start,
                        path.end - path.start);
    const char* separator = "";
    for (const PathStep& step : path.steps) {
      fmt::format_to(std::back_inserter(text), "{}\n   [{},{},\"{}\",\"{}\",{},{},{},{},{},{},{}]",
                     separator, step.from, step.cycles(), cause_name(step.cause),
                     path.unit_of(step), step.sm, step.warp, step.cta, step.program,
                     step.instruction, step.loop, step.trip);
      separator = ",";
    }
    text += "]}";
  }
  return text + "]}\n";
}

std::string critical_path_line(const std::vector<KernelPath>& paths) {
  std::vector<PathShare> all;
  Cycle cycles = 0;
  for (const KernelPath& path : paths) {
    cycles += path.end - path.start;
    for (const PathShare& share : timeline::shares_by_cause(path)) {
      const auto known = std::ranges::find(all, share.name, &PathShare::name);
      if (known == all.end())
        all.push_back(share);
      else
        known->cycles += share.cycles;
    }
  }
  std::ranges::stable_sort(all, std::greater(), &PathShare::cycles);
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, all.size()); ++i)
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", all[i].name,
                        100.0 * static_cast<double>(all[i].cycles) / static_cast<double>(cycles));
  return text;
}

}  // namespace tcsim::report
