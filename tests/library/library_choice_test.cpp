#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/config/error.hpp"
#include "sim/config/target.hpp"
#include "sim/library/library_reader.hpp"
#include "sim/library/load.hpp"
#include "sim/library/machine_check.hpp"
#include "tests/library/small_library.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "workloads/kernels/cost_model.hpp"

namespace tcsim::library {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::small_library;
using testing::small_library_with;
using ::testing::StartsWith;

GemmProblem product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.m = m, .n = n, .k = k};
}

/// A100 with the library of `text` alone.
kernels::Target a100_with(const std::string& text) {
  kernels::Target target = config::make_target(config::load_machine("a100"), product(1, 1, 1));
  target.libraries = {read_library_text("l.yaml", text)};
  return target;
}

std::string choice(const std::string& text, const GemmProblem& problem) {
  return choose_tile(problem, a100_with(text)).text();
}

TEST(LibraryChoice, TakesTheTilesOfTheFileAndNoOthers) {
  EXPECT_EQ(choice(small_library(), product(8192, 8192, 4096)), "128x128x32_s4_w2x2");
  EXPECT_EQ(choice(small_library_with("stages: 3-4", "stages: 3"), product(8192, 8192, 4096)),
            "128x128x32_s3_w2x2");
  EXPECT_EQ(gemm_tiles(product(4096, 4096, 4096), a100_with(small_library())).size(), 4u);
}

TEST(LibraryChoice, FollowsThePreferencesOfTheFile) {
  const GemmProblem large = product(8192, 8192, 4096);
  EXPECT_EQ(choice(small_library_with("factor: 1}", "factor: 0.1}"), large), "64x64x32_s3_w2x2");
  const std::string sliced =
      small_library_with("sliced_k: 1, factor: 1}", "sliced_k: 2, factor: 0.1}");
  EXPECT_EQ(choice(sliced, large), "64x64x64_s5_w1x2_sliced2");
}

/// The small library with a rule of waves by which `tiles` are compared.
std::string with_waves(const std::string& tiles) {
  return small_library_with("    menu: few\n",
                            "    menu: few\n    waves:\n      least_k: 100\n      slice_cycles: 0\n"
                            "      sum_cycles: 0\n      tiles:\n" +
                                tiles);
}

constexpr const char* kWaveTiles =
    "        - {tile: 128x128, sliced_k: 1, cost: 1, lead: 100, idle: 0, ctas: 1}\n"
    "        - {tile: 64x64, sliced_k: 1, cost: 1.3, lead: 100, idle: 0, ctas: 1}\n"
    "        - {tile: 64x64, sliced_k: 2, cost: 9, lead: 100, idle: 0, ctas: 1}\n";

// 108 SMs: a single wave of small tiles costs a quarter, more of them 1.3 times as much.
TEST(LibraryChoice, ComparesByWavesWhereTheFileSaysSo) {
  EXPECT_THAT(choice(with_waves(kWaveTiles), product(640, 640, 96)), StartsWith("64x64x32_s3"));
  EXPECT_THAT(choice(with_waves(kWaveTiles), product(8192, 8192, 96)), StartsWith("128x128"));
}

TEST(LibraryChoice, CutsKWhereWavesAreThenFuller) {
  EXPECT_THAT(choice(with_waves(kWaveTiles), product(64, 64, 4096)), HasSubstr("_splitk4"));
  EXPECT_THAT(choice(with_waves(kWaveTiles), product(64, 64, 256)), HasSubstr("_splitk2"));
  EXPECT_THAT(choice(with_waves(kWaveTiles), product(64, 64, 192)), Not(HasSubstr("_splitk")));
}

