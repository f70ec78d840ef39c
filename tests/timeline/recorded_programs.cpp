#include "tests/timeline/recorded_programs.hpp"

#include "models/isa/assemble.hpp"
#include "models/isa/group_mma.hpp"
#include "sim/timeline/recorder.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::timeline::test {

using sm::test::SmBench;
using tcsim::test::make_launch;
using tcsim::test::Opcode;
using tcsim::test::per_lane;
using tcsim::test::ProgramBuilder;

isa::KernelLaunch hmma_loop(int warps, int trips) {
  ProgramBuilder program;
  const int loop = program.begin_loop(0, {trips, {}});
  program.op(Opcode::kHmma16816F32).dst(8).src(32, 36, 8);
  program.op(Opcode::kHmma16816F32).dst(12).src(32, 36, 12).stall(7);
  program.end_loop(loop).stall(1);
  program.op(Opcode::kExit);
  return make_launch({program.program()}, std::vector<int>(static_cast<std::size_t>(warps), 0));
}

isa::KernelLaunch dependent_hmmas(int count) {
  ProgramBuilder program;
  for (int i = 0; i < count; ++i) program.op(Opcode::kHmma16816F32).dst(8).src(32, 36, 8).stall(0);
  program.op(Opcode::kExit).stall(0);
  isa::WarpProgram assembled = program.program();
  isa::assemble(assembled, sm::timing_table(tcsim::test::ampere_sm()));
  return make_launch({assembled}, {0});
}

isa::KernelLaunch load_multiply_store() {
  ProgramBuilder program;
  program.shared(Opcode::kLds128, per_lane(16)).dst(32).writes(0);
  program.op(Opcode::kHmma16816F32).dst(8).src(32, 36, 8).waits(0).stall(15);
  program.op(Opcode::kNop).stall(10);
  program.op(Opcode::kHmma16816F32).dst(8).src(32, 36, 8).stall(15);
  program.op(Opcode::kNop).stall(10);
  program.global(Opcode::kStg128, per_lane(16)).src(isa::kZeroRegister, 8).reads(1);
  program.op(Opcode::kExit).waits(1);
  return make_launch({program.program()}, {0});
}

isa::KernelLaunch group_products(int warps, int count, int multiplying) {
  const Opcode product = isa::parse_opcode("HGMMA.64x64x16.F32").value();
  ProgramBuilder program;
  const int guard = program.guard({0, {{isa::Variable::kWarp, 1}}}, multiplying);
  for (int i = 0; i < count; ++i)
    program.op(product)
        .dst(8)
        .src(isa::kZeroRegister, isa::kZeroRegister, 8)
        .immediate(i + 1 == count ? isa::kClosesGroup : 0)
        .guard(guard);
  program.op(Opcode::kWarpgroupDepbar);
  program.op(Opcode::kExit);
  isa::WarpProgram with_operands = program.program();
  with_operands.async = {isa::MatrixOperands{}};
  for (isa::Instruction& instruction : with_operands.instructions)
    if (instruction.opcode == product) instruction.access = 0;
  return make_launch({with_operands}, std::vector<int>(static_cast<std::size_t>(warps), 0));
}

sm::SmParams sm_with_products() {
  sm::SmParams params = tcsim::test::ampere_sm();
  params.group_tensor = {.shared_operations = 2,
                         .register_operations = 2,
                         .register_least_cycles = 12,
                         .extra_cycles = 1,
                         .load_interval_cycles = 11,
                         .alu_slowdown_percent = 0,
                         .sfu_slowdown_percent = 0,
                         .result_cycles = 40};
  return params;
}

Timeline recorded(const isa::KernelLaunch& launch, Cycle first, Cycle end, int sub_core) {
  Window window{.sm = 0, .sub_core = std::nullopt, .first = first, .end = end};
  if (sub_core >= 0) window.sub_core = sub_core;
  Recorder recorder(window);
  SmBench bench(launch, sm_with_products());
  bench.attach(recorder);
  bench.start_cta(0);
  bench.finish();
  return recorder.take("test", "ampere", 4);
}

Timeline stopped(const isa::KernelLaunch& launch, Cycle stop, Cycle end) {
  Recorder recorder({.sm = 0, .sub_core = std::nullopt, .first = 0, .end = end});
  SmBench bench(launch, sm_with_products());
  bench.attach(recorder);
  bench.start_cta(0);
  while (bench.now() < stop) bench.advance(1);
  bench.sm().charge_rest(stop);
  return recorder.take("test", "ampere", 4);
}

std::uint64_t tensor_busy_cycles(const isa::KernelLaunch& launch, int sub_core) {
  SmBench bench(launch, sm_with_products());
  bench.start_cta(0);
  bench.finish();
  return bench.counter("sub_core[" + std::to_string(sub_core) + "].tensor_busy_cycles");
}

Cycle end_of_run(const isa::KernelLaunch& launch, bool with_recorder) {
  Recorder recorder({.sm = 0, .sub_core = std::nullopt, .first = 0, .end = 1000});
  SmBench bench(launch, sm_with_products());
  if (with_recorder) bench.attach(recorder);
  bench.start_cta(0);
  return bench.finish();
}

}  // namespace tcsim::timeline::test
