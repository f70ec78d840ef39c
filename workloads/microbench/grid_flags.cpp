#include "workloads/microbench/grid_flags.hpp"

#include <utility>

#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr isa::Register kCounterPointer = 0;
constexpr isa::Register kSeen = 2;
constexpr std::uint64_t kCounterBytes = 256;

/// Lanes where `sum` is less than one.
isa::Bound none_of(isa::Expression sum) { return {std::move(sum), 1}; }

/// The thread that passes `where` adds one.
void raise(kernels::ProgramBuilder& builder, int access, const isa::Guard& where) {
  const int guard = builder.guard(where);
  builder.append(kernels::control(Opcode::kMembar, 0, guard));
  builder.append(kernels::with_immediate(
      kernels::store(Opcode::kRedAdd, isa::kZeroRegister, kCounterPointer, access, guard), 1));
}

/// One thread of the warps in which `looks` is one waits for `value`; `looks` is at most zero
/// elsewhere.
void look(kernels::ProgramBuilder& builder, int access, const isa::Expression& looks,
          std::int64_t value) {
  builder.begin_skippable_loop();
  builder.append(kernels::load(Opcode::kLdgStrong32, kSeen, kCounterPointer, access,
                               builder.guard({{none_of({0, {{Variable::kLane, 1}}})}})));
  builder.append(kernels::arithmetic(Opcode::kIsetp, isa::kZeroRegister, kSeen));
  builder.end_waiting_loop(looks, isa::Expression{value, {}});
}

isa::KernelLaunch with_counter(isa::KernelLaunch launch, std::uint64_t base) {
  launch.buffers.push_back(
      {.name = "counter", .base_address = base, .bytes = kCounterBytes, .flags = true});
  return launch;
}

}  // namespace

isa::KernelLaunch grid_meetings(std::int64_t ctas, int warps, int times, std::uint64_t base,
                                const isa::TimingTable& timing) {
  kernels::ProgramBuilder builder("grid meetings");
  const int counter = builder.access({.buffer = 0});
  const isa::Guard first_thread{
      {none_of({0, {{Variable::kLane, 1}}}), none_of({0, {{Variable::kWarp, 1}}})}};
  for (int i = 1; i <= times; ++i) {
    builder.append(kernels::control(Opcode::kBarSync));
    raise(builder, counter, first_thread);
    look(builder, counter, {1, {{Variable::kWarp, -1}}}, i * ctas);
    builder.append(kernels::control(Opcode::kMembar, 0, builder.guard(first_thread)));
    builder.append(kernels::control(Opcode::kBarSync));
  }
  return with_counter(one_program_launch(builder.finish(), timing, ctas, warps), base);
}

isa::KernelLaunch counter_hand_overs(int times, std::uint64_t base,
                                     const isa::TimingTable& timing) {
  kernels::ProgramBuilder builder("counter hand-overs");
  const int counter = builder.access({.buffer = 0});
  const isa::Bound first_lane = none_of({0, {{Variable::kLane, 1}}});
  // Zero in one CTA and one in the other.
  const isa::Expression behind_first{0, {{Variable::kCtaX, 1}}};
  const isa::Expression behind_second{1, {{Variable::kCtaX, -1}}};
  for (int i = 0; i < times; ++i) {
    const bool from_first = i % 2 == 0;
    raise(builder, counter, {{first_lane, none_of(from_first ? behind_first : behind_second)}});
    look(builder, counter, from_first ? behind_first : behind_second, i + 1);
  }
  return with_counter(one_program_launch(builder.finish(), timing, 2, 1), base);
}

}  // namespace tcsim::microbench
