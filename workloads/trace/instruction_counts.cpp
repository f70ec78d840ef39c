#include "workloads/trace/instruction_counts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "models/isa/box.hpp"
#include "models/isa/smallest_trips.hpp"
#include "models/isa/uniforms.hpp"
#include "sim/errors/errors.hpp"
#include "workloads/trace/count_variables.hpp"

namespace tcsim::trace {
namespace {

using isa::Effect;
using isa::kLanes;
using isa::Variable;

/// Work that counting a grid may take, in evaluations of what differs from one CTA, iteration or
/// copy to the next: minutes at most. No kernel that can be simulated comes near it.
constexpr std::int64_t kMostLooks = std::int64_t{1} << 30;
constexpr std::int64_t kLooksOfWarp = 16;  ///< what counting a warp takes besides

/// Neither is negative.
std::int64_t product(std::int64_t a, std::int64_t b) {
  return b > 0 && a > kMostCounted / b ? kMostCounted : a * b;
}

void add(std::int64_t& sum, std::int64_t count) { sum = std::min(kMostCounted, sum + count); }

template <typename Weight>
std::int64_t weighted_sum(const InstructionCounts& counts, Weight weight) {
  std::int64_t sum = 0;
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<isa::Opcode>(i);
    add(sum, product(counts.of(opcode), weight(opcode)));
  }
  return sum;
}

bool multiplies_matrices(isa::Opcode opcode) {
  return isa::is_mma(opcode) || isa::is_group_mma(opcode);
}

/// What remains of kMostLooks.
class Looks {
 public:
  explicit Looks(const isa::KernelLaunch& launch) : launch_(launch) {}

  /// Throws NotCovered if fewer than `count` remain.
  void require(std::int64_t count) const {
    if (count <= left_) return;
    throw NotCovered("kernel " + launch_.name +
                     ": its instructions cannot be counted: too many CTAs, iterations or copies "
                     "differ from each other");
  }
  /// The same; then `count` fewer remain.
  void take(std::int64_t count) {
    require(count);
    left_ -= count;
  }

