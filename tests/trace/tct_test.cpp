#include "workloads/trace/tct.hpp"

#include <gmock/gmock.h>

#include "sim/files/read_file.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Two warps copy a tile, multiply and store; every construct of the format once.
constexpr std::string_view kExample = R"(# a tile
tct 1
kernel copy_and_multiply   # comments end lines
grid 4 2 1
warps 2
registers 64
shared 8192
buffer A input base=0x10000 bytes=65536
buffer "D 0" output base=0x20000 bytes=65536

program main warps 0
  MOV R2, -5
  IADD3 R3, R2, RZ, RZ {reuse=1 yield}
  loop i0 < 4
    LDGSTS.E.128 [R4: A + 64*(lane/4%8) + 4096*ctaid.x - 16] -> smem[R6: 16*lane] swizzle(3,4,3) zfill(2*lane < 60) @(32*i0 + lane < 100 && warp < 1) {rd=0}
    LDGDEPBAR
    loop i1 < ctaid.x + 1
      LDSM.16.M88.4 R8, smem[512*((i0+1)%2) + 16*(lane/2)] {wr=1}
      HMMA.16816.F32 R16, R8, R12, R16 {wait=02}
    end
    DEPBAR.LE 1
    BAR.SYNC 0
  end @()
  STG.E.128 [R4: "D 0" + 16*lane] swizzle(1,2,3), R16
  EXIT

program helper warps 1
  EXIT
)";

std::string messages(const std::string& text) {
  return test::refusal([&] { return read_tct(text, "k.tct"); });
}

/// The example with the first `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text(kExample);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Tct, ReadsTheHeader) {
  const isa::KernelLaunch launch = read_tct(kExample, "k.tct");
  EXPECT_EQ(launch.name, "copy_and_multiply");
  EXPECT_THAT(launch.grid, ElementsAre(4, 2, 1));
  EXPECT_EQ(launch.warps_per_cta, 2);
  EXPECT_EQ(launch.registers_per_thread, 64);
  EXPECT_EQ(launch.shared_bytes_per_cta, 8192);
  ASSERT_EQ(launch.buffers.size(), 2U);
  EXPECT_EQ(launch.buffers[0], (isa::Buffer{"A", 0x10000, 65536, true}));
  EXPECT_EQ(launch.buffers[1], (isa::Buffer{"D 0", 0x20000, 65536, false}));
  EXPECT_THAT(launch.program_of_warp, ElementsAre(0, 1));
}

TEST(Tct, KeepsUniformRegistersAndPredicates) {
  const std::string text = changed("    DEPBAR.LE 1",
                                   "    UIADD3 sets=UR4 uses=UR4,URZ,UR6\n"
                                   "    UMOV sets=UR62\n"
                                   "    ISETP R2, R3 sets=P0\n"
                                   "    SEL R4, R5, R6 uses=P0 @(lane < 3)");
  const isa::KernelLaunch launch = read_tct(text, "k.tct");
  const auto& instructions = launch.programs[0].instructions;
  EXPECT_EQ(instructions[7].dst, 4);
  EXPECT_THAT(instructions[7].src, ElementsAre(4, isa::kZeroRegister, 6, isa::kZeroRegister));
  EXPECT_EQ(instructions[9].dst, 0);
  EXPECT_EQ(instructions[10].src[2], 0);
  EXPECT_EQ(canonical(read_tct(write_tct(launch), "k.tct")), canonical(launch));
  const auto loop_end = read_tct(changed("  end @()", "  end uses=P3 @()"), "k.tct");
  EXPECT_EQ(loop_end.programs[0].instructions[9].src[0], 3);
}

TEST(Tct, RefusesRegistersThatAFileDoesNotHave) {
  EXPECT_EQ(messages(changed("    DEPBAR.LE 1", "    UMOV sets=UR63")),
            "k.tct:21:15: register: expected UR0 to UR62 or URZ, got 'UR63'");
  EXPECT_EQ(messages(changed("    DEPBAR.LE 1", "    ISETP R2, R3 sets=UR1")),
            "k.tct:21:23: register: expected P0 to P6 or PT, got 'UR1'");
  EXPECT_THAT(messages(changed("    DEPBAR.LE 1", "    MOV R2, R3 sets=P1")),
              HasSubstr("register: the instruction sets no uniform register or predicate"));
  EXPECT_THAT(messages(changed("    DEPBAR.LE 1", "    MOV R2, R3 uses=P1")),
              HasSubstr("register: the instruction uses no uniform register or predicate"));
}

