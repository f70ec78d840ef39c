#include "tests/functional/gemm_values.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <random>
#include <sstream>

#include "models/numerics/convert.hpp"
#include "models/numerics/fast_mma.hpp"
#include "models/numerics/ieee_fma.hpp"
#include "models/numerics/instruction.hpp"
#include "models/numerics/mma.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::Layout;
using numerics::ElementType;
using numerics::Generation;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kOne = 0x3f800000;
constexpr std::uint32_t kHalfOne = 0x3c00;

ElementType type_of(Element element) {
  switch (element) {
    case Element::kFp16:
      return ElementType::kFp16;
    case Element::kBf16:
      return ElementType::kBf16;
    case Element::kTf32:
      return ElementType::kTf32;
    case Element::kInt8:
      return ElementType::kInt8;
    case Element::kInt32:
      return ElementType::kInt32;
    default:
      return ElementType::kFp32;
  }
}

std::uint32_t random_pattern(Element element, std::mt19937& random) {
  const std::uint32_t value = numerics::fp32_pattern(std::normal_distribution<float>()(random));
  switch (element) {
    case Element::kFp16:
      return numerics::fp32_to_fp16(value);
    case Element::kBf16:
      return numerics::fp32_to_bf16(value);
    case Element::kTf32:
      return numerics::fp32_to_tf32(value);
    case Element::kInt8:
      return static_cast<std::uint32_t>(random() & 0xff);
    default:
      return value;
  }
}

std::uint32_t get(std::span<const std::uint8_t> bytes, std::int64_t index, Element element) {
  const auto width = static_cast<std::size_t>(kernels::element_bytes(element));
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, &bytes[static_cast<std::size_t>(index) * width], width);
  return pattern;
}

void put(std::span<std::uint8_t> bytes, std::int64_t index, Element element,
         std::uint32_t pattern) {
  const auto width = static_cast<std::size_t>(kernels::element_bytes(element));
  std::memcpy(&bytes[static_cast<std::size_t>(index) * width], &pattern, width);
}

/// Operand vectors along k, [across][padded k], of one batch.
Words vectors_along_k(std::span<const std::uint8_t> bytes, Element element, std::int64_t across,
                      std::int64_t k, std::int64_t padded_k, bool along_k, std::int64_t batch) {
  Words words(static_cast<std::size_t>(across * padded_k));
  for (std::int64_t i = 0; i < across; ++i)
    for (std::int64_t j = 0; j < k; ++j)
      words[static_cast<std::size_t>(i * padded_k + j)] =
          get(bytes, batch * across * k + (along_k ? i * k + j : j * across + i), element);
  return words;
}

/// [n][m] sums over k.
Words sums_of(const GemmValues& gemm, const Words& a, const Words& b, std::int64_t padded_k,
              const std::optional<numerics::Arithmetic>& instead) {
  const auto m = static_cast<std::size_t>(gemm.problem.m);
  const auto n = static_cast<std::size_t>(gemm.problem.n);
  const auto k = static_cast<std::size_t>(padded_k);
  Words sums(m * n);
  if (gemm.problem.unit == kernels::Unit::kCudaCore) {
    for (std::size_t i = 0; i < m * n; ++i)
      for (std::size_t j = 0; j < k; ++j)
        sums[i] = numerics::fp32_fma(a[i % m * k + j], b[i / m * k + j], sums[i]);
    return sums;
  }
  const numerics::Arithmetic arithmetic = instead ? *instead : tensor_arithmetic(gemm);
  if (!instead && numerics::fast_path_covers(arithmetic)) {
    numerics::OperandPanel rows;
    numerics::OperandPanel columns;
    const int length = static_cast<int>(k);
    rows.load(type_of(gemm.problem.input), a, static_cast<int>(m), length, length, 1);
    columns.load(type_of(gemm.problem.input), b, static_cast<int>(n), length, length, 1);
    numerics::fast_mma(arithmetic, columns, rows, sums, static_cast<int>(m));
    return sums;
  }
  const std::vector<std::uint64_t> a64(a.begin(), a.end());
  const std::vector<std::uint64_t> b64(b.begin(), b.end());
  for (std::size_t i = 0; i < m * n; ++i)
    sums[i] = static_cast<std::uint32_t>(numerics::mma(
        arithmetic, std::span(a64).subspan(i % m * k, k), std::span(b64).subspan(i / m * k, k), 0));
  return sums;
}

