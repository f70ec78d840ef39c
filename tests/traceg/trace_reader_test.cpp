#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "models/isa/group_mma.hpp"
#include "tests/support/memory_file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/traceg/steps.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::traceg {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::recorded_steps;
using testing::Step;

RecordedStream read(const std::string& text) {
  return read_recording(test::open_bytes(text, "k.traceg", files::FileKind::kRecording),
                        "k.traceg");
}

/// One CTA of 48 threads, so that the second warp is half empty, in all three address modes.
constexpr std::string_view kExample = R"(-kernel name = copy(int*, float)
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (48,1,1)
-shmem = 1024
-nregs = 32
-binary version = 80
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-nvbit version = 1.5.5
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width

#BEGIN_TB

thread block = 1,0,0

warp = 0
insts = 6
0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0
0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x1000 0x1010 0x1008 0x2000 0
0020 000000f0 1 R6 LDS 1 R3 4 1 0x10 -4 0
0030 80000011 0 STG.E 2 R2 R4 4 2 0x3000 16 -8 0
0040 0000000f 0 EXIT 0 0 0
0050 fffffff0 0 EXIT 0 0 0

warp = 1
insts = 0

#END_TB

#BEGIN_TB
thread block = 0,0,0
warp = 1
insts = 2
0000 0000ffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0
0018 0000ffff 1 R8 LD.E 1 R2 4 1 0x00007f0000000040 4 0
#END_TB
)";

std::string changed(const std::string& from, const std::string& to) {
  std::string text(kExample);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Traceg, KeepsTheShapeOfTheKernel) {
  const RecordedStream stream = read(std::string(kExample));
  ASSERT_EQ(stream.launches.size(), 1U);
  const isa::KernelLaunch& launch = stream.launches.front();
  EXPECT_EQ(launch.name, "copy(int*, float)");
  EXPECT_EQ(launch.grid, (std::array<std::int64_t, 3>{2, 1, 1}));
  EXPECT_EQ(launch.warps_per_cta, 2);
  EXPECT_EQ(launch.registers_per_thread, 32);
  EXPECT_EQ(launch.shared_bytes_per_cta, 1024);
  EXPECT_EQ(launch.recording->sm_version(), 80);
  EXPECT_THAT(isa::validate(launch), IsEmpty());
}

TEST(Traceg, ReadsTheThreeAddressModes) {
  const RecordedStream stream = read(std::string(kExample));
  const auto steps = recorded_steps(stream.launches.front(), {1, 0, 0}, 0);
  EXPECT_THAT(
      steps, ElementsAre(
                 Step{"IMAD", 1, {255, 255, 255, 255}},
                 Step{"LDG.E.64", 4, {2, 255, 255, 255}, 0xf, {0x1000, 0x1010, 0x1008, 0x2000}},
                 Step{"LDS", 6, {3, 255, 255, 255}, 0xf0, {0x10, 0xc, 8, 4}},
                 Step{"STG.E", 255, {2, 4, 255, 255}, 0x80000011, {0x3000, 0x3010, 0x3008}},
                 Step{"EXIT", 255, {255, 255, 255, 255}}, Step{"EXIT", 255, {255, 255, 255, 255}}));
}

TEST(Traceg, BlanksBeforeAnInstructionChangeNothing) {
  std::string indented(kExample);
  for (const std::string_view pc : {"0000 ffffffff", "0010 0000000f", "0040 0000000f"})
    indented.insert(indented.find(pc), "  \t");
  const auto steps = [](const std::string& text) {
    return recorded_steps(read(text).launches.front(), {1, 0, 0}, 0);
  };
  EXPECT_EQ(steps(indented), steps(std::string(kExample)));
}

TEST(Traceg, ATabAfterTheWidthChangesNothing) {
  const std::string line = "0010 0000000f 1 R4 LDG.E.64 1 R2 8\t0 0x1000 0x1010 0x1008 0x2000 0\n";
  std::string text = changed("insts = 6\n", "insts = 8\n");
  text.insert(text.find("0010 0000000f"), line + line);
  EXPECT_EQ(read(text).launches.front().recording->executions()[1], 3);
}

