#include "sim/library/library_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/library/small_library.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::library {
namespace {

using kernels::Element;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::small_library;
using testing::small_library_with;

std::string mistakes_in(const std::string& text) {
  return test::refusal([&] { return read_library_text("l.yaml", text); });
}

/// What is said where `from` is written as `to`.
std::string mistake(const std::string& from, const std::string& to) {
  return mistakes_in(small_library_with(from, to));
}

TEST(LibraryReader, ReadsTilesAndRules) {
  const auto library = read_library_text("l.yaml", small_library());
  EXPECT_EQ(library->name, "small");
  ASSERT_EQ(library->families.size(), 1u);
  const kernels::KernelFamily& family = library->families.front();
  EXPECT_EQ(family.library, "small");
  EXPECT_EQ(family.name, "products");
  EXPECT_EQ(family.math, kernels::MathKind::kLdsm);
  EXPECT_THAT(family.operands, ElementsAre(Element::kFp16));
  EXPECT_THAT(family.results, ElementsAre(Element::kFp16, Element::kFp32));
  EXPECT_EQ(family.costs.fill_cycles, 900);
  EXPECT_EQ(family.costs.reduction_l2_share, 0.5);
  EXPECT_EQ(family.slices.margin, 1.1);
  EXPECT_THAT(family.slices.counts, ElementsAre(2, 4));
  EXPECT_EQ(family.slices.larger_than, 0);
  EXPECT_TRUE(family.packs_taps);
  EXPECT_FALSE(family.copies_lines);
  EXPECT_FALSE(family.times_powers_of_two);
}

TEST(LibraryReader, ListsTilesWithMostStagesFirst) {
  const auto library = read_library_text("l.yaml", small_library());
  std::vector<std::string> texts;
  for (const kernels::GemmTile& tile : library->families.front().menu(Element::kFp16))
    texts.push_back(tile.text());
  EXPECT_THAT(texts, ElementsAre("128x128x32_s4_w2x2", "128x128x32_s3_w2x2", "64x64x32_s3_w2x2",
                                 "64x64x64_s5_w1x2_sliced2"));
  EXPECT_EQ(library->families.front().menu(Element::kInt8).front().k, 64);
  EXPECT_EQ(library->families.front().menu(Element::kTf32).front().k, 16);
}

TEST(LibraryReader, IdentityIsOfWhatTheFileSaysNotHow) {
  const auto identity = [](const std::string& text) {
    return read_library_text("l.yaml", text)->identity;
  };
  const std::string same = identity(small_library());
  EXPECT_EQ(identity("# a comment\n" + small_library()), same);
  EXPECT_EQ(identity(small_library_with("stages: 3}", "stages:   3}  # source")), same);
  EXPECT_NE(identity(small_library_with("factor: 1}", "factor: 1.5}")), same);
  EXPECT_NE(identity(small_library_with("counts: [2, 4]", "counts: [2, 5]")), same);
}

TEST(LibraryReader, NamesThePlaceOfEachMistake) {
  EXPECT_EQ(mistake("fill_cycles: 900", "fill_cycles: fast"),
            "l.yaml:4:16: costs.fill_cycles: expected a number, got 'fast'");
  EXPECT_EQ(mistake("epilogue_write_share: 0.75", "epilogue_write_share: 1.5"),
            "l.yaml:8:25: costs.epilogue_write_share: 1.5 is out of range; allowed are 0.01 to 1");
  EXPECT_EQ(mistake("  reduction_cycles: 200\n", ""),
            "l.yaml:4:3: costs.reduction_cycles: missing");
  EXPECT_EQ(mistake("multiply: mma", "multiply: mna"),
            "l.yaml:29:15: kernels.products.multiply: 'mna' is not one of cuda_cores, "
            "quad_pair_mma, mma, sparse_mma, dmma, wgmma, weight_only_mma; did you mean \"mma\"?");
  EXPECT_EQ(mistake("operands: [fp16]", "operands: [fb16]"),
            "l.yaml:31:16: kernels.products.operands: 'fb16' is not one of fp16, bf16, tf32, fp32, "
            "fp64, int8, int32, e4m3, e5m2; did you mean \"fp16\"?");
  EXPECT_EQ(mistake("results: [fp16, fp32]", "results: [fp16, fp16]"),
            "l.yaml:32:21: kernels.products.results: 'fp16' is given twice");
  EXPECT_EQ(mistake("menu: few", "menu: fw"),
            "l.yaml:33:11: kernels.products.menu: 'fw' is not a menu of this file; did you mean "
            "\"few\"?");
  EXPECT_EQ(mistake("k_unit: two_bytes", "k_units: two_bytes"),
            "l.yaml:28:5: kernels.products.k_unit: missing\n"
            "l.yaml:34:5: kernels.products.k_units: unknown key; did you mean \"k_unit\"?");
  EXPECT_EQ(mistake("counts: [2, 4]", "counts: [4, 2]"),
            "l.yaml:42:19: kernels.products.slices.counts: 2 does not ascend");
  EXPECT_EQ(mistake("with_slices: true", "with_slices: yes"),
            "l.yaml:37:20: kernels.products.preferences.with_slices: 'yes' is not one of false, "
            "true");
  EXPECT_EQ(mistake("name: small", "name: \"a\\nb\""), "l.yaml:1:7: name: has a control character");
  EXPECT_EQ(mistake("description:", "name: again\ndescription:"),
            "l.yaml:2:1: name: given twice, first at line 1");
}

TEST(LibraryReader, RefusesFactorsOfClustersThatAreTooLarge) {
  const auto with = [](const std::string& cluster) {
    return mistake("multiply: mma",
                   "multiply: wgmma\n    cluster_waves:\n      factors:\n        - {cluster: " +
                       cluster + ", factor: 1}");
  };
  EXPECT_THAT(with("32x1"),
              HasSubstr("l.yaml:32:21: kernels.products.cluster_waves.factors.cluster: 32x1 has "
                        "more than 16 CTAs along a side"));
  EXPECT_THAT(with("16x1"), ::testing::Not(HasSubstr("CTAs along")));
}

TEST(LibraryReader, PackedWeightsNameTheirIntegers) {
  const auto with = [](const std::string& weights) {
    std::string text = small_library_with("multiply: mma", "multiply: weight_only_mma" + weights);
    return mistakes_in(text);
  };
  EXPECT_EQ(with("\n    weights: [int4, int8]"), "accepted");
  EXPECT_EQ(with(""), "l.yaml:28:5: kernels.products.weights: missing");
  EXPECT_EQ(with("\n    weights: []"),
            "l.yaml:30:14: kernels.products.weights: expected a list of at least one item, got []");
  EXPECT_EQ(with("\n    weights: [int5]"),
            "l.yaml:30:15: kernels.products.weights: 'int5' is not one of int4, int8; did you mean "
            "\"int4\"?");
}

TEST(LibraryReader, RefusesTilesThatAreNone) {
  EXPECT_EQ(mistake("stages: 3-4", "stages: 4-3"),
            "l.yaml:23:46: menus.few.stages: expected stages as '3' or '3-5' of 2 to 32, got "
            "'4-3'");
  EXPECT_THAT(mistake("tile: 128x128x32", "tile: 128x128"),
              HasSubstr("l.yaml:23:14: menus.few.tile: expected sizes as '128x64x32' of 1 to 4096, "
                        "got '128x128'"));
  EXPECT_THAT(mistake("warps: 2x2", "warps: 2x"), HasSubstr("expected sizes as '128x64'"));
}

TEST(LibraryReader, RefusesTilesThatNoMachineCanBuild) {
  EXPECT_EQ(mistake("tile: 128x128x32", "tile: 128x128x48"),
            "l.yaml:23:7: kernels.products.menu: tile 128x128x48 of fp16 operands: the depth of "
            "k-tiles and warp counts must be powers of two");
  EXPECT_EQ(mistake("{tile: 64x64x32, warps: 2x2", "{tile: 64x64x32, warps: 8x8"),
            "l.yaml:24:7: kernels.products.menu: tile 64x64x32 of fp16 operands: a CTA has at most "
            "32 warps");
  EXPECT_EQ(mistake("load: [copy]", "load: [copy, staged]"),
            "l.yaml:23:7: kernels.products.menu: tile 128x128x32 of fp16 operands: kernels that "
            "stage through registers have two stages\n"
            "l.yaml:24:7: kernels.products.menu: tile 64x64x32 of fp16 operands: kernels that "
            "stage through registers have two stages\n"
            "l.yaml:25:7: kernels.products.menu: tile 64x64x64 of fp16 operands: kernels that "
            "stage through registers have two stages");
}

TEST(LibraryReader, ReportsEveryMistakeAtOnce) {
  const std::string text = mistakes_in("name: [a]\nkernel: {}\ncosts: none\n");
  EXPECT_THAT(text, HasSubstr("l.yaml:1:7: name: expected text, got [a]"));
  EXPECT_THAT(text, HasSubstr("description: missing"));
  EXPECT_THAT(text, HasSubstr("l.yaml:2:1: kernel: unknown key; did you mean \"kernels\"?"));
  EXPECT_THAT(text, HasSubstr("l.yaml:3:8: costs: expected a mapping, got 'none'"));
}

}  // namespace
}  // namespace tcsim::library
