#include "sim/timeline/perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/files/json_text.hpp"
#include "sim/timeline/perfetto_tracks.hpp"

namespace tcsim::timeline {
namespace {

using Json = nlohmann::ordered_json;

constexpr Cycle kIssueBin = 32;
constexpr double kCyclesPerMicrosecond = 1000;  ///< time stamps are microseconds; 1 cycle = 1 ns

struct Slice {
  std::string group;
  std::string name;
  Cycle from;
  Cycle until;
  Json args;
};

std::string warp_group(const InstructionRecord& record) {
  return fmt::format("warp {:02}", record.warp);
}

/// On the unit's track while the unit holds it, and on the warp's track its waits and its issue.
void add_slices(std::vector<Slice>& slices, const InstructionRecord& record) {
  const Json args{{"warp", record.warp},
                  {"cta", record.cta},
                  {"instruction", record.instruction},
                  {"issue_cycle", record.issue}};
  for (const Wait& wait : record.waits) {
    slices.push_back({warp_group(record),
                      "wait: " + cause_text(wait),
                      wait.from,
                      wait.until,
                      {{"instruction", record.text}}});
  }
  if (!record.has_issued()) return;
  slices.push_back({warp_group(record), record.text, record.issue, record.issue + 1, args});
  if (record.was_held())
    slices.push_back({std::string(unit_names(record.opcode).words), record.text, record.held_from(),
                      record.held_until(), args});
}

Json metadata(const char* what, int process, int thread, const Json& args) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", args}};
}

void add_counters(Json& events, const Timeline& timeline, int sub_core) {
  std::map<Cycle, int> issued;
  std::map<Cycle, int> mma_change;
  // The run may have ended long before the window does: a bin without issues is the last.
  Cycle last = timeline.window.first;
  for (const InstructionRecord& record : timeline.records)
    if (record.has_issued()) last = std::max(last, record.issue);
  const Cycle end = std::min(timeline.window.end, last + 2 * kIssueBin);
  for (Cycle at = timeline.window.first; at < end; at += kIssueBin) issued[at] = 0;
  for (const InstructionRecord& record : timeline.records) {
    if (record.sub_core != sub_core || !record.has_issued()) continue;
    if (record.issue >= timeline.window.first && record.issue < timeline.window.end)
      ++issued[record.issue - (record.issue - timeline.window.first) % kIssueBin];
    if (!uses_tensor_core(record.opcode) || !record.was_held()) continue;
    ++mma_change[record.held_from()];
    --mma_change[record.held_until()];
  }
  const auto add = [&](const char* name, const char* unit, Cycle at, int value) {
    events.push_back({{"ph", "C"},
                      {"name", name},
                      {"pid", sub_core},
                      {"ts", static_cast<double>(at) / kCyclesPerMicrosecond},
                      {"args", {{unit, value}}}});
  };
  for (const auto& [at, count] : issued) add("issued per 32 cycles", "instructions", at, count);
  int under_way = 0;
  for (const auto& [at, change] : mma_change) add("MMAs in flight", "MMA", at, under_way += change);
}

void add_sub_core(Json& events, const Timeline& timeline, int sub_core) {
  std::vector<Slice> slices;
  for (const InstructionRecord& record : timeline.records)
    if (record.sub_core == sub_core) add_slices(slices, record);
  std::ranges::stable_sort(slices, {}, &Slice::from);
  events.push_back(
      metadata("process_name", sub_core, 0,
               {{"name", fmt::format("SM {} > sub-core {}", timeline.window.sm, sub_core)}}));
  events.push_back(metadata("process_sort_index", sub_core, 0, {{"sort_index", sub_core}}));
  Tracks tracks;
  for (Slice& slice : slices) {
    const Tracks::Track track = tracks.place(slice.group, slice.from, slice.until);
    if (track.is_new) {
      const std::string name = track.of_group == 0
                                   ? slice.group
                                   : fmt::format("{} ({})", slice.group, track.of_group + 1);
      events.push_back(metadata("thread_name", sub_core, track.number, {{"name", name}}));
    }
    events.push_back(
        {{"ph", "X"},
         {"name", slice.name},
         {"cat", slice.group},
         {"pid", sub_core},
         {"tid", track.number},
         {"ts", static_cast<double>(slice.from) / kCyclesPerMicrosecond},
         {"dur", static_cast<double>(slice.until - slice.from) / kCyclesPerMicrosecond},
         {"args", std::move(slice.args)}});
  }
  add_counters(events, timeline, sub_core);
}

/// A process of its own, above the sub-cores.
void add_path(Json& events, const Timeline& timeline) {
  if (timeline.path.empty()) return;
  const int process = timeline.sub_cores;
  events.push_back(metadata("process_name", process, 0, {{"name", "critical path"}}));
  events.push_back(metadata("process_sort_index", process, 0, {{"sort_index", -1}}));
  events.push_back(metadata("thread_name", process, 1, {{"name", "waits for"}}));
  for (const Timeline::Mark& mark : timeline.path)
    events.push_back(
        {{"ph", "X"},
         {"name", mark.name},
         {"cat", "critical path"},
         {"pid", process},
         {"tid", 1},
         {"ts", static_cast<double>(mark.from) / kCyclesPerMicrosecond},
         {"dur", static_cast<double>(mark.until - mark.from) / kCyclesPerMicrosecond},
         {"args", {{"instruction", mark.text}, {"sm", mark.sm}, {"warp", mark.warp}}}});
}

}  // namespace

std::string perfetto_json(const Timeline& timeline) {
  Json events = Json::array();
  for (int sub_core = 0; sub_core < timeline.sub_cores; ++sub_core)
    if (!timeline.window.sub_core || *timeline.window.sub_core == sub_core)
      add_sub_core(events, timeline, sub_core);
  add_path(events, timeline);
  const Json json{{"displayTimeUnit", "ns"},
                  {"otherData",
                   {{"title", timeline.title},
                    {"machine", timeline.machine},
                    {"time", "1 ns is 1 SM cycle from the start of the run"}}},
                  {"traceEvents", std::move(events)}};
  return files::json_text(json) + "\n";
}

std::size_t perfetto_bytes(const Timeline& timeline) {
  constexpr std::size_t kPerInstruction = 700;  // measured on GEMMs
  return kPerInstruction * timeline.records.size();
}

}  // namespace tcsim::timeline