TEST(Traceg, FindsCtasByTheirPlaceAndEndsEveryWarp) {
  const RecordedStream stream = read(std::string(kExample));
  const isa::KernelLaunch& launch = stream.launches.front();
  EXPECT_THAT(recorded_steps(launch, {1, 0, 0}, 1),
              ElementsAre(Step{"EXIT", 255, {255, 255, 255, 255}}));
  EXPECT_THAT(recorded_steps(launch, {0, 0, 0}, 0),
              ElementsAre(Step{"EXIT", 255, {255, 255, 255, 255}}));
  EXPECT_EQ(recorded_steps(launch, {0, 0, 0}, 1).size(), 3U);
  EXPECT_THAT(stream.notes, ElementsAre("k.traceg: 2 warps did nothing",
                                        "k.traceg: 1 warp ended without an EXIT and received one"));
}

TEST(Traceg, AGenericAddressChoosesItsMemory) {
  std::vector<std::int64_t> expected;
  for (int lane = 0; lane < 16; ++lane) expected.push_back(0x40 + 4 * lane);
  EXPECT_EQ(recorded_steps(read(std::string(kExample)).launches.front(), {0, 0, 0}, 1)[1],
            (Step{"LDS", 8, {2, 255, 255, 255}, 0xffff, expected}));
  const RecordedStream global = read(changed("0x00007f0000000040 4", "0x00006f0000000040 0"));
  EXPECT_EQ(
      recorded_steps(global.launches.front(), {0, 0, 0}, 1)[1],
      (Step{
          "LDG.E", 8, {2, 255, 255, 255}, 0xffff, std::vector<std::int64_t>(16, 0x6f0000000040)}));
}

/// The operation of the generic load of 0x00007f0000000040, if memories start elsewhere.
TEST(Traceg, WindowsOfMemoryMayBeInAnyOrder) {
  const auto generic = [](const std::string& shared, const std::string& local) {
    std::string text =
        changed("shmem base_addr = 0x00007f0000000000", "shmem base_addr = " + shared);
    const std::string local_base = "0x00007f1000000000";
    const RecordedStream stream =
        read(text.replace(text.find(local_base), local_base.size(), local));
    const std::string mnemonic = recorded_steps(stream.launches.front(), {0, 0, 0}, 1)[1].mnemonic;
    const std::string note =
        "k.traceg: 1 generic access is taken as one of global memory, since the header "
        "does not say where shared memory is ('shmem base_addr')";
    return mnemonic +
           (std::ranges::find(stream.notes, note) == stream.notes.end() ? "" : ", noted");
  };
  EXPECT_EQ(generic("0x7f0000000000", "0x7eff00000000"), "LDS");
  EXPECT_EQ(generic("0x7effff000080", "0x7eff00000000"), "LDS");    // the last lane at its end
  EXPECT_EQ(generic("0x7efffe000000", "0x7eff00000000"), "LDG.E");  // two windows below
  EXPECT_EQ(generic("0x7f0000000000", "0x7f0000000000"), "LDG.E, noted");
  EXPECT_EQ(generic("0x0", "0x7f1000000000"), "LDG.E, noted");
}

TEST(Traceg, GenericAtomicsChooseTheirMemoryToo) {
  const std::string load = "1 R8 LD.E 1 R2 4 1 0x00007f0000000040 4 0";
  const auto step = [&load](const std::string& address) {
    const RecordedStream stream =
        read(changed(load, "1 R8 ATOM.E.ADD.STRONG.GPU 2 R2 R3 4 1 " + address + " 4 0"));
    return recorded_steps(stream.launches.front(), {0, 0, 0}, 1)[1];
  };
  const Step shared = step("0x00007f0000000040");
  EXPECT_EQ(shared.mnemonic, "ATOMS.ADD");
  EXPECT_EQ(shared.src[1], 3);
  EXPECT_EQ(shared.addresses.front(), 0x40);
  const Step global = step("0x00006f0000000040");
  EXPECT_EQ(global.mnemonic, "ATOMG.E.ADD");
  EXPECT_EQ(global.addresses.front(), 0x6f0000000040);
}

TEST(Traceg, LanesOfBothMemoriesAreTwoOperations) {
  const std::string load = "0018 0000ffff 1 R8 LD.E 1 R2 4 1 0x00007f0000000040 4 0";
  const RecordedStream stream = read(
      changed(load, "0018 00000007 1 R8 LD.E 1 R2 4 0 0x7f0000000040 0x10000 0x7f0000000080 0"));
  const auto steps = recorded_steps(stream.launches.front(), {0, 0, 0}, 1);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[1], (Step{"LDG.E", 8, {2, 255, 255, 255}, 2, {0x10000}}));
  EXPECT_EQ(steps[2], (Step{"LDS", 8, {2, 255, 255, 255}, 5, {0x40, 0x80}}));
}