 private:
  const isa::KernelLaunch& launch_;
  std::int64_t left_ = kMostLooks;
};

void add(InstructionCounts& sum, const InstructionCounts& counts, std::int64_t times) {
  for (std::size_t i = 0; i < sum.executed.size(); ++i)
    add(sum.executed[i], product(counts.executed[i], times));
  add(sum.box_bytes_loaded, product(counts.box_bytes_loaded, times));
  add(sum.box_bytes_stored, product(counts.box_bytes_stored, times));
  add(sum.box_bytes_put, product(counts.box_bytes_put, times));
  add(sum.box_bytes_prefetched, product(counts.box_bytes_prefetched, times));
}

std::int64_t& value_of(isa::Bindings& bindings, Variable variable) {
  return bindings[static_cast<std::size_t>(variable)];
}

using Times = std::vector<std::int64_t>;

std::int64_t trips_of(const isa::Loop& loop, const isa::Bindings& bindings) {
  return std::max<std::int64_t>(0, isa::evaluate(loop.trips, bindings));
}

/// Multiplies the instructions in `loop` by its iterations.
void repeat(const isa::Loop& loop, std::int64_t trips, Times& times) {
  for (int i = loop.first; i <= loop.last; ++i) {
    std::int64_t& runs = times[static_cast<std::size_t>(i)];
    runs = product(runs, trips);
  }
}

/// Number of times that each instruction inside `outermost` runs; the iterations of that loop
/// differ where uniforms do.
void add_trips(const isa::WarpProgram& program, const isa::Loop& outermost, isa::Bindings bindings,
               Times& times, Looks& looks) {
  Times sum(times.size(), 0);
  const std::int64_t trips = trips_of(outermost, bindings);
  looks.take(trips);
  std::int64_t& counter = value_of(bindings, Variable::kLoop0);
  for (; counter < trips; ++counter) {
    if (counter > 0) isa::bind_uniforms(program.uniforms, bindings);
    Times once(times.size(), 1);
    for (const isa::Loop& loop : program.loops)
      if (loop.depth > 0) repeat(loop, trips_of(loop, bindings), once);
    for (std::size_t i = 0; i < sum.size(); ++i) add(sum[i], once[i]);
  }
  std::copy(sum.begin() + outermost.first, sum.begin() + outermost.last + 1,
            times.begin() + outermost.first);
}

/// Calls `visit` with the variables of each execution of instruction `index`, whose loops from
/// `depth` on have not begun.
template <typename Visit>
void for_each_run(const isa::WarpProgram& program, int index, int depth, isa::Bindings bindings,
                  const Visit& visit) {
  const auto loop = std::ranges::find_if(program.loops, [&](const isa::Loop& each) {
    return each.depth == depth && each.first <= index && index <= each.last;
  });
  if (loop == program.loops.end()) return visit(bindings);
  const std::int64_t trips = trips_of(*loop, bindings);
  std::int64_t& counter = bindings[isa::loop_place(depth)];
  for (; counter < trips; ++counter) {
    if (depth == 0 && counter > 0) isa::bind_uniforms(program.uniforms, bindings);
    for_each_run(program, index, depth + 1, bindings, visit);
  }
}

/// True if some lane passes `guard`.
bool is_passed(const isa::Guard& guard, isa::Bindings bindings) {
  std::int64_t& lane = value_of(bindings, Variable::kLane);
  for (lane = 0; lane < kLanes; ++lane)
    if (isa::holds(guard, bindings)) return true;
  return false;
}

/// Bytes that instruction `index`, which runs that many times, copies where its guard allows it.
std::int64_t box_bytes(const isa::KernelLaunch& launch, const isa::WarpProgram& program,
                       std::size_t index, std::int64_t times, isa::Bindings bindings,
                       Looks& looks) {
  const isa::Instruction& instruction = program.instructions[index];
  const auto& operand =
      std::get<isa::TileOperand>(program.async[static_cast<std::size_t>(instruction.access)]);
  const isa::Guard& guard = guard_of(program, instruction);
  const auto copied = [&](const isa::Bindings& now) -> std::int64_t {
    return is_passed(guard, now) ? isa::box_of(launch, operand, now).bytes() : 0;
  };
  isa::bind_uniforms(program.uniforms, bindings);
  const Variables variables = variables_of_copy(program, instruction);
  const bool varies = std::any_of(variables.begin() + isa::loop_place(0),
                                  variables.begin() + isa::loop_place(isa::kMaxLoopDepth),
                                  [](bool is_used) { return is_used; });
  if (!varies) return product(times, copied(bindings));
  looks.take(times);
  std::int64_t bytes = 0;
  for_each_run(program, static_cast<int>(index), 0, bindings,
               [&](const isa::Bindings& now) { bytes += copied(now); });
  return bytes;
}

/// The count in `counts` for boxes of `effect`. Requires copies_tile.
std::int64_t& bytes_of_boxes(InstructionCounts& counts, Effect effect) {
  if (isa::loads_tile(effect)) return counts.box_bytes_loaded;
  if (isa::writes_tile(effect)) return counts.box_bytes_stored;
  return effect == Effect::kPutTile ? counts.box_bytes_put : counts.box_bytes_prefetched;
}

InstructionCounts count_of_recording(const isa::KernelLaunch& launch) {
  const std::vector<isa::Instruction>& instructions = launch.programs.front().instructions;
  InstructionCounts counts;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const isa::Opcode opcode = instructions[i].opcode;
    counts.executed[static_cast<std::size_t>(opcode)] += launch.recording->executions()[i];
    if (const Effect effect = isa::opcode_info(opcode).effect; isa::copies_tile(effect))
      bytes_of_boxes(counts, effect) += launch.recording->box_bytes()[i];
  }
  return counts;
}

/// Number of times that each instruction runs: the product of the iteration counts of the loops
/// around it. A loop that waits counts once, because how often it polls depends on timing.
Times executions(const isa::WarpProgram& program, isa::Bindings bindings, Looks& looks) {
  Times times(program.instructions.size(), 1);
  isa::bind_uniforms(program.uniforms, bindings);
  const bool iterations_differ = has(variables_of_trips(program), Variable::kLoop0);
  for (const isa::Loop& loop : program.loops) {
    if (!iterations_differ)
      repeat(loop, trips_of(loop, bindings), times);
    else if (loop.depth == 0)
      add_trips(program, loop, bindings, times, looks);
  }
  return times;
}

