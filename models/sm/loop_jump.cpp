#include "models/sm/loop_jump.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "models/sm/control_flow.hpp"
#include "models/sm/lane_addresses.hpp"
#include "models/sm/sub_core.hpp"

namespace tcsim::sm {
namespace {

std::int64_t& counter_of(Warp& warp, int depth) {
  return warp
      .bindings[static_cast<std::size_t>(isa::Variable::kLoop0) + static_cast<std::size_t>(depth)];
}
std::int64_t outer_trip(const Warp& warp) {
  return warp.bindings[static_cast<std::size_t>(isa::Variable::kLoop0)];
}

/// Gives a warp its loop counters back in the end.
class KeptCounters {
 public:
  explicit KeptCounters(Warp& warp) : warp_(warp), bindings_(warp.bindings) {}
  ~KeptCounters() { warp_.bindings = bindings_; }
  KeptCounters(const KeptCounters&) = delete;
  KeptCounters& operator=(const KeptCounters&) = delete;

 private:
  Warp& warp_;
  const isa::Bindings bindings_;
};

/// The outermost loop that `warp` is in, if trips of it may be left out.
std::optional<std::size_t> loop_of(const Warp& warp) {
  if (warp.exiting || warp.recorded != nullptr || !warp.program->uniforms.empty()) return {};
  const std::vector<DecodedLoop>& loops = warp.program->loops;
  const auto loop = std::ranges::find_if(loops, [pc = warp.pc()](const DecodedLoop& each) {
    return each.depth == 0 && holds(each, pc);
  });
  if (loop == loops.end() || !loop->only_reads) return {};
  return static_cast<std::size_t>(loop - loops.begin());
}

/// Adds `warp` to `progress`, the mean of whose trips is over `warps` in the end.
void add(const Warp& warp, std::size_t warps, LoopProgress& progress) {
  const auto index = loop_of(warp);
  if (!index) {
    progress.left = 0;
    return;
  }
  const DecodedLoop& loop = warp.program->loops[*index];
  const std::int64_t trip = outer_trip(warp);
  progress.left = std::clamp<std::int64_t>(warp.trips[*index] - trip - 1, 0, progress.left);
  const double part =
      static_cast<double>(warp.pc() - loop.first) / static_cast<double>(loop.last + 1 - loop.first);
  progress.trips += (static_cast<double>(trip) + part) / static_cast<double>(warps);
}

/// Loops inside the outermost one `outer` that hold instruction `pc`, the outer ones first.
std::vector<std::size_t> inner_loops(const DecodedProgram& program, const DecodedLoop& outer,
                                     int pc) {
  std::vector<std::size_t> inner;
  for (std::size_t i = 0; i < program.loops.size(); ++i) {
    const DecodedLoop& loop = program.loops[i];
    if (loop.depth > 0 && holds(outer, loop.first) && holds(loop, pc)) inner.push_back(i);
  }
  std::ranges::sort(inner, {}, [&](std::size_t i) { return program.loops[i].depth; });
  return inner;
}

/// Times that instruction `pc` runs in one trip of `outer`.
std::int64_t runs_per_trip(const Warp& warp, const DecodedLoop& outer, int pc) {
  std::int64_t runs = 1;
  for (const std::size_t loop : inner_loops(*warp.program, outer, pc))
    runs *= std::max<std::int64_t>(0, warp.trips[loop]);
  return runs;
}

}  // namespace

void IssuedWork::add(isa::Opcode opcode, std::int64_t times) {
  instructions += times;
  if (!isa::is_mma(opcode)) return;
  mmas += times;
  macs += times * executed_macs(opcode);
}

void tell_access(const Kernel& kernel, const Warp& warp, int pc, const AccessListener& listener) {
  const DecodedInstruction& instruction = warp.program->instructions[static_cast<std::size_t>(pc)];
  const std::uint32_t lanes = active_lanes(warp, instruction);
  std::vector<LineSectors> lines;
  if (lanes == 0) return listener(lines);
  LaneValues room;
  const LaneAddresses addresses = lane_addresses(warp, instruction, room);
  kernel.global_lines(addresses.access, addresses.base, addresses.offsets, lanes,
                      instruction.effect, lines);
  listener(lines);
}

void for_each_run(Warp& warp, const std::vector<std::size_t>& loops,
                  const std::function<void()>& visit) {
  const KeptCounters kept(warp);
  std::int64_t runs = 1;
  for (const std::size_t loop : loops) runs *= std::max<std::int64_t>(0, warp.trips[loop]);
  for (std::int64_t run = 0; run < runs; ++run) {
    std::int64_t rest = run;
    for (auto each = loops.rbegin(); each != loops.rend(); ++each) {
      counter_of(warp, warp.program->loops[*each].depth) = rest % warp.trips[*each];
      rest /= warp.trips[*each];
    }
    visit();
  }
}

void read_trip(const Kernel& kernel, Warp& warp, std::size_t loop, std::int64_t trip,
               const AccessListener& listener) {
  const DecodedProgram& program = *warp.program;
  const DecodedLoop& outer = program.loops[loop];
  const KeptCounters kept(warp);
  counter_of(warp, 0) = trip;
  for (int pc = outer.first; pc <= outer.last; ++pc) {
    if (!isa::addresses_global(program.instructions[static_cast<std::size_t>(pc)].effect)) continue;
    for_each_run(warp, inner_loops(program, outer, pc),
                 [&] { tell_access(kernel, warp, pc, listener); });
  }
}

bool are_in_loops(const Residency& residency) {
  return !residency.has_pending() && std::ranges::all_of(residency.warps(), [](const Warp& warp) {
    if (!warp.resident) return true;
    const auto loop = loop_of(warp);
    return loop && warp.trips[*loop] - outer_trip(warp) > 1;
  });
}

std::vector<LoopProgress> loop_progress(const Residency& residency) {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  std::map<int, LoopProgress> by_slot;
  std::map<int, std::size_t> resident;
  for (const Warp& warp : residency.warps()) {
    if (!warp.resident) continue;
    const int slot = warp.cta_slot;
    LoopProgress& progress =
        by_slot.try_emplace(slot, LoopProgress{slot, 0, 0, kAll}).first->second;
    progress.start = std::max(progress.start, warp.age);
    add(warp, residency.cta_of(warp).warps.size(), progress);
    ++resident[slot];
  }
  std::vector<LoopProgress> all;
  for (auto& [slot, progress] : by_slot) {
    if (resident[slot] != residency.cta(slot).warps.size()) progress.left = 0;
    all.push_back(progress);
  }
  return all;
}

void LoopJump::leave_out(int slot, std::int64_t trips) {
  for (const int place : residency_.cta(slot).warps) {
    Warp& warp = residency_.warp(place);
    const std::size_t loop = *loop_of(warp);
    gaps_.push_back({&warp, loop, trips});
    const DecodedLoop& outer = warp.program->loops[loop];
    for (int pc = outer.first; pc <= outer.last; ++pc)
      issued_[warp.sub_core].add(warp.program->instructions[static_cast<std::size_t>(pc)].opcode,
                                 trips * runs_per_trip(warp, outer, pc));
  }
  most_trips_ = std::max(most_trips_, trips);
}

void LoopJump::read(std::int64_t trip, const AccessListener& listener) {
  for (const Gap& gap : gaps_)
    if (trip < gap.trips)
      read_trip(kernel_, *gap.warp, gap.loop, outer_trip(*gap.warp) + 1 + trip, listener);
}

void LoopJump::carry_out() {
  for (const Gap& gap : gaps_) counter_of(*gap.warp, 0) += gap.trips;
}

}  // namespace tcsim::sm