TEST(LibraryChoice, LetsSlicesTakeTurnsOnlyWhereTheyMay) {
  const std::string slices = "    slices:\n      operands: [fp16]\n";
  const std::string serial = "    slices:\n      operands: [fp16, int8]\n      sums: serial\n";
  std::string text = small_library_with(slices, serial);
  const std::string types = "    operands: [fp16]\n    results: [fp16, fp32]\n";
  text.replace(text.find(types), types.size(),
               "    operands: [fp16, int8]\n    results: [fp16, fp32, int32]\n");
  const GemmProblem deep = product(64, 64, 8192);
  EXPECT_THAT(choice(text, deep), HasSubstr("_splitk4_serial"));
  EXPECT_THAT(choose_tile_without_turns(deep, a100_with(text)).text(), Not(HasSubstr("_splitk")));
  EXPECT_THAT(choose_tile_without_turns(deep, a100_with(small_library())).text(),
              HasSubstr("_splitk4"));
  GemmProblem integers = deep;
  integers.input = Element::kInt8;
  integers.accumulate = integers.output = Element::kInt32;
  EXPECT_THAT(choice(text, integers), HasSubstr("_serial"));
  integers.output = Element::kFp16;  // not what the sums are
  EXPECT_THAT(choice(text, integers), Not(HasSubstr("_splitk")));
}

TEST(LibraryChoice, AsksForARowOfWavesForEveryTile) {
  EXPECT_THAT(test::refusal([&] {
                return read_library_text(
                    "l.yaml", with_waves("        - {tile: 128x128, sliced_k: 1, cost: 1, lead: 0, "
                                         "idle: 0, ctas: 1}\n"));
              }),
              HasSubstr("tile 64x64, sliced_k 1, has no row in waves.tiles"));
}

TEST(LibraryChoice, TakesKernelsForTheNumberOfMatrices) {
  const std::string several =
      small_library_with("    menu: few\n", "    menu: few\n    batches: several\n");
  EXPECT_THAT(gemm_tiles(product(64, 64, 64), a100_with(several)), IsEmpty());
  GemmProblem batched = product(64, 64, 64);
  batched.batch = 2;
  EXPECT_THAT(gemm_tiles(batched, a100_with(several)), Not(IsEmpty()));
}

TEST(LibraryChoice, TakesKernelsForTheSharedMemoryOfAnSm) {
  const auto with = [](int bytes) {
    return small_library_with("    menu: few\n",
                              "    menu: few\n    sm_shared_from: " + std::to_string(bytes) + "\n");
  };
  EXPECT_THAT(gemm_tiles(product(64, 64, 64), a100_with(with(164 * 1024))), Not(IsEmpty()));
  EXPECT_THAT(gemm_tiles(product(64, 64, 64), a100_with(with(164 * 1024 + 1))), IsEmpty());
}

TEST(LibraryChoice, PrefersNoTileOfWhichHalfIsEmpty) {
  const std::string large_first = small_library_with("{tile: 64x64, sliced_k: 1, factor: 1}",
                                                     "{tile: 128x128, sliced_k: 1, factor: 0.1}");
  EXPECT_THAT(choice(large_first, product(65, 8192, 4096)), StartsWith("128x128"));
  EXPECT_THAT(choice(large_first, product(64, 8192, 4096)), StartsWith("64x64"));
  EXPECT_THAT(choice(large_first, product(8192, 64, 4096)), StartsWith("64x64"));
}

TEST(LibraryChoice, CutsKWhereTheRuleOfTheFileAllows) {
  const GemmProblem deep = product(256, 256, 16384);
  const auto slices = [&](const std::string& text) {
    return choose_tile(deep, a100_with(text)).split_k;
  };
  EXPECT_EQ(slices(small_library()), 4);
  EXPECT_EQ(slices(small_library_with("counts: [2, 4]", "counts: [2]")), 2);
  EXPECT_EQ(slices(small_library_with("least_k_tiles_of_more: 16", "least_k_tiles_of_more: 200")),
            2);
  EXPECT_EQ(slices(small_library_with("margin: 1.1", "margin: 100")), 1);
  EXPECT_EQ(slices(small_library_with("operands: [fp16]\n      counts",
                                      "operands: [bf16]\n      counts")),
            1);
}

TEST(LibraryChoice, PutsShallowTilesLastWhereDeepOnesWouldFit) {
  const std::string deep = small_library() + "    deep: {tile: 128x128, k: 64, operands: [fp16]}\n";
  const GemmProblem large = product(8192, 8192, 4096);
  EXPECT_THAT(choice(deep, large), Not(HasSubstr("128x128")));
  const std::string too_deep =
      small_library() + "    deep: {tile: 128x128, k: 4096, operands: [fp16]}\n";
  EXPECT_THAT(choice(too_deep, large), HasSubstr("128x128"));
}

