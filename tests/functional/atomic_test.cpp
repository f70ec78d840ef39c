#include "models/functional/atomic.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "models/functional/execute.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::AtomicOperation;
using isa::AtomicType;
using isa::Opcode;
using ::testing::IsEmpty;

TEST(AtomicResult, OfIntegersWrapsAndComparesBySign) {
  const auto result = [](AtomicOperation operation, AtomicType type, std::uint64_t old,
                         std::uint64_t operand) {
    return atomic_result(operation, type, old, operand, 0);
  };
  EXPECT_EQ(result(AtomicOperation::kAdd, AtomicType::kU32, 0xffffffff, 3), 2u);
  EXPECT_EQ(result(AtomicOperation::kAdd, AtomicType::kU64, 0xffffffff, 3), 0x100000002u);
  EXPECT_EQ(result(AtomicOperation::kMin, AtomicType::kU32, 0xffffffff, 3), 3u);
  EXPECT_EQ(result(AtomicOperation::kMin, AtomicType::kS32, 0xffffffff, 3), 0xffffffffu);
  EXPECT_EQ(result(AtomicOperation::kMax, AtomicType::kU32, 0xffffffff, 3), 0xffffffffu);
  EXPECT_EQ(result(AtomicOperation::kMax, AtomicType::kS32, 0xffffffff, 3), 3u);
  EXPECT_EQ(result(AtomicOperation::kExchange, AtomicType::kU32, 7, 3), 3u);
}

TEST(AtomicResult, OfCasStoresTheReplacementWhereTheValueIsAsExpected) {
  EXPECT_EQ(atomic_result(AtomicOperation::kCompareSwap, AtomicType::kU32, 7, 7, 9), 9u);
  EXPECT_EQ(atomic_result(AtomicOperation::kCompareSwap, AtomicType::kU32, 8, 7, 9), 8u);
}

TEST(AtomicResult, OfFloatsRoundsOnceAndFlushesSinglePrecision) {
  const auto sum = [](AtomicType type, std::uint64_t a, std::uint64_t b) {
    return atomic_result(AtomicOperation::kAdd, type, a, b, 0);
  };
  EXPECT_EQ(sum(AtomicType::kF32, 0x3f800000, 0x33800001), 0x3f800001u);
  EXPECT_EQ(sum(AtomicType::kF32, 0x00000001, 0x00000001), 0u);
  EXPECT_EQ(sum(AtomicType::kF32, 0x80000001, 0x80000001), 0x80000000u);
  EXPECT_EQ(sum(AtomicType::kF32, 0x00800001, 0x80800000), 0u);  // a denormal result
  EXPECT_EQ(sum(AtomicType::kF16x2, 0x3c004000, 0x40003c00), 0x42004200u);
  EXPECT_EQ(sum(AtomicType::kF16x2, 0x00010001, 0x00010001), 0x00020002u);
}

/// The words of the buffer after two warps have run `instructions` behind R4 = 5, R6 = 9. Accesses:
/// 0 word 0 for all lanes, 1 a word for each lane.
struct Done {
  std::vector<std::uint32_t> words;
  std::vector<Race> races;
};
Done run(const std::vector<isa::Instruction>& instructions) {
  isa::MemoryAccess one_word{.buffer = 0};
  isa::WarpProgram program{.accesses = {one_word, common_row()}};
  for (const auto& [reg, value] : {std::pair{4, 5}, std::pair{6, 9}})
    program.instructions.push_back({.opcode = Opcode::kMov,
                                    .dst = static_cast<isa::Register>(reg),
                                    .immediate = value,
                                    .has_immediate = true});
  program.instructions.insert(program.instructions.end(), instructions.begin(), instructions.end());
  const isa::KernelLaunch launch = small_launch(2, program);
  GlobalMemory memory(launch);
  const auto result = execute(launch, numerics::Generation::kAmpere, memory);
  if (!result.has_value()) {
    ADD_FAILURE() << result.refusal().reason;
    return {};
  }
  const auto bytes = memory.buffers_of(launch)->front();
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return {words, result.value().races};
}