std::uint32_t output_of(const GemmProblem& problem, std::uint32_t sum) {
  if (problem.accumulate == Element::kInt32) return sum;
  if (problem.accumulate == Element::kFp16)
    return static_cast<std::uint32_t>(numerics::ieee_multiply(ElementType::kFp16, sum, kHalfOne));
  return static_cast<std::uint32_t>(numerics::convert(
      ElementType::kFp32, numerics::fp32_multiply(sum, kOne), type_of(problem.output)));
}

}  // namespace

numerics::Arithmetic tensor_arithmetic(const GemmValues& gemm) {
  numerics::MmaInstruction mma;
  mma.a = mma.b = type_of(gemm.problem.input);
  mma.c = mma.d = type_of(gemm.problem.accumulate);
  if (gemm.generation == Generation::kVolta)
    mma.shape = {8, 8, 4};
  else if (gemm.generation == Generation::kTuring || mma.a == ElementType::kTf32)
    mma.shape = {16, 8, 8};
  else
    mma.shape = {16, 8, mma.a == ElementType::kInt8 ? 32 : 16};
  return numerics::arithmetic_of(mma, gemm.generation).value();
}

std::ostream& operator<<(std::ostream& out, const GemmValues& gemm) {
  const GemmProblem& p = gemm.problem;
  return out << gemm.target.architecture << " " << gemm.tile.text() << " m=" << p.m << " n=" << p.n
             << " k=" << p.k << " batch=" << p.batch << " in=" << static_cast<int>(p.input)
             << " acc=" << static_cast<int>(p.accumulate) << " out=" << static_cast<int>(p.output)
             << " a=" << static_cast<int>(p.layout_a) << " b=" << static_cast<int>(p.layout_b);
}

GlobalMemory random_operands(const GemmValues& gemm, const isa::KernelLaunch& launch) {
  GlobalMemory memory(launch);
  std::mt19937 random(12345);
  const auto bytes = static_cast<std::size_t>(kernels::element_bytes(gemm.problem.input));
  for (const int operand : {0, 1})
    for (std::size_t i = 0; i < memory.buffer(operand).size() / bytes; ++i)
      put(memory.buffer(operand), static_cast<std::int64_t>(i), gemm.problem.input,
          random_pattern(gemm.problem.input, random));
  std::ranges::fill(memory.buffer(2), std::uint8_t{0xff});
  return memory;
}

Bytes reference_product(const GemmValues& gemm, const GlobalMemory& memory,
                        const std::optional<numerics::Arithmetic>& instead) {
  const GemmProblem& p = gemm.problem;
  const std::int64_t padded_k = (p.k + gemm.tile.k - 1) / gemm.tile.k * gemm.tile.k;
  Bytes d(memory.buffer(2).size());
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    const Words a = vectors_along_k(memory.buffer(0), p.input, p.m, p.k, padded_k,
                                    p.layout_a == Layout::kNormal, batch);
    const Words b = vectors_along_k(memory.buffer(1), p.input, p.n, p.k, padded_k,
                                    p.layout_b == Layout::kTransposed, batch);
    const Words sums = sums_of(gemm, a, b, padded_k, instead);
    for (std::int64_t m = 0; m < p.m; ++m)
      for (std::int64_t n = 0; n < p.n; ++n)
        put(d, (batch * p.m + m) * p.n + n, p.output,
            output_of(p, sums[static_cast<std::size_t>(n * p.m + m)]));
  }
  return d;
}

std::string difference(const GemmValues& gemm, const GlobalMemory& memory, const Bytes& reference) {
  const Element output = gemm.problem.output;
  const std::int64_t elements = std::ssize(reference) / kernels::element_bytes(output);
  std::int64_t wrong = 0;
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < elements; ++i)
    if (get(memory.buffer(2), i, output) != get(reference, i, output) && wrong++ == 0) first = i;
  if (wrong == 0) return {};
  std::ostringstream text;
  text << wrong << " of " << elements << " elements differ, the first at row "
       << first / gemm.problem.n << " column " << first % gemm.problem.n << std::hex << ": got "
       << get(memory.buffer(2), first, output) << ", want " << get(reference, first, output);
  return text.str();
}

void expect_reference_product(const GemmValues& gemm) {
  std::ostringstream name;
  name << gemm;
  SCOPED_TRACE(name.str());
  const isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  GlobalMemory memory = random_operands(gemm, launch);
  const auto result = execute(launch, gemm.generation, memory);
  ASSERT_TRUE(result.has_value()) << result.refusal().reason;
  EXPECT_EQ(difference(gemm, memory, reference_product(gemm, memory)), "");
  EXPECT_EQ(result.value().racing_bytes, 0) << to_string(result.value().races.front());
}

}  // namespace tcsim::functional::testing
