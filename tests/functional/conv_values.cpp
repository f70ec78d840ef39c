#include "tests/functional/conv_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "models/functional/execute.hpp"
#include "models/numerics/convert.hpp"
#include "sim/values/element.hpp"
#include "sim/values/operand_store.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::ConvPass;
using kernels::ConvProblem;
using kernels::Element;
using kernels::TensorOrder;

std::vector<double> small_numbers(std::int64_t count, std::mt19937& random) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = static_cast<int>(random() % 5) - 2;
  return numbers;
}

std::size_t place(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Calls `visit` with the numbers of an element of x, w and y for every multiply-add.
template <typename Visit>
void for_each_product(const ConvProblem& c, const Visit& visit) {
  for (std::int64_t y = 0; y < c.y_elements(); ++y) {
    const std::int64_t k = y % c.k;
    const std::int64_t q = y / c.k % c.q();
    const std::int64_t p = y / c.k / c.q() % c.p();
    const std::int64_t n = y / c.k / c.q() / c.p();
    const std::int64_t first_channel = k / c.group_k() * c.group_c();
    for (std::int64_t r = 0; r < c.r; ++r)
      for (std::int64_t s = 0; s < c.s; ++s) {
        const std::int64_t row = p * c.stride_h - c.pad_h + r * c.dil_h;
        const std::int64_t column = q * c.stride_w - c.pad_w + s * c.dil_w;
        if (row < 0 || row >= c.h || column < 0 || column >= c.w) continue;
        for (std::int64_t i = 0; i < c.group_c(); ++i)
          visit(((n * c.h + row) * c.w + column) * c.c + first_channel + i,
                ((k * c.r + r) * c.s + s) * c.group_c() + i, y);
      }
  }
}

std::uint32_t pattern_of(double value, Element element) {
  const std::uint32_t single = numerics::fp32_pattern(static_cast<float>(value));
  switch (element) {
    case Element::kFp16:
      return numerics::fp32_to_fp16(single);
    case Element::kBf16:
      return numerics::fp32_to_bf16(single);
    case Element::kInt8:
      return static_cast<std::uint32_t>(static_cast<int>(value)) & 0xff;
    case Element::kInt32:
      return static_cast<std::uint32_t>(static_cast<int>(value));
    default:
      return single;
  }
}

/// Where element `index` of a tensor with `channels` innermost lies in the order of the problem.
std::int64_t stored_at(const ConvProblem& problem, std::int64_t index, std::int64_t channels,
                       std::int64_t pixels) {
  if (problem.order == TensorOrder::kNhwc) return index;
  const std::int64_t channel = index % channels;
  const std::int64_t pixel = index / channels % pixels;
  const std::int64_t image = index / channels / pixels;
  return (image * channels + channel) * pixels + pixel;
}

/// What follows the sums in `y`.
std::vector<double> finished(const ConvProblem& c, const ConvTensors& t) {
  std::vector<double> y = t.y;
  for (std::int64_t i = 0; i < std::ssize(y); ++i) {
    double& value = y[place(i)];
    if (c.post.scale) value *= t.scale[place(i % c.k)];
    if (c.post.bias) value += t.bias[place(i % c.k)];
    if (c.post.residual) value += t.z[place(i)];
    if (c.post.relu) value = std::max(value, 0.0);
  }
  if (!c.post.pool) return y;
  std::vector<double> pooled;
  for (std::int64_t i = 0; i < c.pooled_elements(); ++i) {
    const std::int64_t k = i % c.k;
    const std::int64_t q = i / c.k % (c.q() / 2);
    const std::int64_t p = i / c.k / (c.q() / 2) % (c.p() / 2);
    const std::int64_t n = i / c.k / (c.q() / 2) / (c.p() / 2);
    double largest = -1e30;
    for (std::int64_t pixel = 0; pixel < 4; ++pixel)
      largest = std::max(
          largest,
          y[place(((n * c.p() + 2 * p + pixel / 2) * c.q() + 2 * q + pixel % 2) * c.k + k)]);
    pooled.push_back(largest);
  }
  return pooled;
}

struct Layout {
  const char* name;
  const std::vector<double>* values;
  std::int64_t channels;
  std::int64_t pixels;
  ConvPass computed_by;
};

std::vector<Layout> layouts(const ConvProblem& c, const ConvTensors& tensors) {
  return {{"x", &tensors.x, c.c, c.h * c.w, ConvPass::kDataGradient},
          {"w", &tensors.w, c.group_c(), c.r * c.s, ConvPass::kWeightGradient},
          {"y", &tensors.y, c.k, c.p() * c.q(), ConvPass::kForward}};
}

void fill(GlobalMemory& memory, const ConvProblem& problem, const ConvTensors& tensors) {
  for (int i = 0; i < memory.buffers(); ++i)
    std::ranges::fill(memory.buffer(i), std::uint8_t{0xff});
  for (const Layout& tensor : layouts(problem, tensors))
    if (problem.pass != tensor.computed_by)
      for (std::int64_t i = 0; i < std::ssize(*tensor.values); ++i)
        values::put_pattern(memory.buffer(tensor.name),
                            stored_at(problem, i, tensor.channels, tensor.pixels), problem.input,
                            pattern_of((*tensor.values)[place(i)], problem.input));
  const auto put = [&](const char* name, const std::vector<double>& numbers, Element element) {
    for (std::int64_t i = 0; i < std::ssize(numbers); ++i)
      values::put_pattern(memory.buffer(name), i, element, pattern_of(numbers[place(i)], element));
  };
  if (problem.post.scale) put("scale", tensors.scale, Element::kFp32);
  if (problem.post.bias) put("bias", tensors.bias, Element::kFp32);
  if (problem.post.residual) put("z", tensors.z, problem.output);
}

void expect_result(const GlobalMemory& memory, const ConvProblem& problem,
                   const ConvTensors& tensors, double tolerance) {
  const numerics::ElementType type = values::type_of(problem.output);
  for (const Layout& tensor : layouts(problem, tensors)) {
    if (problem.pass != tensor.computed_by) continue;
    int wrong = 0;
    double largest = 0;
    for (const double wanted : *tensor.values) largest = std::max(largest, std::abs(wanted));
    for (std::int64_t i = 0; i < std::ssize(*tensor.values); ++i) {
      const std::int64_t at = stored_at(problem, i, tensor.channels, tensor.pixels);
      const double got = values::value_of(
          type, values::pattern_at(memory.buffer(tensor.name), at, problem.output));
      const double error = std::abs(got - (*tensor.values)[place(i)]);
      if (!(error <= tolerance * largest) && wrong++ < 3)
        ADD_FAILURE() << tensor.name << " element " << i << ": got " << got << ", want "
                      << (*tensor.values)[place(i)];
    }
    EXPECT_EQ(wrong, 0) << "of " << tensor.values->size() << " elements";
  }
}

}  // namespace