/// As the public function of this name, on account of `looks`.
InstructionCounts count_of_warp(const isa::KernelLaunch& launch, std::size_t number,
                                const isa::Bindings& bindings, Looks& looks) {
  const isa::WarpProgram& program = launch.programs[number];
  const std::vector<std::int64_t> times = executions(program, bindings, looks);
  InstructionCounts counts;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const isa::Instruction& instruction = program.instructions[i];
    add(counts.executed[static_cast<std::size_t>(instruction.opcode)], times[i]);
    const Effect effect = isa::opcode_info(instruction.opcode).effect;
    if (isa::copies_tile(effect))
      add(bytes_of_boxes(counts, effect), box_bytes(launch, program, i, times[i], bindings, looks));
  }
  return counts;
}

/// What the CTAs of a row along x with numbers below `ctas` execute, one by one; CTAs with
/// equal values of what decides the counts have equal counts.
InstructionCounts count_each_along_x(const isa::KernelLaunch& launch, std::size_t number,
                                     isa::Bindings bindings, std::int64_t ctas, Looks& looks) {
  struct Alike {
    std::int64_t first;
    std::int64_t ctas = 0;
  };
  const isa::WarpProgram& program = launch.programs[number];
  const std::vector<std::size_t> places = deciding_places(program);
  constexpr std::size_t kMostKept = 4096;
  std::map<std::vector<std::int64_t>, Alike> found;
  InstructionCounts sum;
  std::int64_t& x = value_of(bindings, Variable::kCtaX);
  const auto count_found = [&] {
    for (const auto& [values, alike] : found) {
      looks.take(kLooksOfWarp);
      x = alike.first;
      add(sum, count_of_warp(launch, number, bindings, looks), alike.ctas);
    }
    found.clear();
  };
  looks.take(ctas);
  for (std::int64_t cta = 0; cta < ctas; ++cta) {
    x = cta;
    isa::Bindings now = bindings;
    isa::bind_uniforms(program.uniforms, now);
    std::vector<std::int64_t> values;
    for (const std::size_t place : places) values.push_back(now[place]);
    ++found.try_emplace(std::move(values), Alike{cta}).first->second.ctas;
    if (found.size() == kMostKept) count_found();
  }
  count_found();
  return sum;
}

/// The same. If only iteration counts differ and change in one direction, CTAs between two with
/// equal counts have the same counts.
InstructionCounts count_along_x(const isa::KernelLaunch& launch, std::size_t number,
                                isa::Bindings bindings, std::int64_t ctas, Looks& looks) {
  const isa::WarpProgram& program = launch.programs[number];
  const bool leaps =
      !copies_depend_on(program, Variable::kCtaX) &&
      std::ranges::all_of(program.loops, [](const isa::Loop& loop) {
        return !isa::uses_uniforms(loop.trips) && isa::keeps_direction(loop.trips, Variable::kCtaX);
      });
  if (!leaps) return count_each_along_x(launch, number, bindings, ctas, looks);
  std::int64_t& x = value_of(bindings, Variable::kCtaX);
  const auto are_alike = [&](std::int64_t a, std::int64_t b) {
    return std::ranges::all_of(program.loops, [&](const isa::Loop& loop) {
      x = a;
      const std::int64_t trips = trips_of(loop, bindings);
      x = b;
      return trips_of(loop, bindings) == trips;
    });
  };
  InstructionCounts sum;
  for (std::int64_t first = 0; first < ctas;) {
    std::int64_t alike = 1;
    while (first + 2 * alike <= ctas && are_alike(first, first + 2 * alike - 1)) alike *= 2;
    looks.take(kLooksOfWarp);
    x = first;
    add(sum, count_of_warp(launch, number, bindings, looks), alike);
    first += alike;
  }
  return sum;
}

