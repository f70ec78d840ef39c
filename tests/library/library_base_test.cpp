// Library files that build on another one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/config/error.hpp"
#include "sim/library/load.hpp"
#include "sim/library/machine_check.hpp"
#include "tests/library/small_library.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::library {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::small_library;
using testing::small_library_with;

constexpr const char* kHead = "base: small.yaml\nname: small\ndescription: \"three tiles\"\n";

class BasedLibrary : public ::testing::Test {
 protected:
  BasedLibrary() { write("small.yaml", small_library()); }

  static void write(const std::string& file, const std::string& text) {
    std::ofstream(file) << text;
  }
  /// The library of a file that says `text` on top of small.yaml.
  static std::shared_ptr<const kernels::Library> with(const std::string& text) {
    write("own.yaml", kHead + text);
    return read_library("own.yaml");
  }
  static std::vector<std::string> mistakes(const std::string& text) {
    write("m.yaml", text);
    try {
      read_library("m.yaml");
    } catch (const config::ConfigError& error) {
      return error.messages();
    }
    return {};
  }
  /// Tiles and stages of the first kernels.
  static std::vector<std::string> tiles(const kernels::Library& library) {
    std::vector<std::string> texts;
    for (const kernels::GemmTile& tile : library.families.front().menu(kernels::Element::kFp16))
      texts.push_back(tile.text());
    return texts;
  }

  test::TemporaryHome home_;
};

TEST_F(BasedLibrary, IsTheSameAsTheCompleteFileThatIsWrittenOfIt) {
  const auto library = with("costs:\n  dram_efficiency: 0.93\n");
  std::filesystem::create_directory("elsewhere");
  write("elsewhere/whole.yaml", complete_library_text("own.yaml"));
  EXPECT_EQ(read_library("elsewhere/whole.yaml")->identity, library->identity);
  for (const std::string& name : library_names()) {
    write("elsewhere/whole.yaml", complete_library_text(name));
    EXPECT_EQ(read_library("elsewhere/whole.yaml")->identity, read_library(name)->identity) << name;
  }
}

TEST_F(BasedLibrary, HasWhatItsBaseSaysButForWhatItSays) {
  const auto library = with("costs:\n  dram_efficiency: 0.93\n");
  EXPECT_EQ(library->families.front().costs.dram_efficiency, 0.93);
  EXPECT_EQ(library->families.front().costs.fill_cycles, 900);
  EXPECT_EQ(library->families.front().name, "products");
  EXPECT_EQ(tiles(*library), tiles(*read_library("small.yaml")));
  EXPECT_THAT(library->bases, ElementsAre("small.yaml"));
}

TEST_F(BasedLibrary, AMenuTakesThePlaceOfItsBasesMenu) {
  const auto library = with("menus:\n  few:\n    - {tile: 64x64x32, warps: 2x2, stages: 3}\n");
  EXPECT_THAT(tiles(*library), ElementsAre("64x64x32_s3_w2x2"));
}

TEST_F(BasedLibrary, ItsKernelsTakeThePlaceOfAllOfItsBase) {
  const std::string text = small_library();
  std::string kernels = text.substr(text.find("kernels:"));
  kernels.replace(kernels.find("products"), 8, "others");
  const auto library = with(kernels);
  ASSERT_EQ(library->families.size(), 1U);
  EXPECT_EQ(library->families.front().name, "others");
  EXPECT_EQ(library->families.front().tiles.size(), 3U);  // of the menu of its base
}

TEST_F(BasedLibrary, IsHashedAsTheCompleteFileIs) {
  const auto identity = [](const std::string& text) {
    write("whole.yaml", text);
    return read_library("whole.yaml")->identity;
  };
  EXPECT_EQ(with("")->identity, identity(small_library()));
  EXPECT_EQ(with("costs: {fill_cycles: 800}\n")->identity,
            identity(small_library_with("fill_cycles: 900", "fill_cycles: 800")));
  const std::string text = small_library();
  const std::string one_tile = "menus:\n  one:\n    - {tile: 64x64x32, warps: 2x2, stages: 3}\n";
  std::string kernels = text.substr(text.find("kernels:"));
  kernels.replace(kernels.find("menu: few"), 9, "menu: one");
  // Menus that no kernels name are not there.
  EXPECT_EQ(with(one_tile + kernels)->identity,
            identity(text.substr(0, text.find("menus:")) + one_tile + kernels));
}

