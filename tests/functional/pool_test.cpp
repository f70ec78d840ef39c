#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/functional/execute.hpp"
#include "models/functional/global_memory.hpp"
#include "sim/values/element.hpp"
#include "sim/values/operand_store.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/conv/pool.hpp"
#include "workloads/kernels/conv/pool_shape.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::PoolOperation;
using kernels::PoolProblem;

double number_at(std::int64_t index) { return static_cast<double>((index * 29 + 7) % 41 - 20); }

/// The definition on number_at: only pixels take part, averages divide by all taps or by pixels.
double definition(const PoolProblem& p, std::int64_t image, std::int64_t row, std::int64_t column,
                  std::int64_t channel) {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  std::int64_t pixels = 0;
  for (std::int64_t i = 0; i < p.r; ++i)
    for (std::int64_t j = 0; j < p.s; ++j) {
      const std::int64_t y = row * p.stride_h - p.pad_h + i;
      const std::int64_t x = column * p.stride_w - p.pad_w + j;
      if (y < 0 || y >= p.h || x < 0 || x >= p.w) continue;
      const double value = number_at(((image * p.h + y) * p.w + x) * p.c + channel);
      largest = std::max(largest, value);
      sum += value;
      ++pixels;
    }
  if (p.operation == PoolOperation::kMax) return largest;
  return sum / static_cast<double>(p.counts_padding ? p.r * p.s : pixels);
}

void expect_pool(const PoolProblem& p, const kernels::Target& target) {
  const isa::KernelLaunch launch = kernels::make_pool(p, target);
  SCOPED_TRACE(launch.name + " " + target.architecture);
  GlobalMemory memory(launch);
  std::ranges::fill(memory.buffer("y"), 0xff);
  values::Matrix x{1, 1, p.x_elements(), {}};
  for (std::int64_t i = 0; i < p.x_elements(); ++i) x.values.push_back(number_at(i));
  values::store(x, {p.element, true}, memory.buffer("x"));
  const auto result = execute(launch, *numerics::arithmetic_of(target.architecture), memory);
  ASSERT_TRUE(result.has_value()) << result.refusal().reason;
  EXPECT_EQ(result.value().racing_bytes, 0);
  const double roundoff = p.element == Element::kFp16   ? 0x1p-11
                          : p.element == Element::kBf16 ? 0x1p-8
                                                        : 0x1p-22;
  std::int64_t index = 0;
  for (std::int64_t image = 0; image < p.n; ++image)
    for (std::int64_t row = 0; row < p.p(); ++row)
      for (std::int64_t column = 0; column < p.q(); ++column)
        for (std::int64_t channel = 0; channel < p.c; ++channel, ++index) {
          const double want = definition(p, image, row, column, channel);
          const double got = values::value_of(
              values::type_of(p.element), values::pattern_at(memory.buffer("y"), index, p.element));
          const double bound =
              p.operation == PoolOperation::kMax ? 0 : roundoff * std::abs(want) + 0x1p-20;
          ASSERT_NEAR(got, want, bound) << index;
        }
}

PoolProblem pool(PoolOperation operation, std::int64_t size, std::int64_t channels,
                 std::int64_t window, std::int64_t stride, std::int64_t pad) {
  return {.operation = operation,
          .n = 2,
          .h = size,
          .w = size + 1,
          .c = channels,
          .r = window,
          .s = window,
          .stride_h = stride,
          .stride_w = stride,
          .pad_h = pad,
          .pad_w = pad};
}

constexpr std::array kBoth{PoolOperation::kMax, PoolOperation::kAverage};

TEST(Pooling, MatchesTheDefinitionInEveryFormat) {
  for (const PoolOperation operation : kBoth)
    for (const Element element : {Element::kFp16, Element::kBf16, Element::kFp32}) {
      PoolProblem problem = pool(operation, 11, 6, 3, 2, 1);
      problem.element = element;
      expect_pool(problem, kernels::testing::a100());
    }
}

TEST(Pooling, LoopsOverTheRowsOfLargeWindows) {
  for (const PoolOperation operation : kBoth) {
    expect_pool(pool(operation, 9, 10, 9, 1, 0), kernels::testing::a100());
    expect_pool(pool(operation, 12, 4, 5, 1, 2), kernels::testing::a100());
  }
}

