#include <gmock/gmock.h>

#include "models/isa/async_checks.hpp"
#include "models/isa/box.hpp"
#include "models/isa/group_mma.hpp"

namespace tcsim::isa {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(GroupMma, SaysWhatItIs) {
  const auto opcode = parse_opcode("HGMMA.64x256x16.F32.BF16.RS");
  ASSERT_TRUE(opcode.has_value());
  const GroupMma& mma = group_mma(*opcode);
  EXPECT_EQ(mma.n, 256);
  EXPECT_EQ(mma.k(), 16);
  EXPECT_TRUE(mma.a_in_registers);
  EXPECT_EQ(opcode_info(*opcode).dst_registers, 128);
  EXPECT_EQ(warp_macs(*opcode), 16 * 256 * 16);
  EXPECT_EQ(group_mma_opcode(mma.formats, 256, true), opcode);
}

TEST(GroupMma, HasTwiceTheKWhereAIsSparse) {
  const auto opcode = parse_opcode("HGMMA.SP.64x128x32.F32");
  ASSERT_TRUE(opcode.has_value());
  const GroupMma& mma = group_mma(*opcode);
  EXPECT_TRUE(mma.sparse);
  EXPECT_EQ(mma.k(), 32);
  EXPECT_EQ(mma.stored_k(), 16);
  EXPECT_EQ(opcode_info(*opcode).src_registers[3], 1);
  EXPECT_EQ(group_mma_opcode(mma.formats, 128, false, true), opcode);
  EXPECT_EQ(why_no_group_mma("HGMMA.SP.64x12x32.F32"), "n is 12, not a multiple of 8");
}

TEST(GroupMma, SaysWhichWidthsThereAre) {
  EXPECT_EQ(why_no_group_mma("HGMMA.64x12x16.F32"), "n is 12, not a multiple of 8");
  EXPECT_EQ(why_no_group_mma("HGMMA.64x264x16.F32"), "n is a multiple of 8 from 8 to 256");
  EXPECT_EQ(why_no_group_mma("IGMMA.64x40x32.S8.S8"),
            "n of INT8 is 40, from 32 on a multiple of 16");
  EXPECT_EQ(why_no_group_mma("HMMA.16816.F32"), "");
}

TEST(MatrixDescriptor, StartsInTheFirstRowOfItsPattern) {
  const MatrixDescriptor descriptor{.swizzle = TileSwizzle::k128};
  EXPECT_EQ(start_problem(descriptor, 2048 + 96), "");
  EXPECT_THAT(start_problem(descriptor, 2048 + 128),
              HasSubstr("byte 2176, which is not in the first"));
  EXPECT_THAT(start_problem(descriptor, 8), HasSubstr("byte 8, allowed multiples of 16"));
}

TEST(MatrixDescriptor, HasBlocksThatItsSwizzleAllows) {
  EXPECT_EQ(descriptor_problem({.stride_bytes = 1024, .swizzle = TileSwizzle::k128}), "");
  EXPECT_EQ(descriptor_problem({.stride_bytes = 512, .swizzle = TileSwizzle::k128}),
            "blocks 512 bytes apart, but its swizzle repeats every 1024");
  EXPECT_THAT(descriptor_problem({.stride_bytes = 100}), HasSubstr("100 bytes"));
}

TensorMap plain_map() {
  return {.name = "A",
          .extents = {100, 20},
          .strides = {256},
          .box = {64, 8},
          .swizzle = TileSwizzle::k128};
}

TEST(TensorMap, OfPlainSidesIsSound) { EXPECT_THAT(problems_of(plain_map(), 20 * 256), IsEmpty()); }

TEST(TensorMap, SaysWhichLimitItBreaks) {
  TensorMap map = plain_map();
  map.box = {128, 8};
  EXPECT_THAT(problems_of(map, 20 * 256),
              ElementsAre("tensor map A: rows of a box have 256 bytes, its swizzle allows 128"));
  map = plain_map();
  map.box = {64, 300};
  EXPECT_THAT(problems_of(map, 20 * 256),
              ElementsAre("tensor map A: a box has sides of 1 to 256 elements"));
  map = plain_map();
  map.strides = {200};
  EXPECT_THAT(
      problems_of(map, 20 * 256),
      ElementsAre("tensor map A: a stride of 200 bytes, allowed multiples of 16 below 2^40"));
  EXPECT_THAT(problems_of(plain_map(), 1000),
              ElementsAre("tensor map A: reaches beyond the 1000 bytes of its buffer"));
}

TEST(BoxRow, EndsWhereTheTensorDoes) {
  const BoxRow inside = box_row(plain_map(), {64, 18}, 1);
  EXPECT_EQ(inside.offset, 19 * 256 + 128);
  EXPECT_EQ(inside.first, 0);
  EXPECT_EQ(inside.end, 72);
  EXPECT_EQ(box_row(plain_map(), {64, 18}, 2).end, 0);
  EXPECT_EQ(box_row(plain_map(), {-10, 0}, 0).first, 20);
}

/// 32 images of 6 x 5 pixels with 16 channels under a filter of 3 x 3, padded by one pixel, every
/// other pixel: 3 x 3 positions.
TensorMap pixels_under_a_filter() {
  TensorMap map{.name = "x",
                .extents = {16, 6, 5, 32},
                .strides = {32, 6 * 32, 30 * 32},
                .box = {8, 20},
                .im2col = {}};
  map.im2col = {.positions = {3, 3}, .pad = {1, 1}, .stride = {2, 2}};
  return map;
}

std::int64_t pixel(int image, int row, int column) { return 32 * (30 * image + 6 * row + column); }

/// The first position is at pixel (-1, -1) of its image.
TEST(BoxRow, InIm2colModeGoesFromPositionToPositionAndImageToImage) {
  const TensorMap map = pixels_under_a_filter();
  const auto row = [&map](int number, std::vector<std::int64_t> coordinates) {
    return box_row(map, coordinates, number);
  };
  EXPECT_EQ(row(0, {0, -1, -1, 0, 0, 0}).end, 0) << "padding";
  EXPECT_EQ(row(0, {0, -1, -1, 0, 1, 1}).offset, pixel(0, 0, 0)) << "under the middle tap";
  EXPECT_EQ(row(0, {0, -1, -1, 0, 1, 1}).end, 16);
  EXPECT_EQ(row(2, {8, -1, -1, 0, 1, 1}).offset, pixel(0, 0, 4) + 16);
  EXPECT_EQ(row(3, {0, -1, -1, 0, 1, 1}).offset, pixel(0, 2, 0)) << "the next row of positions";
  EXPECT_EQ(row(9 + 4, {0, -1, -1, 0, 0, 2}).offset, pixel(1, 3, 1)) << "the next image";
  EXPECT_EQ(row(4, {0, 1, 3, 30, 2, 1}).offset, pixel(31, 0, 5)) << "from position (2, 1) on";
  EXPECT_EQ(row(2, {0, 3, 3, 31, 1, 1}).end, 0) << "beyond the last image";
}

TEST(TensorMap, InIm2colModeHasLimitsOfItsOwn) {
  EXPECT_THAT(problems_of(pixels_under_a_filter(), 32 * 30 * 32), IsEmpty());
  TensorMap map = pixels_under_a_filter();
  map.im2col->stride = {9, 1};
  map.im2col->pad = {0, 200};
  EXPECT_THAT(problems_of(map, 32 * 30 * 32),
              ElementsAre("tensor map x: a stride of im2col mode is 1 to 8 pixels",
                          "tensor map x: a pad is 0 to 128 pixels"));
  map = pixels_under_a_filter();
  map.im2col->positions = {68, 3};
  EXPECT_THAT(problems_of(map, 32 * 30 * 32),
              ElementsAre("tensor map x: the last position is 128 pixels after the image's last "
                          "pixel, allowed -129 to 127"));
  map = pixels_under_a_filter();
  map.box = {8, 20, 1, 1};
  EXPECT_THAT(problems_of(map, 32 * 30 * 32), ElementsAre(HasSubstr("boxes of channels")));
}

KernelLaunch launch_of(Instruction instruction, AsyncOperands operands, int warps) {
  KernelLaunch launch;
  launch.name = "async";
  launch.warps_per_cta = warps;
  launch.registers_per_thread = 168;
  launch.shared_bytes_per_cta = 1 << 16;
  launch.program_of_warp.assign(static_cast<std::size_t>(warps), 0);
  instruction.access = 0;
  launch.programs = {{.name = "main",
                      .instructions = {instruction, {.opcode = Opcode::kExit}},
                      .async = {std::move(operands)}}};
  return launch;
}

TEST(AsyncLaunch, WantsWholeWarpgroups) {
  const Instruction multiply{.opcode = *parse_opcode("HGMMA.64x8x16.F32"), .dst = 24};
  EXPECT_THAT(validate(launch_of(multiply, MatrixOperands{}, 4)), IsEmpty());
  EXPECT_THAT(validate(launch_of(multiply, MatrixOperands{}, 6)),
              ElementsAre(HasSubstr("warp 6 of the warpgroup of warp 4 does not execute it")));
}

TEST(AsyncLaunch, WantsSumsInOnePlaceApartFromWhatIsRead) {
  const auto problems = [](const char* name, std::array<Register, 4> sources, int immediate = 0) {
    const Instruction multiply{
        .opcode = *parse_opcode(name), .dst = 24, .src = sources, .immediate = immediate};
    return validate(launch_of(multiply, MatrixOperands{}, 4));
  };
  constexpr Register kAbsent = kZeroRegister;
  const char* const dense = "HGMMA.64x8x16.F32";
  const char* const from_registers = "HGMMA.SP.64x8x32.F32.RS";
  EXPECT_THAT(problems(dense, {kAbsent, kAbsent, 24, kAbsent}, 3), IsEmpty());
  EXPECT_THAT(problems(dense, {kAbsent, kAbsent, 32, kAbsent}),
              ElementsAre(HasSubstr("C is in R32, where only D or RZ can be")));
  EXPECT_THAT(problems(dense, {kAbsent, kAbsent, 24, kAbsent}, 11),
              ElementsAre(HasSubstr("imm=11, allowed 0 to 3 with a dense A")));
  EXPECT_THAT(problems(from_registers, {20, kAbsent, 24, 28}, 7), IsEmpty());
  EXPECT_THAT(problems(from_registers, {21, kAbsent, 24, 27}),
              ElementsAre(HasSubstr("A from R21 on lies in the sums from R24 to R27"),
                          HasSubstr("the metadata from R27 on lies in the sums from R24 to R27")));
}

TEST(AsyncLaunch, LeavesUpToSevenGroupsOpen) {
  const auto problems = [](int groups) {
    KernelLaunch launch =
        launch_of({.opcode = Opcode::kWarpgroupDepbar, .immediate = groups}, MatrixOperands{}, 4);
    launch.programs[0].instructions[0].access = kNoIndex;
    return validate(launch);
  };
  EXPECT_THAT(problems(7), IsEmpty());
  for (const int groups : {-1, 8})
    EXPECT_THAT(problems(groups), ElementsAre(HasSubstr("leaves " + std::to_string(groups) +
                                                        " groups open, allowed 0 to 7")));
}

TEST(AsyncLaunch, WantsOperandsOfItsKind) {
  const Instruction arrive{.opcode = Opcode::kSyncsArrive};
  EXPECT_THAT(validate(launch_of(arrive, BarrierOperand{}, 1)), IsEmpty());
  EXPECT_THAT(validate(launch_of(arrive, TileOperand{}, 1)),
              ElementsAre(HasSubstr("has operands for another kind of instruction")));
  EXPECT_THAT(validate(launch_of(arrive, BarrierOperand{{0, {{Variable::kLane, 8}}}, {}}, 1)),
              ElementsAre(HasSubstr("an mbarrier that depends on the lane")));
}

TEST(AsyncLaunch, WantsCountsOfAnMbarrierInTheirRanges) {
  const auto problems = [](Opcode opcode, const Expression& value) {
    return validate(launch_of({.opcode = opcode}, BarrierOperand{{64}, value}, 1));
  };
  EXPECT_THAT(problems(Opcode::kSyncsExch, {1}), IsEmpty());
  EXPECT_THAT(problems(Opcode::kSyncsExch, {0}),
              ElementsAre(HasSubstr("0 arrivals of a phase, allowed 1 to 1048575")));
  EXPECT_THAT(problems(Opcode::kSyncsExch, {1 << 20}), SizeIs(1));
  EXPECT_THAT(problems(Opcode::kSyncsArriveBytes, {(1 << 20) - 1}), IsEmpty());
  EXPECT_THAT(problems(Opcode::kSyncsArriveBytes, {1 << 20}),
              ElementsAre(HasSubstr("1048576 bytes of a phase, allowed 0 to 1048575")));
  EXPECT_THAT(problems(Opcode::kSyncsTryWait, {1}), IsEmpty());
  EXPECT_THAT(problems(Opcode::kSyncsTryWait, {2}),
              ElementsAre(HasSubstr("2 as the parity of a phase, allowed 0 to 1")));
}

/// One UTMAREDG of `mnemonic` on `map`, with `coordinates` zeros.
KernelLaunch sums_of(std::string_view mnemonic, const TensorMap& map, std::size_t coordinates) {
  KernelLaunch launch = launch_of({.opcode = *parse_opcode(mnemonic)},
                                  TileOperand{.coordinates = {coordinates, Expression{}}}, 1);
  launch.buffers = {{"A", 0, 1 << 20}};
  launch.tensor_maps = {map};
  return launch;
}

TensorMap map_of_sums() {
  return {.name = "A", .element_bytes = 4, .extents = {100, 20}, .strides = {512}, .box = {32, 8}};
}

TEST(AsyncLaunch, WantsPlacesInSharedMemoryOnTheirMultiples) {
  const auto of_barrier = [](const Expression& byte) {
    return validate(launch_of({.opcode = Opcode::kSyncsArrive}, BarrierOperand{byte, {}}, 1));
  };
  EXPECT_THAT(of_barrier({8, {{Variable::kWarp, 8}}}), IsEmpty());
  EXPECT_THAT(of_barrier({4}),
              ElementsAre(HasSubstr("an mbarrier at shared byte 4, allowed multiples of 8")));
  EXPECT_THAT(of_barrier({12, {{Variable::kWarp, 8}}}),
              ElementsAre(HasSubstr("at shared byte 12 and so on, allowed multiples of 8")));
  EXPECT_THAT(of_barrier({4, {{Variable::kWarp, 4}}}), IsEmpty()) << "hangs on the warp";
  const Instruction multiply{.opcode = *parse_opcode("HGMMA.64x8x16.F32"), .dst = 24};
  EXPECT_THAT(validate(launch_of(multiply, MatrixOperands{.a = {}, .b = {.start = {1025}}}, 4)),
              ElementsAre(HasSubstr("B starts at shared byte 1025, allowed multiples of 16")));
  KernelLaunch boxes = sums_of("UTMASTG.2D", map_of_sums(), 2);
  std::get<TileOperand>(boxes.programs[0].async[0]).shared = {16};
  EXPECT_THAT(validate(boxes),
              ElementsAre(HasSubstr("a box at shared byte 16, allowed multiples of 128")));
}

TEST(AsyncLaunch, TellsOnceThatABoxDependsOnTheLane) {
  KernelLaunch boxes = sums_of("UTMASTG.2D", map_of_sums(), 2);
  auto& box = std::get<TileOperand>(boxes.programs[0].async[0]);
  box.coordinates[0] = {0, {{Variable::kLane, 1}}};
  EXPECT_THAT(validate(boxes), ElementsAre(HasSubstr("a tile that depends on the lane")));
  box.shared = {0, {{Variable::kLane, 128}}};
  EXPECT_THAT(validate(boxes), ElementsAre(HasSubstr("a tile that depends on the lane")));
}

TEST(AsyncLaunch, AddsBoxesOfFourByteElementsAlone) {
  EXPECT_THAT(validate(sums_of("UTMAREDG.2D.ADD", map_of_sums(), 2)), IsEmpty());
  for (const int bytes : {1, 2, 8}) {
    TensorMap map = map_of_sums();
    map.element_bytes = bytes;
    EXPECT_THAT(validate(sums_of("UTMAREDG.2D.ADD", map, 2)),
                ElementsAre(HasSubstr("adds elements of " + std::to_string(bytes) +
                                      " bytes, allowed 4 (FP32)")));
    EXPECT_THAT(validate(sums_of("UTMASTG.2D", map, 2)), IsEmpty());
  }
}

TEST(AsyncLaunch, AddsBoxesOfTensorsOfItsDimensionsAlone) {
  EXPECT_THAT(validate(sums_of("UTMAREDG.3D.ADD", map_of_sums(), 2)),
              ElementsAre(HasSubstr("copies boxes of 3 dimensions, the tensor has 2")));
  EXPECT_THAT(validate(sums_of("UTMAREDG.2D.ADD", map_of_sums(), 3)),
              ElementsAre(HasSubstr("3 coordinates of a tensor of 2 dimensions")));
  TensorMap pixels = pixels_under_a_filter();
  pixels.element_bytes = 4;
  pixels.strides = {64, 6 * 64, 30 * 64};
  EXPECT_THAT(validate(sums_of("UTMAREDG.4D.ADD", pixels, 6)),
              ElementsAre(HasSubstr("a tensor map in im2col mode is read by UTMALDG.4D.IM2COL")));
}

/// One instruction of `mnemonic` that copies `row`, of a launch with one buffer.
std::vector<std::string> problems_of_row(std::string_view mnemonic, const RowOperand& row) {
  KernelLaunch launch =
      launch_of({.opcode = *parse_opcode(mnemonic)}, TileOperand{.ranks = {1}, .row = row}, 1);
  launch.buffers = {{"A", 0, 1 << 20}};
  launch.grid = {2, 1, 1};
  launch.cluster = {2, 1, 1};
  return validate(launch);
}

TEST(AsyncLaunch, CopiesRowsOfMultiplesOf16Bytes) {
  for (const char* const mnemonic :
       {"UBLKCP.S.G", "UBLKCP.S.G.MULTICAST", "UBLKCP.G.S", "UBLKRED.G.S.ADD", "UBLKPF"}) {
    EXPECT_THAT(problems_of_row(mnemonic, {0, {}, {48}}), IsEmpty()) << mnemonic;
    EXPECT_THAT(problems_of_row(mnemonic, {1, {}, {48}}),
                ElementsAre(HasSubstr("buffer 1 does not exist")));
    EXPECT_THAT(problems_of_row(mnemonic, {0, {0, {{Variable::kLane, 16}}}, {48}}),
                ElementsAre(HasSubstr("a row that depends on the lane")));
  }
  for (const int bytes : {0, -16, 8, 40, 1 << 20})
    EXPECT_THAT(problems_of_row("UBLKCP.S.G", {0, {}, {bytes}}),
                Contains(HasSubstr("a row of " + std::to_string(bytes) +
                                   " bytes, allowed multiples of 16 up to 1048560")));
  EXPECT_THAT(problems_of_row("UBLKCP.S.G", {0, {}, {8, {{Variable::kWarp, 8}}}}), IsEmpty())
      << "known when it runs";
}

TEST(AsyncLaunch, PutsRowsIntoSharedMemory) {
  EXPECT_THAT(problems_of_row("UBLKCP.S.S", {kNoIndex, {cluster_address(1, 0)}, {48}}), IsEmpty());
  EXPECT_THAT(problems_of_row("UBLKCP.S.S", {0, {}, {48}}),
              ElementsAre(HasSubstr("a buffer instead of shared memory")));
}

TEST(AsyncLaunch, CopiesRowsThatLieInTheirBuffer) {
  EXPECT_THAT(problems_of_row("UBLKCP.S.G", {0, {8}, {48}}),
              ElementsAre(HasSubstr("a row from byte 8, allowed multiples of 16")));
  EXPECT_THAT(problems_of_row("UBLKCP.S.G", {0, {8, {{Variable::kCtaX, 16}}}, {48}}),
              ElementsAre(HasSubstr("a row from byte 8 and so on, allowed multiples of 16")));
  EXPECT_THAT(problems_of_row("UBLKCP.S.G", {0, {8, {{Variable::kCtaX, 8}}}, {48}}), IsEmpty())
      << "hangs on the CTA";
  EXPECT_THAT(problems_of_row("UBLKPF", {0, {(1 << 20) - 32}, {48}}),
              ElementsAre(HasSubstr("a row from byte 1048544 has 48 bytes, buffer A has 1048576")));
  EXPECT_THAT(problems_of_row("UBLKCP.G.S", {0, {(1 << 20) - 48}, {48}}), IsEmpty());
  EXPECT_THAT(problems_of_row("UBLKCP.S.S", {kNoIndex, {cluster_address(2, 0)}, {48}}),
              ElementsAre(HasSubstr("a row reaches rank 2 of a cluster of 2 CTAs")));
  EXPECT_THAT(problems_of_row("UBLKCP.S.S", {kNoIndex, {cluster_address(1, (1 << 16) - 32)}, {48}}),
              ElementsAre(HasSubstr("a row touches shared byte 65536 of a CTA that has 65536")));
}

TEST(AsyncLaunch, WantsPlacesInsideTheSharedMemoryOfTheCta) {
  const auto of_barrier = [](const Expression& byte) {
    return validate(launch_of({.opcode = Opcode::kSyncsArrive}, BarrierOperand{byte, {}}, 1));
  };
  EXPECT_THAT(of_barrier({(1 << 16) - 8}), IsEmpty());
  EXPECT_THAT(of_barrier({1 << 16}),
              ElementsAre(HasSubstr("an mbarrier at shared byte 65536 has 8 bytes, the CTA has")));
  EXPECT_THAT(of_barrier({1 << 16, {{Variable::kLoop0, 8}}}),
              ElementsAre(HasSubstr("at shared byte 65536 or a later one has 8 bytes")));
  EXPECT_THAT(of_barrier({1 << 16, {{Variable::kWarp, -8}}}), IsEmpty()) << "hangs on the warp";
  EXPECT_THAT(of_barrier({-8}), ElementsAre(HasSubstr("an mbarrier at shared byte -8 has")));
  KernelLaunch boxes = sums_of("UTMASTG.2D", map_of_sums(), 2);
  auto& box = std::get<TileOperand>(boxes.programs[0].async[0]);
  box.shared = {(1 << 16) - 1024};
  EXPECT_THAT(validate(boxes), IsEmpty());
  box.shared = {(1 << 16) - 896};
  EXPECT_THAT(validate(boxes),
              ElementsAre(HasSubstr("a box at shared byte 64640 has 1024 bytes, the CTA has")));
  // Eight rows of B of 128 bytes, of which the swizzle uses all.
  const Instruction multiply{.opcode = *parse_opcode("HGMMA.64x8x16.F32"), .dst = 24};
  MatrixOperands operands;
  operands.b = {.start = {(1 << 16) - 1024}, .stride_bytes = 1024, .swizzle = TileSwizzle::k128};
  EXPECT_THAT(validate(launch_of(multiply, operands, 4)), IsEmpty());
  operands.b.start = {1 << 16};
  EXPECT_THAT(validate(launch_of(multiply, operands, 4)),
              ElementsAre(HasSubstr("B from shared byte 65536 has 1024 bytes, the CTA has 65536")));
  operands.b.start = {1024 + 128};
  EXPECT_THAT(
      validate(launch_of(multiply, operands, 4)),
      ElementsAre(HasSubstr("B: a descriptor starts at byte 1152, which is not in the first "
                            "row of a block of 1024 bytes")));
  operands.b.start.terms = {{Variable::kCtaX, 128}};
  EXPECT_THAT(validate(launch_of(multiply, operands, 4)), IsEmpty()) << "hangs on the CTA";
}

TEST(AsyncLaunch, NamesRanksThatItsClusterHas) {
  const auto to_many = [](std::int64_t ranks, int ctas) {
    KernelLaunch launch =
        launch_of({.opcode = *parse_opcode("UBLKCP.S.G.MULTICAST")},
                  TileOperand{.ranks = {ranks}, .row = RowOperand{0, {}, {16}}}, 1);
    launch.buffers = {{"A", 0, 1 << 20}};
    launch.grid = {ctas, 1, 1};
    launch.cluster = {ctas, 1, 1};
    return validate(launch);
  };
  EXPECT_THAT(to_many(3, 2), IsEmpty());
  EXPECT_THAT(
      to_many(3, 1),
      ElementsAre(HasSubstr("a mask of ranks of 3, allowed below 2 in a cluster of 1 CTAs")));
  EXPECT_THAT(to_many(0, 2), ElementsAre(HasSubstr("a mask of ranks of 0: no CTA receives it")));
  EXPECT_THAT(to_many(0xffff, 16), IsEmpty());
  EXPECT_THAT(to_many(0x10000, 16), SizeIs(1));
  for (const int rank : {1, -1})
    EXPECT_THAT(
        validate(launch_of({.opcode = Opcode::kSyncsArriveRemote}, BarrierOperand{{8}, {rank}}, 1)),
        ElementsAre(HasSubstr("rank " + std::to_string(rank) + " of a cluster of 1 CTAs")));
}

TEST(AsyncLaunch, NamesNoRegistersThatItHasGivenBack) {
  KernelLaunch launch = launch_of({.opcode = Opcode::kUsetmaxreg, .immediate = 24}, {}, 4);
  std::vector<Instruction>& code = launch.programs[0].instructions;
  code[0].access = kNoIndex;
  code.insert(code.begin(), {.opcode = Opcode::kMov, .dst = 100});
  EXPECT_THAT(validate(launch), IsEmpty());
  code.insert(code.begin() + 2, {.opcode = Opcode::kMov, .dst = 24});
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("destination reaches R24 of 24 registers")));
  launch.programs[0].guards = {{{{{0, {{Variable::kWarp, 1}}}, 2}}}};
  code[1].guard = 0;
  EXPECT_THAT(validate(launch), IsEmpty()) << "some warps keep theirs";
}

