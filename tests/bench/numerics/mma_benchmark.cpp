// Multiply-adds per second of the plain and the fast path, per format. Formats that the fast path
// does not cover have a plain row only.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "models/numerics/execute.hpp"
#include "models/numerics/fast_kernel.hpp"
#include "models/numerics/fast_mma.hpp"
#include "models/numerics/mma.hpp"
#include "models/numerics/ptx_name.hpp"
#include "tests/numerics/key_of.hpp"
#include "tests/numerics/patterns.hpp"

namespace {

using namespace tcsim::numerics;  // NOLINT(google-build-using-namespace)

struct Format {
  const char* label;
  Generation generation;
  InstructionKind kind;
  ElementType input;
  ElementType accumulator;
};

constexpr Format kBenchmarks[] = {
    {"volta_fp16_fp32", Generation::kVolta, InstructionKind::kMma, ElementType::kFp16,
     ElementType::kFp32},
    {"volta_fp16_fp16", Generation::kVolta, InstructionKind::kMma, ElementType::kFp16,
     ElementType::kFp16},
    {"turing_fp16_fp32", Generation::kTuring, InstructionKind::kMma, ElementType::kFp16,
     ElementType::kFp32},
    {"ampere_fp16_fp32", Generation::kAmpere, InstructionKind::kMma, ElementType::kFp16,
     ElementType::kFp32},
    {"ampere_fp16_fp16", Generation::kAmpere, InstructionKind::kMma, ElementType::kFp16,
     ElementType::kFp16},
    {"ampere_bf16_fp32", Generation::kAmpere, InstructionKind::kMma, ElementType::kBf16,
     ElementType::kFp32},
    {"ampere_tf32_fp32", Generation::kAmpere, InstructionKind::kMma, ElementType::kTf32,
     ElementType::kFp32},
    {"ampere_fp64_fp64", Generation::kAmpere, InstructionKind::kMma, ElementType::kFp64,
     ElementType::kFp64},
    {"ampere_int8_int32", Generation::kAmpere, InstructionKind::kMma, ElementType::kInt8,
     ElementType::kInt32},
    {"ampere_int4_int32", Generation::kAmpere, InstructionKind::kMma, ElementType::kInt4,
     ElementType::kInt32},
    {"ampere_b1_int32", Generation::kAmpere, InstructionKind::kMma, ElementType::kB1,
     ElementType::kInt32},
    {"ada_e4m3_fp32", Generation::kAda, InstructionKind::kMma, ElementType::kE4m3,
     ElementType::kFp32},
    {"hopper_fp16_fp32", Generation::kHopper, InstructionKind::kMma, ElementType::kFp16,
     ElementType::kFp32},
    {"hopper_e4m3_fp32", Generation::kHopper, InstructionKind::kWgmma, ElementType::kE4m3,
     ElementType::kFp32},
    {"hopper_e5m2_fp32", Generation::kHopper, InstructionKind::kWgmma, ElementType::kE5m2,
     ElementType::kFp32},
    {"hopper_emulated_e4m3_fp32", Generation::kHopper, InstructionKind::kMma, ElementType::kE4m3,
     ElementType::kFp32},
};

Arithmetic arithmetic_of(const Format& format) {
  return find_arithmetic(key_of(format.generation, format.kind, format.input, format.accumulator))
      .value();
}

std::vector<std::uint32_t> numbers(ElementType type, int count) {
  PatternSource source(3);
  std::vector<std::uint32_t> patterns(static_cast<std::size_t>(count));
  for (auto& pattern : patterns)
    pattern = static_cast<std::uint32_t>(info(type).element_class == ElementClass::kFloat &&
                                                 bits(type) <= 32
                                             ? source.with_exponent(type, -6, 2)
                                             : source.random_bits(ElementType::kFp32));
  return patterns;
}

void report(benchmark::State& state, double multiply_adds) {
  state.counters["multiply_adds"] = benchmark::Counter(
      multiply_adds * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

/// D[m][n] += A[m][k] * B[k][n] with operands decoded outside the loop (`pack` false) or inside.
void fast_product(benchmark::State& state, const Format& format, int m, int n, int k, bool pack) {
  const Arithmetic arithmetic = arithmetic_of(format);
  const auto a = numbers(format.input, m * k);
  const auto b = numbers(format.input, n * k);
  std::vector<std::uint32_t> d(static_cast<std::size_t>(m * n));
  OperandPanel single;
  OperandPanel wide;
  single.load(format.input, a, m, k, k, 1);
  wide.load(format.input, b, n, k, k, 1);
  for (auto step : state) {
    (void)step;
    if (pack) {
      single.load(format.input, a, m, k, k, 1);
      wide.load(format.input, b, n, k, k, 1);
    }
    std::fill(d.begin(), d.end(), 0U);
    fast_mma(arithmetic, single, wide, d, n);
    benchmark::DoNotOptimize(d.data());
  }
  report(state, static_cast<double>(m) * n * k);
}

void plain_product(benchmark::State& state, const Format& format) {
  constexpr std::size_t kLength = 64;
  const Arithmetic arithmetic = arithmetic_of(format);
  PatternSource source(3);
  std::vector<std::uint64_t> a(kLength);
  for (auto& pattern : a)
    pattern = info(format.input).element_class == ElementClass::kFloat
                  ? source.with_exponent(format.input, -6, 2)
                  : source.random_bits(format.input);
  std::uint64_t c = 0;
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(c = mma(arithmetic, a, a, 0));
  }
  report(state, static_cast<double>(kLength));
}

/// One whole instruction on register images, as the functional executor calls it.
void instruction_on_registers(benchmark::State& state, const char* ptx_name,
                              Generation generation) {
  const MmaInstruction instruction = parse_ptx_name(ptx_name).value();
  MmaExecutor executor = MmaExecutor::create(instruction, generation).value();
  const auto registers = [&](OperandRole role) {
    const Fragment fragment(instruction, role);
    return numbers(fragment.type(), fragment.lanes() * fragment.registers_per_lane());
  };
  const auto a = registers(OperandRole::kA);
  const auto b = registers(OperandRole::kB);
  const auto c = registers(OperandRole::kC);
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(executor.execute({a, b, {}, c, {}, 0}).value().data());
  }
  const MmaShape& shape = instruction.shape;
  report(state, static_cast<double>(instruction.matrices()) * shape.m * shape.n * shape.k);
}

constexpr const char* kInstructions[] = {
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
};

void register_all() {
  for (const char* ptx_name : kInstructions)
    benchmark::RegisterBenchmark(ptx_name, instruction_on_registers, ptx_name, Generation::kAmpere);
  for (const Format& format : kBenchmarks) {
    const std::string label = format.label;
    benchmark::RegisterBenchmark(("plain/" + label).c_str(), plain_product, format);
    if (!fast_path_covers(arithmetic_of(format))) continue;
    benchmark::RegisterBenchmark(("fast_gemm_128x128x256/" + label).c_str(), fast_product, format,
                                 128, 128, 256, false);
    benchmark::RegisterBenchmark(("fast_tile_8x16x16_with_decoding/" + label).c_str(), fast_product,
                                 format, 8, 16, 16, true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("fast path", fast_kernel_target());
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
