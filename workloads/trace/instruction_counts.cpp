#include "workloads/trace/instruction_counts.hpp"

#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

#include "models/isa/any_variable.hpp"
#include "models/isa/box.hpp"
#include "models/isa/smallest_trips.hpp"

namespace tcsim::trace {
namespace {

using isa::Effect;
using isa::kLanes;
using isa::Variable;

/// Larger counts are limited to this: no simulation comes near it, and a few such counts can be
/// added without overflow.
constexpr std::int64_t kMostCounted = std::numeric_limits<std::int64_t>::max() / 64;

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

const isa::RowOperand* row_of(const isa::AsyncOperands& operands) {
  const auto* const tile = std::get_if<isa::TileOperand>(&operands);
  return tile != nullptr && tile->row ? &*tile->row : nullptr;
}

bool uses(const isa::Expression& expression, Variable variable) {
  return isa::any_variable(expression, [&](Variable used) { return used == variable; });
}

/// The guard of `instruction`, which all lanes pass where it has none.
const isa::Guard& guard_of(const isa::WarpProgram& program, const isa::Instruction& instruction) {
  static const isa::Guard open;
  return instruction.guard == isa::kNoIndex
             ? open
             : program.guards[static_cast<std::size_t>(instruction.guard)];
}

/// True if what instructions of `program` copy depends on `variable`, one of the CTA's variables.
bool copies_depend_on(const isa::WarpProgram& program, Variable variable) {
  return std::ranges::any_of(program.instructions, [&](const isa::Instruction& instruction) {
    if (!isa::copies_tile(isa::opcode_info(instruction.opcode).effect)) return false;
    const isa::RowOperand* const row =
        row_of(program.async[static_cast<std::size_t>(instruction.access)]);
    return (row != nullptr && uses(row->bytes, variable)) ||
           std::ranges::any_of(guard_of(program, instruction).bounds, [&](const isa::Bound& bound) {
             return uses(bound.expression, variable);
           });
  });
}

/// True if how often instructions of `program` run, or what they copy, depends on `variable`, one
/// of the CTA's variables.
bool depends_on(const isa::WarpProgram& program, Variable variable) {
  return !program.uniforms.empty() || copies_depend_on(program, variable) ||
         std::ranges::any_of(program.loops,
                             [&](const isa::Loop& loop) { return uses(loop.trips, variable); });
}

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
               Times& times) {
  Times sum(times.size(), 0);
  const std::int64_t trips = trips_of(outermost, bindings);
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

/// True if `expression` may have another value each time its instruction runs.
bool may_vary(const isa::Expression& expression) {
  return isa::any_variable(expression,
                           [](Variable variable) { return variable >= Variable::kLoop0; });
}

/// Bytes that instruction `index`, which runs that many times, copies where its guard allows it.
std::int64_t box_bytes(const isa::KernelLaunch& launch, const isa::WarpProgram& program,
                       std::size_t index, std::int64_t times, isa::Bindings bindings) {
  const isa::Instruction& instruction = program.instructions[index];
  const auto& operand =
      std::get<isa::TileOperand>(program.async[static_cast<std::size_t>(instruction.access)]);
  const isa::Guard& guard = guard_of(program, instruction);
  const auto copied = [&](const isa::Bindings& now) -> std::int64_t {
    return is_passed(guard, now) ? isa::box_of(launch, operand, now).bytes() : 0;
  };
  isa::bind_uniforms(program.uniforms, bindings);
  const bool varies = (operand.row && may_vary(operand.row->bytes)) ||
                      std::ranges::any_of(guard.bounds, [](const isa::Bound& bound) {
                        return may_vary(bound.expression);
                      });
  if (!varies) return product(times, copied(bindings));
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
Times executions(const isa::WarpProgram& program, isa::Bindings bindings) {
  Times times(program.instructions.size(), 1);
  isa::bind_uniforms(program.uniforms, bindings);
  for (const isa::Loop& loop : program.loops) {
    if (program.uniforms.empty())
      repeat(loop, trips_of(loop, bindings), times);
    else if (loop.depth == 0)
      add_trips(program, loop, bindings, times);
  }
  return times;
}

/// What the CTAs of a row along x with numbers below `ctas` execute. If only iteration counts
/// differ and change in one direction, CTAs between two with equal counts have the same counts.
InstructionCounts count_along_x(const isa::KernelLaunch& launch, std::size_t number,
                                isa::Bindings bindings, std::int64_t ctas) {
  const isa::WarpProgram& program = launch.programs[number];
  const bool leaps = program.uniforms.empty() && !copies_depend_on(program, Variable::kCtaX) &&
                     std::ranges::all_of(program.loops, [](const isa::Loop& loop) {
                       return isa::keeps_direction(loop.trips, Variable::kCtaX);
                     });
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
    while (leaps && first + 2 * alike <= ctas && are_alike(first, first + 2 * alike - 1))
      alike *= 2;
    x = first;
    add(sum, count_of_warp(launch, number, bindings), alike);
    first += alike;
  }
  return sum;
}

/// What `warp` executes in all CTAs together.
InstructionCounts count_of_warp_in_grid(const isa::KernelLaunch& launch, int warp) {
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
  InstructionCounts sum;
  std::int64_t& y = value_of(bindings, Variable::kCtaY);
  std::int64_t& z = value_of(bindings, Variable::kCtaZ);
  for (z = 0; z < positions[2]; ++z)
    for (y = 0; y < positions[1]; ++y)
      add(sum, count_along_x(launch, number, bindings, positions[0]), alike);
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
  const isa::WarpProgram& program = launch.programs[number];
  const std::vector<std::int64_t> times = executions(program, bindings);
  InstructionCounts counts;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const isa::Instruction& instruction = program.instructions[i];
    add(counts.executed[static_cast<std::size_t>(instruction.opcode)], times[i]);
    const Effect effect = isa::opcode_info(instruction.opcode).effect;
    if (isa::copies_tile(effect))
      add(bytes_of_boxes(counts, effect), box_bytes(launch, program, i, times[i], bindings));
  }
  return counts;
}

InstructionCounts count_of_grid(const isa::KernelLaunch& launch) {
  if (launch.recording != nullptr) return count_of_recording(launch);
  InstructionCounts sum;
  for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
    add(sum, count_of_warp_in_grid(launch, warp), 1);
  }
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