TEST(AsyncLaunch, CopiesRowsWithoutATensorMapAndBoxesWithOne) {
  EXPECT_THAT(problems_of_row("UTMALDG.2D", {0, {}, {48}}),
              ElementsAre(HasSubstr("has operands for another kind of instruction")));
  EXPECT_THAT(validate(sums_of("UBLKCP.G.S", map_of_sums(), 2)),
              ElementsAre(HasSubstr("has operands for another kind of instruction")));
}

TEST(Box, OfBytesInARowIsOneRowInsideItsBuffer) {
  KernelLaunch launch;
  launch.buffers = {{"A", 0, 1 << 20}};
  const TileOperand operand{
      .row = RowOperand{0, {16, {{Variable::kCtaX, 1024}}}, {48, {{Variable::kCtaX, 16}}}}};
  Bindings bindings{};
  bindings[static_cast<std::size_t>(Variable::kCtaX)] = 2;
  const Box box = box_of(launch, operand, bindings);
  EXPECT_EQ(box.rows(), 1);
  EXPECT_EQ(box.bytes(), 80);
  EXPECT_EQ(box.row(0).offset, 2064);
  EXPECT_EQ(box.row(0).first, 0);
  EXPECT_EQ(box.row(0).end, 80);
  EXPECT_EQ(box.shared_alignment(), 16);
}

