#include "models/isa/scheduling/place_reuse.hpp"

#include <gmock/gmock.h>

#include "models/isa/assemble.hpp"
#include "tests/isa/assemble_fixture.hpp"

namespace tcsim::isa {
namespace {

using ::testing::ElementsAre;

std::vector<int> reuse_masks(std::vector<Instruction> instructions) {
  WarpProgram program{.instructions = std::move(instructions)};
  place_reuse(program);
  std::vector<int> masks;
  for (const Instruction& i : program.instructions) masks.push_back(i.control.reuse_mask);
  return masks;
}

TEST(PlaceReuse, KeepsOperandsThatTheNextInstructionReadsInTheSamePosition) {
  EXPECT_THAT(reuse_masks({op(Opcode::kFfma, 10, {1, 2, 10}), op(Opcode::kFfma, 11, {1, 3, 11}),
                           op(Opcode::kFfma, 12, {3, 1, 12})}),
              ElementsAre(1, 0, 0));
  EXPECT_THAT(reuse_masks({op(Opcode::kFfma, 10, {1, 2, 5}), op(Opcode::kFfma, 11, {1, 2, 5})}),
              ElementsAre(7, 0));
}

TEST(PlaceReuse, KeepsNothingThatIsWrittenInBetween) {
  EXPECT_THAT(reuse_masks({op(Opcode::kFfma, 1, {1, 2, 5}), op(Opcode::kFfma, 11, {1, 2, 6})}),
              ElementsAre(2, 0));
  EXPECT_THAT(reuse_masks({op(Opcode::kFfma, 10, {1, 2, 5}), op(Opcode::kLds32, 2, {20}),
                           op(Opcode::kFfma, 11, {1, 2, 6})}),
              ElementsAre(1, 0, 0));
}

TEST(PlaceReuse, LooksPastWhatDoesNotReadInTheIssueWindow) {
  EXPECT_THAT(reuse_masks({op(Opcode::kFfma, 10, {1, 2, 5}), op(Opcode::kNop),
                           op(Opcode::kLds32, 30, {20}), op(Opcode::kFfma, 11, {1, 3, 6})}),
              ElementsAre(1, 0, 0, 0));
}

TEST(PlaceReuse, StopsAtMmasAndLeavesTheirFragmentsAlone) {
  EXPECT_THAT(
      reuse_masks({op(Opcode::kFfma, 10, {1, 2, 5}), op(Opcode::kHmma16816F32, 16, {20, 24, 16}),
                   op(Opcode::kHmma16816F32, 32, {20, 26, 32}), op(Opcode::kFfma, 11, {1, 2, 6})}),
      ElementsAre(0, 0, 0, 0));
}

TEST(PlaceReuse, StopsAtProductsOfWarpgroupsAndLeavesTheirMetadataAlone) {
  const Opcode product = parse_opcode("HGMMA.SP.64x64x32.F32").value();
  const Instruction sparse = op(product, 24, {kZeroRegister, kZeroRegister, 24, 9});
  EXPECT_THAT(reuse_masks({op(Opcode::kFfma, 10, {1, 2, 5}), sparse, sparse,
                           op(Opcode::kFfma, 11, {1, 2, 6})}),
              ElementsAre(0, 0, 0, 0));
}

TEST(PlaceReuse, KeepsPairsOfRegistersButNoZeroAndNoLiteral) {
  EXPECT_THAT(reuse_masks({op(Opcode::kDfma, 10, {2, 4, 6}), op(Opcode::kDfma, 12, {2, 14, 16})}),
              ElementsAre(1, 0));
  Instruction literal = op(Opcode::kIadd3, 10, {1, kZeroRegister, kZeroRegister});
  literal.has_immediate = true;
  EXPECT_THAT(reuse_masks({literal, literal}), ElementsAre(1, 0));
}

TEST(PlaceReuse, StopsAtLoopBoundaries) {
  WarpProgram program;
  program.instructions = {op(Opcode::kFfma, 10, {1, 2, 5}), op(Opcode::kFfma, 11, {1, 2, 5})};
  close_loop(program, 1, 0);
  program.instructions.push_back(op(Opcode::kFfma, 12, {1, 2, 5}));
  place_reuse(program);
  for (const Instruction& instruction : program.instructions)
    EXPECT_EQ(instruction.control.reuse_mask, 0);
}

TEST(PlaceReuse, IsPartOfTheAssembly) {
  WarpProgram program{.instructions = {op(Opcode::kFfma, 10, {1, 2, 10}),
                                       op(Opcode::kFfma, 11, {1, 3, 11}), op(Opcode::kExit)}};
  assemble(program, example_timing());
  EXPECT_EQ(program.instructions[0].control.reuse_mask, 1);
}

}  // namespace
}  // namespace tcsim::isa
