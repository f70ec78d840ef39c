#include "tests/timeline/trace_event_checker.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace tcsim::timeline::test {
namespace {

using Json = nlohmann::json;

struct Slice {
  long long from;
  long long until;
};
using Thread = std::pair<int, int>;

/// Nanoseconds of a time stamp in microseconds, which must be a whole number of them.
long long nanoseconds(double microseconds) { return std::llround(microseconds * 1000); }

Thread thread_of(const Json& event) { return {event["pid"].get<int>(), event["tid"].get<int>()}; }

bool nests(std::vector<Slice> slices) {
  std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
    return a.from != b.from ? a.from < b.from : a.until > b.until;
  });
  std::vector<long long> open;
  for (const Slice& slice : slices) {
    while (!open.empty() && open.back() <= slice.from) open.pop_back();
    if (!open.empty() && slice.until > open.back()) return false;
    open.push_back(slice.until);
  }
  return true;
}

std::string complete_mistake(const Json& event) {
  for (const char* key : {"ts", "dur"})
    if (!event.contains(key) || !event[key].is_number()) return std::string(key) + " is no number";
  if (event["ts"] < 0) return "negative time stamp";
  if (nanoseconds(event["dur"]) < 1) return "slice without duration";
  if (!event.contains("name") || !event["name"].is_string()) return "slice without a name";
  return "";
}

std::string counter_mistake(const Json& event) {
  if (!event.contains("args") || !event["args"].is_object() || event["args"].empty())
    return "counter without values";
  for (const auto& value : event["args"])
    if (!value.is_number()) return "counter value is no number";
  return "";
}

}  // namespace

std::string trace_event_mistake(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("traceEvents") || !json["traceEvents"].is_array())
    return "no array traceEvents";
  std::map<Thread, std::vector<Slice>> slices;
  std::set<Thread> named;
  std::set<int> processes;
  for (const Json& event : json["traceEvents"]) {
    if (!event.contains("ph") || !event.contains("pid")) return "event without phase or process";
    const std::string phase = event["ph"];
    std::string mistake;
    if (phase == "M" && event["name"] == "thread_name") {
      named.insert(thread_of(event));
    } else if (phase == "M" && event["name"] == "process_name") {
      processes.insert(event["pid"].get<int>());
    } else if (phase == "X") {
      mistake = complete_mistake(event);
      if (mistake.empty()) {
        const long long from = nanoseconds(event["ts"]);
        slices[thread_of(event)].push_back({from, from + nanoseconds(event["dur"])});
      }
    } else if (phase == "C") {
      mistake = counter_mistake(event);
    } else if (phase != "M") {
      mistake = "unknown phase " + phase;
    }
    if (!mistake.empty()) return mistake + ": " + event.dump();
  }
  for (const auto& [thread, of_thread] : slices) {
    if (!named.contains(thread) || !processes.contains(thread.first)) return "track without a name";
    if (!nests(of_thread)) return "slices do not nest";
  }
  return "";
}

}  // namespace tcsim::timeline::test