TEST(Traceg, ImmediatesAreAnyWordOf32Bits) {
  for (const std::string word : {"-2147483648", "4294967295"}) {
    EXPECT_EQ(read(changed("IMAD.MOV.U32 2 R255 R255 0 0", "LOP3.LUT 2 R255 R255 0 " + word))
                  .launches.size(),
              1U);
    EXPECT_EQ(read(changed("0x2000 0", "0x2000 " + word)).launches.size(), 1U);
  }
  EXPECT_EQ(test::refusal([] { read(changed("EXIT 0 0 0", "EXIT 0 0 4294967296")); }),
            "k.traceg:27:26: immediate: '4294967296' is not between -2147483648 and 4294967295");
}

TEST(Traceg, SourceLinesAndOlderTracersAreRead) {
  std::string text = changed("tracer version = 5", "tracer version = 3");
  text.replace(text.find("lineinfo = 0"), 12, "lineinfo = 1");
  for (const char* pc : {"0000 ", "0010 ", "0018 ", "0020 ", "0030 ", "0040 ", "0050 "})
    for (std::size_t at = 0; (at = text.find("\n" + std::string(pc), at)) != std::string::npos;)
      text.insert(++at, "17 ");
  EXPECT_EQ(recorded_steps(read(text).launches.front(), {1, 0, 0}, 0),
            recorded_steps(read(std::string(kExample)).launches.front(), {1, 0, 0}, 0));
}

TEST(Traceg, CountsExecutionsAndJumps) {
  const RecordedStream stream =
      read(changed("insts = 6\n",
                   "insts = 8\n0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0\n"
                   "0010 00000001 1 R4 LDG.E.64 1 R2 8 0 0x1000 0\n"));
  const isa::Recording& recording = *stream.launches.front().recording;
  // IMAD, LDG, LD, LDS, STG, EXIT, EXIT, and the EXIT that was added.
  EXPECT_THAT(recording.executions(), ElementsAre(3, 2, 1, 1, 1, 1, 1, 3));
  using Jump = std::pair<int, int>;
  EXPECT_THAT(recording.jumps(), ElementsAre(Jump{0, 2}, Jump{1, 0}, Jump{1, 3}, Jump{2, 7}));
}

TEST(Traceg, ManyGathersStayExact) {
  // More patterns than a recording shares: each lane pair differs by its own distance.
  std::string text = changed("insts = 6\n", "insts = 5006\n");
  std::string lines;
  for (int i = 0; i < 5000; ++i)
    lines += "0010 00000003 1 R4 LDG.E.64 1 R2 8 2 0x1000 " + std::to_string(8 * i) + " 0\n";
  text.insert(text.find("0000 ffffffff"), lines);
  const RecordedStream stream = read(text);
  const auto steps = recorded_steps(stream.launches.front(), {1, 0, 0}, 0);
  for (int i = 0; i < 5000; ++i)
    ASSERT_THAT(steps[static_cast<std::size_t>(i)].addresses, ElementsAre(0x1000, 0x1000 + 8 * i));
}

struct Damage {
  const char* from;
  const char* to;
  const char* message;
};

class Damaged : public ::testing::TestWithParam<Damage> {};