isa::Instruction atomic(Opcode opcode, int access, isa::Register dst = isa::kZeroRegister) {
  return {.opcode = opcode, .dst = dst, .src = {isa::kZeroRegister, 4, 6}, .access = access};
}

TEST(GlobalAtomics, AddTheOperandOfEveryLane) {
  const Done done = run({atomic(Opcode::kRedAdd, 0), atomic(Opcode::kRedAdd, 1)});
  EXPECT_EQ(done.words[0], 5u * (64 + 2));
  EXPECT_EQ(done.words[1], 5u * 2);
  EXPECT_EQ(done.words[32], 0u);
}

TEST(GlobalAtomics, ReturnWhatTheLaneBeforeLeft) {
  const Done done =
      run({atomic(Opcode::kAtomgAdd, 0, 8),
           {.opcode = Opcode::kStg32, .src = {isa::kZeroRegister, 8, 255}, .access = 1}});
  // Warp 1 comes behind warp 0, whose 32 additions and store of zero to word 0 it finds.
  EXPECT_EQ(done.words[1], 5u * 1);
  EXPECT_EQ(done.words[31], 5u * 31);
}

TEST(GlobalAtomics, CasTakesEffectOnce) {
  isa::Instruction cas = atomic(Opcode::kAtomgCas, 0, 8);
  cas.src = {isa::kZeroRegister, isa::kZeroRegister, 6};
  EXPECT_EQ(run({cas}).words[0], 9u);  // only the first lane finds the zero
}

TEST(SharedAtomics, OfDifferentWarpsDoNotRaceAndPlainAccessesDo) {
  const isa::Instruction add = atomic(Opcode::kAtomsAdd, 1);
  EXPECT_THAT(run({add}).races, IsEmpty());
  const isa::Instruction load{
      .opcode = Opcode::kLds32, .dst = 8, .src = {255, 255, 255}, .access = 1};
  const Done racing = run({add, load});
  ASSERT_FALSE(racing.races.empty());
  EXPECT_EQ(racing.races.front().kind, RaceKind::kWriteAfterRead);
  EXPECT_THAT(run({add, plain(Opcode::kBarSync), load}).races, IsEmpty());
}

TEST(SharedAtomics, AReadRacesWithAnAtomicOfAnotherWarpBehindTheOwn) {
  // Both warps add, then warp 1, the last to add, reads: warp 0's addition is not ordered.
  isa::WarpProgram program{
      .instructions = {memory(Opcode::kAtomsAdd, 0), memory(Opcode::kLds32, 0, 0)},
      .accesses = {common_row()},
      .guards = {isa::Guard{{{{1, {{isa::Variable::kWarp, -1}}}, 1}}}}};
  program.instructions[0].src[1] = 0;
  const isa::KernelLaunch launch = small_launch(2, program);
  GlobalMemory global(launch);
  const auto result = execute(launch, numerics::Generation::kAmpere, global);
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result.value().races.size(), 1u);
  EXPECT_EQ(result.value().races.front().kind, RaceKind::kReadAfterWrite);
  EXPECT_EQ(result.value().races.front().earlier.warp, 0);
}

TEST(Atomics, OutsideTheirBufferAreRefused) {
  isa::MemoryAccess outside{.buffer = 0};
  outside.global.offset.constant = 1022;
  isa::WarpProgram program{.instructions = {atomic(Opcode::kRedAdd, 0)},
                           .accesses = {decided_late(outside)}};
  const isa::KernelLaunch launch = small_launch(1, program);
  GlobalMemory global(launch);
  EXPECT_FALSE(execute(launch, numerics::Generation::kAmpere, global).has_value());
}

}  // namespace
}  // namespace tcsim::functional::testing
