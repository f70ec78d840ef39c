#include "sim/mma/tile.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/numerics/execute.hpp"
#include "models/numerics/ptx_name.hpp"
#include "tests/mma/outcome.hpp"
#include "tests/mma/temporary_file.hpp"

namespace tcsim::mma {
namespace {

using numerics::Fragment;
using numerics::OperandRole;
using ::testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

Outcome replay(const std::string& text, const std::string& name = "tiles.jsonl") {
  const TemporaryFile file(name, text);
  const Outcome outcome =
      outcome_of([&](std::ostream& out) { return replay_tiles({{file.path()}}, out); });
  const auto strip = [&](std::string message) {
    for (std::size_t at = message.find(file.path()); at != std::string::npos;
         at = message.find(file.path()))
      message.replace(at, file.path().size(), "FILE");
    return message;
  };
  return {outcome.status, strip(outcome.out), strip(outcome.errors)};
}

/// A JSON array of one string for each lane, all registers back to back.
std::string lanes(const Words& image, std::size_t lane_count) {
  const std::size_t registers = image.size() / lane_count;
  std::string text;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    text += lane == 0 ? "[\"" : ",\"";
    for (std::size_t i = 0; i < registers; ++i)
      text += fmt::format("{:08x}", image[lane * registers + i]);
    text += '"';
  }
  return text + "]";
}

Words uniform(const numerics::MmaInstruction& one, OperandRole role, std::uint32_t word) {
  const Fragment fragment(one, role);
  return Words(static_cast<std::size_t>(fragment.lanes() * fragment.registers_per_lane()), word);
}

/// A tile whose A, B and C hold one word everywhere, and D as given.
std::string uniform_tile(const std::string& ptx_name, const std::string& extra, std::uint32_t a,
                         std::uint32_t b, std::uint32_t c, const Words& d) {
  const auto one = numerics::parse_ptx_name(ptx_name).value();
  const auto count = static_cast<std::size_t>(one.lanes());
  return fmt::format(R"({{"instr":"{}",{}"A":{},"B":{},"C":{},"D":{}}})", ptx_name, extra,
                     lanes(uniform(one, OperandRole::kA, a), count),
                     lanes(uniform(one, OperandRole::kB, b), count),
                     lanes(uniform(one, OperandRole::kC, c), count), lanes(d, count)) +
         "\n";
}

constexpr const char* kHalf = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";

TEST(MmaTile, ATileThatAgreesIsStatus0) {
  const Words d(128, 0x41800000);  // 16 products of one
  const Outcome outcome =
      replay(uniform_tile(kHalf, R"("numerics":"A100",)", 0x3c003c00, 0x3c003c00, 0, d));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.out, "FILE: 1 tiles, 0 mismatching tiles\n");
}

TEST(MmaTile, TheFirstDifferingLaneAndRegisterAreNamed) {
  Words d(128, 0x41800000);
  d[4 * 9 + 2] = 0x41800001;
  d[4 * 11] = 0;
  const std::string good =
      uniform_tile(kHalf, "", 0x3c003c00, 0x3c003c00, 0, Words(128, 0x41800000));
  const std::string bad = uniform_tile(kHalf, "", 0x3c003c00, 0x3c003c00, 0, d);
  const Outcome outcome = replay(good + "\n" + bad + bad, "tiles.jsonl.gz");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out,
            "FILE: 3 tiles, 2 mismatching tiles\n"
            "first mismatch: FILE:3: " +
                std::string(kHalf) +
                " as hopper: lane 9 register 2: expected 41800001, computed 41800000\n");
}

/// Sixteen products of 2^-25 beside 1: below the grid of an A100 (2^-24), on that of an H100.
TEST(MmaTile, TheGenerationChangesTheResultAndTheNewestIsTheDefault) {
  const auto status = [&](const std::string& extra, std::uint32_t d) {
    return replay(uniform_tile(kHalf, extra, 0x0c000c00, 0x08000800, 0x3f800000, Words(128, d)))
        .status;
  };
  EXPECT_EQ(status(R"("numerics":"A100",)", 0x3f800000), 0);
  EXPECT_EQ(status(R"("numerics":"ada",)", 0x3f800000), 0);
  EXPECT_EQ(status(R"("numerics":"H100",)", 0x3f800004), 0);
  EXPECT_EQ(status("", 0x3f800004), 0);
  EXPECT_EQ(status("", 0x3f800000), 1);
}

