#include "sim/timeline/critical_path.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "sim/timeline/record.hpp"

namespace tcsim::timeline {
namespace {

template <typename NameOf>
std::vector<PathShare> shares(const KernelPath& path, NameOf name_of) {
  std::vector<PathShare> found;
  std::unordered_map<std::string, std::size_t> places;
  for (const PathStep& step : path.steps) {
    const auto [place, is_new] = places.try_emplace(name_of(step), found.size());
    if (is_new) found.push_back({place->first});
    found[place->second].cycles += step.cycles();
    ++found[place->second].steps;
  }
  std::ranges::stable_sort(found, std::greater(), &PathShare::cycles);
  return found;
}

/// Consecutive trips of a loop as the path sees them: a trip begins with the first step in it.
struct Run {
  std::vector<std::size_t> begins;  ///< step of each trip
  std::int64_t first_trip = 0;
};

}  // namespace

std::string_view cause_name(PathCause cause) {
  static constexpr std::array<std::string_view, kPathCauseCount> kNames{
      "launch",       "CTA dispatch",  "instruction fetch", "constant",
      "dependence",   "issue slot",    "pipe busy",         "register port",
      "memory queue", "data path",     "L1 miss entries",   "shared memory",
      "L1 hit",       "request port",  "network",           "L2 queue",
      "L2",           "L2 miss",       "L2 and DRAM",       "return to the SM",
      "tile copy",    "barrier",       "mbarrier",          "cluster barrier",
      "writes",       "end of the CTA"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string KernelPath::text_of(const PathStep& step) const {
  if (step.instruction == kNoPlace) return "";
  return texts[static_cast<std::size_t>(step.program)][static_cast<std::size_t>(step.instruction)];
}

std::string KernelPath::unit_of(const PathStep& step) const {
  switch (step.cause) {
    case PathCause::kLaunch:
    case PathCause::kDispatch:
    case PathCause::kDrain:
      return "CTA scheduler";
    case PathCause::kFetch:
      return "instruction caches";
    case PathCause::kConstant:
      return "constant caches";
    case PathCause::kIssueSlot:
      return "warp scheduler";
    case PathCause::kRegisterPort:
      return "register file";
    case PathCause::kMemoryQueue:
    case PathCause::kDataPath:
      return "memory pipeline";
    case PathCause::kShared:
      return "shared memory";
    case PathCause::kMissEntries:
    case PathCause::kL1:
    case PathCause::kRequestPort:
    case PathCause::kReturn:
      return "L1";
    case PathCause::kNetwork:
      return "network";
    case PathCause::kL2Queue:
    case PathCause::kL2:
      return "L2";
    case PathCause::kL2Miss:
      return "DRAM";
    case PathCause::kMemorySide:
    case PathCause::kWrites:
      return "L2 and DRAM";
    case PathCause::kTileCopy:
      return "TMA";
    case PathCause::kBarrier:
    case PathCause::kMbarrier:
    case PathCause::kCluster:
      return "barriers";
    default:
      break;
  }
  if (step.instruction == kNoPlace) return "control";
  const isa::Opcode opcode =
      opcodes[static_cast<std::size_t>(step.program)][static_cast<std::size_t>(step.instruction)];
  return std::string(unit_names(opcode).words);
}

std::vector<Timeline::Mark> marks_in(const Window& window, const std::vector<KernelPath>& paths) {
  std::vector<Timeline::Mark> marks;
  for (const KernelPath& path : paths)
    for (const PathStep& step : path.steps)
      if (step.until > window.first && step.from < window.end)
        marks.push_back({step.from, step.until,
                         std::string(cause_name(step.cause)) + ": " + path.unit_of(step),
                         path.text_of(step), step.sm, step.warp});
  return marks;
}

std::vector<PathShare> shares_by_cause(const KernelPath& path) {
  return shares(path, [](const PathStep& step) { return std::string(cause_name(step.cause)); });
}

std::vector<PathShare> shares_by_unit(const KernelPath& path) {
  return shares(path, [&path](const PathStep& step) { return path.unit_of(step); });
}

std::vector<PathShare> shares_by_instruction(const KernelPath& path) {
  return shares(path, [&path](const PathStep& step) {
    if (step.instruction == kNoPlace) return std::string("no instruction");
    return std::to_string(step.program) + "." + std::to_string(step.instruction) + "  " +
           path.text_of(step);
  });
}

PathOverTime over_time(const KernelPath& path, int intervals) {
  PathOverTime result;
  const Cycle whole = path.end - path.start;
  const Cycle length = std::max<Cycle>(1, ceil_div<Cycle>(whole, intervals));
  for (Cycle edge = 0; edge < whole;) result.edges.push_back(edge = std::min(whole, edge + length));
  result.cycles.resize(result.edges.size());
  for (const PathStep& step : path.steps) {
    Cycle from = step.from - path.start;
    const Cycle until = step.until - path.start;
    while (from < until) {
      const auto place = static_cast<std::size_t>(from / length);
      const Cycle end = std::min(until, result.edges[place]);
      result.cycles[place][static_cast<std::size_t>(step.cause)] += end - from;
      from = end;
    }
  }
  return result;
}

PathIteration steady_iteration(const KernelPath& path) {
  std::map<std::pair<int, int>, Cycle> loops;
  for (const PathStep& step : path.steps)
    if (step.loop != kNoPlace) loops[{step.program, step.loop}] += step.cycles();
  if (loops.empty()) return {};
  const auto [program, loop] =
      std::ranges::max_element(loops, {}, [](const auto& entry) { return entry.second; })->first;
  Run longest;
  Run run;
  std::int64_t trip = 0;
  const auto close = [&] {
    if (run.begins.size() > longest.begins.size()) longest = run;
    run = {};
  };
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const PathStep& step = path.steps[i];
    if (step.program != program || step.loop != loop) continue;
    // Warps of a CTA, and those beside it, are a trip or two apart: only a step back by more begins
    // anew.
    constexpr std::int64_t kApart = 4;
    if (run.begins.empty() || step.trip < trip - kApart || step.trip > trip + kApart) {
      close();
      run.begins = {i};
      run.first_trip = trip = step.trip;
    } else {
      for (; trip < step.trip; ++trip) run.begins.push_back(i);
    }
  }
  close();
  constexpr std::size_t kFewest = 4;  // three trips have a beginning and an end
  if (longest.begins.size() < kFewest) return {};
  // Of the trips next to the middle, the first that the path has steps of.
  std::size_t middle = (longest.begins.size() - 1) / 2;
  while (middle + 2 < longest.begins.size() && longest.begins[middle] == longest.begins[middle + 1])
    ++middle;
  PathIteration found;
  found.program = program;
  found.loop = loop;
  found.trip = longest.first_trip + static_cast<std::int64_t>(middle);
  found.trips = static_cast<std::int64_t>(longest.begins.size()) - 1;
  found.cycles_of_run =
      path.steps[longest.begins.back()].from - path.steps[longest.begins.front()].from;
  found.first = longest.begins[middle];
  found.end = longest.begins[middle + 1];
  return found;
}

}  // namespace tcsim::timeline
