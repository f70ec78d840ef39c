// Attention outside the fused kernels, whose heads share keys and values.

#include <gtest/gtest.h>

#include <array>

#include "sim/networks/network_file.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::networks {
namespace {

/// Four heads of 32 columns, two heads of keys and values: groups of two.
Network grouped_heads() {
  return read_network("grouped.yaml",
                      "name: grouped\n"
                      "input: {tokens: 16, c: 64}\n"
                      "layers:\n"
                      "  - {name: qkv, op: linear, out: 256, bias: false}\n"
                      "  - {name: attention, op: attention, heads: 4, kv_heads: 2}\n");
}

/// Matrices, m, n, k.
using Sizes = std::array<std::int64_t, 4>;

std::vector<Sizes> products_of(const Program& program, const std::string& part) {
  std::vector<Sizes> all;
  for (const Step& step : program.steps)
    if (const auto* problem = std::get_if<kernels::GemmProblem>(&step.work.work))
      if (step.layer == "attention" && step.part == part)
        all.push_back({problem->batch, problem->m, problem->n, problem->k});
  return all;
}

double attention_macs(const Program& program, const std::string& part) {
  double sum = 0;
  for (const Step& step : program.steps)
    if (step.layer == "attention" && step.part == part) sum += step.macs;
  return sum;
}

TEST(GroupedHeads, ReadTheirKeysAndValuesOnce) {
  const Network network = grouped_heads();
  const Program program = lower(network, {.batch = 3, .precision = Precision::kFp32});
  EXPECT_EQ(products_of(program, "forward"),
            (std::vector<Sizes>{{3 * 2, 2 * 16, 16, 32}, {3 * 2, 2 * 16, 32, 16}}));
  EXPECT_DOUBLE_EQ(attention_macs(program, "forward"),
                   3.0 * static_cast<double>(macs(network, network.layers.back())));
}

/// In the order S, dV, dP, dQ, dK.
TEST(GroupedHeads, HaveOneGradientOfTheirKeysAndValues) {
  const Network network = grouped_heads();
  const Program program =
      lower(network, {.batch = 3, .precision = Precision::kFp32, .is_training = true});
  EXPECT_EQ(products_of(program, "backward"), (std::vector<Sizes>{{3 * 2, 2 * 16, 16, 32},
                                                                  {3 * 2, 16, 32, 2 * 16},
                                                                  {3 * 2, 2 * 16, 16, 32},
                                                                  {3 * 2, 2 * 16, 32, 16},
                                                                  {3 * 2, 16, 32, 2 * 16}}));
  EXPECT_DOUBLE_EQ(attention_macs(program, "backward"),
                   3.0 * 5 / 2 * static_cast<double>(macs(network, network.layers.back())));
}

/// The gradient of [Q K V] has as many columns as its parts together.
TEST(GroupedHeads, HaveGradientsAsWideAsTheirOperands) {
  const Program program = lower(grouped_heads(), {.batch = 3, .is_training = true});
  std::vector<std::int64_t> columns;
  for (const Step& step : program.steps)
    if (const auto* problem = std::get_if<kernels::VectorProblem>(&step.work.work))
      if (step.layer == "attention" && problem->operation == kernels::VectorOperation::kCopy)
        columns.push_back(problem->cols);
  EXPECT_EQ(columns, (std::vector<std::int64_t>{4 * 32, 2 * 32, 2 * 32}));
}

}  // namespace
}  // namespace tcsim::networks