TEST(AsyncLaunch, HasClustersThatDivideItsGrid) {
  const auto problems = [](std::array<std::int64_t, 3> grid, std::array<int, 3> cluster) {
    KernelLaunch launch = launch_of({.opcode = Opcode::kNop}, {}, 4);
    launch.programs[0].instructions[0].access = kNoIndex;
    launch.grid = grid;
    launch.cluster = cluster;
    return validate(launch);
  };
  EXPECT_THAT(problems({6, 4, 1}, {2, 4, 1}), IsEmpty());
  EXPECT_THAT(problems({6, 4, 1}, {4, 1, 1}),
              ElementsAre("clusters of 4 CTAs along x do not divide a grid of 6"));
  EXPECT_THAT(problems({6, 4, 1}, {1, 0, 1}),
              ElementsAre("a cluster has 0 CTAs along y, allowed 1 to 16"));
  EXPECT_THAT(problems({8, 4, 1}, {8, 4, 1}),
              ElementsAre("a cluster has 32 CTAs, allowed 1 to 16"));
}

TEST(AsyncLaunch, OrdersItsCtasClusterByCluster) {
  KernelLaunch launch;
  launch.grid = {4, 6, 1};
  launch.cluster = {2, 3, 1};
  using Place = std::array<std::int64_t, 3>;
  EXPECT_EQ(cta_of_cluster(launch, 0, 5), (Place{1, 2, 0}));
  EXPECT_EQ(cta_of_cluster(launch, 1, 0), (Place{2, 0, 0}));
  EXPECT_EQ(cta_of_cluster(launch, 2, 1), (Place{1, 3, 0}));
}