TEST(Tct, ReadsAddressesGuardsAndSwizzles) {
  const isa::WarpProgram program = read_tct(kExample, "k.tct").programs[0];
  const isa::Instruction& copy = program.instructions[2];
  EXPECT_EQ(copy.opcode, isa::Opcode::kLdgsts128);
  EXPECT_THAT(copy.src, ElementsAre(4, 6, isa::kZeroRegister, isa::kZeroRegister));
  const isa::MemoryAccess& access = program.accesses[copy.access];
  EXPECT_EQ(access.buffer, 0);
  EXPECT_EQ(
      access.global.offset,
      (isa::Expression{-16, {{isa::Variable::kLane, 64, 4, 8}, {isa::Variable::kCtaX, 4096}}}));
  EXPECT_EQ(access.shared.offset, (isa::Expression{0, {{isa::Variable::kLane, 16}}}));
  EXPECT_EQ(access.shared.swizzle, (isa::Swizzle{3, 4, 3}));
  ASSERT_EQ(access.source.bounds.size(), 1U);
  EXPECT_EQ(access.source.bounds[0].limit, 60);
  const isa::Guard& guard = program.guards[copy.guard];
  ASSERT_EQ(guard.bounds.size(), 2U);
  EXPECT_EQ(guard.bounds[0].limit, 100);
  EXPECT_EQ(guard.bounds[0].expression,
            (isa::Expression{0, {{isa::Variable::kLoop0, 32}, {isa::Variable::kLane, 1}}}));
}

/// The example with `line` in the place of its store.
std::string with_line(const std::string& line) {
  return changed("STG.E.128 [R4: \"D 0\" + 16*lane] swizzle(1,2,3), R16", line);
}

TEST(Tct, KeepsAccessesOfSharedMemoryOfTheCluster) {
  for (const std::string line :
       {"LD.E.128 R8, dsmem[R4: 16777216*((ctaid.x+1)%2) + 16*lane]",
        "ST.E dsmem[R4: 4*lane] swizzle(1,2,3), R16", "ATOM.E.CAS R8, dsmem[512], R16, R17"}) {
    const isa::KernelLaunch launch = read_tct(with_line(line), "k.tct");
    const std::string text = write_tct(launch);
    EXPECT_THAT(text, HasSubstr("  " + line + "\n"));
    EXPECT_EQ(read_tct(text, "k.tct"), canonical(launch));
  }
  EXPECT_EQ(messages(with_line("LD.E R8, smem[R4: 4*lane]")),
            "k.tct:24:12: address: expected 'dsmem', got 'smem[R4:'");
  EXPECT_EQ(messages(with_line("LD.E R8, dsmem[R63: 4*lane]")),
            "k.tct:24:18: register: R63 of 2 reaches R64, the kernel has 64 registers");
}

TEST(Tct, ReadsLoopsAsBlocks) {
  const isa::WarpProgram program = read_tct(kExample, "k.tct").programs[0];
  ASSERT_EQ(program.loops.size(), 2U);
  EXPECT_EQ(program.loops[0], (isa::Loop{2, 9, 0, {4, {}}}));
  EXPECT_EQ(program.loops[1], (isa::Loop{4, 6, 1, {1, {{isa::Variable::kCtaX, 1}}}}));
  EXPECT_EQ(program.instructions[6].opcode, isa::Opcode::kBra);
  EXPECT_EQ(program.instructions[6].immediate, 1);
}

TEST(Tct, ReadsShiftedVariables) {
  const isa::WarpProgram program = read_tct(kExample, "k.tct").programs[0];
  const isa::MemoryAccess& access = program.accesses[program.instructions[4].access];
  EXPECT_EQ(
      access.shared.offset,
      (isa::Expression{0, {{isa::Variable::kLoop0, 512, 1, 2, 1}, {isa::Variable::kLane, 16, 2}}}));
}