TEST_F(BasedLibrary, MayBuildOnOneThatBuildsOnAnother) {
  std::filesystem::create_directory("more");
  write("one.yaml", "base: small.yaml\nname: one\ncosts: {fill_cycles: 1, epilogue_cycles: 2}\n");
  write("more/two.yaml", "base: ../one.yaml\nname: two\ncosts: {fill_cycles: 3}\n");
  const auto library = read_library("more/two.yaml");
  EXPECT_EQ(library->name, "two");
  EXPECT_EQ(library->description, "three tiles");
  EXPECT_EQ(library->families.front().library, "two");
  EXPECT_EQ(library->families.front().costs.fill_cycles, 3);
  EXPECT_EQ(library->families.front().costs.epilogue_cycles, 2);
  EXPECT_EQ(library->families.front().costs.turn_round_cycles, 1500);
  EXPECT_THAT(library->bases, ElementsAre("one.yaml", "small.yaml"));
}

TEST_F(BasedLibrary, MayBuildOnAShippedOneFromAnyFolder) {
  write("mine.yaml", "base: cublas-ampere\nname: mine\n");
  const auto mine = read_library("mine.yaml");
  EXPECT_EQ(mine->families.size(), read_library("cublas-ampere")->families.size());
  EXPECT_EQ(mine->families.front().library, "mine");
}

TEST_F(BasedLibrary, IsReportedWithEveryMistakeWhereItStands) {
  write("small.yaml", small_library_with("fill_cycles: 900", "fill_cycles: fast"));
  EXPECT_THAT(mistakes("base: small.yaml\nname: m\ncosts:\n  dram_eficiency: 0.9\n"
                       "menus:\n  few:\n    - {tile: 64x64x48, warps: 2x2, stages: 3}\n"),
              ElementsAre("small.yaml:4:16: costs.fill_cycles: expected a number, got 'fast'",
                          "m.yaml:4:3: costs.dram_eficiency: unknown key; did you mean "
                          "\"dram_efficiency\"?",
                          "m.yaml:7:7: kernels.products.menu: tile 64x64x48 of fp16 operands: the "
                          "depth of k-tiles and warp counts must be powers of two"));
  EXPECT_THAT(mistakes("base: small.yaml\nname: m\ncosts:\n  fill_cycles: 1\n  fill_cycles: 2\n"),
              ElementsAre("m.yaml:5:3: costs.fill_cycles: given twice, first at line 4"));
  write("small.yaml", "");
  EXPECT_THAT(mistakes("base: small.yaml\nname: m\n"),
              ElementsAre("small.yaml:1:1: expected a mapping, got nothing"));
}

TEST_F(BasedLibrary, NeedsAUseForEachMenuOfItsOwn) {
  EXPECT_THAT(mistakes("base: small.yaml\nname: m\n"
                       "menus:\n  fw:\n    - {tile: 64x64x32, warps: 2x2, stages: 3}\n"),
              ElementsAre("m.yaml:4:3: menus.fw: no kernels use it (menus: few)"));
}

TEST_F(BasedLibrary, NeedsABaseThatIsThere) {
  for (const auto& [base, reason] : std::vector<std::pair<std::string, std::string>>{
           {"marlinn", "m.yaml:1:7: base: marlinn: no such library; did you mean \"marlin\"?"},
           {"gone.yaml", "m.yaml:1:7: base: gone.yaml: "},
           {"m.yaml", "m.yaml:1:7: base: m.yaml: leads back to m.yaml"},
           {"[marlin]", "m.yaml:1:7: base: expected the name or file of a library, got [marlin]"}})
    EXPECT_THAT(mistakes("base: " + base + "\nname: m\n"), ElementsAre(HasSubstr(reason))) << base;
  EXPECT_THAT(mistakes("base: small.yaml\ndescription: \"no name\"\n"),
              ElementsAre("m.yaml:1:1: name: missing; a library with a base needs its own name"));
}

TEST_F(BasedLibrary, ATileThatAMachineCannotBuildIsRefusedInItsFile) {
  write("small.yaml", small_library_with("stages: 3-4", "stages: 16"));
  write("own.yaml", "base: small.yaml\nname: own\n");
  const config::MachineFile machine = config::read_machine("a100");
  EXPECT_THAT(test::refusal([&] { require_tiles(*read_library("own.yaml"), machine); }),
              HasSubstr("small.yaml:23:7: kernels.products.menu: tile 128x128x32 "
                        "cannot be built on a100"));
}

/// Whose numbers the other libraries share.
TEST(ShippedLibraries, AmpereIsComplete) {
  EXPECT_THAT(read_library("cublas-ampere")->bases, IsEmpty());
}

}  // namespace
}  // namespace tcsim::library