/// What `warp` executes in all CTAs together.
InstructionCounts count_of_warp_in_grid(const isa::KernelLaunch& launch, int warp, Looks& looks) {
  const std::size_t number = launch.program_of_warp[warp];
  const isa::WarpProgram& program = launch.programs[number];
  isa::Bindings bindings{};
  value_of(bindings, Variable::kWarp) = warp;
  // All positions along an axis that the iterations do not depend on count the same.
  constexpr std::array kAxes{Variable::kCtaX, Variable::kCtaY, Variable::kCtaZ};
  std::array<std::int64_t, kAxes.size()> positions{};
  std::int64_t alike = 1;
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const bool matters = depends_on(program, kAxes[axis]);
    positions[axis] = matters ? launch.grid[axis] : 1;
    alike *= matters ? 1 : launch.grid[axis];
  }
  looks.require(product(product(positions[1], positions[2]), kLooksOfWarp));
  InstructionCounts sum;
  std::int64_t& y = value_of(bindings, Variable::kCtaY);
  std::int64_t& z = value_of(bindings, Variable::kCtaZ);
  for (z = 0; z < positions[2]; ++z)
    for (y = 0; y < positions[1]; ++y)
      add(sum, count_along_x(launch, number, bindings, positions[0], looks), alike);
  return sum;
}

}  // namespace

std::int64_t InstructionCounts::total() const {
  return weighted_sum(*this, [](isa::Opcode) { return 1; });
}

std::int64_t InstructionCounts::mma() const {
  return weighted_sum(*this,
                      [](isa::Opcode opcode) { return multiplies_matrices(opcode) ? 1 : 0; });
}

std::int64_t InstructionCounts::mma_macs() const {
  return weighted_sum(*this, [](isa::Opcode opcode) {
    return multiplies_matrices(opcode) ? isa::warp_macs(opcode) : std::int64_t{0};
  });
}

InstructionCounts count_of_warp(const isa::KernelLaunch& launch, std::size_t number,
                                const isa::Bindings& bindings) {
  Looks looks(launch);
  return count_of_warp(launch, number, bindings, looks);
}

InstructionCounts count_of_grid(const isa::KernelLaunch& launch) {
  if (launch.recording != nullptr) return count_of_recording(launch);
  Looks looks(launch);
  std::map<int, int> warps;  // the first of those that are alike, and how many there are
  std::vector<int> first_of_program(launch.programs.size(), -1);
  for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
    const auto program = static_cast<std::size_t>(launch.program_of_warp[warp]);
    int& first = first_of_program[program];
    if (first < 0 || depends_on(launch.programs[program], Variable::kWarp)) first = warp;
    ++warps[first];
  }
  InstructionCounts sum;
  for (const auto& [warp, count] : warps)
    add(sum, count_of_warp_in_grid(launch, warp, looks), count);
  return sum;
}

RequestedBytes requested_bytes(const InstructionCounts& counts) {
  const auto bytes_of = [&](std::initializer_list<Effect> effects) {
    return weighted_sum(counts, [&](isa::Opcode opcode) {
      const isa::OpcodeInfo& info = isa::opcode_info(opcode);
      const bool counted = std::ranges::find(effects, info.effect) != effects.end();
      return counted ? std::int64_t{kLanes} * info.bytes_per_lane : 0;
    });
  };
  return {.global_read =
              counts.box_bytes_loaded + counts.box_bytes_prefetched +
              bytes_of({Effect::kLoadGlobal, Effect::kAtomicGlobal, Effect::kCopyGlobalToShared}),
          .global_written =
              counts.box_bytes_stored +
              bytes_of({Effect::kStoreGlobal, Effect::kAtomicGlobal, Effect::kReduceGlobal}),
          .shared_read = counts.box_bytes_stored + counts.box_bytes_put +
                         bytes_of({Effect::kLoadShared, Effect::kLoadMatrix, Effect::kAtomicShared,
                                   Effect::kLoadCluster, Effect::kAtomicCluster}),
          .shared_written = counts.box_bytes_loaded + counts.box_bytes_put +
                            bytes_of({Effect::kStoreShared, Effect::kStoreMatrix,
                                      Effect::kAtomicShared, Effect::kCopyGlobalToShared,
                                      Effect::kStoreCluster, Effect::kAtomicCluster})};
}

}  // namespace tcsim::trace
