#include "models/sm/grid_jump.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "models/isa/any_variable.hpp"
#include "models/sm/lane_values.hpp"
#include "models/sm/sub_core.hpp"

namespace tcsim::sm {
namespace {

/// Iterations that `warp`, before instruction `next`, has completed of its loop `loop`; 0 if that
/// is not an outermost one that only reads.
std::int64_t trips_done(const Warp& warp, std::size_t loop, int next) {
  const DecodedLoop& of = warp.program->loops[loop];
  if (of.depth > 0 || !of.only_reads || next < of.first) return 0;
  return next > of.last ? warp.trips[loop] : warp.bindings[isa::loop_place(0)];
}

/// True if `guard` depends on the CTA alone.
bool is_of_cta(const isa::Guard& guard) {
  return std::ranges::none_of(guard.bounds, [](const isa::Bound& bound) {
    return isa::any_variable(
        bound.expression, [](isa::Variable variable) { return variable > isa::Variable::kCtaZ; });
  });
}

/// The first CTA that warps of `launch` leave early, the number of CTAs if there is none. Nothing
/// if that depends on more than the CTA.
std::optional<std::int64_t> first_ended_early(const isa::KernelLaunch& launch) {
  std::vector<isa::Guard> guards;
  for (const isa::WarpProgram& program : launch.programs)
    for (const isa::Instruction& instruction : program.instructions)
      if (instruction.opcode == isa::Opcode::kExit && instruction.guard != isa::kNoIndex)
        guards.push_back(program.guards[static_cast<std::size_t>(instruction.guard)]);
  if (!std::ranges::all_of(guards, is_of_cta)) return {};
  std::int64_t cta = guards.empty() ? launch.cta_count() : 0;
  for (isa::Bindings bindings{}; cta < launch.cta_count(); ++cta) {
    std::ranges::copy(isa::cta_at(launch, cta), bindings.begin());
    if (std::ranges::any_of(guards, [&](const auto& guard) { return holds(guard, bindings); }))
      break;
  }
  return cta;
}

bool has_known_work(const DecodedProgram& program) {
  return program.uniforms.empty() &&
         std::ranges::none_of(program.loops,
                              [](const DecodedLoop& loop) { return loop.until.has_value(); }) &&
         std::ranges::none_of(program.instructions, [](const DecodedInstruction& instruction) {
           return instruction.effect >= isa::Effect::kInitBarrier;
         });
}

/// CTAs after which the iteration counts of `program` recur: one, a row, a layer or all of a grid.
std::int64_t period_of(const DecodedProgram& program, const isa::KernelLaunch& launch) {
  std::int64_t period = 1;
  std::int64_t ctas = 1;
  for (std::size_t axis = 0; axis < launch.grid.size(); ++axis) {
    ctas *= launch.grid[axis];
    const auto is_on_axis = [axis](isa::Variable variable) {
      return static_cast<std::size_t>(variable) == axis;
    };
    if (std::ranges::any_of(program.loops, [&](const DecodedLoop& loop) {
          return isa::any_variable(loop.trips, is_on_axis);
        }))
      period = ctas;
  }
  return period;
}

void put(const Kernel& kernel, std::int64_t cta, isa::Bindings& position) {
  std::ranges::copy(isa::cta_at(kernel.launch(), cta), position.begin());
}

/// Warp `index` of CTA `cta` before its first instruction, with only its addresses and iteration
/// counts set.
Warp warp_of(const Kernel& kernel, std::int64_t cta, int index) {
  Warp warp;
  warp.program = &kernel.program_of_warp(index);
  put(kernel, cta, warp.bindings);
  warp.bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = index;
  bind_warp(*warp.program, warp.bindings, warp.fixed_values);
  warp.count_trips();
  return warp;
}

/// Passes to `listener` what `warp` reads in iteration `trip` of each read-only outermost loop of
/// which it has begun more iterations than that, if it is before instruction `end`; before
/// iteration 0, also what it reads outside of loops until then.
void read_until(const Kernel& kernel, Warp& warp, int end, std::int64_t trip,
                const AccessListener& listener) {
  const DecodedProgram& program = *warp.program;
  std::vector<LineSectors> room;
  for (int pc = 0; trip == 0 && pc < end; ++pc) {
    const isa::Effect effect = program.instructions[static_cast<std::size_t>(pc)].effect;
    const bool reads = effect == isa::Effect::kLoadGlobal ||
                       effect == isa::Effect::kCopyGlobalToShared || isa::reads_tile(effect);
    if (reads && loops_around(program, pc).empty()) tell_access(kernel, warp, pc, room, listener);
  }
  for (std::size_t loop = 0; loop < program.loops.size(); ++loop)
    if (trip < trips_done(warp, loop, end))
      read_trip(kernel, warp, loop, trip, /*next=*/0, listener);
}

}  // namespace

Waves waves_of(const Kernel& kernel, std::int64_t slots) {
  const isa::KernelLaunch& launch = kernel.launch();
  if (launch.recording != nullptr || isa::uses_clusters(launch) ||
      std::ranges::any_of(launch.buffers, [](const isa::Buffer& buffer) { return buffer.flags; }))
    return {};
  Waves waves;
  for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
    const DecodedProgram& program = kernel.program_of_warp(warp);
    if (!has_known_work(program)) return {};
    waves.period = std::max(waves.period, period_of(program, launch));
  }
  const std::optional<std::int64_t> end = first_ended_early(launch);
  if (!end) return {};
  waves.ctas = (slots + waves.period - 1) / waves.period * waves.period;
  waves.end = *end;
  return waves;
}

