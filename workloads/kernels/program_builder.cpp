#include "workloads/kernels/program_builder.hpp"

#include <algorithm>
#include <bit>

namespace tcsim::kernels {

namespace {

using isa::Opcode;

constexpr isa::Register kLoopPredicate = 0;

}  // namespace

void ProgramBuilder::place(isa::Expression& expression) const {
  const auto deepen = [](std::vector<isa::Term>& terms) {
    for (isa::Term& term : terms)
      if (term.variable == isa::Variable::kLoop0) term.variable = isa::Variable::kLoop1;
  };
  if (!has_outer_loop_) return;
  deepen(expression.terms);
  for (isa::Quotient& quotient : expression.quotients) deepen(quotient.terms);
}

isa::Guard ProgramBuilder::placed(isa::Guard guard) const {
  for (isa::Bound& bound : guard.bounds) place(bound.expression);
  return guard;
}

int ProgramBuilder::access(isa::MemoryAccess access) {
  place(access.global.offset);
  place(access.shared.offset);
  access.source = placed(std::move(access.source));
  program_.accesses.push_back(std::move(access));
  return static_cast<int>(program_.accesses.size()) - 1;
}

int ProgramBuilder::guard(const isa::Guard& asked) {
  if (asked.bounds.empty()) return isa::kNoIndex;
  const isa::Guard guard = placed(asked);
  const auto equal = std::ranges::find(program_.guards, guard);
  if (equal != program_.guards.end()) return static_cast<int>(equal - program_.guards.begin());
  program_.guards.push_back(guard);
  return static_cast<int>(program_.guards.size()) - 1;
}

int ProgramBuilder::async(isa::AsyncOperands operands) {
  program_.async.push_back(std::move(operands));
  return static_cast<int>(program_.async.size()) - 1;
}

int ProgramBuilder::never() { return guard({{{{.constant = 0}, 0}}}); }

void ProgramBuilder::append(std::span<const isa::Instruction> instructions) {
  program_.instructions.insert(program_.instructions.end(), instructions.begin(),
                               instructions.end());
}

isa::Variable ProgramBuilder::next_counter() const {
  return static_cast<isa::Variable>(static_cast<std::size_t>(isa::Variable::kLoop0) + open_.size());
}

void ProgramBuilder::begin_loop() {
  program_.loops.push_back({.first = static_cast<int>(program_.instructions.size()),
                            .last = 0,
                            .depth = static_cast<int>(open_.size()),
                            .trips = {}});
  open_.push_back(program_.loops.size() - 1);
}

void ProgramBuilder::begin_outer_loop() {
  begin_loop();
  has_outer_loop_ = true;
}

void ProgramBuilder::begin_skippable_loop() {
  append(control(isa::Opcode::kBraSkip, static_cast<std::int32_t>(program_.loops.size())));
  begin_loop();
}

void ProgramBuilder::end_loop(const isa::Expression& trips) {
  const isa::Loop& loop = program_.loops[open_.back()];
  // The branch tests the first compare of the body, so that the result is ready.
  const auto compare =
      std::ranges::find(program_.instructions.begin() + loop.first, program_.instructions.end(),
                        isa::Opcode::kIsetp, &isa::Instruction::opcode);
  const bool has_compare = compare != program_.instructions.end();
  if (has_compare) compare->dst = kLoopPredicate;
  close_loop(trips, has_compare);
}

void ProgramBuilder::close_loop(const isa::Expression& trips, bool has_compare) {
  isa::Loop& loop = program_.loops[open_.back()];
  isa::Instruction branch = control(isa::Opcode::kBra, static_cast<std::int32_t>(open_.back()));
  if (has_compare) branch.src[0] = kLoopPredicate;
  append(branch);
  loop.last = static_cast<int>(program_.instructions.size()) - 1;
  loop.trips = trips;
  open_.pop_back();
  if (open_.empty()) has_outer_loop_ = false;
}

void ProgramBuilder::end_waiting_loop(const isa::Expression& entered,
                                      const isa::Expression& until) {
  program_.loops[open_.back()].until = until;
  end_loop(entered);
}

void ProgramBuilder::end_taking_loop(const isa::Expression& trips, std::int64_t numbers,
                                     isa::Register next) {
  program_.loops[open_.back()].numbers = numbers;
  append(arithmetic(isa::Opcode::kIsetp, kLoopPredicate, next));
  close_loop(trips, /*has_compare=*/true);
}

isa::WarpProgram ProgramBuilder::finish() {
  append(control(isa::Opcode::kExit));
  return std::move(program_);
}

isa::Instruction load(isa::Opcode opcode, isa::Register dst, isa::Register address, int access,
                      int guard) {
  return {.opcode = opcode,
          .dst = dst,
          .src = {address, isa::kZeroRegister, isa::kZeroRegister, isa::kZeroRegister},
          .access = access,
          .guard = guard};
}

isa::Instruction store(isa::Opcode opcode, isa::Register data, isa::Register address, int access,
                       int guard) {
  return {.opcode = opcode,
          .src = {address, data, isa::kZeroRegister, isa::kZeroRegister},
          .access = access,
          .guard = guard};
}

isa::Instruction control(isa::Opcode opcode, std::int32_t immediate, int guard) {
  return {.opcode = opcode, .guard = guard, .immediate = immediate};
}

isa::Instruction arithmetic(isa::Opcode opcode, isa::Register dst, isa::Register a, isa::Register b,
                            isa::Register c, isa::Register d) {
  return {.opcode = opcode, .dst = dst, .src = {a, b, c, d}};
}

isa::Instruction with_immediate(isa::Instruction instruction, std::int32_t literal) {
  instruction.immediate = literal;
  instruction.has_immediate = true;
  return instruction;
}

std::int32_t fp32_literal(double value) {
  return std::bit_cast<std::int32_t>(static_cast<float>(value));
}

isa::Instruction with_literal(Opcode opcode, int dst, int a, double value) {
  return with_immediate(arithmetic(opcode, reg(dst), reg(a)), fp32_literal(value));
}

void extend(Instructions& to, const Instructions& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Instructions clear_registers(int first, int end) {
  Instructions clears;
  for (int r = first; r < end; r += 2) clears.push_back(arithmetic(Opcode::kCs2r, reg(r)));
  return clears;
}

Opcode global_load_of(int bytes) {
  if (bytes == 16) return Opcode::kLdg128;
  return bytes == 8 ? Opcode::kLdg64 : bytes == 4 ? Opcode::kLdg32 : Opcode::kLdg16;
}

Opcode global_store_of(int bytes) {
  if (bytes == 16) return Opcode::kStg128;
  return bytes == 8 ? Opcode::kStg64 : bytes == 4 ? Opcode::kStg32 : Opcode::kStg16;
}

Opcode shared_load_of(int bytes) {
  if (bytes == 16) return Opcode::kLds128;
  return bytes == 8 ? Opcode::kLds64 : bytes == 4 ? Opcode::kLds32 : Opcode::kLds16;
}

Opcode shared_store_of(int bytes) {
  if (bytes == 16) return Opcode::kSts128;
  return bytes == 8 ? Opcode::kSts64 : bytes == 4 ? Opcode::kSts32 : Opcode::kSts16;
}

isa::Instruction with_parameter(isa::Instruction instruction, int number) {
  instruction.immediate = isa::kParameterOffset + 4 * number;
  instruction.has_constant = true;
  return instruction;
}

namespace {

struct Placed {
  std::int64_t position;  // in units of 1 / kWhole
  isa::Instruction instruction;
};
constexpr std::int64_t kPercent = 1'000'000;
constexpr std::int64_t kWhole = 100 * kPercent;

/// The instructions of all streams, ordered by position; each stream keeps its order.
std::vector<Placed> by_position(std::span<const Stream> streams) {
  std::vector<Placed> placed;
  for (const Stream& stream : streams) {
    const auto count = static_cast<std::int64_t>(stream.instructions.size());
    const std::int64_t width = (stream.end_percent - stream.begin_percent) * kPercent;
    for (std::int64_t i = 0; i < count; ++i)
      placed.push_back({stream.begin_percent * kPercent + width * (2 * i + 1) / (2 * count),
                        stream.instructions[static_cast<std::size_t>(i)]});
  }
  std::ranges::stable_sort(placed, {}, &Placed::position);
  return placed;
}

}  // namespace

Instructions merge_evenly(std::span<const Stream> streams) {
  Instructions merged;
  for (const Placed& placed : by_position(streams)) merged.push_back(placed.instruction);
  return merged;
}

Instructions place_in_gaps(std::span<const isa::Instruction> main,
                           std::span<const Stream> streams) {
  const std::vector<Placed> placed = by_position(streams);
  const auto gaps = static_cast<std::int64_t>(main.size());
  Instructions filled;
  filled.reserve(main.size() + placed.size());
  auto next = placed.begin();
  for (std::int64_t gap = 0; gap < gaps; ++gap) {
    filled.push_back(main[static_cast<std::size_t>(gap)]);
    const bool is_last = gap + 1 == gaps;
    for (; next != placed.end() && (is_last || next->position * gaps < (gap + 1) * kWhole); ++next)
      filled.push_back(next->instruction);
  }
  return filled;
}

isa::KernelLaunch uniform_launch(isa::KernelLaunch launch, isa::WarpProgram program) {
  launch.programs.push_back(std::move(program));
  launch.program_of_warp.assign(static_cast<std::size_t>(launch.warps_per_cta), 0);
  return launch;
}

}  // namespace tcsim::kernels
