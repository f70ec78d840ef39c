#include "models/numerics/sparsity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "models/numerics/mma.hpp"
#include "models/numerics/ptx_name.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

MmaInstruction sparse_instruction(const std::string& text) { return parse_ptx_name(text).value(); }

std::string half(int k) {
  return "mma.sp.sync.aligned.m16n8k" + std::to_string(k) + ".row.col.f32.f16.f16.f32";
}

std::vector<std::uint8_t> nibbles_of(std::uint32_t field, int count) {
  std::vector<std::uint8_t> nibbles;
  for (int n = 0; n < count; ++n) nibbles.push_back(field >> (4 * n) & 0xf);
  return nibbles;
}

/// The metadata example of section 15: chunks keep (0,1), (0,3), (1,2), (2,3).
TEST(SelectedPositions, TheFieldOfTheWorkedExampleSelectsItsPairs) {
  const auto positions = selected_positions(kFp16, nibbles_of(0xe9c4, 4), true);
  EXPECT_THAT(positions.value(), ElementsAre(0, 1, 4, 7, 9, 10, 14, 15));
}

TEST(SelectedPositions, Tf32KeepsOneOfTwo) {
  const auto positions = selected_positions(kTf32, nibbles_of(0xe4, 2), true);
  EXPECT_THAT(positions.value(), ElementsAre(0, 3));
}

TEST(SelectedPositions, Int4KeepsPairs) {
  const auto positions = selected_positions(kInt4, nibbles_of(0xd, 1), true);
  EXPECT_THAT(positions.value(), ElementsAre(2, 3, 6, 7));
}

TEST(SelectedPositions, IllegalNibblesAreNamed) {
  const auto equal = selected_positions(kFp16, nibbles_of(0x54, 2), false);
  ASSERT_FALSE(equal.has_value());
  EXPECT_THAT(equal.refusal().reason, HasSubstr("0101 of chunk 1"));
  EXPECT_FALSE(selected_positions(kTf32, nibbles_of(0x9, 1), false).has_value());
}

TEST(SelectedPositions, DescendingPositionsAreRefusedOnlyWhenOrderIsPromised) {
  EXPECT_TRUE(selected_positions(kFp16, nibbles_of(0x1, 1), false).has_value());
  EXPECT_FALSE(selected_positions(kFp16, nibbles_of(0x1, 1), true).has_value());
}

std::vector<MmaInstruction> every_sparse_instruction() {
  std::vector<MmaInstruction> all;
  for (const ElementType type : {kFp16, kBf16, kTf32, kInt8, kInt4, kE4m3})
    for (const InstructionKind kind : {InstructionKind::kMma, InstructionKind::kWgmma})
      for (const ShapeRow& row : shapes_of(kind, type, true)) {
        MmaInstruction one;
        one.kind = kind;
        one.shape = row.shape;
        one.a = one.b = type;
        one.sparse = true;
        all.push_back(one);
      }
  return all;
}

TEST(MetadataLayout, EveryChunkHasItsOwnNibble) {
  EXPECT_GE(every_sparse_instruction().size(), 15U);
  for (const MmaInstruction& one : every_sparse_instruction())
    for (int selector = 0; selector < MetadataLayout::selectors(one); ++selector) {
      const MetadataLayout layout(one, selector);
      std::set<std::tuple<int, int>> used;
      for (int row = 0; row < one.shape.m; ++row)
        for (int chunk = 0; chunk < layout.chunks_per_row(); ++chunk) {
          const auto slot = layout.slot({row, chunk});
          ASSERT_TRUE(used.insert({slot.lane, slot.nibble}).second);
        }
      ASSERT_EQ(used.size(), static_cast<std::size_t>(one.shape.m * layout.chunks_per_row()));
    }
}

TEST(MetadataLayout, HalfPrecisionK16ComesFromTheSelectedLaneOfEachGroup) {
  const MetadataLayout layout(sparse_instruction(half(16)), 2);
  EXPECT_EQ(layout.slot({3, 1}), (MetadataLayout::Slot{14, 1}));
  EXPECT_EQ(layout.slot({11, 1}), (MetadataLayout::Slot{14, 5}));
}

TEST(MetadataLayout, HalfPrecisionK32SplitsKOverAPairOfLanes) {
  const MetadataLayout layout(sparse_instruction(half(32)), 1);
  EXPECT_EQ(layout.slot({3, 3}), (MetadataLayout::Slot{14, 3}));  // k 12..15
  EXPECT_EQ(layout.slot({3, 4}), (MetadataLayout::Slot{15, 0}));  // k 16..19
  EXPECT_EQ(layout.slot({11, 4}), (MetadataLayout::Slot{15, 4}));
}

TEST(MetadataLayout, BytesK32SplitRowsOverAPairOfLanes) {
  const MetadataLayout layout(
      sparse_instruction("mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"), 0);
  EXPECT_EQ(layout.slot({3, 5}), (MetadataLayout::Slot{12, 5}));
  EXPECT_EQ(layout.slot({11, 5}), (MetadataLayout::Slot{13, 5}));
}

TEST(MetadataLayout, BytesK64UseAllLanes) {
  const MetadataLayout layout(
      sparse_instruction("mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32"), 0);
  EXPECT_EQ(layout.slot({3, 9}), (MetadataLayout::Slot{14, 1}));
  EXPECT_EQ(layout.slot({11, 9}), (MetadataLayout::Slot{15, 1}));
}

/// Question Q6: c = -2^14, 128 * 128 selected first, all other selected products 2^-18.
TEST(SparseMma, BlocksCountSelectedProducts) {
  std::vector<std::uint64_t> stored(16, 0x1800);
  stored[0] = 0x5800;
  std::vector<std::uint64_t> b(32, 0x1800);
  b[0] = 0x5800;
  std::vector<int> positions;
  for (int chunk = 0; chunk < 8; ++chunk) {
    positions.push_back(4 * chunk);
    positions.push_back(4 * chunk + 1);
  }
  const MmaInstruction one = sparse_instruction(half(32));
  const auto run = [&](Generation generation, const UndecidedBehavior& undecided) {
    return sparse_mma(arithmetic_of(one, generation, undecided).value(), stored, positions, b,
                      0xc6800000);
  };
  EXPECT_EQ(run(Generation::kHopper, {}), 0U);           // one block of 16, as an H200 has it
  EXPECT_EQ(run(Generation::kAmpere, {}), 0x38000000U);  // 8 products in block two
  UndecidedBehavior dense;
  dense.sparse_block_counts_selected = false;
  EXPECT_EQ(run(Generation::kAmpere, dense), 0x38400000U);  // 12 in blocks two to four
}

/// Question Q7.
TEST(SparseMma, AnUnselectedNanHasNoEffect) {
  const MmaInstruction one = sparse_instruction(half(16));
  const std::vector<std::uint64_t> stored(8, 0x3c00);
  const std::vector<int> positions = {0, 1, 4, 5, 8, 9, 12, 13};
  std::vector<std::uint64_t> b(16, 0x3c00);
  b[2] = 0x7e00;
  EXPECT_EQ(sparse_mma(arithmetic_of(one, Generation::kAmpere).value(), stored, positions, b, 0),
            0x41000000U);
  UndecidedBehavior seen;
  seen.unselected_operand_is_seen = true;
  EXPECT_EQ(
      sparse_mma(arithmetic_of(one, Generation::kAmpere, seen).value(), stored, positions, b, 0),
      0x7fffffffU);
}

}  // namespace
}  // namespace tcsim::numerics