TEST(Tct, ReadsDividedSums) {
  std::string text(kExample);
  const std::string_view sum = "4096*ctaid.x";
  text.replace(text.find(sum), sum.size(), "12*((128*ctaid.x + lane - 3)/56%28) - (warp+lane)%7");
  const isa::WarpProgram program = read_tct(text, "k.tct").programs[0];
  const isa::Expression& offset = program.accesses[program.instructions[2].access].global.offset;
  const isa::Quotient row{.coefficient = 12,
                          .constant = -3,
                          .terms = {{isa::Variable::kCtaX, 128}, {isa::Variable::kLane, 1}},
                          .divisor = 56,
                          .modulus = 28};
  const isa::Quotient other{.coefficient = -1,
                            .terms = {{isa::Variable::kWarp, 1}, {isa::Variable::kLane, 1}},
                            .modulus = 7};
  EXPECT_THAT(offset.quotients, ElementsAre(row, other));
}

TEST(Tct, WritesQuotientsWithoutTermsAsItReadsThem) {
  isa::KernelLaunch launch = read_tct(kExample, "k.tct");
  isa::WarpProgram& program = launch.programs[0];
  isa::Expression& offset = program.accesses[program.instructions[2].access].global.offset;
  for (const std::int64_t constant : {0, 7}) {
    offset.quotients = {{.constant = constant, .divisor = 2, .modulus = 2}};
    EXPECT_EQ(canonical(read_tct(write_tct(launch), "k.tct")), canonical(launch)) << constant;
  }
}

/// The example with uniforms, and a trip count and an address that use them.
std::string example_with_uniforms() {
  std::string text = changed("  MOV R2, -5",
                             "  uniform u0 = (8 - 3*ctaid.x max 1 min 6)/2\n"
                             "  uniform u1 = u0 + 2*i0\n  MOV R2, -5");
  const std::string trips = "ctaid.x + 1\n";
  text.replace(text.find(trips), trips.size(), "u1 + 1\n");
  const std::string address = "4096*ctaid.x";
  return text.replace(text.find(address), address.size(), "4096*(u1%3)");
}

TEST(Tct, ReadsUniformsAndBoundedSums) {
  const isa::KernelLaunch launch = read_tct(example_with_uniforms(), "k.tct");
  const isa::WarpProgram& program = launch.programs[0];
  const isa::Quotient bounded{.coefficient = 1,
                              .constant = 8,
                              .terms = {{isa::Variable::kCtaX, -3}},
                              .divisor = 2,
                              .modulus = 0,
                              .least = 1,
                              .most = 6};
  const isa::Variable u0 = isa::uniform_variable(0);
  const isa::Variable u1 = isa::uniform_variable(1);
  EXPECT_THAT(program.uniforms,
              ElementsAre(isa::Expression{0, {}, {bounded}},
                          isa::Expression{0, {{u0, 1}, {isa::Variable::kLoop0, 2}}}));
  EXPECT_EQ(program.loops[1].trips, (isa::Expression{1, {{u1, 1}}}));
  EXPECT_EQ(read_tct(write_tct(launch), "k.tct"), canonical(launch));
}

TEST(Tct, ReadsLoopsOverNumbersThatAreTaken) {
  const std::string text =
      "tct 1\nkernel taken\ngrid 4 1 1\nwarps 1\nregisters 16\nshared 0\n"
      "buffer counter output flags base=0x100 bytes=256\n"
      "program all warps 0\n"
      "  uniform u0 = ctaid.x + 4*i0\n"
      "  loop i0 < 5 numbers 20\n"
      "    ATOMG.E.ADD R4, [R2: counter], RZ lit=1 @(lane < 1)\n"
      "  end\n"
      "  EXIT\n";
  const isa::KernelLaunch launch = read_tct(text, "k.tct");
  EXPECT_EQ(launch.programs[0].loops[0].numbers, 20);
  EXPECT_EQ(read_tct(write_tct(launch), "k.tct"), canonical(launch));
  std::string without = text;
  without.replace(without.find("ATOMG"),
                  std::string("ATOMG.E.ADD R4, [R2: counter], RZ lit=1").size(),
                  "RED.E.ADD [R2: counter], RZ lit=1");
  EXPECT_THAT(messages(without), HasSubstr("no ATOMG.E.ADD of a flag requests them"));
  std::string few = text;
  few.replace(few.find("numbers 20"), std::string("numbers 20").size(), "numbers 3");
  EXPECT_THAT(messages(few), HasSubstr("loop 0 takes fewer numbers than there are CTAs"));
  std::string plain = text;
  plain.erase(plain.find("  uniform"), plain.find("  loop") - plain.find("  uniform"));
  EXPECT_THAT(messages(plain), HasSubstr("loop 0 takes numbers but there is no uniform 0"));
}