TEST(Pooling, ReachesPastTheEdgeIfAsked) {
  for (const PoolOperation operation : kBoth)
    for (const std::int64_t pad : {0, 1}) {
      PoolProblem problem = pool(operation, 10, 2, 3, 2, pad);
      problem.has_ceiling = true;
      EXPECT_EQ(problem.p(), pad == 0 ? 5 : 6);
      expect_pool(problem, kernels::testing::a100());
    }
}

TEST(Pooling, AveragesPixelsAloneIfAsked) {
  for (const Element element : {Element::kFp16, Element::kFp32})
    for (const std::int64_t window : {3, 5}) {
      PoolProblem problem = pool(PoolOperation::kAverage, 11, 6, window, 2, window / 2);
      problem.counts_padding = false;
      problem.element = element;
      expect_pool(problem, kernels::testing::a100());
    }
  PoolProblem past = pool(PoolOperation::kAverage, 10, 2, 3, 2, 0);
  past.has_ceiling = true;
  past.counts_padding = false;
  expect_pool(past, kernels::testing::v100());
}

TEST(Pooling, TakesOddNumbersOfChannels) {
  for (const PoolOperation operation : kBoth)
    for (const Element element : {Element::kFp16, Element::kBf16, Element::kFp32}) {
      PoolProblem problem = pool(operation, 9, 5, 3, 2, 1);
      problem.element = element;
      problem.counts_padding = false;
      expect_pool(problem, kernels::testing::a100());
    }
  expect_pool(pool(PoolOperation::kMax, 6, 1, 5, 1, 2), kernels::testing::v100());
}

TEST(Pooling, DividesLargeWindowsAmongThreads) {
  for (const PoolOperation operation : kBoth)
    for (const Element element : {Element::kFp16, Element::kBf16, Element::kFp32})
      for (const std::int64_t channels : {40, 6, 1}) {
        PoolProblem whole{.operation = operation,
                          .n = 3,
                          .h = 17,
                          .w = 13,
                          .c = channels,
                          .r = 17,
                          .s = 13,
                          .element = element};
        EXPECT_GT(kernels::pool_shape(whole, kernels::testing::a100()).splits, 1);
        expect_pool(whole, kernels::testing::a100());
        PoolProblem windows = pool(operation, 14, channels, 9, 5, 3);  // parts of rows, edges
        windows.element = element;
        windows.counts_padding = element != Element::kFp16;
        EXPECT_GT(kernels::pool_shape(windows, kernels::testing::a100()).splits, 1);
        expect_pool(windows, kernels::testing::a100());
      }
  PoolProblem rows = pool(PoolOperation::kAverage, 33, 8, 12, 4, 5);  // whole rows, with padding
  rows.s = rows.w;
  rows.stride_w = 1;
  rows.pad_w = 0;
  rows.counts_padding = false;
  expect_pool(rows, kernels::testing::a100());
  expect_pool(rows, kernels::testing::v100());
}

TEST(Pooling, GivesEveryThreadAWindowWhereThereAreEnough) {
  const kernels::Target a100 = kernels::testing::a100();
  const PoolProblem global{.n = 256, .h = 7, .w = 7, .c = 2048, .r = 7, .s = 7};
  EXPECT_GT(kernels::pool_shape(global, a100).splits, 1);
  PoolProblem many = global;
  many.n = 4096;
  EXPECT_EQ(kernels::pool_shape(many, a100).splits, 1);
  EXPECT_EQ(kernels::pool_shape(many, a100).vector, 8);
  PoolProblem small = global;
  small.r = small.s = 3;
  EXPECT_EQ(kernels::pool_shape(small, a100).splits, 1);
}

TEST(Pooling, RunsOnVolta) {
  for (const PoolOperation operation : kBoth)
    expect_pool(pool(operation, 6, 8, 2, 2, 0), kernels::testing::v100());
}

TEST(Pooling, RefusesWhatItHasNoKernelFor) {
  PoolProblem problem = pool(PoolOperation::kMax, 6, 4, 2, 2, 0);
  problem.element = Element::kBf16;
  EXPECT_NE(kernels::why_no_pool(problem, kernels::testing::v100()), "");
}

}  // namespace
}  // namespace tcsim::functional::testing
