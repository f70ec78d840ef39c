#include <gmock/gmock.h>

#include <functional>

#include "tests/functional/gemm_values.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Effect;
using isa::Instruction;
using isa::Opcode;
using kernels::GemmTile;
using numerics::Generation;

/// Whole tiles, so that no poisoned edge can hide or explain a difference, and several trips.
GemmValues copying_gemm() {
  return {kernels::testing::a100(),
          Generation::kAmpere,
          {.m = 64, .n = 64, .k = 192},
          {.m = 64, .n = 64, .k = 32, .stages = 3, .warps_m = 2, .warps_n = 2}};
}

GemmValues staged_gemm() {
  return {kernels::testing::v100(),
          Generation::kVolta,
          {.m = 64, .n = 64, .k = 128},
          {.m = 64, .n = 64, .k = 32, .stages = 2, .warps_m = 2, .warps_n = 2}};
}

struct Outcome {
  bool right_values = false;
  std::vector<Race> races;
};

using Fault = std::function<void(isa::WarpProgram&)>;

Outcome outcome_of(const GemmValues& gemm, const Fault& plant) {
  isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  for (isa::WarpProgram& program : launch.programs) plant(program);
  GlobalMemory memory = random_operands(gemm, launch);
  const auto result = execute(launch, gemm.generation, memory);
  if (!result.has_value()) {
    ADD_FAILURE() << result.refusal().reason;
    return {};
  }
  return {difference(gemm, memory, reference_product(gemm, memory)).empty(), result.value().races};
}

/// Indices of the instructions with `effect`.
std::vector<std::size_t> places_of(const GemmValues& gemm, Effect effect) {
  const isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  std::vector<std::size_t> places;
  const auto& instructions = launch.programs.front().instructions;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    if (isa::opcode_info(instructions[i].opcode).effect == effect) places.push_back(i);
  return places;
}

isa::MemoryAccess& access_at(isa::WarpProgram& program, std::size_t place) {
  return program.accesses[static_cast<std::size_t>(program.instructions[place].access)];
}

TEST(PlantedFaults, NoneMeansRightValuesAndNoRace) {
  for (const GemmValues& gemm : {copying_gemm(), staged_gemm()}) {
    const Outcome outcome = outcome_of(gemm, [](isa::WarpProgram&) {});
    EXPECT_TRUE(outcome.right_values);
    EXPECT_THAT(outcome.races, ::testing::IsEmpty());
  }
}

TEST(PlantedFaults, EveryMissingBarrierIsARace) {
  for (const GemmValues& gemm : {copying_gemm(), staged_gemm()})
    for (const std::size_t place : places_of(gemm, Effect::kBarrier)) {
      const Outcome outcome = outcome_of(gemm, [&](isa::WarpProgram& program) {
        program.instructions[place] = {.opcode = Opcode::kNop};
      });
      EXPECT_THAT(outcome.races, ::testing::Not(::testing::IsEmpty()))
          << gemm << ", instruction " << place;
    }
}

TEST(PlantedFaults, AWaitThatLeavesOneMoreGroupOpenIsARaceAndGivesWrongValues) {
  const GemmValues gemm = copying_gemm();
  const std::vector<std::size_t> waits = places_of(gemm, Effect::kWaitCopyGroups);
  ASSERT_EQ(waits.size(), 3U);  // prologue, loop, end: the last one leaves nothing open
  for (const std::size_t place : {waits[0], waits[1]}) {
    const Outcome outcome = outcome_of(
        gemm, [&](isa::WarpProgram& program) { ++program.instructions[place].immediate; });
    EXPECT_FALSE(outcome.right_values);
    ASSERT_FALSE(outcome.races.empty());
    EXPECT_EQ(outcome.races.front().kind, RaceKind::kReadOfOpenCopy);
  }
}

TEST(PlantedFaults, ASwizzleMissingOnOneSideGivesWrongValues) {
  for (const auto& [gemm, effect] : {std::pair(copying_gemm(), Effect::kLoadMatrix),
                                     std::pair(copying_gemm(), Effect::kCopyGlobalToShared),
                                     std::pair(staged_gemm(), Effect::kLoadShared)})
    EXPECT_FALSE(
        outcome_of(gemm,
                   [&gemm = gemm, effect = effect](isa::WarpProgram& program) {
                     access_at(program, places_of(gemm, effect).front()).shared.swizzle = {};
                   })
            .right_values)
        << gemm;
}

TEST(PlantedFaults, AWrongKOffsetGivesWrongValues) {
  for (const auto& [gemm, effect] : {std::pair(copying_gemm(), Effect::kLoadMatrix),
                                     std::pair(staged_gemm(), Effect::kLoadShared)})
    EXPECT_FALSE(outcome_of(gemm,
                            [&gemm = gemm, effect = effect](isa::WarpProgram& program) {
                              const auto place = places_of(gemm, effect).front();
                              access_at(program, place).shared.offset.constant ^=
                                  32;  // 16 elements along k
                            })
                     .right_values)
        << gemm;
}

TEST(PlantedFaults, ExchangedFragmentRegistersGiveWrongValues) {
  // Two multiply-adds exchange their B fragments.
  for (const GemmValues& gemm : {copying_gemm(), staged_gemm()})
    EXPECT_FALSE(outcome_of(gemm,
                            [](isa::WarpProgram& program) {
                              Instruction* first = nullptr;
                              for (Instruction& instruction : program.instructions) {
                                if (!isa::is_mma(instruction.opcode)) continue;
                                if (first == nullptr) first = &instruction;
                                if (instruction.src[1] == first->src[1]) continue;
                                std::swap(instruction.src[1], first->src[1]);
                                return;
                              }
                            })
                     .right_values)
        << gemm;
}

TEST(PlantedFaults, AWrongLayoutBitOfVoltaGivesWrongValues) {
  EXPECT_FALSE(outcome_of(staged_gemm(), [](isa::WarpProgram& program) {
                 for (Instruction& instruction : program.instructions)
                   if (isa::is_mma(instruction.opcode)) instruction.immediate ^= isa::kColumnMajorA;
               }).right_values);
}

}  // namespace
}  // namespace tcsim::functional::testing