TEST_P(Damaged, IsRefusedWithItsPlace) {
  EXPECT_EQ(test::refusal([&] { read(changed(GetParam().from, GetParam().to)); }),
            GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, Damaged,
    ::testing::Values(
        Damage{"-nregs = 32\n", "", "k.traceg:14:1: header: 'nregs' is missing"},
        Damage{"(2,1,1)", "(2,1)",
               "k.traceg:3:17: grid dim: expected three numbers, x,y,z, got '(2,1)'"},
        Damage{"(2,1,1)", "(2,1",
               "k.traceg:3:17: grid dim: expected three numbers, x,y,z, got '(2,1'"},
        Damage{"(2,1,1)", "(2,1,1",
               "k.traceg:3:19: grid dim: expected three numbers, x,y,z, got '(2,1,1'"},
        Damage{"(2,1,1)", "  ",
               "k.traceg:3:12: grid dim: expected three numbers, x,y,z, got the end of the line"},
        Damage{"(2,1,1)", "(3,1,1)",
               "k.traceg:42:1: body: the file ends after 2 of 3 thread blocks; it is cut short: "
               "record it again"},
        Damage{"(48,1,1)", "(2048,1,1)",
               "k.traceg:4:14: block dim: '2048' is not between 1 and 1024"},
        Damage{"(2,1,1)", "(2,65536,1)",
               "k.traceg:3:13: grid dim: '65536' is not between 1 and 65535"},
        Damage{"shmem = 1024", "shmem = 1k",
               "k.traceg:5:10: shmem: expected a whole number, got '1k'"},
        Damage{"1,0,0", "2,0,0", "k.traceg:19:16: thread block: outside of the grid"},
        Damage{"0,0,0", "1,0,0", "k.traceg:36:16: thread block: recorded a second time"},
        Damage{"warp = 1\ninsts = 0", "warp = 2\ninsts = 0",
               "k.traceg:30:8: warp: '2' is not between 0 and 1"},
        Damage{"warp = 1\ninsts = 0", "warp = 0\ninsts = 0",
               "k.traceg:30:1: warp: recorded a second time in this thread block"},
        Damage{"insts = 6", "insts = 7",
               "k.traceg:30:1: insts: the warp has 6 instructions, not 7 as 'insts' says"},
        Damage{"insts = 6", "insts = 5",
               "k.traceg:28:1: body: expected 'warp = ', got '0050 fffffff0 0 EXIT 0 0 0'"},
        Damage{"#END_TB\n\n#BEGIN_TB\nthread block", "#END_TB\n\nthread block",
               "k.traceg:35:1: body: expected '#BEGIN_TB', got 'thread block = 0,0,0'"},
        Damage{"0010 0000000f", "0010 1ffffffff",
               "k.traceg:24:6: active mask: '1ffffffff' is too large"},
        Damage{"1 R4 LDG", "1 R256 LDG",
               "k.traceg:24:17: destination: expected a register, R0 to R255, UR0, P0 or UP0, got "
               "'R256'"},
        Damage{"LDG.E.64 1 R2 8 0 0x1000", "LDG.E.64 1 R2 0",
               "k.traceg:24:36: immediate: expected a whole number, got '0x1010'"},
        Damage{"LDG.E.64 1 R2 8 0 0x1000 0x1010 0x1008 0x2000 0", "LDG.E.64 1 R2 0 0",
               "k.traceg:24:34: width: LDG.E.64 needs addresses, and has none"},
        Damage{"8 0 0x1000", "8 3 0x1000",
               "k.traceg:24:36: address mode: '3' is not between 0 and 2"},
        Damage{"0x1008 0x2000 0", "0x1008",
               "k.traceg:24:58: address: expected hexadecimal digits, got the end of the line"},
        Damage{"0x2000 0", "0x4000000000000 0",
               "k.traceg:24:59: address: '0x4000000000000' is too large"},
        Damage{"0x10 -4", "0x10 -8", "k.traceg:25:41: address: lane at -8, outside of 49 bits"},
        Damage{"1 0x10 -4 0", "1 0x10 -4 0 7",
               "k.traceg:25:43: line: nothing more is expected, got '7'"},
        Damage{"EXIT 0 0 0", "EXIT 0 0 x",
               "k.traceg:27:26: immediate: expected a whole number, got 'x'"}));

TEST(DamagedTraceg, IsRefusedWhereverItIsCutShort) {
  const std::string text(kExample);
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_THROW(read(text.substr(0, size)), InputError) << size;
}

TEST(UncoveredTraceg, TellsHowManyOperationsAreUnknownAndWhereTheFirstIs) {
  std::string text = changed("1 R1 IMAD.MOV.U32 2", "1 R1 FROB.X 2");
  text.replace(text.find("0 EXIT"), 6, "0 KNURL");
  EXPECT_EQ(read(text).not_covered,
            "2 executed instructions of 2 operations that the models lack in code for sm_80: "
            "FROB.X, KNURL; the first at k.traceg:23:20");
  EXPECT_THAT(read(text).launches, IsEmpty());
}

TEST(UncoveredTraceg, NamesForeignVersions) {
  EXPECT_EQ(read(changed("binary version = 80", "binary version = 61")).not_covered,
            "code for sm_61 is not covered; sm_70, 75, 80, 86 and 90 are");
  EXPECT_EQ(read(changed("tracer version = 5", "tracer version = 2")).not_covered,
            "tracer version 2 is not covered; 3 to 6 are");
}

/// Two CTAs that are a cluster, of a tracer that knows of values: an mbarrier is initialised,
/// filled by a box in list form and by one for both CTAs in the form of differences, arrived at and
/// waited for; products of both kinds.
constexpr std::string_view kHopperExample = R"(-kernel name = hopper
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (32,1,1)
-shmem = 1024
-nregs = 168
-binary version = 90
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-nvbit version = 1.8
-accelsim tracer version = 6
#BEGIN_TB
thread block = 0,0,0
cluster id = 0,0,0
cluster cta = 0,0,0
cluster rank = 0
warp = 0
insts = 12
0000 ffffffff 1 P0 ELECT 1 UP1 0 0 0 NoVal
0010 00000001 1 UR4 SYNCS.EXCH.64 2 UR8 UR6 8 0 0x400 0 0 Val 1 0x0 1 0x400 1 0x7ffff000001ffffc
0020 00000001 1 R255 SYNCS.ARRIVE.TRANS64 2 R3 R4 8 0 0x400 0 0 Val 1 0x0 1 0x400 1 0x180
0030 00000001 0 UTMALDG.2D 0 64 0x400 0 256 64 3 3 0x10000 0x10040 0x20000 0 0 NoVal
0040 00000001 0 UTMALDG.2D.MULTICAST 0 128 0x1000400 1 0x3 256 0 4 0x30000 2 4096 0 0 NoVal
0050 ffffffff 1 P1 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R3 R5 8 1 0x400 0 0 0 Val 1 0 1 0x400 1 0x80000000
REPLAY
0070 ffffffff 1 R24 HGMMA.64x64x16.F32.BF16 2 UR8 R24 0 0 0 0 NoVal
0080 ffffffff 1 R24 HGMMA.64x64x16.F32.BF16 3 R4 UR8 R24 1 0 0 0 NoVal
0090 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 1 0 NoVal
00a0 00000003 0 SYNCS.ARRIVE.TRANS64.RED.A1T0 2 R7 R255 8 1 0x408 16777216 0 0 NoVal
00b0 ffffffff 0 EXIT 0 0 0 0 NoVal
#END_TB
#BEGIN_TB
thread block = 1,0,0
cluster id = 0,0,0
cluster cta = 1,0,0
cluster rank = 1
warp = 0
insts = 1
00b0 ffffffff 0 EXIT 0 0 0 0 NoVal
#END_TB
)";

