// A run that can never go on is told from a long one, and says who waits for whom.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/gpu/simulation.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

using testing::HasSubstr;
using testing::Not;

/// A warp that waits for fewer than no copy groups waits for ever; no valid program does.
isa::WarpProgram endless_wait() {
  ProgramBuilder program("endless");
  program.op(Opcode::kNop);
  program.op(Opcode::kDepbar).immediate(-1);
  program.op(Opcode::kExit);
  return program.program();
}

isa::WarpProgram barrier() {
  ProgramBuilder program("barrier");
  program.op(Opcode::kBarSync);
  program.op(Opcode::kExit);
  return program.program();
}

/// Waits for a phase of an mbarrier at which nobody arrives.
isa::WarpProgram phase_wait() {
  ProgramBuilder program("phase");
  program.op(Opcode::kSyncsExch);
  program.op(Opcode::kSyncsTryWait);
  program.op(Opcode::kExit);
  isa::WarpProgram built = program.program();
  built.async = {isa::BarrierOperand{{64}, {2}}, isa::BarrierOperand{{64}, {0}}};
  for (int i = 0; i < 2; ++i) built.instructions[static_cast<std::size_t>(i)].access = i;
  return built;
}

/// Waits until the first flag is at least `until`, works for `cycles`, then adds `raise` to it if
/// that is not 0.
isa::WarpProgram look(const Expression& until, Cycle cycles, int raise) {
  ProgramBuilder program("look");
  const int first_lane = program.guard(per_lane(1), 1);
  program.op(Opcode::kBraSkip).immediate(0).stall(10);
  const int loop = program.begin_loop(0, Expression{1, {}});
  program.global(Opcode::kLdgStrong32, {}).dst(8).guard(first_lane).writes(0).stall(2);
  program.op(Opcode::kIsetp).src(8).waits(0).stall(12);
  program.end_loop(loop).stall(10);
  for (Cycle left = cycles; left > 0; left -= 10) program.op(Opcode::kNop).stall(10);
  if (raise != 0) program.global(Opcode::kRedAdd, {}).guard(first_lane).immediate(raise).stall(2);
  program.op(Opcode::kExit);
  isa::WarpProgram built = program.program();
  built.loops.front().until = until;
  for (isa::Instruction& instruction : built.instructions)
    if (instruction.opcode == Opcode::kRedAdd) instruction.has_immediate = true;
  return built;
}

isa::KernelLaunch with_flags(const std::vector<isa::WarpProgram>& programs,
                             const std::vector<int>& of_warp, int ctas = 1) {
  isa::KernelLaunch launch = make_launch(programs, of_warp, ctas);
  launch.name = "kernel";
  launch.buffers.front().name = "flags";
  launch.buffers.front().flags = true;
  launch.shared_bytes_per_cta = 100 * 1024;  // one CTA on an SM
  return launch;
}

Outcome run_to_the_end(const isa::KernelLaunch& launch, SimulationOptions options = {}) {
  options.max_cycles = 3'000'000;
  Simulation simulation(ampere_machine(), options);
  return simulation.run({launch}, {}, {});
}

TEST(Deadlock, IsToldFromALongRun) {
  const Outcome outcome = run_to_the_end(make_launch({endless_wait()}, {0}));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_EQ(outcome.diagnosis,
            "sm[0] CTA (0, 0, 0) warp 0 at 0x0010 (DEPBAR.LE) waits for copies into shared memory");
}

