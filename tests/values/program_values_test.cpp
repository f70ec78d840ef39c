#include "sim/values/program_values.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "sim/config/target.hpp"
#include "sim/library/load.hpp"
#include "sim/values/gemm_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::values {
namespace {

using kernels::GemmProblem;
using numerics::Generation;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kSeed = 5;

kernels::GemmTile tile_called(const std::string& text, const GemmProblem& problem,
                              const kernels::Target& target) {
  std::string reason;
  const auto tile = kernels::parse_tile(text, problem, target, reason);
  EXPECT_TRUE(tile.has_value()) << reason;
  return tile.value_or(kernels::GemmTile{});
}

numerics::Result<ProgramValues> executed_programs(const std::vector<isa::KernelLaunch>& stream,
                                                  Generation generation) {
  return execute_programs(stream, Distribution::kUniform, kSeed, generation);
}

const BufferValues& buffer_called(const std::string& name, const ProgramValues& values) {
  return *std::ranges::find(values.buffers, name, &BufferValues::name);
}

/// A kernel of one warp with a buffer S of 32 words.
numerics::Result<ProgramValues> executed_lines(const std::string& lines, int ctas = 1,
                                               const std::string& declaration = "output") {
  return executed_programs(
      {trace::read_tct("tct 1\nkernel lines\ngrid " + std::to_string(ctas) +
                           " 1 1\nwarps 1\nregisters 32\nshared 0\nbuffer S " + declaration +
                           " base=0x10000 bytes=128\nprogram main warps 0\n" + lines + "EXIT\n",
                       "k.tct")},
      Generation::kAmpere);
}

TEST(ExecutePrograms, ComputeTheBitsOfTheKernelsThatWereGenerated) {
  const kernels::Target target = kernels::testing::a100();
  GemmProblem problem{.m = 72, .n = 40, .k = 520};
  problem.layout_a = problem.layout_b = kernels::Layout::kNormal;  // as drawn
  for (const char* tile : {"64x64x64_s5_w2x2", "64x64x64_s5_w2x2_splitk2"}) {
    const GemmRun run{problem, tile_called(tile, problem, target), Generation::kAmpere, {}, {},
                      kSeed};
    const std::vector<isa::KernelLaunch> stream =
        kernels::make_gemm_stream(problem, run.tile, target);
    const auto generated = execute_gemm(run, stream, matrix_a(run), matrix_b(run));
    ASSERT_TRUE(generated.has_value());
    std::vector<isa::KernelLaunch> read;
    for (const isa::KernelLaunch& launch : stream)
      read.push_back(trace::read_tct(trace::write_tct(launch), "k.tct"));
    const auto values = executed_programs(read, Generation::kAmpere);
    ASSERT_TRUE(values.has_value()) << values.refusal().reason;
    EXPECT_THAT(values.value().races, IsEmpty());
    EXPECT_EQ(buffer_called("D", values.value()).checksum, checksum_of(generated.value().d))
        << tile;
    for (const BufferValues& buffer : values.value().buffers) {
      const bool is_operand = buffer.name == "A" || buffer.name == "B";
      EXPECT_EQ(buffer.starts_as, is_operand ? "fp16" : "ff") << buffer.name;
      EXPECT_NE(buffer.is_written, is_operand) << buffer.name;
    }
  }
}

TEST(ExecutePrograms, BeginWithZerosWhereAtomicsAddAndWithOnesWhereNothingIsLoaded) {
  const auto sums = executed_lines("MOV R6, 3\nRED.E.ADD [S + 4*lane], R6\n", 2, "input");
  ASSERT_TRUE(sums.has_value()) << sums.refusal().reason;
  EXPECT_EQ(sums.value().buffers.front().starts_as, "zeros");
  EXPECT_THAT(sums.value().buffers.front().first_words, ElementsAre(6, 6, 6, 6));
  const auto stores = executed_lines("MOV R6, 3\nSTG.E [S + 4*lane], R6 @(lane < 2)\n");
  ASSERT_TRUE(stores.has_value()) << stores.refusal().reason;
  EXPECT_EQ(stores.value().buffers.front().starts_as, "ff");
  EXPECT_THAT(stores.value().buffers.front().first_words,
              ElementsAre(3, 3, 0xffffffff, 0xffffffff));
}

TEST(ExecutePrograms, DrawNumbersThatAreLoadedBeforeTheyAreStored) {
  const std::string load_and_store = "LDG.E R6, [S + 4*lane]\nSTG.E [S + 4*lane], R6\n";
  const auto values = executed_lines(load_and_store, 1, "input");
  ASSERT_TRUE(values.has_value()) << values.refusal().reason;
  const BufferValues& buffer = values.value().buffers.front();
  EXPECT_EQ(buffer.starts_as, "fp32");
  std::vector<std::uint32_t> drawn;
  for (const double value : draw(Distribution::kUniform, NumberKind::kReal, kSeed, 0, 4))
    drawn.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  EXPECT_EQ(buffer.first_words, drawn);
  EXPECT_EQ(executed_lines(load_and_store).value().buffers.front().starts_as, "ff");
}

TEST(ExecutePrograms, RefuseAnInstructionWithoutValuesByName) {
  const auto values = executed_lines("NOP\nPOPC R2, R3\n");
  ASSERT_FALSE(values.has_value());
  EXPECT_EQ(values.refusal().kind, numerics::Refusal::Kind::kUnsupported);
  EXPECT_EQ(values.refusal().reason,
            "kernel lines: CTA 0 warp 0 at 0x0010 (POPC): the values of this instruction are not "
            "modelled");
}

/// A change of the text of a kernel, and what is said of it.
struct PlantedFault {
  const char* name;
  std::function<void(std::string&)> plant;
  const char* complaint;
};

void PrintTo(const PlantedFault& fault, std::ostream* stream) { *stream << fault.name; }

void remove_lines_with(const std::string& word, std::string& text) {
  std::string rest;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t end = text.find('\n', first) + 1;
    const std::string line = text.substr(first, end - first);
    if (line.find(word) == std::string::npos) rest += line;
    first = end;
  }
  text = rest;
}

