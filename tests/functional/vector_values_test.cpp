#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "models/functional/execute.hpp"
#include "sim/values/element.hpp"
#include "tests/functional/attention_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::Target;
using kernels::VectorOperation;
using kernels::VectorProblem;

using Row = std::vector<double>;

/// What an operation makes of one row; further inputs are Y's row, or gamma and beta.
using Definition =
    std::function<Row(const Row& x, const Row& y, const Row& gamma, const Row& beta)>;

Row each(const Row& x, const std::function<double(double)>& function) {
  Row result(x.size());
  std::ranges::transform(x, result.begin(), function);
  return result;
}

double sum(const Row& x) {
  double total = 0;
  for (const double value : x) total += value;
  return total;
}

Definition pairwise(const std::function<double(double, double)>& function) {
  return [function](const Row& x, const Row& y, const Row&, const Row&) {
    Row result(x.size());
    std::ranges::transform(x, y, result.begin(), function);
    return result;
  };
}

double silu(double x) { return x / (1 + std::exp(-x)); }

/// Typed from the definitions, independently of sim/values; empty where that stands alone.
Definition definition_of(VectorOperation operation) {
  switch (operation) {
    case VectorOperation::kSoftmax:
      return [](const Row& x, const Row&, const Row&, const Row&) {
        const double largest = *std::ranges::max_element(x);
        const Row powers = each(x, [&](double v) { return std::exp(v - largest); });
        const double total = sum(powers);
        return each(powers, [&](double v) { return v / total; });
      };
    case VectorOperation::kLayerNorm:
    case VectorOperation::kRmsNorm:
      return [operation](const Row& x, const Row&, const Row& gamma, const Row& beta) {
        const auto count = static_cast<double>(x.size());
        const bool centred = operation == VectorOperation::kLayerNorm;
        const double mean = centred ? sum(x) / count : 0;
        const Row square = each(x, [&](double v) { return (v - mean) * (v - mean); });
        const double factor = 1 / std::sqrt(sum(square) / count + 1e-5);
        Row result;
        for (std::size_t i = 0; i < x.size(); ++i)
          result.push_back((x[i] - mean) * factor * gamma[i] + (centred ? beta[i] : 0));
        return result;
      };
    case VectorOperation::kGelu:
      return [](const Row& x, const Row&, const Row&, const Row&) {
        return each(x, [](double v) {
          return v / 2 *
                 (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
        });
      };
    case VectorOperation::kSilu:
      return [](const Row& x, const Row&, const Row&, const Row&) { return each(x, silu); };
    case VectorOperation::kTanh:
      return [](const Row& x, const Row&, const Row&, const Row&) {
        return each(x, [](double v) { return std::tanh(v); });
      };
    case VectorOperation::kSigmoid:
      return [](const Row& x, const Row&, const Row&, const Row&) {
        return each(x, [](double v) { return 1 / (1 + std::exp(-v)); });
      };
    case VectorOperation::kSiluAndMul:
      return [](const Row& x, const Row&, const Row&, const Row&) {
        const std::size_t half = x.size() / 2;
        Row result;
        for (std::size_t i = 0; i < half; ++i) result.push_back(silu(x[i]) * x[half + i]);
        return result;
      };
    case VectorOperation::kAdd:
      return pairwise([](double a, double b) { return a + b; });
    case VectorOperation::kQuantize:
      return [](const Row& x, const Row&, const Row&, const Row&) {
        return each(x, [](double v) { return std::nearbyint(std::clamp(v * 16, -128.0, 127.0)); });
      };
    case VectorOperation::kRelu:
      return [](const Row& x, const Row&, const Row&, const Row&) {
        return each(x, [](double v) { return std::max(v, 0.0); });
      };
    case VectorOperation::kMultiply:
      return pairwise([](double a, double b) { return a * b; });
    case VectorOperation::kAddRelu:
      return pairwise([](double a, double b) { return std::max(a + b, 0.0); });
    case VectorOperation::kCopy:
    case VectorOperation::kToFp32:
    case VectorOperation::kFromFp32:
      return [](const Row& x, const Row&, const Row&, const Row&) { return x; };
    case VectorOperation::kDequantize:
      return [](const Row& x, const Row&, const Row&, const Row&) {
        return each(x, [](double v) { return v / 16; });
      };
    default:
      return {};
  }
}

struct Tensors {
  Row x, y, gamma, beta, d;
};

Row row_of(const Row& all, std::int64_t row, std::int64_t rows) {
  const auto width = std::ssize(all) / rows;
  return {all.begin() + row * width, all.begin() + (row + 1) * width};
}

/// Executes the kernel on normally distributed data and compares every element. FP32 arithmetic
/// with EX2, RCP and RSQ within 2^-22 each, then one rounding to the output type: a relative 1.1
/// units of roundoff, and 2^-17 of the largest input for sums that cancel.
void expect_vector(const VectorProblem& p, const Target& target) {
  SCOPED_TRACE(std::string(kernels::vector_name(p.operation)) + " " + std::to_string(p.rows) + "x" +
               std::to_string(p.cols) + " " + target.architecture);
  const isa::KernelLaunch launch = kernels::make_vector(p, target);
  GlobalMemory memory(launch);
  const kernels::VectorTraits& traits = kernels::vector_traits(p.operation);
  const Element input = traits.input.value_or(p.element);
  const Element output = traits.output.value_or(p.element);
  const bool from_int8 = input == Element::kInt8;
  const bool to_int8 = output == Element::kInt8;
  Tensors t;
  for (const isa::Buffer& buffer : launch.buffers) {
    if (buffer.name == "D") {
      std::ranges::fill(memory.buffer("D"), 0xff);
      continue;
    }
    if (from_int8) {
      unsigned next = 1;
      for (std::uint8_t& byte : memory.buffer("X"))
        byte = static_cast<std::uint8_t>((next = next * 1664525 + 1013904223) >> 24);
    } else {
      fill_normal(memory.buffer(buffer.name), input, static_cast<unsigned>(buffer.name[0]), 3);
    }
    Row& row = buffer.name == "X"   ? t.x
               : buffer.name == "Y" ? t.y
               : buffer.name == "G" ? t.gamma
                                    : t.beta;
    row = elements_of(memory.buffer(buffer.name), input);
  }
  const auto result = execute(launch, *numerics::arithmetic_of(target.architecture), memory);
  ASSERT_TRUE(result.has_value()) << result.refusal().reason;
  EXPECT_EQ(result.value().racing_bytes, 0);
  t.d = elements_of(memory.buffer("D"), output);
  const double roundoff = to_int8                       ? 0
                          : p.element == Element::kFp16 ? 0x1p-11
                          : p.element == Element::kBf16 ? 0x1p-8
                                                        : 0x1p-20;
  const double absolute = to_int8 ? 0 : 0x1p-17;
  for (std::int64_t r = 0; r < p.rows; ++r) {
    const Row want = definition_of(p.operation)(
        row_of(t.x, r, p.rows), t.y.empty() ? Row{} : row_of(t.y, r, p.rows), t.gamma, t.beta);
    const Row got = row_of(t.d, r, p.rows);
    ASSERT_EQ(want.size(), got.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_NEAR(got[i], want[i], 1.1 * roundoff * std::fabs(want[i]) + absolute)
          << "row " << r << " column " << i;
  }
}

std::vector<VectorOperation> defined() {
  std::vector<VectorOperation> all;
  for (const kernels::VectorTraits& row : kernels::vector_operations())
    if (definition_of(row.operation)) all.push_back(row.operation);
  return all;
}

TEST(VectorKernels, MatchTheirDefinitions) {
  for (const VectorOperation operation : defined())
    for (const Element element : {Element::kFp16, Element::kBf16, Element::kFp32})
      expect_vector({operation, 5, 256, element}, kernels::testing::a100());
}

TEST(VectorKernels, TakeRaggedRows) {
  for (const VectorOperation operation : defined())
    for (const std::int64_t cols : {1, 37, 130, 1000})
      expect_vector({operation, 4, cols, Element::kFp16}, kernels::testing::a100());
}

/// Elements behind the last full vector, with and without a full one before them.
TEST(VectorKernels, TakeAnyNumberOfElements) {
  for (const VectorOperation operation : defined()) {
    if (kernels::vector_traits(operation).sums_rows) continue;
    for (const Element element : {Element::kFp16, Element::kBf16, Element::kFp32})
      for (const auto& [rows, cols] : {std::pair{1, 1},
                                       {1, 2},
                                       {1, 3},
                                       {2, 11},
                                       {1, 31},
                                       {1, 33},
                                       {7, 9},
                                       {1, 2049},
                                       {1, 2054}}) {
        const VectorProblem problem{operation, rows, cols, element};
        if (kernels::why_no_vector(problem, kernels::testing::a100()).empty())
          expect_vector(problem, kernels::testing::a100());
      }
  }
  for (const Element element : {Element::kFp16, Element::kBf16, Element::kFp32})
    expect_vector({VectorOperation::kAdd, 1, 1000003, element}, kernels::testing::a100());
  expect_vector({VectorOperation::kGelu, 1, 33, Element::kFp16}, kernels::testing::v100());
}

/// Warp instructions that `launch` issues.
std::int64_t issued(const isa::KernelLaunch& launch) {
  std::int64_t of_cta = 0;
  for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
    const isa::WarpProgram& program = launch.programs.front();
    isa::Bindings bindings{};
    bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = warp;
    of_cta += std::ssize(program.instructions);
    for (const isa::Loop& loop : program.loops)
      of_cta += (isa::evaluate(loop.trips, bindings) - 1) * (loop.last - loop.first + 1);
  }
  return of_cta * launch.cta_count();
}

std::int64_t issued(const VectorProblem& problem) {
  const isa::KernelLaunch launch = kernels::make_vector(problem, kernels::testing::a100());
  EXPECT_EQ(isa::validate(launch), std::vector<std::string>());
  return issued(launch);
}

TEST(VectorKernels, StayWideWhateverTheNumberOfElements) {
  const std::int64_t even = issued({VectorOperation::kAdd, 1, 2000000});
  EXPECT_EQ(even, 386'892);  // 977 CTAs of 4 warps
  const std::int64_t odd = issued({VectorOperation::kAdd, 1, 2000001});
  EXPECT_GT(odd, even);
  EXPECT_LT(static_cast<double>(odd), 1.06 * static_cast<double>(even));
  EXPECT_LT(static_cast<double>(issued({VectorOperation::kRelu, 1001, 1001})),
            1.1 * static_cast<double>(issued({VectorOperation::kRelu, 1000, 1000})));
}

TEST(VectorKernels, GiveShortRowsNoWarpsWithoutWork) {
  const auto shape = [](std::int64_t cols) {
    const VectorProblem problem{VectorOperation::kSiluAndMul, 2, cols, Element::kFp16};
    expect_vector(problem, kernels::testing::a100());
    const isa::KernelLaunch launch = kernels::make_vector(problem, kernels::testing::a100());
    return std::pair(launch.warps_per_cta, launch.grid[0]);
  };
  const auto warps_and_ctas = [](int warps, std::int64_t ctas) { return std::pair(warps, ctas); };
  EXPECT_EQ(shape(8), warps_and_ctas(1, 1));
  EXPECT_EQ(shape(256), warps_and_ctas(1, 1));
  EXPECT_EQ(shape(264), warps_and_ctas(2, 1));
  EXPECT_EQ(shape(1024), warps_and_ctas(4, 1));
  EXPECT_EQ(shape(1032), warps_and_ctas(3, 1));  // in two rounds
  EXPECT_EQ(shape(2048), warps_and_ctas(4, 1));
  EXPECT_EQ(shape(2056), warps_and_ctas(4, 2));
  EXPECT_EQ(issued({VectorOperation::kSiluAndMul, 24, 2048}), 17'184);
  EXPECT_EQ(issued({VectorOperation::kSiluAndMul, 768, 64}), 76'032);  // a warp, a round
}

TEST(VectorKernels, ShareLongRowsAmongWarps) {
  for (const VectorOperation operation :
       {VectorOperation::kSoftmax, VectorOperation::kLayerNorm, VectorOperation::kRmsNorm})
    for (const std::int64_t cols : {1027, 4096, 9000, 32768})
      expect_vector({operation, 2, cols, Element::kFp16}, kernels::testing::a100());
}

/// Rows of more than 8192 columns, of vectors of every width, by CTAs that an SM holds.
TEST(VectorKernels, HoldTheLongestRowsInTheRegistersOfAnSm) {
  for (const VectorOperation operation :
       {VectorOperation::kSoftmax, VectorOperation::kLayerNorm, VectorOperation::kRmsNorm})
    for (const std::int64_t cols : {8256, 12289, 32764, 32766, 32767, 32768})
      for (const Element element : {Element::kFp16, Element::kBf16, Element::kFp32}) {
        const VectorProblem problem{operation, 1, cols, element};
        const isa::KernelLaunch launch = kernels::make_vector(problem, kernels::testing::a100());
        EXPECT_LE(launch.registers_per_thread * launch.warps_per_cta * isa::kLanes, 65536);
        expect_vector(problem, kernels::testing::a100());
      }
  for (const VectorOperation operation : {VectorOperation::kSoftmax, VectorOperation::kLayerNorm})
    expect_vector({operation, 2, 32768, Element::kFp16}, kernels::testing::v100());
}

TEST(VectorKernels, RunOnVolta) {
  for (const VectorOperation operation : defined())
    for (const Element element : {Element::kFp16, Element::kFp32})
      expect_vector({operation, 3, 264, element}, kernels::testing::v100());
}

TEST(VectorKernels, AreRefusedWhereTheyDoNotFit) {
  const VectorProblem wide{VectorOperation::kSoftmax, 1, 40000, Element::kFp16};
  EXPECT_NE(kernels::why_no_vector(wide, kernels::testing::a100()), "");
  const VectorProblem odd{VectorOperation::kQuantize, 3, 37, Element::kFp16};
  EXPECT_NE(kernels::why_no_vector(odd, kernels::testing::a100()), "");
  const VectorProblem bf16{VectorOperation::kAdd, 1, 64, Element::kBf16};
  EXPECT_NE(kernels::why_no_vector(bf16, kernels::testing::v100()), "");
}

}  // namespace
}  // namespace tcsim::functional::testing
