#include "tests/functional/gemm_values.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <random>
#include <sstream>

#include "models/numerics/convert.hpp"
#include "sim/values/element.hpp"
#include "sim/values/operand_store.hpp"
#include "sim/values/reference_product.hpp"
#include "sim/values/row_blocks.hpp"
#include "tests/kernels/gemm_case.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;

std::uint64_t random_pattern(Element element, std::mt19937& random) {
  if (element == Element::kFp64)
    return std::bit_cast<std::uint64_t>(std::normal_distribution<double>()(random));
  const std::uint32_t value = numerics::fp32_pattern(std::normal_distribution<float>()(random));
  switch (element) {
    case Element::kFp16:
      return numerics::fp32_to_fp16(value);
    case Element::kBf16:
      return numerics::fp32_to_bf16(value);
    case Element::kTf32:
      return numerics::convert(numerics::ElementType::kFp32, value, numerics::ElementType::kTf32,
                               numerics::RoundingMode::kNearestAway);
    case Element::kE4m3:
    case Element::kE5m2:
      return numerics::convert(numerics::ElementType::kFp32, value, values::type_of(element),
                               numerics::RoundingMode::kNearestEven);
    case Element::kInt8:
      return static_cast<std::uint32_t>(random() & 0xff);
    default:
      return value;
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const GemmValues& gemm) {
  return out << kernels::testing::GemmCase{gemm.target, gemm.problem, gemm.tile};
}

GemmValues ampere(Element input, Element accumulate, Element output,
                  const kernels::GemmTile& tile) {
  return {kernels::testing::a100(),
          numerics::Generation::kAmpere,
          {.input = input, .accumulate = accumulate, .output = output},
          tile};
}

GemmValues turing(Element accumulate, const kernels::GemmTile& tile) {
  return {kernels::testing::t4(), numerics::Generation::kTuring, {.accumulate = accumulate}, tile};
}

GemmValues volta(Element accumulate, const kernels::GemmTile& tile) {
  return {kernels::testing::v100(), numerics::Generation::kVolta, {.accumulate = accumulate}, tile};
}

GemmValues simt(const kernels::Target& target, numerics::Generation generation,
                const kernels::GemmTile& tile) {
  return {target,
          generation,
          {.input = Element::kFp32, .output = Element::kFp32, .unit = kernels::Unit::kCudaCore},
          tile};
}

GlobalMemory random_operands(const GemmValues& gemm, std::span<const isa::KernelLaunch> stream) {
  GlobalMemory memory(stream);
  std::mt19937 random(12345);
  const auto bytes = static_cast<std::size_t>(kernels::element_bytes(gemm.problem.input));
  for (const int operand : {0, 1})
    for (std::size_t i = 0; i < memory.buffer(operand).size() / bytes; ++i)
      values::put_pattern(memory.buffer(operand), static_cast<std::int64_t>(i), gemm.problem.input,
                          random_pattern(gemm.problem.input, random));
  for (int i = 2; i < memory.buffers(); ++i)
    std::ranges::fill(memory.buffer(i), std::uint8_t{0xff});
  for (const isa::KernelLaunch& launch : stream)
    for (const isa::Buffer& buffer : launch.buffers) {
      if (buffer.flags) std::ranges::fill(memory.buffer(buffer.name), std::uint8_t{0});
      if (buffer.name == "scale_a" || buffer.name == "scale_b")
        for (std::size_t i = 0; i < buffer.bytes / 4; ++i)
          values::put_pattern(memory.buffer(buffer.name), static_cast<std::int64_t>(i),
                              Element::kFp32, random_pattern(Element::kFp32, random));
    }
  return memory;
}

Bytes reference_product(const GemmValues& gemm, const GlobalMemory& memory) {
  const auto cuts = [&](std::int64_t row, std::int64_t column) {
    return kernels::stream_k_cuts(gemm.problem, gemm.tile, gemm.target, row, column);
  };
  return values::reference_product(gemm.problem, gemm.tile, gemm.generation, memory, cuts);
}

std::string difference(const GemmValues& gemm, const GlobalMemory& memory, const Bytes& reference) {
  const Element output = gemm.problem.output;
  const std::int64_t elements = std::ssize(reference) / kernels::element_bytes(output);
  const std::vector<std::int64_t> matrices = values::matrices_of_rows(gemm.problem);
  std::int64_t wrong = 0;
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < elements; ++i)
    if (matrices[static_cast<std::size_t>(i / gemm.problem.n)] != values::kUndefined &&
        values::pattern_at(memory.buffer("D"), i, output) !=
            values::pattern_at(reference, i, output) &&
        wrong++ == 0)
      first = i;
  if (wrong == 0) return {};
  std::ostringstream text;
  text << wrong << " of " << elements << " elements differ, the first at row "
       << first / gemm.problem.n << " column " << first % gemm.problem.n << std::hex << ": got "
       << values::pattern_at(memory.buffer("D"), first, output) << ", want "
       << values::pattern_at(reference, first, output);
  return text.str();
}

values::GemmValues expect_reference_values(const values::GemmRun& run,
                                           const kernels::GemmTile& tile,
                                           const kernels::Target& target) {
  const auto stream = kernels::make_gemm_stream(run.problem, tile, target);
  const auto result = values::execute_gemm(run, stream, matrix_a(run), matrix_b(run));
  if (!result.has_value()) {
    ADD_FAILURE() << result.refusal().reason;
    return {};
  }
  EXPECT_EQ(result.value().differences, 0);
  EXPECT_EQ(result.value().racing_bytes, 0);
  return result.value();
}

void expect_exact_product(const kernels::GemmProblem& problem, const values::Matrix& a,
                          const values::Matrix& b, const Bytes& d) {
  const values::Matrix sums = values::load(d, {problem.output, true}, 1, problem.m, problem.n);
  for (std::int64_t m = 0; m < problem.m; ++m)
    for (std::int64_t n = 0; n < problem.n; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < problem.k; ++k) sum += a.at(0, m, k) * b.at(0, k, n);
      ASSERT_EQ(sums.at(0, m, n), sum) << m << " " << n;
    }
}

void expect_reference_product(const GemmValues& gemm) {
  std::ostringstream name;
  name << gemm;
  SCOPED_TRACE(name.str());
  const auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  GlobalMemory memory = random_operands(gemm, stream);
  const auto result = execute(stream, gemm.generation, memory);
  ASSERT_TRUE(result.has_value()) << result.refusal().reason;
  EXPECT_EQ(difference(gemm, memory, reference_product(gemm, memory)), "");
  EXPECT_EQ(result.value().racing_bytes, 0) << to_string(result.value().races.front());
}

}  // namespace tcsim::functional::testing