TEST(LibraryChoice, TimesRowsOfPowersOfTwo) {
  const auto ctas = [](const std::string& text) {
    return gemm_candidates(product(1100, 4096, 4096), a100_with(text)).front().costs.ctas;
  };
  const std::string rounded =
      small_library_with("    preferences:", "    timed_rows: power_of_two\n    preferences:");
  EXPECT_GT(ctas(rounded), ctas(small_library()));
}

TEST(LibraryChoice, SaysWhyThereIsNoKernel) {
  GemmProblem bytes = product(64, 64, 64);
  bytes.input = Element::kInt8;
  bytes.accumulate = bytes.output = Element::kInt32;
  EXPECT_EQ(why_no_kernel(bytes, a100_with(small_library())),
            "none of the libraries small has such a kernel");
  kernels::Target bare = a100_with(small_library());
  bare.libraries.clear();
  EXPECT_EQ(why_no_kernel(product(64, 64, 64), bare), "the machine has no library");
}

TEST(LibraryChoice, TakesTheFirstLibraryThatHasAKernel) {
  kernels::Target target = config::make_target(load_machine("a100"), product(1, 1, 1));
  target.libraries.insert(target.libraries.begin(), read_library_text("l.yaml", small_library()));
  EXPECT_EQ(gemm_tiles(product(4096, 4096, 4096), target).size(), 4u);
  GemmProblem brain = product(4096, 4096, 4096);
  brain.input = Element::kBf16;
  EXPECT_GT(gemm_tiles(brain, target).size(), 4u);
}

TEST(LibraryChoice, TermsOfTheEstimateAddUp) {
  const kernels::Target target = a100_with(small_library());
  for (const kernels::Candidate& one : gemm_candidates(product(4096, 256, 2560), target)) {
    const kernels::CostTerms& costs = one.costs;
    EXPECT_DOUBLE_EQ(costs.cycles(),
                     costs.reduction + costs.turn_round +
                         static_cast<double>(costs.full_waves) * costs.full.cycles() +
                         costs.last.cycles());
    EXPECT_GE(costs.full.k_tile, costs.full.k_tile_sm);
    EXPECT_GE(costs.full.k_tile, costs.full.k_tile_memory);
    EXPECT_DOUBLE_EQ(one.rating(), costs.cycles() * one.preference * one.margin);
  }
}

TEST(MachineCheck, NamesTilesThatAMachineCannotBuild) {
  const config::MachineFile a100 = config::read_machine("a100");
  EXPECT_NO_THROW(require_tiles(*read_library_text("l.yaml", small_library()), a100));
  const auto large =
      read_library_text("l.yaml", small_library_with("stages: 3-4", "stages: 16-18"));
  EXPECT_EQ(test::refusal([&] { require_tiles(*large, a100); }),
            "l.yaml:23:7: kernels.products.menu: tile 128x128x32 cannot be built on "
            "a100-sxm4-40gb: needs 262144 bytes of shared memory, a CTA may have 166912");
}

TEST(MachineCheck, RefusesALibraryWithoutAnyKernelForTheMachine) {
  const auto library = read_library_text("l.yaml", small_library());
  EXPECT_EQ(test::refusal([&] { require_tiles(*library, config::read_machine("v100")); }),
            "l.yaml: kernels: v100-sxm2 can run none of them: it lacks their instructions");
}

TEST(LibraryLoad, LeavesOutTilesOfSharedLibrariesThatAMachineCannotBuild) {
  const config::MachineFile ga102 = read_machine("rtx3090", {}, {"tensorrt"});
  EXPECT_EQ(ga102.machine.kernel_libraries.front()->name, "tensorrt");
  EXPECT_THROW(require_tiles(*ga102.machine.kernel_libraries.front(), ga102), config::ConfigError);
  EXPECT_THROW(read_machine("v100", {}, {"tensorrt"}), config::ConfigError);
}

