// What read_tct refuses beyond mistakes in single words, and the lines that its messages name.

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "tests/support/refusal.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::trace {
namespace {

using ::testing::HasSubstr;

/// Seven lines.
constexpr std::string_view kHeader =
    "tct 1\nkernel x\ngrid 4 1 1\nwarps 1\nregisters 64\nshared 4096\n"
    "buffer A input base=0x10000 bytes=65536\n";

std::string kernel(const std::string& below) { return std::string(kHeader) + below; }

std::string refused(const std::string& text) {
  return test::refusal([&] { read_tct(text, "k.tct"); });
}

/// The message about a kernel whose program consists of `lines`, the first of which is the ninth of
/// the file, and an EXIT.
std::string refused_lines(const std::string& lines) {
  return refused(kernel("program p warps 0\n" + lines + "EXIT\n"));
}

TEST(TctRules, ASumOfAShiftedRunningSumStaysWithinItsBound) {
  const auto at = [](const std::string& address) {
    return refused_lines("uniform u0 = 4*i0 + u0\nloop i0 < 3\nLDG.E R2, [A + " + address +
                         "]\nend\n");
  };
  EXPECT_EQ(at("u0"), "k.tct:11:16: expression: the sum can grow larger than 2^61");
  EXPECT_EQ(at("(u0+4)"), "k.tct:11:16: expression: the sum can grow larger than 2^61");
}

TEST(TctRules, OperatorsBehindACoefficientAreInBrackets) {
  const std::string reason =
      "expression: write coefficient*(variable/divisor%modulus), with brackets";
  EXPECT_EQ(refused_lines("LDG.E R2, [A + 4*(lane)/3]\n"), "k.tct:9:24: " + reason);
  EXPECT_EQ(refused_lines("LDG.E R2, [A + 4*(lane + warp)%3]\n"), "k.tct:9:31: " + reason);
}

TEST(TctRules, TheLastRegisterIsTheOneBeforeRz) {
  const auto moved = [](const std::string& from) {
    return "tct 1\nkernel x\ngrid 1 1 1\nwarps 8\nregisters 160\nshared 0\n"
           "program p warps 0-3\nUSETMAXREG 24\nEXIT\n"
           "program q warps 4-7\nUSETMAXREG 256\nMOV R2, " +
           from + "\nEXIT\n";
  };
  EXPECT_NO_THROW((void)read_tct(moved("R254"), "k.tct"));
  EXPECT_EQ(refused(moved("R255")),
            "k.tct:12:9: register: R255 reaches R255, the kernel has 255 registers");
}

TEST(TctRules, ALooseLiteralIsForOpcodesWithoutSources) {
  const std::string reason =
      "k.tct:9:12: operand: a literal, or a constant as c[BYTE], takes the place of the last "
      "source";
  EXPECT_EQ(refused_lines("MOV R2, R3 lit=5\n"), reason);
  EXPECT_EQ(refused_lines("MOV R2, R3 const=8\n"), reason);
  const std::string branch = "k.tct:9:10: operand: a branch has the number of its loop, imm=N";
  EXPECT_EQ(refused_lines("BRA.SKIP const=0\nloop i0 < 1\nNOP\nend\n"), branch);
  EXPECT_EQ(refused_lines("BRA.SKIP lit=0\nloop i0 < 1\nNOP\nend\n"), branch);
}

TEST(TctRules, AMessageNamesTheLineOfItsPartWhateverOthersAreCalled) {
  EXPECT_EQ(refused_lines("EXIT\nprogram p warps none\nNOP\nLDS R2, smem[5000]\n"),
            "k.tct:12:1: launch: program p: instruction 1 (LDS): touches shared byte 5000 or a "
            "later one, the CTA has 4096");
  EXPECT_EQ(refused(kernel("buffer \"A B\" input base=0x20001 bytes=256\n"
                           "program p warps 0\nEXIT\n")),
            "k.tct:8:1: launch: buffer \"A B\" does not start at a multiple of 256");
}

TEST(TctRules, NamesKeepToTheLineOfTheirMessage) {
  const std::string program = "program \"a\\x0ab\" warps 0\n";
  EXPECT_EQ(refused(kernel(program + "LDS R2, smem[5000]\nEXIT\n")),
            "k.tct:9:1: launch: program \"a\\x0ab\": instruction 0 (LDS): touches shared byte "
            "5000 or a later one, the CTA has 4096");
  EXPECT_THAT(refused(kernel(program + "NOP {stall=1}\nNOP\nEXIT\n")),
              HasSubstr("other instructions of program \"a\\x0ab\" have one"));
}

TEST(TctRules, AnyHeaderLineComesBehindTheVersion) {
  const std::string buffer(kHeader.substr(kHeader.find("buffer")));
  const std::string others(kHeader.substr(0, kHeader.find("buffer")));
  EXPECT_EQ(refused(buffer + others + "program p warps 0\nLDG.E R2, [A + 4*lane]\nEXIT\n"),
            "k.tct:1:1: header: the file must start with 'tct 1'");
}

TEST(TctRules, AGridWithoutCtasIsOneMistake) {
  std::string text = kernel("program p warps 0\nLDG.E R2, [A + 4*ctaid.x]\nEXIT\n");
  EXPECT_EQ(refused(text.replace(text.find("grid 4"), 6, "grid 0")),
            "k.tct:3:6: grid: an extent is at least 1");
}

TEST(TctRules, LoopsRunNoMoreOftenWhereUniformsCountThem) {
  EXPECT_EQ(refused_lines("uniform u0 = 1000000000000\nloop i0 < u0\nNOP\nend\n"),
            "k.tct:10:1: launch: program p: loop 0 runs 1000000000000 times for some warp, "
            "allowed at most 2147483647");
}

TEST(TctRules, AWaitIsEnteredOnce) {
  const auto waits = [](const std::string& trips) {
    return refused(
        kernel("buffer F output flags base=0x30000 bytes=256\nprogram p warps 0\n"
               "uniform u0 = 2\nBRA.SKIP imm=0\nloop i0 < " +
               trips +
               " until ctaid.x\n"
               "LDG.E.STRONG.GPU R2, [F] @(lane < 1)\nend\nEXIT\n"));
  };
  const std::string front = "k.tct:12:1: launch: program p: loop 0 runs ";
  const std::string end = " times for some warp, allowed at most 1";
  EXPECT_EQ(waits("5"), front + "5" + end);
  EXPECT_EQ(waits("ctaid.x"), front + "3" + end);
  EXPECT_EQ(waits("u0"), front + "2" + end);
  EXPECT_EQ(waits("(ctaid.x+3)/4"), "accepted");
}

}  // namespace
}  // namespace tcsim::trace