TEST(MmaTile, IntegersWrapUnlessTheNameSaysSatfinite) {
  const Words wrapped(64, 0x80000000 + 16 * 127 * 127 - 1);
  const Words clamped(64, 0x7fffffff);
  const std::string wrap = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32";
  const std::string clamp = "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32";
  EXPECT_EQ(replay(uniform_tile(wrap, "", 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff, wrapped)).status, 0);
  EXPECT_EQ(replay(uniform_tile(clamp, "", 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff, clamped)).status, 0);
  EXPECT_EQ(replay(uniform_tile(clamp, "", 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff, wrapped)).status, 1);
}

TEST(MmaTile, M8n8k4IsOfTensorCoresUpToTuringAndOfCudaCoresLater) {
  const std::string name = "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16";
  const std::string tile = uniform_tile(name, R"("numerics":"V100",)", 0x3c003c00, 0x3c003c00,
                                        0x3c003c00, Words(256, 0x40a00000));
  EXPECT_EQ(replay(tile).status, 0);
  // Four products of 1 + 2^-9 + 2^-20, and 3/4 of a unit in the last place: cut, or added to
  // nearest.
  const auto sums = [&](const std::string& gpu, std::uint32_t d) {
    return replay(uniform_tile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
                               R"("numerics":")" + gpu + R"(",)", 0x3c013c01, 0x3c013c01,
                               0x34c00000, Words(256, d)))
        .status;
  };
  EXPECT_EQ(sums("V100", 0x40804008), 0);
  EXPECT_EQ(sums("A100", 0x40804009), 0);
}

TEST(MmaTile, WgmmaTakesBAsAMatrixOfElements) {
  const std::string name = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16";
  const auto one = numerics::parse_ptx_name(name).value();
  std::string rows = "[";
  for (int k = 0; k < 16; ++k) {
    rows += k == 0 ? "\"" : ",\"";
    for (int n = 0; n < 8; ++n) rows += fmt::format("{:04x}", n == 3 ? 0x4000 : 0x3c00);
    rows += '"';
  }
  rows += "]";
  // Column 3 of D is 32: element i of thread t has column 2 * (t mod 4) + i mod 2.
  Words d(512);
  for (std::size_t t = 0; t < 128; ++t)
    for (std::size_t i = 0; i < 4; ++i)
      d[4 * t + i] = 2 * (t % 4) + i % 2 == 3 ? 0x42000000 : 0x41800000;
  const auto tile = [&](const std::string& b) {
    return fmt::format(R"({{"instr":"{}","A":{},"B_kxn":{},"C":{},"D":{}}})", name,
                       lanes(uniform(one, OperandRole::kA, 0x3c003c00), 128), b,
                       lanes(Words(512), 128), lanes(d, 128));
  };
  const Outcome outcome = replay(tile(rows));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.errors;
  const Outcome short_rows = replay(tile("[\"3c00\"]"));
  EXPECT_EQ(short_rows.status, 2);
  EXPECT_THAT(short_rows.errors, HasSubstr("B_kxn: has 1 strings; this instruction has 16"));
}

std::string sparse_tile(const std::string& extra, std::uint32_t metadata) {
  const std::string name = "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
  const std::string e = lanes(Words(32, metadata), 32);
  return uniform_tile(name, fmt::format(R"("numerics":"A100","E":{},{})", e, extra), 0x3c003c00,
                      0x3c003c00, 0, Words(128, 0x41000000));
}

TEST(MmaTile, SparseTilesNeedMetadataAndSelector) {
  EXPECT_EQ(replay(sparse_tile(R"("selector":3,)", 0x44444444)).status, 0);
  EXPECT_EQ(replay(sparse_tile("", 0xe9c4e9c4)).status, 0);
  const Outcome selector = replay(sparse_tile(R"("selector":4,)", 0x44444444));
  EXPECT_EQ(selector.status, 2);
  EXPECT_THAT(selector.errors, HasSubstr("selector: 4 is not in 0..3"));
  const Outcome nibble = replay(sparse_tile("", 0x44444404));
  EXPECT_EQ(nibble.status, 2);
  EXPECT_THAT(nibble.errors, HasSubstr("FILE:1:1: E: row 0: metadata nibble 0000 of chunk 1"));
}