TEST(Deadlock, IsSeenSoon) {
  EXPECT_LT(run_to_the_end(make_launch({endless_wait()}, {0})).cycles, 50'000);
}

TEST(Deadlock, NamesTheWarpsThatABarrierMisses) {
  const Outcome outcome = run_to_the_end(make_launch({barrier(), endless_wait()}, {0, 0, 0, 1}));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_EQ(outcome.diagnosis,
            "sm[0] CTA (0, 0, 0) warps 0-2 at 0x0000 (BAR.SYNC) wait for warp 3 at barrier 0\n"
            "sm[0] CTA (0, 0, 0) warp 3 at 0x0010 (DEPBAR.LE) waits for copies into shared memory");
}

TEST(Deadlock, NamesTheBarriersAtWhichWarpsMissEachOther) {
  ProgramBuilder other("other");
  other.op(Opcode::kNop);
  other.op(Opcode::kBarSync).immediate(3);
  other.op(Opcode::kExit);
  const Outcome outcome = run_to_the_end(make_launch({barrier(), other.program()}, {0, 0, 1}));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_EQ(outcome.diagnosis,
            "sm[0] CTA (0, 0, 0) warps 0-1 at 0x0000 (BAR.SYNC) wait for warp 2 at barrier 0\n"
            "sm[0] CTA (0, 0, 0) warp 2 at 0x0010 (BAR.SYNC) waits for warps 0-1 at barrier 3");
}

TEST(Deadlock, TellsHowManyWarpsABarrierOfSomeLacks) {
  ProgramBuilder program("some");
  program.op(Opcode::kBarSync).immediate(isa::immediate_of({1, 4}));
  program.op(Opcode::kExit);
  const Outcome outcome =
      run_to_the_end(make_launch({program.program(), exit_only()}, {0, 0, 0, 1}));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_EQ(outcome.diagnosis,
            "sm[0] CTA (0, 0, 0) warps 0-2 at 0x0000 (BAR.SYNC) wait for barrier 1, which lacks 1 "
            "of 4 warps");
}

TEST(Deadlock, TellsTheWarpsOfAWarpgroupThatHaveExited) {
  ProgramBuilder program("product");
  program.op(Opcode::kExit).guard(program.guard({0, {{Variable::kWarp, -1}}}, -2));  // warp 3
  program.op(*isa::parse_opcode("HGMMA.64x8x16.F32"));
  program.op(Opcode::kExit);
  isa::WarpProgram built = program.program();
  built.async = {isa::MatrixOperands{}};
  built.instructions[1].access = 0;
  config::Machine machine = ampere_machine();
  machine.sm.group_tensor = {.shared_operations = 2,
                             .register_operations = 2,
                             .register_least_cycles = 12,
                             .extra_cycles = 1,
                             .load_interval_cycles = 11,
                             .alu_slowdown_percent = 0,
                             .sfu_slowdown_percent = 0,
                             .result_cycles = 40};
  Simulation simulation(machine, {.max_cycles = 3'000'000});
  const Outcome outcome = simulation.run({make_launch({built}, {0, 0, 0, 0})}, {}, {});
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_EQ(outcome.diagnosis,
            "sm[0] CTA (0, 0, 0) warps 0-2 at 0x0010 (HGMMA.64x8x16.F32) wait for the other warps "
            "of their warpgroup, of which warp 3 has exited");
}

TEST(Deadlock, NamesThePhaseThatAWarpWaitsFor) {
  const Outcome outcome = run_to_the_end(make_launch({phase_wait()}, {0}));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_THAT(outcome.diagnosis,
              HasSubstr("warp 0 at 0x0010 (SYNCS.PHASECHK.TRANS64.TRYWAIT) waits for phase 0 "
                        "(parity 0) of the mbarrier at shared byte 64, which lacks 2 of 2 "
                        "arrivals; no instruction of the kernel arrives there"));
}

/// Waits at shared byte 64 after an arrival that makes the phase expect 16 bytes, before arrivals
/// at 64, 72, 80 or 88 and at the three after 64.
isa::WarpProgram late_arrival(int arrivals) {
  ProgramBuilder program("late");
  for (const Opcode opcode : {Opcode::kSyncsExch, Opcode::kSyncsArriveBytes, Opcode::kSyncsTryWait,
                              Opcode::kSyncsArrive, Opcode::kSyncsArrive, Opcode::kExit})
    program.op(opcode);
  isa::WarpProgram built = program.program();
  const isa::Term of_cta{Variable::kCtaX, 8, 1, 4};
  const isa::Term of_three{Variable::kCtaX, 8, 1, 3};
  built.async = {isa::BarrierOperand{{64}, {arrivals}}, isa::BarrierOperand{{64}, {16}},
                 isa::BarrierOperand{{64}, {0}}, isa::BarrierOperand{{64, {of_cta}}, {}},
                 isa::BarrierOperand{{72, {of_three}}, {}}};
  for (int i = 0; i < 5; ++i) built.instructions[static_cast<std::size_t>(i)].access = i;
  return built;
}

TEST(Deadlock, NamesWhatAPhaseLacksAndWhatWouldBringIt) {
  EXPECT_THAT(run_to_the_end(make_launch({late_arrival(2)}, {0})).diagnosis,
              HasSubstr("at shared byte 64, which lacks 1 of 2 arrivals and 16 bytes; "
                        "SYNCS.ARRIVE.TRANS64 at 0x0010 of late or SYNCS.ARRIVE.TRANS64.A1T0 at "
                        "0x0030 of late would complete it"));
  EXPECT_THAT(run_to_the_end(make_launch({late_arrival(1)}, {0})).diagnosis,
              HasSubstr("which lacks 16 bytes; all arrivals are there; no instruction of the "
                        "kernel brings bytes there"));
}

TEST(Deadlock, TellsAnArrivalThatAPhaseHasTooMany) {
  ProgramBuilder program("phase");
  program.op(Opcode::kSyncsExch);
  program.op(Opcode::kSyncsArriveBytes);
  program.op(Opcode::kSyncsArrive);
  program.op(Opcode::kSyncsTryWait);
  program.op(Opcode::kExit);
  isa::WarpProgram built = program.program();
  built.async = {isa::BarrierOperand{{64}, {1}}, isa::BarrierOperand{{64}, {1024}},
                 isa::BarrierOperand{{64}, {}}, isa::BarrierOperand{{64}, {0}}};
  for (int i = 0; i < 4; ++i) built.instructions[static_cast<std::size_t>(i)].access = i;
  EXPECT_THAT(run_to_the_end(make_launch({built}, {0})).diagnosis,
              HasSubstr("at shared byte 64, which received 1 arrival more than the 1 it expects "
                        "and lacks 1024 bytes"));
}

TEST(Deadlock, TellsWhatCameBeforeAnMbarrierWasInitialised) {
  ProgramBuilder program("phase");
  program.op(Opcode::kSyncsArrive);
  for (int i = 0; i < 20; ++i) program.op(Opcode::kNop).stall(15);
  program.op(Opcode::kSyncsExch);
  program.op(Opcode::kSyncsTryWait);
  program.op(Opcode::kExit);
  isa::WarpProgram built = program.program();
  built.async = {isa::BarrierOperand{{64}, {}}, isa::BarrierOperand{{64}, {1}},
                 isa::BarrierOperand{{64}, {0}}};
  built.instructions[0].access = 0;
  built.instructions[21].access = 1;
  built.instructions[22].access = 2;
  EXPECT_THAT(run_to_the_end(make_launch({built}, {0})).diagnosis,
              HasSubstr("at shared byte 64, which lacks 1 of 1 arrivals; it received 1 arrival "
                        "before it was initialised"));
}

TEST(Deadlock, TellsAnMbarrierThatNobodyInitialised) {
  isa::WarpProgram waits = phase_wait();
  waits.instructions[0].opcode = Opcode::kNop;
  waits.instructions[0].access = isa::kNoIndex;
  EXPECT_THAT(run_to_the_end(make_launch({waits}, {0})).diagnosis,
              HasSubstr("waits for phase 0 (parity 0) of the mbarrier at shared byte 64, which no "
                        "SYNCS.EXCH.64 has initialised"));
}

TEST(Deadlock, OfAFlagThatNobodyRaisesEnds) {
  const Outcome outcome =
      run_to_the_end(with_flags({barrier(), look(Expression{2, {}}, 0, 0)}, {0, 1}));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_EQ(outcome.diagnosis,
            "sm[0] CTA (0, 0, 0) warp 0 at 0x0000 (BAR.SYNC) waits for warp 1 at barrier 0\n"
            "sm[0] CTA (0, 0, 0) warp 1 in the loop 0x0010 to 0x0030 waits for word 0 of flags to "
            "reach 2; it is 0, and no instruction of the kernel raises it");
}

TEST(Deadlock, OfAPhaseBesideALoopThatReadsAFlagEnds) {
  const Outcome outcome =
      run_to_the_end(with_flags({phase_wait(), look(Expression{2, {}}, 0, 0)}, {0, 1}));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_THAT(outcome.diagnosis, HasSubstr("waits for phase 0"));
  EXPECT_THAT(outcome.diagnosis, HasSubstr("waits for word 0 of flags to reach 2"));
}

TEST(Deadlock, NamesAnAtomicThatWouldRaiseTheFlag) {
  isa::KernelLaunch launch = with_flags({look(Expression{2, {}}, 0, 1)}, {0});
  for (isa::Instruction& instruction : launch.programs.front().instructions)
    if (instruction.opcode == Opcode::kRedAdd) instruction.opcode = Opcode::kAtomgAdd;
  const Outcome outcome = run_to_the_end(launch);
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_THAT(outcome.diagnosis, HasSubstr("ATOMG.E.ADD at 0x0040 of look would raise it"));
}

TEST(Deadlock, OfCtasThatWaitForOneAnotherNamesWhatWouldRaiseTheFlag) {
  // Each waits for the flag that all would raise behind it.
  const Outcome outcome = run_to_the_end(with_flags({look(Expression{1, {}}, 0, 1)}, {0}, 2));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_THAT(
      outcome.diagnosis,
      HasSubstr(
          "CTA (1, 0, 0) warp 0 in the loop 0x0010 to 0x0030 waits for word 0 of flags to reach 1; "
          "it is 0, and RED.E.ADD at 0x0040 of look would raise it, but none is under way"));
}

TEST(Deadlock, NamesCtasThatFindNoPlace) {
  // 1 in CTA x < 12, 0 in CTA 12, which would raise the flag and has no place beside the others.
  const Expression others{1, {{Variable::kCtaX, -1, 12, 0, 0}}};
  const Outcome outcome = run_to_the_end(with_flags({look(others, 0, 1)}, {0}, 13));
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_THAT(outcome.diagnosis,
              HasSubstr("of kernel wait for a place: an SM holds 1, as shared memory allows"));
}

TEST(Deadlock, DoesNotDependOnTheQuantum) {
  const isa::KernelLaunch launch = with_flags({look(Expression{1, {}}, 0, 1)}, {0}, 2);
  SimulationOptions fine;
  fine.quantum = 7;
  const Outcome a = run_to_the_end(launch);
  const Outcome b = run_to_the_end(launch, fine);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.diagnosis, b.diagnosis);
}

