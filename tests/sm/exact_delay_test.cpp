// Every delay of the core, one row each: what waits for it issues exactly that many cycles later,
// not one earlier.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "models/isa/assemble.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

struct Delay {
  std::string name;
  std::function<int&(SmParams&)> parameter;
  std::function<void(ProgramBuilder&)> program;  ///< without EXIT
  Cycle per_unit = 1;                            ///< by which the end moves with the parameter
};

void PrintTo(const Delay& delay, std::ostream* stream) { *stream << delay.name; }

/// The cycle of the EXIT, which waits for everything before.
Cycle end_with(const Delay& delay, int value) {
  SmParams params = ampere_sm();
  delay.parameter(params) = value;
  ProgramBuilder builder;
  delay.program(builder);
  builder.op(Opcode::kExit);
  isa::WarpProgram program = builder.program();
  isa::assemble(program, timing_table(params));
  return end_of(make_launch({program}, {0}), params);
}

class EveryDelay : public ::testing::TestWithParam<Delay> {};

TEST_P(EveryDelay, MovesWhatWaitsForItByExactlyItsCycles) {
  SmParams params = ampere_sm();
  const int value = GetParam().parameter(params);
  const Cycle end = end_with(GetParam(), value);
  for (const int more : {1, 2, 7, value})
    EXPECT_EQ(end_with(GetParam(), value + more) - end, more * GetParam().per_unit) << "+" << more;
}

/// Two of `opcode`, the second of which needs the first's result.
std::function<void(ProgramBuilder&)> pair_of(Opcode opcode) {
  return [opcode](ProgramBuilder& program) {
    program.op(opcode).dst(4).src(4, 6, 8);
    program.op(opcode).dst(4).src(4, 6, 8);
  };
}

/// `opcode` at `offset` of shared memory, its result used; before it `before` others like it.
std::function<void(ProgramBuilder&)> shared_load(Opcode opcode, const Expression& offset,
                                                 int before = 0) {
  return [=](ProgramBuilder& program) {
    for (int i = 0; i < before; ++i) program.shared(opcode, offset).dst(40 + 4 * i).src(2);
    program.shared(opcode, offset).dst(4).src(2);
    program.op(Opcode::kIadd3).dst(8).src(4, 5, 6);
  };
}

void store_and_overwrite(ProgramBuilder& program) {
  program.shared(Opcode::kSts32, per_lane(4)).src(2, 4);
  program.op(Opcode::kMov).dst(4).src(6);
}

void two_stores_and_overwrite(ProgramBuilder& program) {
  program.shared(Opcode::kSts32, per_lane(4)).src(2, 10);
  store_and_overwrite(program);
}

void compare_and_select(ProgramBuilder& program) {
  program.op(Opcode::kIsetp).dst(0).src(2, 3);
  program.op(Opcode::kSel).dst(4).src(2, 3, 0);
}

void branch_once(ProgramBuilder& program) {
  const int loop = program.begin_loop(0, {2, {}});
  program.op(Opcode::kNop);
  program.end_loop(loop);
}

void load_twice(ProgramBuilder& program) {
  for (int i = 0; i < 2; ++i) {
    program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2);
    program.op(Opcode::kIadd3).dst(8).src(4, 5, 6);
  }
}

void copy_and_wait(ProgramBuilder& program) {
  program.global(Opcode::kLdgsts128, per_lane(16), per_lane(16)).src(2, 4);
  program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kDepbar).immediate(0);
}

void atomic_on_one_word(ProgramBuilder& program) {
  program.shared(Opcode::kAtomsAdd, per_lane(0)).dst(4).src(2, 6);
  program.op(Opcode::kIadd3).dst(8).src(4, 5, 6);
}

void load_constant(ProgramBuilder& program) {
  program.constant_load(Opcode::kLdc32, {}).dst(4).src(2);
  program.op(Opcode::kIadd3).dst(8).src(4, 5, 6);
}

void fence(ProgramBuilder& program) { program.op(Opcode::kMembar); }

void barrier(ProgramBuilder& program) { program.op(Opcode::kBarSync); }