TEST(TctMistakes, OfUniformsAreNamed) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = example_with_uniforms();
    return messages(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(with("uniform u1", "uniform u2"),
            "k.tct:13:11: uniform: expected 'u1', got 'u2'\n"
            "k.tct:17:49: expression: 'u1' has no value here\n"
            "k.tct:19:15: expression: 'u1' has no value here");
  EXPECT_EQ(with("= u0 + 2*i0", "= u0 + warp"),
            "k.tct:13:21: expression: 'warp' has no value here\n"
            "k.tct:17:49: expression: 'u1' has no value here\n"
            "k.tct:19:15: expression: 'u1' has no value here");
  EXPECT_THAT(with("max 1 min 6", "max 7 min 6"),
              StartsWith("k.tct:12:31: expression: what is raised to max cannot stay below min"));
  EXPECT_THAT(
      with("min 6)/2", "min 6)"),
      StartsWith("k.tct:12:16: expression: a sum with bounds must be divided, if only by 1"));
  EXPECT_THAT(with("LDGDEPBAR", "uniform u2 = 1"),
              HasSubstr("uniform: uniforms must come before the first instruction"));
}

TEST(Tct, ReadsLiteralsAndControlBits) {
  const isa::WarpProgram program = read_tct(kExample, "k.tct").programs[0];
  EXPECT_TRUE(program.instructions[0].has_immediate);
  EXPECT_EQ(program.instructions[0].immediate, -5);
  const isa::ControlBits add = program.instructions[1].control;
  EXPECT_EQ(add.reuse_mask, 1);
  EXPECT_TRUE(add.yield);
  EXPECT_EQ(program.instructions[2].control.read_counter, 0);
  EXPECT_EQ(program.instructions[4].control.write_counter, 1);
  EXPECT_EQ(program.instructions[5].control.wait_mask, 2);
}

TEST(Tct, HasStallsInAllInstructionsOfAProgramOrNone) {
  const auto with = [](const std::string& first, const std::string& second) {
    return changed("program helper warps 1\n",
                   "program helper warps 1\n  MOV R2, 5" + first + "\n  MOV R3, 5" + second + "\n");
  };
  const isa::KernelLaunch launch = read_tct(with(" {stall=4}", " {stall=15}"), "k.tct");
  EXPECT_EQ(launch.programs[1].instructions[1].control.stall, 15);
  EXPECT_EQ(messages(with("", " {stall=15}")),
            "k.tct:28:1: stall: missing, but other instructions of program helper have one: give "
            "every instruction one (except EXIT), or none, so that the program is assembled");
}

TEST(Tct, WritesTheExampleBackWithoutItsComments) {
  std::string bare;
  for (std::size_t start = 0; start < kExample.size();) {
    const std::size_t end = kExample.find('\n', start);
    std::string line(kExample.substr(start, end - start));
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty() || start > 0) bare += line + '\n';
    start = end + 1;
  }
  EXPECT_EQ(write_tct(read_tct(kExample, "k.tct")), bare);
}

TEST(Tct, ReadsTheDocumentedExample) {
  const std::string document =
      files::read_file(TC_SOURCE_DIR "/docs/tct.md", files::FileKind::kKernel);
  const std::size_t start = document.find("```\n# Copies") + 4;
  const std::string example = document.substr(start, document.find("```", start) - start);
  const std::string bare = example.substr(example.find('\n') + 1);
  EXPECT_EQ(write_tct(read_tct(example, "docs/tct.md")), bare);
}