IssuedWork work_of_wave(const Kernel& kernel, const Waves& waves) {
  IssuedWork work;
  for (std::int64_t cta = 0; cta < waves.period; ++cta)
    for (int index = 0; index < kernel.launch().warps_per_cta; ++index) {
      const Warp warp = warp_of(kernel, cta, index);
      const std::vector<DecodedInstruction>& instructions = warp.program->instructions;
      for (std::size_t pc = 0; pc < instructions.size(); ++pc) {
        const auto loops = loops_around(*warp.program, static_cast<int>(pc));
        work.add(instructions[pc].opcode, waves.ctas / waves.period * runs_of(warp, loops));
      }
    }
  return work;
}

void renumber(Residency& residency, const Kernel& kernel, std::int64_t ctas) {
  const auto later = [&](const std::array<std::int64_t, 3>& grid) {
    return isa::number_of_cta(kernel.launch(), grid) + ctas;
  };
  for (Warp& warp : residency.warps()) {
    if (!warp.resident) continue;
    isa::Bindings& at = warp.bindings;
    put(kernel, later({at[0], at[1], at[2]}), at);
    bind_warp(*warp.program, warp.bindings, warp.fixed_values);
  }
  residency.for_each_pending(
      [&](CtaPlace& place) { place.grid = isa::cta_at(kernel.launch(), later(place.grid)); });
}

std::int64_t most_trips_done(const Residency& residency) {
  std::int64_t most = 0;
  for (const Warp& warp : residency.warps())
    for (std::size_t loop = 0; warp.resident && loop < warp.program->loops.size(); ++loop)
      most = std::max(most, trips_done(warp, loop, warp.pc()));
  return most;
}

void read_again(Residency& residency, const Kernel& kernel, std::int64_t trip,
                const AccessListener& listener) {
  for (Warp& warp : residency.warps())
    if (warp.resident) read_until(kernel, warp, warp.pc(), trip, listener);
}

CtaAccesses::CtaAccesses(const Kernel& kernel, std::int64_t cta) : kernel_(kernel) {
  for (int index = 0; index < kernel.launch().warps_per_cta; ++index) {
    warps_.push_back(warp_of(kernel, cta, index));
    const Warp& warp = warps_.back();
    for (std::size_t loop = 0; loop < warp.program->loops.size(); ++loop)
      if (warp.program->loops[loop].depth == 0)
        most_trips_ = std::max(most_trips_, warp.trips[loop]);
  }
}

void CtaAccesses::read(std::int64_t trip, const AccessListener& listener) {
  for (Warp& warp : warps_)
    read_until(kernel_, warp, static_cast<int>(warp.program->instructions.size()), trip, listener);
}

void CtaAccesses::write(const AccessListener& listener) {
  std::vector<LineSectors> room;
  for (Warp& warp : warps_) {
    const DecodedProgram& program = *warp.program;
    for (std::size_t pc = 0; pc < program.instructions.size(); ++pc) {
      const isa::Effect effect = program.instructions[pc].effect;
      if (!isa::addresses_global(effect) || !isa::carries_data(effect)) continue;
      for_each_run(warp, loops_around(program, static_cast<int>(pc)),
                   [&] { tell_access(kernel_, warp, static_cast<int>(pc), room, listener); });
    }
  }
}

}  // namespace tcsim::sm