TEST(LibraryLoad, NamesThePlaceOfAWrongNameInAMachine) {
  EXPECT_THAT(test::refusal([&] { return read_machine("a100", {"libraries=[cublas-amper]"}); }),
              HasSubstr("--set #1: libraries: cublas-amper: no such library; did "
                        "you mean \"cublas-ampere\"? (libraries: "));
  EXPECT_THROW((void)read_machine("a100", {}, {"nothing"}), config::ConfigError);
  EXPECT_THROW((void)read_machine("a100", {"libraries=[cuda-cores, cuda-cores]"}),
               config::ConfigError);
}

TEST(LibraryLoad, NamesTheFileOfAWrongNameInABase) {
  const test::TemporaryHome home;
  std::ofstream("inner.yaml") << "base: a100\nname: inner\nlibraries: [cublas-amper]\n";
  std::ofstream("outer.yaml") << "base: inner.yaml\nname: outer\n";
  EXPECT_THAT(test::refusal([&] { return read_machine("outer.yaml"); }),
              StartsWith("inner.yaml:3:12: libraries: cublas-amper: no such library"));
}

TEST(LibraryLoad, FindsFilesInTheFolderOfTheMachine) {
  const test::TemporaryHome home;
  std::filesystem::create_directories("boards/inner");
  std::ofstream("boards/inner/mine.yaml") << "base: cuda-cores\nname: mine\n";
  std::ofstream("boards/inner/inner.yaml")
      << "base: a100\nname: inner\nlibraries: [./mine.yaml, cublas-ampere]\n";
  std::ofstream("boards/outer.yaml") << "base: inner/inner.yaml\nname: outer\n";
  for (const char* file : {"boards/inner/inner.yaml", "boards/outer.yaml"}) {
    const config::MachineFile machine = read_machine(file);
    EXPECT_EQ(machine.machine.kernel_libraries.front()->name, "mine") << file;
    EXPECT_EQ(machine.machine.libraries.front(), "boards/inner/mine.yaml") << file;
  }
  EXPECT_EQ(read_machine("a100", {"libraries=[boards/inner/mine.yaml]"})
                .machine.kernel_libraries.front()
                ->name,
            "mine");
  std::filesystem::remove("boards/inner/mine.yaml");
  EXPECT_THAT(test::refusal([&] { return read_machine("boards/outer.yaml"); }),
              StartsWith("boards/inner/inner.yaml:3:12: libraries: boards/inner/mine.yaml: "));
}

TEST(LibraryLoad, KnownMachinesAreReadOnce) {
  KnownMachines machines;
  const config::MachineFile& one = machines.of("a100", {}, {});
  EXPECT_EQ(&machines.of("a100", {}, {}), &one);
  EXPECT_EQ(machines.of("a100", {"l2.bytes=20 MiB"}, {}).machine.l2.bytes, 20 << 20);
  EXPECT_EQ(machines.of("a100", {}, {"cublas-turing"}).machine.kernel_libraries.front()->name,
            "cublas-turing");
  EXPECT_NE(one.machine.kernel_libraries.front()->name, "cublas-turing");
}

TEST(LibraryLoad, WhereAFileLiesIsNoPartOfWhatAMachineIs) {
  const test::TemporaryHome home;
  for (const std::string folder : {"one", "two"}) {
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/l.yaml") << small_library();
    std::ofstream(folder + "/m.yaml") << "base: a100\nname: m\nlibraries: [cuda-cores, l.yaml]\n";
  }
  const std::string text = canonical_text(read_machine("one/m.yaml"));
  EXPECT_THAT(text, HasSubstr("\nlibraries [\"cuda-cores\"]\n"));
  EXPECT_EQ(text, canonical_text(read_machine("two/m.yaml")));
  std::ofstream("two/l.yaml") << small_library_with("stages: 3-4", "stages: 3");
  EXPECT_NE(text, canonical_text(read_machine("two/m.yaml")));
}

TEST(LibraryLoad, ContentIsPartOfWhatAMachineIs) {
  const std::string before = canonical_text(read_machine("a100"));
  EXPECT_THAT(before, HasSubstr("\nlibrary.cublas-ampere "));
  EXPECT_NE(canonical_text(read_machine("a100", {}, {"cublas-turing"})), before);
}

}  // namespace
}  // namespace tcsim::library