TEST(Tct, DropsOnlyWhatTheHardwareDoesNotSee) {
  isa::KernelLaunch launch = read_tct(kExample, "k.tct");
  const std::string text = write_tct(launch);
  launch.programs[0].accesses.push_back({});           // nobody uses it
  launch.programs[1].instructions[0].src[1] = 9;       // EXIT has no operands
  launch.programs[0].accesses[1].global.offset = {7};  // of an LDSM
  EXPECT_EQ(write_tct(launch), text);
}

TEST(Tct, RefusesTwoBuffersOfOneNameWhenWriting) {
  isa::KernelLaunch launch = read_tct(kExample, "k.tct");
  launch.buffers[1].name = "A";
  EXPECT_THROW((void)write_tct(launch), InputError);
}

TEST(TctMistakes, NameTheNearestOpcode) {
  EXPECT_EQ(messages(changed("HMMA.16816.F32 ", "HMMA.16861.F32 ")),
            "k.tct:19:7: opcode: unknown opcode 'HMMA.16861.F32'; did you mean "
            "\"HMMA.16816.F32\"?");
}

TEST(TctMistakes, NameTheNearestVariableFieldAndBuffer) {
  EXPECT_EQ(messages(changed("4096*ctaid.x", "4096*ctaid.w")),
            "k.tct:15:48: expression: unknown variable 'ctaid.w'; did you mean \"ctaid.x\"?");
  EXPECT_EQ(messages(changed("reuse=1", "resue=1")),
            "k.tct:13:25: control: 'resue' is not a control field; did you mean \"reuse\"?");
  EXPECT_EQ(messages(changed("\"D 0\" + 16", "\"D0\" + 16")),
            "k.tct:24:18: buffer: D0 is not declared; did you mean \"D 0\"?");
  EXPECT_EQ(messages(changed("registers 64", "regsters 64")),
            "k.tct:6:1: line: expected a header line or 'program', got 'regsters'; did you mean "
            "\"registers\"?\n"
            "k.tct:11:1: header: 'registers' is missing");
}

TEST(TctMistakes, ComeAllAtOnce) {
  std::string text = changed("warps 2", "warps 33");
  text.replace(text.find("wr=1"), 4, "stall=99");
  text.replace(text.find("DEPBAR.LE 1"), 11, "DEPBAR.LE x");
  EXPECT_EQ(messages(text),
            "k.tct:5:7: warps: '33' is larger than 32\n"
            "k.tct:18:67: stall: '99' is larger than 15\n"
            "k.tct:21:15: groups: expected a number, got 'x'");
}

struct Case {
  const char* from;
  const char* to;
  const char* message;
};

class TctMistake : public ::testing::TestWithParam<Case> {};