std::function<void(std::string&)> without(const std::string& word) {
  return [word](std::string& text) { remove_lines_with(word, text); };
}

/// The consumers wait for the other parity of their first stage.
void wait_for_the_other_parity(std::string& text) {
  const std::size_t wait = text.find("TRYWAIT mbar[8*((", text.find("program consumer"));
  text.insert(text.find("], ", wait) + 3, "1 + ");
}

void expect_half_the_bytes(std::string& text) {
  const std::string bytes = "], 16384";
  text.replace(text.find(bytes), bytes.size(), "], 8192");
}

/// The text of a product on a Hopper of two SMs, in one cluster.
std::string text_of_hopper_product() {
  const GemmProblem problem{.m = 128, .n = 64, .k = 128};
  kernels::Target target = config::make_target(library::load_machine("h100"), problem);
  target.sms = 2;
  return trace::write_tct(kernels::make_gemm(
      problem, tile_called("64x64x64_s3_w8x1_pingpong_c2x1", problem, target), target));
}

class PlantedFaults : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedFaults, AreFoundInAKernelFromAFile) {
  std::string text = text_of_hopper_product();
  const std::string before = text;
  GetParam().plant(text);
  ASSERT_NE(text, before);
  const auto values = executed_programs({trace::read_tct(text, "k.tct")}, Generation::kHopper);
  std::string complaints = values.has_value() ? "" : values.refusal().reason;
  if (values.has_value())
    for (const std::string& race : values.value().races) complaints += race + "\n";
  EXPECT_THAT(complaints, AllOf(HasSubstr("kernel gemm_"), HasSubstr(" at 0x"),
                                HasSubstr(GetParam().complaint)));
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedFaults,
    ::testing::Values(PlantedFault{"fence", without("FENCE.VIEW.ASYNC"),
                                   "with no FENCE.VIEW.ASYNC in between"},
                      PlantedFault{"cluster_barrier", without("UCGABAR"), "was never initialised"},
                      PlantedFault{"wait_for_sums", without("WARPGROUP.DEPBAR"),
                                   "computes before a wait for its group"},
                      PlantedFault{"arrive", without("WARPGROUP.ARRIVE"),
                                   "computes without a WARPGROUP.ARRIVE before it"},
                      PlantedFault{"parity", wait_for_the_other_parity,
                                   "copies before that warp has waited for the copy"},
                      PlantedFault{"bytes", expect_half_the_bytes, "bytes more than it expects"}),
    [](const auto& fault) { return std::string(fault.param.name); });

TEST(ExecutePrograms, FindNoFaultInTheTextOfAHopperProduct) {
  const auto values =
      executed_programs({trace::read_tct(text_of_hopper_product(), "k.tct")}, Generation::kHopper);
  ASSERT_TRUE(values.has_value()) << values.refusal().reason;
  EXPECT_THAT(values.value().races, IsEmpty());
  EXPECT_EQ(values.value().racing_bytes, 0);
  EXPECT_TRUE(buffer_called("D", values.value()).is_written);
}

TEST(Checksums, AreThoseOfXxh3) {
  EXPECT_EQ(checksum_of({}), 0x2d06800538d394c2) << "of nothing, with seed 0";
}

}  // namespace
}  // namespace tcsim::values
