// Layer `experts`: rows go through a few of many gated perceptrons.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/config/error.hpp"
#include "sim/networks/network_file.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::networks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Network mixture(const std::string& tokens, const std::string& keys) {
  return read_network("mixture.yaml", "name: mixture\ninput: {tokens: " + tokens +
                                          ", c: 64}\nlayers:\n  - {name: experts, op: experts, " +
                                          keys + "}\n");
}

std::vector<kernels::GemmProblem> products(const Program& program) {
  std::vector<kernels::GemmProblem> all;
  for (const Step& step : program.steps)
    if (const auto* problem = std::get_if<kernels::GemmProblem>(&step.work.work))
      all.push_back(*problem);
  return all;
}

TEST(Experts, MultiplyTheirShareOfTheRowsInOneKernel) {
  const Network network = mixture("128", "out: 256, experts: 8, active: 2");
  EXPECT_EQ(network.layers[0].shape, (Shape{128, 1, 64}));
  EXPECT_EQ(parameters(network), 8 * 3 * 256 * 64);
  EXPECT_EQ(macs(network), 128 * 2 * 3 * 256 * 64);
  const Program program = lower(network, {.batch = 2});
  const auto all = products(program);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].batch, 8);
  EXPECT_EQ(all[0].m, 2 * 128 * 2 / 8);
  EXPECT_EQ(all[0].n, 2 * 256);
  EXPECT_EQ(all[0].k, 64);
  EXPECT_EQ(all[1].n, 64);
  EXPECT_EQ(all[1].k, 256);
  double steps_macs = 0;
  for (const Step& step : program.steps) steps_macs += step.macs;
  EXPECT_DOUBLE_EQ(steps_macs, 2.0 * static_cast<double>(macs(network)));
  ASSERT_EQ(program.steps.size(), 5U);  // copies, product, gate, product, sum of two
  EXPECT_EQ(program.steps[0].work.text, "upsample:n=1,h=256,w=1,c=64,r=2,s=1,dtype=fp16");
}

/// What the products are on a machine that has kernels for groups of rows.
std::vector<kernels::GemmProblem> grouped_products(const std::string& tokens,
                                                   const std::string& keys) {
  return products(lower(mixture(tokens, keys),
                        {.batch = 1, .has_grouped_kernel = [](const kernels::GemmProblem& problem) {
                           return problem.is_grouped();
                         }}));
}

TEST(Experts, AreContiguousGroupsWhereTheyFillTiles) {
  const auto all = grouped_products("512", "out: 256, experts: 8, active: 2");
  ASSERT_EQ(all.size(), 2U);
  for (const kernels::GemmProblem& product : all) {
    EXPECT_EQ(product.groups.layout, kernels::GroupLayout::kContiguous);
    EXPECT_EQ(product.groups.rows, std::vector<std::int64_t>(8, 128));
    EXPECT_EQ(product.m, 8 * 128);
    EXPECT_EQ(product.batch, 1);
  }
}

TEST(Experts, AreMaskedGroupsWhereTheyDoNot) {
  const auto all = grouped_products("6", "out: 256, experts: 8, active: 2");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].groups.is_masked());
  EXPECT_EQ(all[0].groups.rows, (std::vector<std::int64_t>{2, 2, 2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(all[0].m, 2);
  EXPECT_EQ(all[0].batch, 8);
}

/// Ten rows for eight experts. A batch fills up the groups; what it multiplies for that is not
/// useful, and all other kernels see ten rows.
TEST(Experts, ShareRowsThatTheyDoNotDivide) {
  const Network network = mixture("5", "out: 256, experts: 8, active: 2");
  for (const bool is_grouped : {false, true}) {
    const Program program = lower(
        network, {.precision = Precision::kInt8,
                  .has_grouped_kernel = [=](const kernels::GemmProblem&) { return is_grouped; }});
    EXPECT_EQ(products(program)[0].batch, 8);
    EXPECT_EQ(products(program)[0].m, 2);
    EXPECT_EQ(products(program)[0].multiplied_rows(), is_grouped ? 10 : 16);
    double steps_macs = 0;
    std::vector<std::int64_t> rows;
    for (const Step& step : program.steps) {
      steps_macs += step.macs;
      if (const auto* problem = std::get_if<kernels::VectorProblem>(&step.work.work))
        rows.push_back(problem->rows);
    }
    EXPECT_DOUBLE_EQ(steps_macs, static_cast<double>(macs(network)));
    // Quantize, gate, quantize, sum of two.
    EXPECT_THAT(rows, ElementsAre(10, 10, 10, 5));
    const Binding& sum = program.steps.back().bindings.front();
    EXPECT_EQ(program.tensors[static_cast<std::size_t>(sum.tensor)].bytes, 16 * 64 * 2);
  }
}

/// A token goes through two experts: the weights of the others are there and not read.
TEST(Experts, ThatNoRowGoesToAreNotRead) {
  const Program program = lower(mixture("1", "out: 256, experts: 8, active: 2"), {.batch = 1});
  const auto all = products(program);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].batch, 2);
  EXPECT_EQ(all[0].m, 1);
  EXPECT_EQ(block_sums(program, place(program)).weights, 2.0 * 8 * 3 * 256 * 64);
}

TEST(Experts, AddUpAsManyResultsAsAreActive) {
  const Program program = lower(mixture("64", "out: 128, experts: 16, active: 4"), {.batch = 1});
  EXPECT_EQ(program.steps.size(), 4U + 3U);
}

TEST(Experts, HaveNoGradients) {
  EXPECT_THROW(
      lower(mixture("64", "out: 128, experts: 4, active: 2"), {.batch = 1, .is_training = true}),
      std::invalid_argument);
}

TEST(Experts, AreRefusedWhereMoreAreActiveThanThereAre) {
  try {
    mixture("64", "out: 128, experts: 4, active: 5");
    FAIL();
  } catch (const config::ConfigError& error) {
    EXPECT_THAT(error.messages(), ElementsAre(HasSubstr("active: 5")));
  }
}

}  // namespace
}  // namespace tcsim::networks