TEST_P(TctMistake, IsNamedWithItsPlace) {
  EXPECT_EQ(messages(changed(GetParam().from, GetParam().to)), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Header, TctMistake,
    ::testing::Values(
        Case{"tct 1", "tct 2", "k.tct:2:5: tct: this program reads version 1"},
        Case{"tct 1\n", "",
             "k.tct:2:1: header: the file must start with 'tct 1'\n"
             "k.tct:10:1: header: 'tct' is missing"},
        Case{"grid 4 2 1", "grid 4 2",
             "k.tct:4:9: grid: expected a number, got the end of the line"},
        Case{"grid 4 2 1", "grid 4 0 1", "k.tct:4:8: grid: an extent is at least 1"},
        Case{"grid 4 2 1", "grid 4 2 1 1", "k.tct:4:12: line: unexpected '1'"},
        Case{"registers 64", "registers 64\nregisters 64",
             "k.tct:7:1: header: 'registers' is given twice"},
        Case{"registers 64", "registers 020",
             "k.tct:6:11: registers: a number must not start with 0"},
        Case{"registers 64", "registers 64x", "k.tct:6:11: registers: '64x' is not a whole number"},
        Case{"input", "inout", "k.tct:8:10: buffer: expected 'input' or 'output', got 'inout'"},
        Case{"\"D 0\" output", "A output",
             "k.tct:9:8: buffer: A is declared twice\n"
             "k.tct:24:18: buffer: \"D 0\" is not declared"},
        Case{"\"D 0\" output", "\"D 0 output",
             "k.tct:9:8: buffer: the quote is not closed\n"
             "k.tct:24:18: buffer: \"D 0\" is not declared"},
        Case{"base=0x20000", "base=0x10000", "k.tct:8:1: launch: buffers A and \"D 0\" overlap"},
        Case{"base=0x20000", "base=0x20010",
             "k.tct:9:1: launch: buffer \"D 0\" does not start at a multiple of 256"},
        Case{"0x20000 bytes=65536",
             "0x20000 bytes=65536\ntensormap T buffer=A element=2 extents=8,8 strides=16 "
             "box=8,300 swizzle=0",
             "k.tct:10:1: launch: tensor map T: a box has sides of 1 to 256 elements"},
        Case{"0x20000 bytes=65536",
             "0x20000 bytes=65536\ntensormap T buffer=weights element=2 extents=8,8 strides=16 "
             "box=8,8 swizzle=0",
             "k.tct:10:20: buffer: weights is not declared"},
        Case{"program helper warps 1", "program helper warps 0",
             "k.tct:27:22: warps: warp 0 has a program already"},
        Case{"program helper warps 1", "program helper warps none",
             "k.tct:11:1: warps: warp 1 has no program"},
        Case{"program helper", "shared 1\nprogram helper",
             "k.tct:27:1: header: 'shared' after a program"}));

INSTANTIATE_TEST_SUITE_P(
    Body, TctMistake,
    ::testing::Values(
        Case{"R3, R2, RZ, RZ", "R3, R2, RZ", "k.tct:13:20: operand: expected ',', got '{reuse=1'"},
        Case{"R3, R2, RZ, RZ", "R3, R2, RZ, RZ, RZ", "k.tct:13:23: line: unexpected ','"},
        Case{"R3, R2", "R3, r2", "k.tct:13:13: register: expected R0 to R254 or RZ, got 'r2,'"},
        Case{"HMMA.16816.F32 R16", "HMMA.16816.F32 R61",
             "k.tct:19:22: register: R61 of 4 reaches R64, the kernel has 64 registers"},
        Case{"64*(lane/4%8)", "64*lane/4%8",
             "k.tct:15:34: expression: write coefficient*(variable/divisor%modulus), with "
             "brackets"},
        Case{"lane/4%8", "lane/0%8", "k.tct:15:36: expression: division by zero"},
        Case{"lane/4%8", "lane+warp", "k.tct:15:30: expression: a sum in brackets must be divided"},
        Case{"lane/4%8", "2*lane",
             "k.tct:15:30: expression: write coefficient*(variable/divisor%modulus)"},
        Case{"lane/4%8", "((lane+warp)/2+lane)/3",
             "k.tct:15:31: expression: a divided sum cannot be divided again"},
        Case{"lane/4%8", "(((lane)))", "k.tct:15:33: expression: more brackets than a sum has"},
        Case{"4096*ctaid.x", "4096**ctaid.x",
             "k.tct:15:48: expression: expected a word, got '*ctaid.x'"},
        Case{"4096*ctaid.x", "999999999999999*ctaid.x",
             "k.tct:15:43: expression: the coefficient is larger than 2^48"},
        Case{"loop i1 < ctaid.x + 1", "loop i2 < ctaid.x + 1",
             "k.tct:17:10: loop: expected 'i1', got 'i2'"},
        Case{"loop i1 < ctaid.x + 1", "loop i1 < i0 + 1",
             "k.tct:17:15: expression: 'i0' has no value here"},
        Case{"loop i1 < ctaid.x + 1", "loop i1 < ctaid.x",
             "k.tct:17:1: launch: program main: loop 1 runs 0 times for some warp"},
        Case{"loop i0 < 4", "loop i0 < 0", "k.tct:14:13: loop: a loop runs 1 to 2147483647 times"},
        Case{"end @()", "", "k.tct:14:1: loop: no 'end' closes it"},
        Case{"STG.E.128", "end\n  STG.E.128", "k.tct:24:3: end: no loop is open"},
        Case{"LDGDEPBAR", "BRA", "k.tct:16:5: opcode: branches are written as 'loop' and 'end'"},
        Case{"-> smem", "smem", "k.tct:15:62: address: expected '->', got 'smem[R6:'"},
        Case{"swizzle(3,4,3)", "swizzle(3,4)", "k.tct:15:94: swizzle: expected ',', got ')'"},
        Case{"zfill(2*lane < 60)", "zfill", "k.tct:15:104: guard: expected '(', got '@(32*i0'"},
        Case{"(lane/2)] {wr", "(lane/2)] zfill(lane < 1) {wr",
             "k.tct:18:60: line: unexpected 'zfill(lane'"},
        Case{"warp < 1)", "warp <= 1)", "k.tct:15:147: guard: expected a number, got '='"},
        Case{"wait=02", "wait=40", "k.tct:19:46: wait: '40' is larger than 3f"},
        Case{"wr=1", "wr=6", "k.tct:18:64: wr: '6' is larger than 5"},
        Case{"yield", "yield yield", "k.tct:13:39: control: 'yield' is given twice"},
        Case{"BAR.SYNC 0", "BAR.SYNC 16", "k.tct:22:14: barrier: '16' is larger than 15"},
        Case{"BAR.SYNC 0", "BAR.SYNC 1, 40", "k.tct:22:17: threads: expected a multiple of 32"},
        Case{"BAR.SYNC 0", "BAR.ARV 1",
             "k.tct:22:1: launch: program main: instruction 8 (BAR.ARV): barrier of 0 warps, "
             "allowed 1 to 2"},
        Case{"MOV R2, -5", "MOV R2, 4294967296",
             "k.tct:12:11: literal: '4294967296' is larger than 2147483647"},
        Case{"  EXIT\n\n", "\n",
             "k.tct:11:1: launch: program main: does not end in an unguarded EXIT"},
        Case{"LDGDEPBAR", "\x01", "k.tct:16:5: opcode: expected a word, got '\\u0001'"}));

TEST(TctMistakes, OfAnEmptyFileNameEveryMissingPart) {
  EXPECT_THAT(messages(""), HasSubstr("k.tct:1:1: header: 'grid' is missing"));
  EXPECT_THAT(messages(""), HasSubstr("k.tct:1:1: program: the file has none"));
}

/// A kernel that loads a box of the tensor map T.
std::string box_kernel(const std::string& header) {
  return "tct 1\nkernel k\ngrid 3 1 1\nwarps 1\nregisters 32\nshared 1024\n"
         "buffer A input base=0 bytes=4096\n" +
         header + "program main warps 0\n  UTMALDG.2D T[0, 0] -> smem[0], mbar[512]\n  EXIT\n";
}

TEST(TctMistakes, OfATensorMapLeaveItsNameDeclared) {
  EXPECT_EQ(messages(box_kernel("tensormap T buffer=A element=2 extents=8,8 strides=16 box=8,8 "
                                "swizzle=7\n")),
            "k.tct:8:71: swizzle: is 0, 32, 64 or 128");
}

TEST(TctMistakes, OfClustersAreAtTheirLine) {
  EXPECT_EQ(messages(box_kernel("tensormap T buffer=A element=2 extents=8,8 strides=16 box=8,8 "
                                "swizzle=0\ncluster 2 1 1\n")),
            "k.tct:9:1: launch: clusters of 2 CTAs along x do not divide a grid of 3");
}

TEST(TctMistakes, OfTheSumOfRegistersAreAtTheFirstInstructionThatSetsThem) {
  EXPECT_EQ(messages("tct 1\nkernel k\ngrid 1 1 1\nwarps 4\nregisters 32\nshared 0\n"
                     "program main warps 0-3\n  NOP\n  USETMAXREG 64\n  EXIT\n"),
            "k.tct:9:1: launch: USETMAXREG asks for 8192 registers of a CTA that has 4096");
}

TEST(TctMistakes, StopAfterTwoHundred) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "nonsense\n";
  EXPECT_THAT(messages(text), HasSubstr("k.tct: further mistakes are not shown"));
}

}  // namespace
}  // namespace tcsim::trace