TEST(Launch, NumbersItsCtasInOrderOfXThenYThenZ) {
  KernelLaunch launch;
  launch.grid = {4, 3, 2};
  EXPECT_EQ(cta_at(launch, 4), (std::array<std::int64_t, 3>{0, 1, 0}));
  EXPECT_EQ(cta_at(launch, 23), (std::array<std::int64_t, 3>{3, 2, 1}));
  for (std::int64_t cta = 0; cta < launch.cta_count(); ++cta)
    EXPECT_EQ(number_of_cta(launch, cta_at(launch, cta)), cta);
}

TEST(AsyncLaunch, DividesTheRegistersOfACta) {
  KernelLaunch launch = launch_of({.opcode = Opcode::kUsetmaxreg, .immediate = 240}, {}, 4);
  launch.programs[0].instructions[0].access = kNoIndex;
  EXPECT_THAT(validate(launch),
              ElementsAre("USETMAXREG asks for 30720 registers of a CTA that has 21504"));
  launch.programs[0].instructions[0].immediate = 244;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("244 registers, allowed 24 to 256")));
}

TEST(AsyncLaunch, TakesRegistersThatOthersHaveGivenBack) {
  const auto set = [](int registers) {
    return Instruction{.opcode = Opcode::kUsetmaxreg, .immediate = registers};
  };
  KernelLaunch launch = launch_of(set(240), {}, 8);
  launch.registers_per_thread = 128;
  std::vector<Instruction>& code = launch.programs[0].instructions;
  code = {set(232), set(24), {.opcode = Opcode::kExit}};
  EXPECT_THAT(validate(launch),
              ElementsAre("USETMAXREG asks for 59392 registers of a CTA that has 32768"));
  launch.programs.push_back({.name = "other", .instructions = {set(24), code.back()}});
  launch.program_of_warp = {0, 0, 0, 0, 1, 1, 1, 1};
  EXPECT_THAT(validate(launch), IsEmpty());
  launch.programs[1].instructions[0].immediate = 32;
  EXPECT_THAT(validate(launch),
              ElementsAre("USETMAXREG asks for 33792 registers of a CTA that has 32768"));
}

}  // namespace
}  // namespace tcsim::isa
