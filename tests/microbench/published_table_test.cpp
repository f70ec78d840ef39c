#include "sim/microbench/published_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace tcsim::microbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string published_header = "suite,test,published,unit,set,source\n";

std::string mistake(const std::string& text) {
  return test::refusal([&] { read_published_table(text, "t.csv"); });
}

TEST(PublishedTable, ReadsARowWithItsParametersAndOverrides) {
  const auto rows =
      read_published_table("# a note\n\n" + published_header +
                               "dram,stream reads=2 writes=1,788,GB/s,clocks.sm_mhz=1380 "
                               "clocks.l2_mhz=1380,\"RRZE, triad\"\n",
                           "t.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].suite, "dram");
  EXPECT_EQ(rows[0].test.program, "stream");
  EXPECT_EQ(rows[0].test.value("reads", 0), 2);
  EXPECT_EQ(rows[0].test.value("warps", 7), 7);
  EXPECT_DOUBLE_EQ(rows[0].published, 788);
  EXPECT_EQ(rows[0].unit, "GB/s");
  EXPECT_THAT(rows[0].overrides, ElementsAre("clocks.sm_mhz=1380", "clocks.l2_mhz=1380"));
  EXPECT_EQ(rows[0].source, "RRZE, triad");
}

TEST(PublishedTable, PassesOverAByteOrderMark) {
  EXPECT_EQ(
      read_published_table("\xef\xbb\xbf" + published_header + "alu,FFMA,4,cycles,,x\n", "t.csv")
          .size(),
      1U);
}

TEST(PublishedTable, ReadsBytesWithBinaryUnits) {
  const auto rows =
      read_published_table(published_header + "l2,chase bytes=4MiB,205,cycles,,RRZE\n", "t.csv");
  EXPECT_EQ(rows[0].test.value("bytes", 0), 4 << 20);
}

TEST(PublishedTable, NamesTheNearestSuite) {
  EXPECT_EQ(
      mistake(published_header + "drum,null,1,us,,V25\n"),
      "t.csv:2:1: suite: 'drum' is not one of mma, alu, shared, l1, l2, dram, sync, launch; did "
      "you mean \"dram\"?");
}

TEST(PublishedTable, RefusesWhatIsNeitherInstructionNorProgram) {
  EXPECT_THAT(
      mistake(published_header + "alu,FFMB,4,cycles,,x\n"),
      HasSubstr(
          "t.csv:2:5: test: 'FFMB' is neither an instruction nor one of chase, "
          "constants, read, cold_read, stream, null, boxes, ring, ring_copies, ring_products, "
          "grid_barrier, hand_over, cluster_barrier, cluster_loads, cluster_stores, "
          "cluster_puts, clusters; did you mean \"FFMA\"?"));
  EXPECT_THAT(mistake(published_header + "mma,wgma,4,cycles,,x\n"),
              ::testing::EndsWith("cluster_puts, clusters"));
}

TEST(PublishedTable, RefusesWhatNoProgramCanRepeat) {
  for (const char* name : {"BRA", "BRA.SKIP", "EXIT", "SYNCS.EXCH.64", "UTMALDG.2D", "UBLKCP.S.G"})
    EXPECT_EQ(mistake(published_header + "alu," + name + ",5,cycles,,x\n"),
              std::string("t.csv:2:5: test: '") + name + "' cannot be repeated by itself");
  EXPECT_EQ(mistake(published_header + "l2,ring n=100,30,cycles/k-tile,,x\n"),
            "t.csv:2:4: test: n=100: there is no HGMMA.64x100x16.F32.BF16");
}

TEST(PublishedTable, RefusesBytesThatTheProgramWouldRound) {
  EXPECT_EQ(mistake(published_header + "shared,cluster_loads bytes=8,9,B/cycle/SM,,x\n"),
            "t.csv:2:8: test: bytes=8 is neither 4 nor 16");
  EXPECT_EQ(mistake(published_header + "shared,cluster_puts bytes=96,9,B/cycle/SM,,x\n"),
            "t.csv:2:8: test: bytes=96 is not a power of two");
}

TEST(PublishedTable, RefusesAnUnknownParameterAndAValueOutOfRange) {
  EXPECT_EQ(mistake(published_header + "alu,FFMA warp=4,4,cycles,,x\n"),
            "t.csv:2:5: test: FFMA has no parameter 'warp'; did you mean \"warps\"? (it has warps, "
            "ilp, ctas, stride, rolled)");
  EXPECT_EQ(mistake(published_header + "alu,FFMA warps=33,4,cycles,,x\n"),
            "t.csv:2:5: test: warps=33 is not within 1 to 32");
  EXPECT_EQ(mistake(published_header + "alu,FFMA warps=two,4,cycles,,x\n"),
            "t.csv:2:5: test: 'warps=two' is not a parameter=integer");
  EXPECT_EQ(mistake(published_header + "l1,chase,33,cycles,,x\n"),
            "t.csv:2:4: test: chase needs bytes=...");
  EXPECT_EQ(mistake(published_header + "l2,read bytes=64KiB,9,GB/s,,x\n"),
            "t.csv:2:4: test: read of a shared buffer needs bytes=256KiB or more");
}

TEST(PublishedTable, RefusesAUnitThatTheProgramDoesNotHave) {
  EXPECT_EQ(mistake(published_header + "l2,chase bytes=1MiB,205,GB/s,,x\n"),
            "t.csv:2:25: unit: 'GB/s' is not a unit of chase: cycles");
  EXPECT_EQ(mistake(published_header + "alu,IADD3,4,TFLOPS,,x\n"),
            "t.csv:2:13: unit: 'TFLOPS': IADD3 does not multiply and add");
}

TEST(PublishedTable, RefusesAFigureThatIsNoPositiveNumberAndAnEmptySource) {
  EXPECT_THAT(mistake(published_header + "alu,FFMA,four,cycles,,x\n"),
              HasSubstr("t.csv:2:10: published: "));
  EXPECT_EQ(mistake(published_header + "alu,FFMA,0,cycles,,x\n"),
            "t.csv:2:10: published: '0' is not above 0");
  EXPECT_EQ(mistake(published_header + "alu,FFMA,4,cycles,,\n"),
            "t.csv:2:20: source: is empty; a published figure needs a source");
}

TEST(PublishedTable, ReportsEveryMistakeAtOnce) {
  EXPECT_EQ(mistake(published_header + "alu,FFMA,0,cycles,,x\nalu,FFMA,4,cycles\n"),
            "t.csv:2:10: published: '0' is not above 0\nt.csv:3:1: row: 4 cells for 6 columns");
}

TEST(PublishedTable, RefusesAnotherHeaderAndAnEmptyFile) {
  EXPECT_EQ(mistake("name,value\n"),
            "t.csv:1:1: header: the columns are suite,test,published,unit,set,source");
  EXPECT_EQ(mistake(""), "t.csv:1:1: header: the file has none");
}

TEST(PublishedTable, AMachineWithoutATableNamesThoseThatHaveOne) {
  EXPECT_THAT(test::refusal([&] { published_table_file("p100"); }),
              HasSubstr("p100: no published figures (machines with a table: a100, "));
}

TEST(PublishedTable, TellsParametersSeenFromOutsideFromPredictions) {
  const auto kind = [](const std::string& test, const std::string& unit) {
    const auto rows =
        read_published_table(published_header + "alu," + test + ",4," + unit + ",,X\n", "t.csv");
    return is_parameter(rows.at(0));
  };
  EXPECT_TRUE(kind("FFMA", "cycles"));
  EXPECT_TRUE(kind("FFMA warps=1 ilp=1", "cycles"));
  EXPECT_TRUE(kind("chase bytes=1MiB", "cycles"));
  EXPECT_FALSE(kind("FFMA ilp=4", "cycles/instruction"));
  EXPECT_FALSE(kind("LDS stride=8", "cycles"));
  EXPECT_FALSE(kind("BAR.SYNC warps=8", "cycles"));
  EXPECT_FALSE(kind("stream reads=1", "GB/s"));
}

}  // namespace
}  // namespace tcsim::microbench