TEST(MmaTile, PayloadsOfFp64NansAreNotCompared) {
  const std::string name = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";
  Words nan(128);
  for (std::size_t i = 0; i < nan.size(); ++i) nan[i] = i % 2 == 0 ? 0x00000001 : 0xfff80000;
  // 7ff00000_7ff00000 is a NaN
  EXPECT_EQ(replay(uniform_tile(name, "", 0x7ff00000, 0x3ff00000, 0, nan)).status, 0);
  Words one(128);
  for (std::size_t i = 0; i < one.size(); ++i) one[i] = i % 2 == 0 ? 0 : 0x3ff00000;
  EXPECT_EQ(replay(uniform_tile(name, "", 0x7ff00000, 0x3ff00000, 0, one)).status, 1);
}

TEST(MmaTile, OtherKeysAreIgnored) {
  const std::string tile =
      uniform_tile(kHalf, R"("seed":[1,{"A":"x"}],"gpu":"A100",)", 0, 0, 0, Words(128, 0));
  EXPECT_EQ(replay(tile).status, 0);
}

void expect_tile_mistake(const std::string& line, const std::string& message, int status = 2) {
  const Outcome outcome = replay("\n" + line + "\n");
  EXPECT_EQ(outcome.status, status) << line;
  EXPECT_EQ(outcome.errors, message);
  EXPECT_EQ(outcome.out, "");
}

TEST(MmaTile, EveryMistakeNamesFileLineAndColumn) {
  expect_tile_mistake("{", "FILE:2:2: is no JSON document");
  expect_tile_mistake("[1]", "FILE:2:1: expected a JSON object, got array");
  expect_tile_mistake("{}", "FILE:2:1: instr: missing");
  expect_tile_mistake(R"({"instr":3})", "FILE:2:10: instr: expected a string, got 3");
  expect_tile_mistake(
      R"({"instr":"mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32"})",
      "FILE:2:10: instr: mma with f16 has no shape m16n8k12; it has m8n8k4, m16n8k8, "
      "m16n8k16 in 'mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32'");
  expect_tile_mistake(
      fmt::format(R"({{"instr":"{}","numerics":"P100"}})", kHalf),
      "FILE:2:73: numerics: 'P100' is unknown; allowed: V100, T4, A100, L40S, H100 or "
      "volta, turing, ampere, ada, hopper");
  expect_tile_mistake(fmt::format(R"({{"instr":"{}","numerics":"T4"}})", kHalf),
                      "FILE:2:10: instr: turing has no m16n8k16 with fp16; it starts with ampere",
                      3);
  expect_tile_mistake(fmt::format(R"({{"instr":"{}"}})", kHalf), "FILE:2:1: A: missing");
  expect_tile_mistake(fmt::format(R"({{"instr":"{}","A":"0"}})", kHalf),
                      "FILE:2:66: A: expected an array of strings");
  expect_tile_mistake(fmt::format(R"({{"instr":"{}","A":["0",1]}})", kHalf),
                      "FILE:2:66: A: expected strings only, got 1");
  expect_tile_mistake(fmt::format(R"({{"instr":"{}","A":["00000000"]}})", kHalf),
                      "FILE:2:66: A: has 1 strings; this instruction has 32");
}

TEST(MmaTile, WrongHexadecimalDigitsAreFoundInTheirLane) {
  std::string tile = uniform_tile(kHalf, "", 0, 0, 0, Words(128, 0));
  const std::size_t lane_31 = tile.find("\"],\"B\"") - 5;
  std::string bad_digit = tile;
  bad_digit[lane_31] = 'g';
  EXPECT_EQ(replay(bad_digit).errors,
            fmt::format("FILE:1:{}: A: 'g' is not a hexadecimal digit", lane_31 + 1));
  std::string short_lane = tile;
  short_lane.erase(lane_31, 1);
  EXPECT_THAT(replay(short_lane).errors, HasSubstr("has 31 digits; an element has 8"));
  std::string missing_register = tile;
  missing_register.erase(lane_31 - 3, 8);
  EXPECT_THAT(replay(missing_register).errors,
              HasSubstr("A: string 31 holds 3 elements of 32 bits; expected 4"));
}

TEST(MmaTile, NoFileOrAnEmptyOneIsAMistakeAndAMissingOneStatus5) {
  std::ostringstream out;
  EXPECT_THROW(replay_tiles({}, out), UsageError);
  EXPECT_THROW(replay_tiles({{"/no/such.jsonl"}}, out), IoError);
  EXPECT_EQ(replay("\n").status, 2);
}

}  // namespace
}  // namespace tcsim::mma
