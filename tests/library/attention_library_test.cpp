#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/target.hpp"
#include "sim/library/library_reader.hpp"
#include "sim/library/load.hpp"
#include "sim/library/machine_check.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/kernels/attention/key_splits.hpp"

namespace tcsim::library {
namespace {

using kernels::AttentionProblem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSmall =
    "name: small\n"
    "description: one kernel\n"
    "attention:\n"
    "  forward:\n"
    "    algorithm: fused\n"
    "    multiply: mma\n"
    "    load: copy\n"
    "    operands: [fp16]\n"
    "    tiles:\n"
    "      - {tile: 64x64, warps: 4, most_dim: 64, causal_only: true}\n"
    "      - {tile: 128x32, warps: 4, most_dim: 128}\n"
    "    splits:\n"
    "      tiles:\n"
    "        - {tile: 64x64, warps: 4, most_dim: 128}\n"
    "      full_share: 0.8\n"
    "      nearly_best: 0.85\n"
    "      ctas_per_sm: 1\n"
    "      most: 8\n"
    "      whole_blocks: 2\n"
    "      skips_equal: false\n";

/// kSmall with `to` in place of `from`.
std::string small_with(const std::string& from, const std::string& to) {
  std::string text = kSmall;
  return text.replace(text.find(from), from.size(), to);
}

std::string attention_mistakes(const std::string& text) {
  return test::refusal([&] { return read_library_text("l.yaml", text); });
}

/// The tile of `problem` on A100 with kSmall asked first; the reason if there is none.
std::string tile_of(const AttentionProblem& problem, const std::string& text = kSmall) {
  kernels::Target target = config::make_target(load_machine("a100"), {.input = problem.element});
  target.libraries.insert(target.libraries.begin(), read_library_text("l.yaml", text));
  const std::string reason = kernels::fused_problem(problem, target);
  return reason.empty() ? kernels::choose_fused_tile(problem, target).text() : reason;
}

TEST(AttentionLibrary, ReadsTilesAndRules) {
  const auto library = read_library_text("l.yaml", kSmall);
  EXPECT_TRUE(library->families.empty());
  ASSERT_EQ(library->attention.size(), 1U);
  const kernels::AttentionFamily& family = library->attention.front();
  EXPECT_EQ(family.library, "small");
  EXPECT_EQ(family.name, "forward");
  EXPECT_EQ(family.form, kernels::FusedForm::kAsync);
  EXPECT_EQ(family.tiles.at(0).tile.text(), "64x64_w4");
  EXPECT_TRUE(family.tiles.at(0).is_causal_only);
  EXPECT_EQ(family.tiles.at(1).most_dim, 128);
  EXPECT_EQ(family.splits->most, 8);
  EXPECT_EQ(family.splits->whole_blocks, 2);
  EXPECT_FALSE(family.splits->schedule);
}

TEST(AttentionLibrary, TheFirstTileThatIsForAProblemIsPicked) {
  AttentionProblem problem{.batch = 16, .heads = 16, .kv_heads = 16, .queries = 512, .keys = 512};
  EXPECT_EQ(tile_of(problem), "128x32_w4");
  problem.causal = true;
  EXPECT_EQ(tile_of(problem), "64x64_w4");
  problem.dim = 72;
  EXPECT_EQ(tile_of(problem), "128x32_w4");
}

TEST(AttentionLibrary, TheNextLibraryIsAskedForWhatOneLacks) {
  const AttentionProblem wide{
      .batch = 16, .heads = 16, .kv_heads = 16, .queries = 512, .keys = 512, .dim = 192};
  EXPECT_EQ(tile_of(wide), "128x64_w8");
  kernels::Target target = config::make_target(load_machine("a100"), {});
  target.libraries = {read_library_text("l.yaml", kSmall)};
  EXPECT_EQ(kernels::fused_problem(wide, target), "small has no such kernel: head size above 128");
  AttentionProblem bf16 = wide;
  bf16.element = kernels::Element::kBf16;
  EXPECT_EQ(kernels::fused_problem(bf16, target), "none of the libraries small has such a kernel");
}

TEST(AttentionLibrary, KeysAreSplitByItsRule) {
  const AttentionProblem decode{.heads = 4, .kv_heads = 4, .queries = 1, .keys = 1024};
  EXPECT_EQ(tile_of(decode), "64x64_w4_splitkv6");
  EXPECT_EQ(tile_of(decode, small_with("most: 8", "most: 4")), "64x64_w4_splitkv4");
  EXPECT_EQ(tile_of(decode, small_with("whole_blocks: 2", "whole_blocks: 15")),
            "64x64_w4_splitkv6");
  EXPECT_EQ(tile_of(decode, small_with("whole_blocks: 2", "whole_blocks: 16")), "64x64_w4");
}

TEST(AttentionLibrary, NamesThePlaceOfEachMistake) {
  EXPECT_EQ(attention_mistakes(small_with("algorithm: fused", "algorithm: fusd")),
            "l.yaml:5:16: attention.forward.algorithm: 'fusd' is not one of fused, paged; did you "
            "mean \"fused\"?");
  EXPECT_EQ(
      attention_mistakes(small_with("tile: 128x32, warps: 4", "tile: 128x36, warps: 6")),
      "l.yaml:11:16: attention.forward.tiles.tile: 36 keys are not a multiple of 16 up to 256\n"
      "l.yaml:11:31: attention.forward.tiles.warps: 128 rows do not fit 6 warps; 64 rows "
      "need 4, 128 rows 4 or 8");
  EXPECT_EQ(attention_mistakes(small_with("multiply: mma", "multiply: dmma")),
            "l.yaml:6:15: attention.forward.multiply: attention is multiplied by mma with load: "
            "copy or staged, by wgmma with load: tma, or by quad_pair_mma with load: staged; of "
            "pages, by mma or wgmma with load: copy");
  EXPECT_EQ(attention_mistakes(small_with("most: 8", "most: 33")),
            "l.yaml:18:13: attention.forward.splits.most: 33 is out of range; allowed are 1 to 32");
  EXPECT_EQ(
      attention_mistakes(small_with("algorithm: fused", "algorithm: paged")),
      "l.yaml:13:7: attention.forward.splits.schedule: missing\n"
      "l.yaml:14:11: attention.forward.splits.tiles.persistent: paged keys of tiles of mma are "
      "split only with persistent: true");
  EXPECT_EQ(attention_mistakes(small_with("most_dim: 64, causal_only", "most_dim: 64, causal_onl")),
            "l.yaml:10:47: attention.forward.tiles.causal_onl: unknown key; did you mean "
            "\"causal_only\"?");
}

struct NotGenerated {
  const char* name;
  std::vector<std::pair<std::string, std::string>> changes;  ///< of kSmall
  const char* mistake;
};

class AttentionNotGenerated : public ::testing::TestWithParam<NotGenerated> {};

TEST_P(AttentionNotGenerated, IsAMistakeOfTheFile) {
  std::string text = kSmall;
  for (const auto& [from, to] : GetParam().changes)
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  EXPECT_THAT(attention_mistakes(text), HasSubstr(GetParam().mistake));
}

INSTANTIATE_TEST_SUITE_P(
    All, AttentionNotGenerated,
    ::testing::Values(
        NotGenerated{
            "WholeInt8Steps",
            {{"fp16", "int8"}, {"128x32", "128x48"}},
            "l.yaml:11:16: attention.forward.tiles.tile: 48 keys are not a multiple of 32"},
        NotGenerated{"SplitsOfInt8",
                     {{"fp16", "int8"}},
                     "attention.forward.splits: no kernel of int8 writes partial outputs"},
        NotGenerated{"WholePanelsOfVolta",
                     {{"multiply: mma", "multiply: quad_pair_mma"},
                      {"load: copy", "load: staged"},
                      {"128x32", "128x48"}},
                     "tiles.tile: 48 keys are not a multiple of 32"},
        NotGenerated{"Bf16OfVolta",
                     {{"multiply: mma", "multiply: quad_pair_mma"},
                      {"load: copy", "load: staged"},
                      {"fp16", "fp16, bf16"}},
                     "forward.operands: there are no such kernels of bf16, only of fp16"},
        NotGenerated{"E4m3ByMma",
                     {{"fp16", "e4m3"}},
                     "forward.operands: there are no such kernels of e4m3, only of fp16, bf16, "
                     "tf32, int8"},
        NotGenerated{"Fp32ByMma", {{"fp16", "fp32"}}, "there are no such kernels of fp32"},
        NotGenerated{"PagesThroughRegisters",
                     {{"algorithm: fused", "algorithm: paged"}, {"load: copy", "load: staged"}},
                     "forward.multiply: attention is multiplied by"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(AttentionLibrary, PagedTilesWithTooManyRegistersAreNotBuilt) {
  std::string text =
      small_with("tile: 128x32, warps: 4, most_dim: 128", "tile: 128x256, warps: 4, most_dim: 256");
  text.replace(text.find("algorithm: fused"), 16, "algorithm: paged");
  text.erase(text.find("    splits:"));
  const auto library = read_library_text("l.yaml", text);
  const auto problems = tiles_beyond(*library, load_machine("a100"));
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems.back().tile, "128x256");
}

TEST(AttentionLibrary, TilesThatAMachineCannotBuildAreFound) {
  const auto large =
      read_library_text("l.yaml", small_with("tile: 128x32, warps: 4, most_dim: 128",
                                             "tile: 128x256, warps: 8, most_dim: 256"));
  const auto problems = tiles_beyond(*large, load_machine("a100"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].kernels, "attention.forward.tiles");
  EXPECT_EQ(problems[0].line, 11);
  EXPECT_EQ(problems[0].tile, "128x256");
  EXPECT_TRUE(tiles_beyond(*large, load_machine("v100")).empty());
  config::MachineFile volta = read_machine("v100");
  const std::string message = test::refusal([&] { require_tiles(*large, volta); });
  EXPECT_THAT(message, HasSubstr("attention: "));
  EXPECT_THAT(message, HasSubstr(" can run none of them: it lacks their instructions"));
}

TEST(AttentionLibrary, CandidatesAreWhatTheRuleTries) {
  const AttentionProblem decode{.heads = 4, .kv_heads = 4, .queries = 1, .keys = 256};
  kernels::Target target = config::make_target(load_machine("a100"), {});
  const auto library = read_library_text("l.yaml", kSmall);
  const auto choice = kernels::choose_attention(library->attention.front(), decode, target);
  EXPECT_EQ(choice.tiles, 4);
  EXPECT_EQ(choice.blocks, 4);
  std::vector<int> splits;
  for (const auto& candidate : choice.candidates) splits.push_back(candidate.splits);
  EXPECT_THAT(splits, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(choice.candidates.back().waves, 16.0 / 108);
  EXPECT_EQ(choice.most_splits, 4);
}

}  // namespace
}  // namespace tcsim::library
