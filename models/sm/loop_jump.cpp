#include "models/sm/loop_jump.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "models/sm/async_operands.hpp"
#include "models/sm/control_flow.hpp"
#include "models/sm/lane_addresses.hpp"
#include "models/sm/sub_core.hpp"

namespace tcsim::sm {
namespace {

/// True if instruction `pc` is in `loop`.
bool holds(const DecodedLoop& loop, int pc) { return loop.first <= pc && pc <= loop.last; }

std::int64_t& counter_of(Warp& warp, int depth) { return warp.bindings[isa::loop_place(depth)]; }
std::int64_t trip_of(const Warp& warp, std::size_t loop) {
  return warp.bindings[isa::loop_place(warp.program->loops[loop].depth)];
}

/// Restores the loop counters of a warp when it goes out of scope.
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

/// The outermost loop at depth `depth` or deeper that `warp` is in and whose iterations may be
/// skipped. Iterations of outermost loops set the uniforms.
std::optional<std::size_t> loop_of(const Warp& warp, int depth = 0) {
  if (warp.recorded != nullptr) return {};
  if (!warp.program->uniforms.empty()) depth = std::max(depth, 1);
  const std::vector<DecodedLoop>& loops = warp.program->loops;
  std::optional<std::size_t> outermost;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (loops[i].only_reads && loops[i].depth >= depth && holds(loops[i], warp.pc()) &&
        (!outermost || loops[i].depth < loops[*outermost].depth))
      outermost = i;
  return outermost;
}

/// Iterations of its loop `loop` that `warp` still has after the current one.
std::int64_t trips_left(const Warp& warp, std::size_t loop) {
  return warp.trips[loop] - trip_of(warp, loop) - 1;
}

/// True unless `warp` has ended or sleeps outside such loops. A warpgroup whose turn it is not
/// sleeps like this; others wake it when they are done with their loops.
bool takes_part(const Warp& warp) {
  const bool sleeps = warp.hold == Hold::kPhase || warp.barrier != kNoBarrier;
  return warp.resident && !warp.exiting && !(sleeps && !loop_of(warp));
}

/// The warps in `slot` that take part in its loop.
std::vector<Warp*> warps_of(Residency& residency, int slot) {
  std::vector<Warp*> warps;
  for (const int place : residency.cta(slot).warps) {
    Warp& warp = residency.warp(place);
    if (warp.cta_slot == slot && takes_part(warp)) warps.push_back(&warp);
  }
  return warps;
}

/// The depth of the loops whose iterations `warps` may skip together.
int depth_of(const auto& warps) {
  int depth = 0;
  for (const Warp* warp : warps)
    if (const auto loop = loop_of(*warp))
      depth = std::max(depth, warp->program->loops[*loop].depth);
  return depth;
}

/// Progress of the CTA in `slot`, whose participating warps are `warps`.
LoopProgress progress_of(int slot, const std::vector<const Warp*>& warps) {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  LoopProgress progress{slot};
  progress.warps = static_cast<int>(warps.size());
  const int depth = depth_of(warps);
  std::int64_t least = kAll;
  std::int64_t most = 0;
  for (const Warp* warp : warps) {
    const auto index = loop_of(*warp, depth);
    if (!index) return progress;
    const DecodedLoop& loop = warp->program->loops[*index];
    if (loop.depth != depth) return progress;
    progress.run.start = std::max(progress.run.start, warp->age);
    for (int outer = 0; outer < depth; ++outer)
      progress.run.outer += warp->bindings[isa::loop_place(outer)];
    progress.period = std::lcm(progress.period, loop.period);
    const std::int64_t left = std::max<std::int64_t>(trips_left(*warp, *index), 0);
    least = std::min(least, left);
    most = std::max(most, left);
    const double part = static_cast<double>(warp->pc() - loop.first) /
                        static_cast<double>(loop.last + 1 - loop.first);
    progress.trips += (static_cast<double>(trip_of(*warp, *index)) + part) / progress.warps;
  }
  // Warps that hand data to each other are less than `period` iterations apart; otherwise they are
  // in different runs.
  const bool are_together = progress.period == 1 || most - least < progress.period;
  if (!warps.empty() && are_together) progress.left = least;
  return progress;
}

}  // namespace

std::int64_t runs_of(const Warp& warp, const std::vector<std::size_t>& loops) {
  std::int64_t runs = 1;
  for (const std::size_t loop : loops) runs *= std::max<std::int64_t>(0, warp.trips[loop]);
  return runs;
}

void IssuedWork::add(isa::Opcode opcode, std::int64_t times) {
  instructions += times;
  if (!isa::is_mma(opcode) && !isa::is_group_mma(opcode)) return;
  mmas += times;
  macs += times * executed_macs(opcode);
}

void tell_access(const Kernel& kernel, const Warp& warp, int pc, std::vector<LineSectors>& room,
                 const AccessListener& listener) {
  const DecodedInstruction& instruction = warp.program->instructions[static_cast<std::size_t>(pc)];
  const std::uint32_t lanes = active_lanes(warp, instruction);
  room.clear();
  if (lanes == 0) return listener(room);
  if (isa::reads_tile(instruction.effect)) {
    std::vector<BoxLine> box;
    cut(box_of(kernel, warp, instruction), kernel.patterns().line_bytes(),
        kernel.patterns().sector_bytes(), box);
    for (const BoxLine& line : box)
      room.push_back({line.address, line.sectors, line.partial, line.bytes, 1, 1});
    return listener(room);
  }
  LaneValues values;
  const LaneAddresses addresses = lane_addresses(warp, instruction, values);
  kernel.patterns().global_lines(addresses.access, addresses.base, addresses.offsets, lanes,
                                 instruction.effect, room);
  listener(room);
}

void for_each_run(Warp& warp, const std::vector<std::size_t>& loops,
                  const std::function<void()>& visit) {
  const KeptCounters kept(warp);
  const std::int64_t runs = runs_of(warp, loops);
  for (std::int64_t run = 0; run < runs; ++run) {
    std::int64_t rest = run;
    for (auto each = loops.rbegin(); each != loops.rend(); ++each) {
      counter_of(warp, warp.program->loops[*each].depth) = rest % warp.trips[*each];
      rest /= warp.trips[*each];
    }
    visit();
  }
}

void read_trip(const Kernel& kernel, Warp& warp, std::size_t loop, std::int64_t trip, int next,
               const AccessListener& listener) {
  const DecodedLoop& outer = warp.program->loops[loop];
  const KeptCounters kept(warp);
  std::vector<LineSectors> room;
  for (const LoopRead& read : outer.reads) {
    counter_of(warp, outer.depth) = read.pc < next ? trip + 1 : trip;
    const auto tell = [&] { tell_access(kernel, warp, read.pc, room, listener); };
    if (read.inner.empty())
      tell();
    else
      for_each_run(warp, read.inner, tell);
  }
}

bool are_in_loops(const Residency& residency) {
  return !residency.has_pending() && std::ranges::all_of(residency.warps(), [](const Warp& warp) {
    if (!takes_part(warp)) return true;
    for (std::optional<std::size_t> loop = loop_of(warp); loop;
         loop = loop_of(warp, warp.program->loops[*loop].depth + 1))
      if (trips_left(warp, *loop) > 0) return true;
    return false;
  });
}

std::vector<LoopProgress> loop_progress(const Residency& residency) {
  std::map<int, std::vector<const Warp*>> by_slot;
  for (const Warp& warp : residency.warps()) {
    if (!warp.resident) continue;
    std::vector<const Warp*>& warps = by_slot[warp.cta_slot];
    if (takes_part(warp)) warps.push_back(&warp);
  }
  std::vector<LoopProgress> all;
  for (const auto& [slot, warps] : by_slot) all.push_back(progress_of(slot, warps));
  return all;
}

void LoopJump::leave_out(int slot, std::int64_t trips) {
  const std::vector<Warp*> warps = warps_of(residency_, slot);
  const int depth = depth_of(warps);
  for (Warp* const warp : warps) {
    const std::size_t loop = *loop_of(*warp, depth);
    gaps_.push_back({warp, loop, trips});
    const DecodedLoop& outer = warp->program->loops[loop];
    for (int pc = outer.first; pc <= outer.last; ++pc)
      issued_[warp->sub_core].add(
          warp->program->instructions[static_cast<std::size_t>(pc)].opcode,
          trips * runs_of(*warp, loops_around(*warp->program, pc, outer.depth + 1)));
  }
  most_trips_ = std::max(most_trips_, trips);
}

void LoopJump::read(std::int64_t step, std::int64_t steps, const AccessListener& listener) {
  for (const Gap& gap : gaps_) {
    const std::int64_t trip = step * gap.trips / steps;
    if (gap.trips == 0 || (step > 0 && trip == (step - 1) * gap.trips / steps)) continue;
    read_trip(kernel_, *gap.warp, gap.loop, trip_of(*gap.warp, gap.loop) + trip, gap.warp->pc(),
              listener);
  }
}

void LoopJump::carry_out() {
  for (const Gap& gap : gaps_)
    counter_of(*gap.warp, gap.warp->program->loops[gap.loop].depth) += gap.trips;
}

}  // namespace tcsim::sm