const std::vector<Delay>& delays() {
  static const std::vector<Delay> rows{
      {"AtomicPass", [](SmParams& p) -> int& { return p.shared_memory.atomic_pass_cycles; },
       atomic_on_one_word, 32},
      {"ConstantLoad", [](SmParams& p) -> int& { return p.constant_cache.load_latency_cycles; },
       load_constant},
      {"Fence", [](SmParams& p) -> int& { return p.l1.fence_cycles; }, fence},
      {"Fp32", [](SmParams& p) -> int& { return p.pipes.fp32_latency_cycles; },
       pair_of(Opcode::kFfma)},
      {"Int32", [](SmParams& p) -> int& { return p.pipes.int32_latency_cycles; },
       pair_of(Opcode::kIadd3)},
      {"Imad", [](SmParams& p) -> int& { return p.pipes.imad_latency_cycles; },
       pair_of(Opcode::kImad)},
      {"Half", [](SmParams& p) -> int& { return p.pipes.half_latency_cycles; },
       pair_of(Opcode::kHfma2)},
      {"Fp64", [](SmParams& p) -> int& { return p.pipes.fp64_latency_cycles; },
       pair_of(Opcode::kDfma)},
      {"Sfu", [](SmParams& p) -> int& { return p.pipes.sfu_latency_cycles; },
       pair_of(Opcode::kMufuEx2)},
      {"Shuffle", [](SmParams& p) -> int& { return p.pipes.shuffle_latency_cycles; },
       pair_of(Opcode::kShfl)},
      {"Uniform", [](SmParams& p) -> int& { return p.pipes.uniform_latency_cycles; },
       pair_of(Opcode::kUiadd3)},
      {"Predicate", [](SmParams& p) -> int& { return p.pipes.predicate_latency_cycles; },
       compare_and_select},
      {"Branch", [](SmParams& p) -> int& { return p.pipes.branch_latency_cycles; }, branch_once, 2},
      {"Hmma", [](SmParams& p) -> int& { return p.tensor.instructions[0].latency_cycles.value(); },
       [](ProgramBuilder& program) {
         for (int i = 0; i < 2; ++i) program.op(Opcode::kHmma16816F32).dst(8).src(0, 4, 8);
       }},
      {"SharedLoad", [](SmParams& p) -> int& { return p.shared_memory.load_latency_cycles; },
       shared_load(Opcode::kLds32, per_lane(4))},
      {"SharedConflict", [](SmParams& p) -> int& { return p.shared_memory.conflict_extra_cycles; },
       shared_load(Opcode::kLds32, per_lane(16)), 3},
      {"SourceRead", [](SmParams& p) -> int& { return p.memory_queue.source_read_cycles; },
       store_and_overwrite},
      {"L1Hit", [](SmParams& p) -> int& { return p.l1.hit_latency_cycles; }, load_twice, 2},
      {"CopyToShared", [](SmParams& p) -> int& { return p.l1.copy_to_shared_cycles; },
       copy_and_wait},
      {"Barrier", [](SmParams& p) -> int& { return p.barrier.base_cycles; }, barrier},
      {"BarrierPerWarp", [](SmParams& p) -> int& { return p.barrier.per_warp_cycles; }, barrier},
  };
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Core, EveryDelay, ::testing::ValuesIn(delays()),
                         [](const auto& test) { return test.param.name; });

TEST(AddressUnit, TakesAnInstructionPerIntervalOfASubCore) {
  // The latency of a load alone does not depend on it, the distance of two loads does.
  const Delay two{"", [](SmParams& p) -> int& { return p.memory_queue.address_interval_cycles; },
                  shared_load(Opcode::kLds32, per_lane(4), 1)};
  const Delay one{"", two.parameter, shared_load(Opcode::kLds32, per_lane(4))};
  EXPECT_EQ(end_with(one, 6), end_with(one, 4));
  EXPECT_EQ(end_with(two, 6) - end_with(two, 4), 2);
}

TEST(SharedStores, HoldTheDataPathForTheirExtraCycles) {
  // The load behind the store could enter at cycle 8, the address unit's second turn; the store,
  // which entered at 4, has the data path up to there with three extra cycles.
  const Delay load{"", [](SmParams& p) -> int& { return p.shared_memory.store_extra_cycles; },
                   [](ProgramBuilder& program) {
                     program.shared(Opcode::kSts32, per_lane(4)).src(2, 10);
                     shared_load(Opcode::kLds32, per_lane(4))(program);
                   }};
  EXPECT_EQ(end_with(load, 3), end_with(load, 0));
  EXPECT_EQ(end_with(load, 4), end_with(load, 0) + 1);
  EXPECT_EQ(end_with(load, 9), end_with(load, 0) + 6);
}

TEST(AddressUnit, SourcesAreReadBehindItsQueue) {
  const Delay two{"", [](SmParams& p) -> int& { return p.memory_queue.source_read_cycles; },
                  two_stores_and_overwrite};
  const Delay one{"", two.parameter, store_and_overwrite};
  EXPECT_EQ(end_with(two, 11) - end_with(one, 11), 4);
}

TEST(LoadReturn, WritesSoManyBytesPerCycle) {
  const Delay wide{"",
                   [](SmParams& p) -> int& { return p.memory_queue.load_return_bytes_per_cycle; },
                   shared_load(Opcode::kLds128, per_lane(16))};
  // 512 bytes; the first 128 of them are part of the latency of a 32-bit load.
  EXPECT_EQ(end_with(wide, 64) - end_with(wide, 128), 8 - 2 - (4 - 1));
  EXPECT_EQ(end_with(wide, 32) - end_with(wide, 64), 16 - 4 - (8 - 2));
}

}  // namespace
}  // namespace tcsim::sm::test