TEST(Deadlock, IsNoneWhileAnotherWarpWorks) {
  // One warp looks for 100,000 cycles until the other has worked and raises the flag.
  const Outcome outcome = run_to_the_end(
      with_flags({look(Expression{1, {}}, 0, 0), look(Expression{0, {}}, 100'000, 1)}, {0, 1}));
  EXPECT_EQ(outcome.stop, StopReason::kFinished) << outcome.diagnosis;
}

TEST(Deadlock, IsNoneWhileALaunchTakesItsTime) {
  config::Machine machine = ampere_machine();
  machine.launch.overhead_us = 1000;  // 1.4 million cycles
  Simulation simulation(machine, {});
  EXPECT_EQ(simulation.run({make_launch({barrier()}, {0})}, {}, {}).stop, StopReason::kFinished);
}

TEST(Deadlock, IsNoneWhileMemoryIsSlow) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(8).writes(0).stall(2);
  program.op(Opcode::kNop).waits(0);
  program.op(Opcode::kExit);
  config::Machine machine = ampere_machine();
  machine.clocks.l2_mhz = 1;  // 1410 SM cycles each
  Simulation simulation(machine, {});
  const Outcome outcome = simulation.run({make_launch({program.program()}, {0})}, {}, {});
  EXPECT_EQ(outcome.stop, StopReason::kFinished);
  EXPECT_GT(outcome.cycles, 400'000);
}

}  // namespace
}  // namespace tcsim::gpu::test
