#include "tests/kernels/gemm_check.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "tests/kernels/number_codec.hpp"

namespace tcsim::kernels::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Small integers, different enough that a misplaced element shows; sums stay exact in every format
/// used.
int value(std::uint32_t seed) {
  std::uint32_t x = seed * 2654435761U + 12345U;
  x ^= x >> 15;
  x *= 2246822519U;
  x ^= x >> 13;
  return static_cast<int>(x % 5) - 2;
}

void encode(Bytes& bytes, std::size_t index, Element element, int number) {
  const auto put = [&](auto bits) {
    std::memcpy(&bytes[index * sizeof(bits)], &bits, sizeof(bits));
  };
  switch (element) {
    case Element::kFp16:
      put(to_fp16(static_cast<float>(number)));
      break;
    case Element::kBf16:
      put(to_bf16(static_cast<float>(number)));
      break;
    case Element::kFp32:
    case Element::kTf32:
      put(static_cast<float>(number));
      break;
    case Element::kInt8:
      put(static_cast<std::int8_t>(number));
      break;
    case Element::kInt32:
      put(std::int32_t{number});
      break;
    default:
      ADD_FAILURE() << "format";
  }
}

struct Matrices {
  std::vector<int> a, b;  ///< m x k and k x n, row-major, all batches
  std::vector<Bytes> memory;
};

Matrices make_matrices(const GemmProblem& p, const isa::KernelLaunch& launch) {
  Matrices matrices;
  for (const isa::Buffer& buffer : launch.buffers) matrices.memory.emplace_back(buffer.bytes, 0xcd);
  for (std::int64_t z = 0; z < p.batch; ++z) {
    for (std::int64_t m = 0; m < p.m; ++m)
      for (std::int64_t k = 0; k < p.k; ++k) {
        const int number = value(static_cast<std::uint32_t>(matrices.a.size()));
        matrices.a.push_back(number);
        const std::int64_t at = p.layout_a == Layout::kNormal ? m * p.k + k : k * p.m + m;
        encode(matrices.memory[0], static_cast<std::size_t>(z * p.m * p.k + at), p.input, number);
      }
    for (std::int64_t k = 0; k < p.k; ++k)
      for (std::int64_t n = 0; n < p.n; ++n) {
        const int number = value(static_cast<std::uint32_t>(matrices.b.size()) + 0x9000000U);
        matrices.b.push_back(number);
        const std::int64_t at = p.layout_b == Layout::kNormal ? k * p.n + n : n * p.k + k;
        encode(matrices.memory[1], static_cast<std::size_t>(z * p.n * p.k + at), p.input, number);
      }
  }
  return matrices;
}

Bytes product(const GemmProblem& p, const Matrices& matrices) {
  Bytes d(static_cast<std::size_t>(p.batch * p.m * p.n * element_bytes(p.output)));
  for (std::int64_t z = 0; z < p.batch; ++z)
    for (std::int64_t m = 0; m < p.m; ++m)
      for (std::int64_t n = 0; n < p.n; ++n) {
        int sum = 0;
        for (std::int64_t k = 0; k < p.k; ++k)
          sum += matrices.a[static_cast<std::size_t>((z * p.m + m) * p.k + k)] *
                 matrices.b[static_cast<std::size_t>((z * p.k + k) * p.n + n)];
        encode(d, static_cast<std::size_t>((z * p.m + m) * p.n + n), p.output, sum);
      }
  return d;
}

std::string first_difference(const GemmProblem& p, const Bytes& got, const Bytes& want) {
  const auto bytes = static_cast<std::size_t>(element_bytes(p.output));
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < want.size() / bytes; ++i)
    if (std::memcmp(&got[i * bytes], &want[i * bytes], bytes) != 0 && wrong++ == 0) first = i;
  if (wrong == 0) return {};
  const auto n = static_cast<std::size_t>(p.n);
  return std::to_string(wrong) + " elements of D differ, the first at row " +
         std::to_string(first / n) + " column " + std::to_string(first % n);
}

