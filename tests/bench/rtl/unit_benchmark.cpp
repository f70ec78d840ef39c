#include <benchmark/benchmark.h>

#include "sim/rtl/operand_generator.hpp"
#include "sim/rtl/verify_rtl.hpp"

namespace tcsim::rtl {
namespace {

constexpr int kPasses = 256;

std::vector<UnitInputs> prepared_inputs(const UnitInfo& info, const Operation& operation) {
  OperandGenerator generator(info, operation, /*seed=*/1);
  std::vector<UnitInputs> all(kPasses);
  for (UnitInputs& inputs : all) {
    const Pass pass = generator.next();
    inputs.valid = true;
    inputs.operation = operation;
    pack(pass.a, numerics::bits(operation.input), inputs.a);
    pack(pass.b, numerics::bits(operation.input), inputs.b);
    pack(pass.c, /*bits=*/32, inputs.c);
  }
  return all;
}

/// Passes through the Verilated unit alone, one a cycle: one item is one unit operation of
/// rows x columns x products multiply-adds.
void pass_through(benchmark::State& state, const UnitInfo& info, const Operation& operation) {
  const std::vector<UnitInputs> all = prepared_inputs(info, operation);
  const auto unit = make_unit(info);
  for (auto _ : state)
    for (const UnitInputs& inputs : all) {
      unit->drive(inputs);
      unit->clock();
      benchmark::DoNotOptimize(unit->outputs().d.data());
    }
  state.SetItemsProcessed(state.iterations() * kPasses);
}

/// Vectors through unit and model with every stage compared: what `tcsim verify rtl` does.
void verify(benchmark::State& state, const UnitInfo& info, const Operation& operation) {
  VerifyOptions options;
  options.vectors = 32'000;
  for (auto _ : state) benchmark::DoNotOptimize(verify_random(info, operation, options).vectors);
  state.SetItemsProcessed(state.iterations() * options.vectors);
}

void add_benchmarks() {
  for (const UnitInfo* unit : {&kUnit4x4x4, &kUnit8x4x8})
    for (const Operation& operation : unit->operations) {
      const std::string name = std::string(unit->name) + ", " + to_string(operation);
      benchmark::RegisterBenchmark(
          ("unit operations: " + name).c_str(),
          [unit, operation](benchmark::State& state) { pass_through(state, *unit, operation); });
      benchmark::RegisterBenchmark(
          ("vectors verified: " + name).c_str(),
          [unit, operation](benchmark::State& state) { verify(state, *unit, operation); });
    }
}

}  // namespace
}  // namespace tcsim::rtl

int main(int argc, char* argv[]) {
  benchmark::Initialize(&argc, argv);
  tcsim::rtl::add_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