std::string hopper_example(const std::string& from = "", const std::string& to = "") {
  std::string text(kHopperExample);
  text.replace(text.find("REPLAY\n"), 7,
               "0060 ffffffff 0 REPLAY_START 0 0 0 0 NoVal\n"
               "0060 ffffffff 0 REPLAY_END 0 0 0 0 NoVal\n");
  text.replace(text.find("insts = 12"), 10, "insts = 13");
  return from.empty() ? text : text.replace(text.find(from), from.size(), to);
}

TEST(HopperTraceg, KeepsBarriersBoxesProductsAndClusters) {
  const isa::KernelLaunch launch = read(hopper_example()).launches.at(0);
  EXPECT_THAT(launch.cluster, ElementsAre(2, 1, 1));
  const std::vector<Step> steps = recorded_steps(launch, {0, 0, 0}, 0);
  const auto step = [&steps](std::size_t at, const std::string& mnemonic) {
    EXPECT_EQ(steps.at(at).mnemonic, mnemonic);
    return steps.at(at);
  };
  EXPECT_EQ(step(1, "SYNCS.EXCH.64").value, 2);
  EXPECT_THAT(steps[1].addresses, ElementsAre(0x400));
  EXPECT_EQ(step(2, "SYNCS.ARRIVE.TRANS64").value, 0x180);
  const Step box = step(3, "UTMALDG.2D");
  EXPECT_EQ(box.box,
            (isa::RecordedBox{{{0, 128}, {0x10000, 64}}, 256}));  // two of three follow each other
  EXPECT_THAT(box.addresses, ElementsAre(0x10000));
  EXPECT_EQ(box.barrier, 0x400);
  EXPECT_EQ(box.value, 0);
  const Step to_both = step(4, "UTMALDG.2D.MULTICAST");
  EXPECT_EQ(to_both.box, (isa::RecordedBox{{{0, 128}, {4096, 128}}, 256}));
  EXPECT_EQ(to_both.barrier, 0x400);  // the byte, not the rank
  EXPECT_EQ(to_both.value, 3);
  EXPECT_EQ(step(5, "SYNCS.PHASECHK.TRANS64.TRYWAIT").value, 1);
  EXPECT_EQ(step(6, "HGMMA.64x64x16.F32.BF16").src[2], 24);
  EXPECT_EQ(step(7, "HGMMA.64x64x16.F32.BF16.RS").src[0], 4);
  EXPECT_THAT(step(9, "SYNCS.ARRIVE.TRANS64.RED.A1T0").addresses, ElementsAre(0x408, 0x1000408));
  const std::vector<isa::Instruction>& code = launch.programs.at(0).instructions;
  EXPECT_EQ(code[6].immediate, 0);
  EXPECT_EQ(code[7].immediate, isa::kClosesGroup);
  EXPECT_EQ(code[8].immediate, 1);
}