ConvTensors reference_convolution(const ConvProblem& problem) {
  std::mt19937 random(4321);
  ConvTensors t{small_numbers(problem.x_elements(), random),
                small_numbers(problem.w_elements(), random),
                small_numbers(problem.y_elements(), random),
                small_numbers(problem.k, random),
                small_numbers(problem.k, random),
                small_numbers(problem.y_elements(), random)};
  std::vector<double>& result = problem.pass == ConvPass::kForward        ? t.y
                                : problem.pass == ConvPass::kDataGradient ? t.x
                                                                          : t.w;
  std::ranges::fill(result, 0.0);
  for_each_product(problem, [&](std::int64_t x, std::int64_t w, std::int64_t y) {
    if (problem.pass == ConvPass::kForward) t.y[place(y)] += t.x[place(x)] * t.w[place(w)];
    if (problem.pass == ConvPass::kDataGradient) t.x[place(x)] += t.y[place(y)] * t.w[place(w)];
    if (problem.pass == ConvPass::kWeightGradient) t.w[place(w)] += t.y[place(y)] * t.x[place(x)];
  });
  if (problem.pass == ConvPass::kForward) t.y = finished(problem, t);
  return t;
}

void expect_convolution(const ConvValues& conv) {
  const ConvProblem& p = conv.problem;
  SCOPED_TRACE(conv.target.architecture + " " + conv.plan.text() + " pass " +
               std::to_string(static_cast<int>(p.pass)) + " n" + std::to_string(p.n) + " h" +
               std::to_string(p.h) + " w" + std::to_string(p.w) + " c" + std::to_string(p.c) +
               " k" + std::to_string(p.k) + " r" + std::to_string(p.r) + " s" +
               std::to_string(p.s) + " groups " + std::to_string(p.groups));
  const auto stream =
      conv.stream.empty() ? kernels::make_conv_stream(p, conv.plan, conv.target) : conv.stream;
  const ConvTensors tensors = reference_convolution(p);
  GlobalMemory memory(stream);
  fill(memory, p, tensors);
  const auto result = execute(stream, conv.generation, memory);
  ASSERT_TRUE(result.has_value()) << result.refusal().reason;
  EXPECT_EQ(result.value().racing_bytes, 0) << to_string(result.value().races.front());
  expect_result(memory, p, tensors, conv.tolerance);
}

}  // namespace tcsim::functional::testing