/// Loads of A (B) by a CTA that computes tile row (column) `tile`: once inside, never outside.
std::string load_difference(const GemmCase& gemm, const std::vector<std::vector<Bytes>>& counts,
                            std::size_t buffer) {
  const GemmProblem& p = gemm.problem;
  const bool is_a = buffer == 0;
  const std::int64_t across = is_a ? p.m : p.n;
  const std::int64_t side = is_a ? gemm.tile.m : gemm.tile.n;
  const bool along_k = is_a ? p.layout_a == Layout::kNormal : p.layout_b == Layout::kTransposed;
  const auto bytes = static_cast<std::size_t>(element_bytes(p.input));
  std::map<std::pair<std::int64_t, std::int64_t>, int> ctas;  // (batch, tile) that was loaded
  for (const std::vector<Bytes>& cta : counts) {
    std::int64_t batch = -1;
    std::int64_t tile = -1;
    for (std::size_t i = 0; i < cta[buffer].size() && batch < 0; ++i)
      if (cta[buffer][i] > 0) {
        const auto element = static_cast<std::int64_t>(i / bytes);
        batch = element / (across * p.k);
        const std::int64_t inside = element % (across * p.k);
        tile = (along_k ? inside / p.k : inside % across) / side;
      }
    if (batch < 0) continue;  // an idle CTA
    ++ctas[{batch, tile}];
    for (std::size_t i = 0; i < cta[buffer].size(); ++i) {
      const auto element = static_cast<std::int64_t>(i / bytes);
      const std::int64_t inside = element % (across * p.k);
      const std::int64_t at = along_k ? inside / p.k : inside % across;
      const int want = element / (across * p.k) == batch && at / side == tile ? 1 : 0;
      if (cta[buffer][i] != want)
        return "element " + std::to_string(element) + " loaded " + std::to_string(cta[buffer][i]) +
               " times, not " + std::to_string(want);
    }
  }
  const auto tiles = static_cast<std::size_t>(p.batch * ((across + side - 1) / side));
  if (ctas.size() != tiles) return "not every tile was loaded";
  return {};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const GemmCase& gemm) {
  const GemmProblem& p = gemm.problem;
  return out << gemm.target.architecture << " " << gemm.tile.text() << " m=" << p.m << " n=" << p.n
             << " k=" << p.k << " batch=" << p.batch << " in=" << static_cast<int>(p.input)
             << " acc=" << static_cast<int>(p.accumulate) << " out=" << static_cast<int>(p.output)
             << " a=" << static_cast<int>(p.layout_a) << " b=" << static_cast<int>(p.layout_b);
}

Findings expect_right_product(const GemmCase& gemm) {
  std::ostringstream name;
  name << gemm;
  SCOPED_TRACE(name.str());
  const isa::KernelLaunch launch = make_gemm(gemm.problem, gemm.tile, gemm.target);
  EXPECT_THAT(isa::validate(launch), ::testing::IsEmpty());
  const Matrices matrices = make_matrices(gemm.problem, launch);
  const Bytes want = product(gemm.problem, matrices);
  Findings findings;
  for (const CopyTime copy_time : {CopyTime::kAtIssue, CopyTime::kAtWait}) {
    Interpreter interpreter(launch, copy_time);
    std::vector<Bytes> memory = matrices.memory;
    findings = interpreter.run(memory);
    EXPECT_THAT(findings.errors, ::testing::IsEmpty());
    EXPECT_EQ(first_difference(gemm.problem, memory[2], want), "");
    EXPECT_EQ(memory[0], matrices.memory[0]);
    EXPECT_EQ(memory[1], matrices.memory[1]);
    EXPECT_THAT(interpreter.store_counts, ::testing::Each(1));
    EXPECT_EQ(load_difference(gemm, interpreter.load_counts, 0), "");
    EXPECT_EQ(load_difference(gemm, interpreter.load_counts, 1), "");
    const bool copies = findings.issued.contains(isa::Opcode::kLdgdepbar);
    if (!copies) break;
  }
  return findings;
}

}  // namespace tcsim::kernels::testing
