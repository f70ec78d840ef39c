#include <gtest/gtest.h>

#include <algorithm>

#include "models/numerics/fragment.hpp"
#include "models/numerics/ptx_name.hpp"
#include "scripts/gpu/bits/fragment_words.hpp"

namespace tcsim::measure {
namespace {

using numerics::Fragment;
using numerics::OperandRole;

constexpr const char* kShapes[] = {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                   "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
                                   "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                                   "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
                                   "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
                                   "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",
                                   "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64",
                                   "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
                                   "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"};

/// Lane and register of the first element of every word, by the model's layout.
void expect_words(const numerics::MmaInstruction& instruction, OperandRole role) {
  const Fragment fragment(instruction, role);
  // An FP64 element, two registers, stands in place of a word.
  const int bits = numerics::bits(fragment.type());
  const int per_word = std::max(1, 32 / bits);
  const int words = fragment.registers_per_lane() * 32 / std::max(32, bits);
  for (int lane = 0; lane < 32; ++lane)
    for (int r = 0; r < words; ++r) {
      const auto position = fragment.position({lane, r * per_word});
      const bool is_a = role == OperandRole::kA;
      const Word word = is_a ? word_of_a(lane, r) : word_of_b(lane, r);
      EXPECT_EQ(word.vector, is_a ? position.row % 8 : position.column) << lane << ' ' << r;
      EXPECT_EQ(word.word * per_word, is_a ? position.column : position.row) << lane << ' ' << r;
    }
}

TEST(GpuLayout, WordsOfTheProgramsAreThoseOfTheModel) {
  for (const char* name : kShapes) {
    const auto instruction = numerics::parse_ptx_name(name);
    ASSERT_TRUE(instruction.has_value()) << name;
    SCOPED_TRACE(name);
    expect_words(instruction.value(), OperandRole::kA);
    expect_words(instruction.value(), OperandRole::kB);
  }
}

TEST(GpuLayout, TheResultIsReadWhereTheModelHasTheDiagonal) {
  for (const char* name : kShapes) {
    SCOPED_TRACE(name);
    const Fragment fragment(numerics::parse_ptx_name(name).value(), OperandRole::kD);
    for (int j = 0; j < 8; ++j) {
      const auto slot = fragment.slot({0, j, j});
      EXPECT_TRUE(holds_result(slot.lane));
      EXPECT_EQ(slot.lane / 4, j);
      EXPECT_EQ(result_element(slot.lane), slot.element);
    }
  }
}

}  // namespace
}  // namespace tcsim::measure
