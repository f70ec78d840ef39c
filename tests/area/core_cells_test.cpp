#include "sim/area/core_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/config/load.hpp"

namespace tcsim::area {
namespace {

double gates_of(const std::vector<std::string>& changes) {
  return core_cells(core_design(config::load_machine("a100", changes)).value()).gates;
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

/// A row of core_cells.csv as a design.
CoreDesign design_of(std::map<std::string, std::string>& row) {
  const auto number = [&](const char* column) { return std::stoi(row.at(column)); };
  CoreDesign design{.rows = number("rows"), .columns = number("columns")};
  design.fp16_sums = number("fp16_sums") == 1;
  for (const std::string& format : split(row.at("formats"), '+')) {
    const int part = format == "tf32" ? 2 : 1;
    if (format == "int8")
      design.int8_products = 2 * number("products");
    else
      design.floats.push_back({format == "tf32"   ? "tf32"
                               : format == "bf16" ? "bf16"
                                                  : "fp16",
                               number("products") / part, number("block") / part, number("grid"),
                               number("kept"), -132});
  }
  return design;
}

TEST(CoreCells, SynthesisedCoresAreMetWithinFourPercent) {
  std::ifstream table(TC_CORE_CELLS);
  std::string line;
  std::getline(table, line);  // the command that made it
  std::getline(table, line);
  const std::vector<std::string> columns = split(line, ',');
  int rows = 0;
  for (; std::getline(table, line); ++rows) {
    const std::vector<std::string> words = split(line, ',');
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = words.at(i);
    const Cells cells = core_cells(design_of(row));
    EXPECT_NEAR(cells.gates / std::stod(row["gates"]), 1, 0.025) << line;
    EXPECT_NEAR(cells.flip_flops / std::stod(row["flip_flops"]), 1, 0.04) << line;
  }
  EXPECT_EQ(rows, 43);
}

TEST(CoreCells, EachPartOfAShapeCounts) {
  const double before = gates_of({});
  EXPECT_NEAR(gates_of({"sm.tensor.core=16x4x8"}) / before, 2, 0.03);
  EXPECT_GT(gates_of({"sm.tensor.core=8x4x16"}), 1.8 * before);
  // As many products in fewer, longer sums: fewer roundings, but more elements of A and B.
  EXPECT_NE(gates_of({"sm.tensor.core=4x4x16"}), before);
}

TEST(CoreCells, FormatsCount) {
  const CoreDesign before = core_design(config::load_machine("a100")).value();
  CoreDesign floats = before;
  floats.int8_products = 0;
  EXPECT_LT(core_cells(floats).gates, 0.7 * core_cells(before).gates);
  CoreDesign fp16 = floats;
  fp16.floats.resize(1);
  EXPECT_LT(core_cells(fp16).gates, core_cells(floats).gates);
}

TEST(CoreCells, DigitsOfTheGridCount) {
  const std::vector<std::string> coarse{"numerics.fp16.grid_fraction_bits=14",
                                        "numerics.bf16.grid_fraction_bits=14",
                                        "numerics.tf32.grid_fraction_bits=14"};
  EXPECT_NEAR(gates_of({}) - gates_of(coarse),
              10 * 32 * (8 * cell_costs.product_digit.gates + cell_costs.block_digit.gates), 1e-6);
}

TEST(CoreCells, ShortBlocksCost) {
  const std::vector<std::string> blocks{"numerics.fp16.products=4", "numerics.bf16.products=4",
                                        "numerics.tf32.products=2"};
  EXPECT_GT(gates_of(blocks), gates_of({}));
  EXPECT_EQ(core_design(config::load_machine("a100", blocks))->blocks(), 2);
}

TEST(CoreDesign, ABlockIsNoLongerThanAPass) {
  const CoreDesign core = core_design(config::load_machine("t4")).value();
  EXPECT_EQ(core.floats.front().block, 4);
  EXPECT_EQ(core.floats.front().grid_fraction_bits, 24);
}

TEST(CoreDesign, ABlockThatIsLongerThanAPassCostsAPass) {
  for (const char* products : {"9", "12", "16"})
    EXPECT_EQ(gates_of({std::string("numerics.fp16.products=") + products}), gates_of({}))
        << products;
}

TEST(CoreDesign, ABlockThatAPassDoesNotFillIsAWholeOne) {
  EXPECT_EQ(gates_of({"numerics.fp16.products=7"}), gates_of({"numerics.fp16.products=4"}));
  double smaller = 0;
  for (const char* core : {"8x4x10", "8x4x14", "8x4x16", "8x4x20"}) {
    const double gates =
        gates_of({std::string("sm.tensor.core=") + core, "sm.tensor.products.fp64=1"});
    EXPECT_GT(gates, smaller) << core;
    smaller = gates;
  }
}

TEST(CoreDesign, FollowsTheNumericsOfTheMachine) {
  const CoreDesign core =
      core_design(config::load_machine(
                      "a100", {"numerics.fp32_rounding=nearest_even", "numerics.subnormals=flushed",
                               "numerics.fp16.accumulator_fraction_bits=20"}))
          .value();
  EXPECT_TRUE(core.fp32_nearest);
  EXPECT_FALSE(core.subnormals);
  EXPECT_EQ(core.floats.front().kept_fraction_bits, 20);
}

TEST(CoreDesign, IsNoneWithoutTensorCores) {
  EXPECT_FALSE(core_design(config::load_machine("p100")).has_value());
}

}  // namespace
}  // namespace tcsim::area
