#include "sim/timeline/text_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program.hpp"
#include "tests/timeline/recorded_programs.hpp"

namespace tcsim::timeline::test {
namespace {

using tcsim::test::make_launch;
using tcsim::test::ProgramBuilder;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TextView, ShowsTheFullPipeOfAnEightWarpLoop) {
  const std::string text = text_view(recorded(hmma_loop(8, 20), 100, 164, 0));
  EXPECT_THAT(text, HasSubstr("64 of 64\ntensor core multiplies"));
  EXPECT_THAT(text, HasSubstr(std::string(64, '#') + "  64 of 64\n"));
}

TEST(TextView, ShowsTheTurnsOfProductsOfWarpgroups) {
  const std::string text = text_view(recorded(group_products(8, 3, 8), 0, 1000, 0));
  for (const char* row : {"tensor core holds an MMA", "tensor core multiplies"})
    EXPECT_THAT(text, ContainsRegex(std::string(row) + " +\\.*#+\\.+  390 of 1000\n")) << row;
  EXPECT_THAT(text, ContainsRegex("HGMMA.64x64x16.F32 R8 +-*\\.*Iq+M+w+-+"));
}

TEST(TextView, DrawsAProductThatDoesNotStartInTheQueue) {
  const std::string text = text_view(stopped(group_products(4, 1, 3), 50, 60));
  EXPECT_THAT(text, ContainsRegex("HGMMA.64x64x16.F32 R8 +\\.*Iq+\n"));
  EXPECT_THAT(text, ContainsRegex("tensor core holds an MMA +\\.+  0 of 60\n"));
}

TEST(TextView, HasOneColumnPerCycleInEveryRow) {
  ProgramBuilder program;
  program.op(isa::Opcode::kNop).stall(15);
  program.op(isa::Opcode::kExit);
  const std::string text = text_view(recorded(make_launch({program.program()}, {0}), 0, 12, 0));
  EXPECT_THAT(text, HasSubstr("\nwarp  instruction         0         10  waits for\n"));
  EXPECT_THAT(text, HasSubstr("\n   0  NOP                 I-----------\n"));
  EXPECT_THAT(text, HasSubstr("\ntensor core holds an MMA  ............  0 of 12\n"));
}

TEST(TextView, PrintsALegendAndTheReasonOfEachWait) {
  const std::string text = text_view(recorded(load_multiply_store(), 0, 64));
  EXPECT_THAT(text, HasSubstr("I issue  o operands read"));
  EXPECT_THAT(text, HasSubstr("LDS.128 ("));
  EXPECT_THAT(text, HasSubstr("SM 0, sub-core 3"));
  EXPECT_THAT(text_view(recorded(load_multiply_store(), 0, 64, 0)), Not(HasSubstr("sub-core 3")));
}

TEST(TextView, EndsTheDotsOfAnInstructionThatNeverIssued) {
  const std::string text = text_view(stopped(dependent_hmmas(20), 110, 116));
  EXPECT_THAT(text, ContainsRegex("NOP  +-+\\.+------  stall count"));
}

TEST(TextView, KnowsTheUnitsOfHopper) {
  EXPECT_EQ(unit_names(isa::parse_opcode("UTMALDG.2D").value()).words, "TMA");
  EXPECT_EQ(unit_names(isa::parse_opcode("WARPGROUP.ARRIVE").value()).words, "control");
  int products = 0;
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<isa::Opcode>(i);
    if (!isa::is_group_mma(opcode)) continue;
    ++products;
    EXPECT_EQ(unit_names(opcode).words, "tensor core");
    EXPECT_TRUE(uses_tensor_core(opcode));
  }
  EXPECT_GT(products, 0);
}

TEST(TextView, SaysWhereNothingHappens) {
  EXPECT_THAT(text_view(recorded(load_multiply_store(), 90'000, 90'010, 0)),
              HasSubstr("no warp has an instruction here"));
}

}  // namespace
}  // namespace tcsim::timeline::test