TEST(HopperTraceg, KeepsWhichBarrierItIsAndWhomItCounts) {
  const auto barrier = [](const std::string& text) {
    std::string file = hopper_example("00b0 ffffffff 0 EXIT 0 0 0 0 NoVal",
                                      "00b0 ffffffff " + text + "\n00c0 ffffffff 0 EXIT 0 0");
    const RecordedStream stream = read(file.replace(file.find("insts = 13"), 10, "insts = 14"));
    const isa::Instruction& instruction = stream.launches.at(0).programs.at(0).instructions.at(10);
    const isa::NamedBarrier named = isa::named_barrier(instruction.immediate);
    return std::string(isa::opcode_info(instruction.opcode).mnemonic) + " " +
           std::to_string(named.number) + " of " + std::to_string(named.warps);
  };
  EXPECT_EQ(barrier("0 BAR.SYNC.DEFER_BLOCKING 0 0 0 0 NoVal"), "BAR.SYNC 0 of 0");
  EXPECT_EQ(barrier("0 BAR.SYNC 0 0 3 128 NoVal"), "BAR.SYNC 3 of 4");
  EXPECT_EQ(barrier("0 BAR.ARV 0 0 3 256 NoVal"), "BAR.ARV 3 of 8");
  EXPECT_EQ(barrier("1 R5 BAR.ARV 0 0 64 0 Val 1 0x7"), "BAR.ARV 7 of 2");
}

TEST(HopperTraceg, NamesCopiesThatTheModelsLackWhateverTheyMove) {
  EXPECT_THAT(read(hopper_example("0 UTMALDG.2D 0 64 ", "0 UTMAREDG.2D.MIN 0 8192 ")).not_covered,
              HasSubstr("UTMAREDG.2D.MIN; the first at k.traceg:22:17"));
}

TEST(HopperTraceg, IsRefusedWhereverItIsCutShort) {
  const std::string text = hopper_example();
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_THROW(read(text.substr(0, size)), InputError) << size;
}

TEST(HopperTraceg, RefusesWhatHasNoValuesAndBoxesThatAreNone) {
  const auto mistake = [](const std::string& from, const std::string& to) -> std::string {
    try {
      read(hopper_example(from, to));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(mistake("Val 1 0x0 1 0x400 1 0x180", "NoVal"),
              HasSubstr("k.traceg:21:70: values: SYNCS needs the values of its registers: record "
                        "with ALLOW_REG_VAL_TRACING=1"));
  EXPECT_THAT(mistake("Val 1 0x0 1 0x400 1 0x180", "Val 1 0x0 2 0x400 0x400"),
              HasSubstr("number of values: '2' is neither 1 nor 32"));
  EXPECT_THAT(mistake("0 WARPGROUP.DEPBAR.LE 0 0 1 0 NoVal", "0 BAR.SYNC 0 0 128"),
              HasSubstr("barrier: '128' is not one of 16"));
  EXPECT_THAT(mistake("0 EXIT 0 0 0 0 NoVal", "0 EXIT 0 0 0 0 junk"),
              HasSubstr("k.traceg:31:30: values: expected Val or NoVal, got 'junk'"));
  EXPECT_THAT(mistake("R24 1 0 0 0 NoVal", "R24 1 0 0 0 NoVal 7"),
              HasSubstr("line: nothing more is expected, got '7'"));
  EXPECT_THAT(mistake("0x20000 0 0 NoVal", "0x20000 0 0 0"),
              HasSubstr("values: expected Val or NoVal, got '0'"));
  EXPECT_THAT(
      mistake("256 64 3 3", "128 64 3 3"),
      HasSubstr("k.traceg:22:41: bytes: a box of 128 does not have 3 addresses with 64 each"));
  EXPECT_THAT(mistake("256 64 3 3", "256 64 2 3"),
              HasSubstr("k.traceg:22:48: address mode: '2' is not between 3 and 4"));
  EXPECT_THAT(mistake("cluster cta = 1,0,0", "cluster cta = 16,0,0"),
              HasSubstr("k.traceg:36:15: cluster cta: outside of any cluster"));
}

}  // namespace
}  // namespace tcsim::traceg
