// Every key of a machine file is descriptive, or changing it changes what a user sees: a simulated
// run, the occupancy of a kernel, the choice of a tile, or the table of peaks.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sim/config/peak.hpp"
#include "sim/config/target.hpp"
#include "sim/gpu/occupancy.hpp"
#include "sim/library/load.hpp"
#include "tests/config/changed_machine.hpp"
#include "tests/gpu/key_programs.hpp"
#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::gpu {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr isa::Register kPredicate = 0;

/// An A100 of two GPCs whose narrow places small kernels can fill: a small L2 that replaces lines
/// and writes back, few miss entries, a thin crossing, ACTIVATEs that meet the window of four,
/// queues of DRAM that fill, few CTAs, a small instruction L1, small pages, fewer of them than the
/// buffers have.
const std::vector<std::string> narrow_machine{"gpu.sms=30",
                                              "gpu.sms_per_gpc=[16, 14]",
                                              "l2.bytes=655360",
                                              "l2.miss_entries=8",
                                              "l2.crossing_bytes_per_cycle=64",
                                              "dram.t_rrd_ns=2",
                                              "dram.queue_entries=32",
                                              "sm.residency.max_ctas=8",
                                              "sm.instruction_fetch.l1_bytes=32768",
                                              "sm.instruction_fetch.at_launch=kept",
                                              "tlb.page_bytes=65536",
                                              "tlb.tpc_entries=2",
                                              "tlb.chip_entries=500"};

/// MOV of the constant at byte `offset`.
void add_constant(isa::WarpProgram& program, int offset) {
  add(program, Opcode::kMov, 4, {4, 255, 255});
  program.instructions.back().has_constant = true;
  program.instructions.back().immediate = offset;
}

/// Each pipe in a dependent pair, sources of one bank, conflicting and plain shared accesses, a
/// run of memory instructions, a barrier, a loop.
isa::KernelLaunch pipes_kernel() {
  isa::WarpProgram program;
  program.name = "pipes";
  const int conflict = add_access(program, isa::kNoIndex, {{Variable::kLane, 128}});
  const int plain = add_access(program, isa::kNoIndex, {{Variable::kLane, 4}});
  for (int i = 0; i < 2; ++i) {
    add_constant(program, 64 * i);
    for (const Opcode opcode : {Opcode::kFfma, Opcode::kIadd3, Opcode::kImad, Opcode::kHfma2,
                                Opcode::kMufuEx2, Opcode::kShfl, Opcode::kDp4a}) {
      add(program, opcode, 4, {4, 6, 8});
      add(program, opcode, 4, {4, 6, 8});
    }
    add(program, Opcode::kDfma, 10, {10, 12, 14});
    add(program, Opcode::kDfma, 10, {10, 12, 14});
    add(program, Opcode::kUiadd3, 4, {4, 5, 255});
    add(program, Opcode::kUiadd3, 4, {4, 5, 255});
    add(program, Opcode::kIsetp, kPredicate, {2, 3, 255});
    add(program, Opcode::kSel, 5, {2, 3, kPredicate});
    for (const Opcode opcode : {Opcode::kHmma16816F32, Opcode::kHmmaSp16832F32}) {
      add(program, opcode, 20, {28, 32, 20});
      add(program, opcode, 24, {28, 32, 24});
      add(program, opcode, 20, {28, 32, 20});
    }
    add(program, Opcode::kSts32, 255, {2, 4, 255}, plain);
    for (isa::Register dst = 40; dst < 50; ++dst)
      add(program, Opcode::kLds32, dst, {2, 255, 255}, i == 0 ? plain : conflict);
    add(program, Opcode::kFadd, 4, {40, 49, 255});
    add(program, Opcode::kBarSync, 255, {255, 255, 255});
  }
  program.loops.push_back({0, static_cast<int>(program.instructions.size()), 0, {2, {}}});
  add(program, Opcode::kBra, 255, {255, 255, 255});
  add(program, Opcode::kExit, 255, {255, 255, 255});
  return launch_of(program, 280, 3);  // more CTAs than fit at once
}

/// Copies 4 MiB, reads part of it again, and lets many warps ask for one line at once.
isa::KernelLaunch copy_kernel() {
  isa::WarpProgram program;
  program.name = "copy";
  const std::int64_t per_warp = 512;
  const std::int64_t per_cta = 32 * per_warp;
  const int source = add_access(program, 0,
                                {{Variable::kCtaX, per_cta},
                                 {Variable::kWarp, per_warp},
                                 {Variable::kLane, 16},
                                 {Variable::kLoop0, 64 * per_cta}});
  const int target = add_access(program, 1,
                                {{Variable::kCtaX, per_cta},
                                 {Variable::kWarp, per_warp},
                                 {Variable::kLane, 16},
                                 {Variable::kLoop0, 64 * per_cta}});
  const int shared_line = add_access(program, 0, {{Variable::kLoop0, 8192}, {Variable::kLane, 4}});
  add(program, Opcode::kLdg128, 4, {2, 255, 255}, source);
  add(program, Opcode::kLdg32, 12, {2, 255, 255}, shared_line);
  add(program, Opcode::kStg128, 255, {2, 4, 255}, target);
  add(program, Opcode::kLdg128, 8, {2, 255, 255}, source);
  add(program, Opcode::kFadd, 12, {8, 12, 255});
  program.loops.push_back({0, 5, 0, {4, {}}});
  add(program, Opcode::kBra, 255, {255, 255, 255});
  add(program, Opcode::kExit, 255, {255, 255, 255});
  return launch_of(program, 32, 32);
}

/// Reads 160 KiB per CTA twice, as much as the data cache holds.
isa::KernelLaunch reread_kernel() {
  isa::WarpProgram program;
  program.name = "reread";
  const int source = add_access(program, 0,
                                {{Variable::kCtaX, 160 * 1024},
                                 {Variable::kWarp, 512},
                                 {Variable::kLane, 16},
                                 {Variable::kLoop1, 16 * 1024}});
  add(program, Opcode::kLdg128, 4, {2, 255, 255}, source);
  add(program, Opcode::kFadd, 12, {4, 12, 255});
  program.loops.push_back({0, 3, 0, {3, {}}});
  program.loops.push_back({0, 2, 1, {10, {}}});
  for (const int loop : {1, 0}) {
    add(program, Opcode::kBra, 255, {255, 255, 255});
    program.instructions.back().immediate = loop;
  }
  add(program, Opcode::kExit, 255, {255, 255, 255});
  return launch_of(program, 8, 32);
}

kernels::GemmProblem gemm(std::int64_t size, kernels::Element input, kernels::Unit unit) {
  kernels::GemmProblem problem;
  problem.m = problem.n = size;
  problem.k = 96;
  problem.input = input;
  problem.unit = unit;
  if (unit == kernels::Unit::kCudaCore) problem.output = input;
  return problem;
}

std::string run_gemm(const config::Machine& machine, const kernels::GemmProblem& problem) {
  const kernels::Target target = config::make_target(machine, problem);
  if (kernels::gemm_tiles(problem, target).empty()) return "no kernel";
  const kernels::GemmTile tile = kernels::choose_tile(problem, target);
  return tile.text() + run(machine, kernels::make_gemm(problem, tile, target));
}

std::string peaks(const config::Machine& machine) {
  std::string text;
  for (const config::PeakRate& rate : config::peak(machine).rates) text += rate.formula + ' ';
  return text + std::to_string(config::dram_bandwidth(machine).gb_per_s) + ' ' +
         std::to_string(config::l2_bandwidth(machine).gb_per_s);
}

/// The kernels that are generated for products, element-wise work and attention.
std::string kernels_of(const config::Machine& machine) {
  std::string text;
  for (const kernels::Element output : {kernels::Element::kFp16, kernels::Element::kBf16}) {
    kernels::GemmProblem problem;
    problem.m = problem.n = 4096;
    problem.k = 32;
    problem.input = problem.output = output;
    const kernels::Target target = config::make_target(machine, problem);
    text += kernels::why_no_kernel(problem, target) + ' ';
    if (kernels::gemm_tiles(problem, target).empty()) continue;
    const std::vector<kernels::GemmTile> tiles = kernels::leading_tiles(problem, target, 20);
    for (const kernels::GemmTile& tile : tiles) text += tile.text() + ' ';
    const isa::KernelLaunch launch = kernels::make_gemm(problem, tiles.front(), target);
    for (const isa::Instruction& instruction : launch.programs.front().instructions)
      text += std::string(isa::opcode_info(instruction.opcode).mnemonic) + " ";
    text += kernels::why_no_vector({.rows = 64, .cols = 64, .element = output}, target) + ' ';
    text += kernels::why_no_attention({.queries = 64,
                                       .keys = 64,
                                       .element = output,
                                       .algorithm = kernels::AttentionAlgorithm::kPaged},
                                      target) +
            ' ';
  }
  return text;
}

/// CTAs per SM of kernels that meet each limit.
std::string occupancies(const config::Machine& machine) {
  std::string text;
  for (const int warps : {1, 2, 8, 32}) {
    for (const int registers : {16, 33, 128, 255}) {
      for (const int shared : {0, 130, 26900, 40000, 166000}) {
        isa::KernelLaunch launch;
        launch.warps_per_cta = warps;
        launch.registers_per_thread = registers;
        launch.shared_bytes_per_cta = shared;
        text += std::to_string(occupancy(machine, launch).ctas_per_sm) + ' ';
      }
    }
  }
  return text;
}

/// A loop of 260 lines of code, so that a few sets of both instruction caches overflow and the
/// others do not; operands that are read again.
isa::KernelLaunch long_kernel() {
  isa::WarpProgram program;
  program.name = "long";
  for (int i = 0; i < 1039; ++i) {
    const auto dst = static_cast<isa::Register>(20 + i % 8);
    add(program, Opcode::kFfma, dst, {2, 4, 6});
    add(program, Opcode::kIadd3, static_cast<isa::Register>(30 + i % 8), {2, 4, 6});
  }
  program.loops.push_back({0, static_cast<int>(program.instructions.size()), 0, {2, {}}});
  add(program, Opcode::kBra, 255, {255, 255, 255});
  add(program, Opcode::kExit, 255, {255, 255, 255});
  return launch_of(program, 4, 8);
}

/// Constants as operands and by LDC, one line of them more than the caches hold, atomics of each
/// kind on one word and on many, a fence.
isa::KernelLaunch constants_kernel() {
  isa::WarpProgram program;
  program.name = "constants";
  const int spread = add_access(program, 1, {{Variable::kLane, 4}});
  const int one_word = add_access(program, 1, {});
  const int shared_word = add_access(program, isa::kNoIndex, {});
  for (int i = 0; i < 80; ++i) {
    add_constant(program, 64 * (i % 9));
    const int word = add_access(program, isa::kNoIndex, {});
    program.accesses.back().shared.offset.constant = 64 * (i % 33);
    add(program, Opcode::kLdc32, 6, {4, 255, 255}, word);
    add(program, Opcode::kIadd3, 8, {6, 255, 255});
  }
  for (const int access : {spread, one_word}) {
    add(program, Opcode::kAtomgAdd, 10, {2, 4, 255}, access);
    add(program, Opcode::kAtomgAddF32, 11, {2, 4, 255}, access);
    add(program, Opcode::kIadd3, 8, {10, 11, 255});
  }
  add(program, Opcode::kAtomsAdd, 12, {4, 8, 255}, shared_word);
  add(program, Opcode::kIadd3, 8, {12, 255, 255});
  add(program, Opcode::kMembar, 255, {255, 255, 255});
  add(program, Opcode::kExit, 255, {255, 255, 255});
  return launch_of(program, 16, 8);
}

/// What users see of a machine, that which takes longest last.
const std::vector<std::function<std::string(const config::Machine&)>>& views() {
  static const std::vector<std::function<std::string(const config::Machine&)>> list{
      peaks,
      occupancies,
      kernels_of,
      [](const config::Machine& m) { return run(m, constants_kernel()); },
      [](const config::Machine& m) {
        return run_gemm(m, gemm(192, kernels::Element::kFp16, kernels::Unit::kTensor));
      },
      [](const config::Machine& m) {
        return run_gemm(m, gemm(192, kernels::Element::kFp32, kernels::Unit::kCudaCore));
      },
      [](const config::Machine& m) { return run(m, reread_kernel()); },
      [](const config::Machine& m) { return run(m, copy_kernel()); },
      [](const config::Machine& m) { return run(m, long_kernel()); },
      [](const config::Machine& m) { return run(m, pipes_kernel()); }};
  return list;
}

/// The keys of an A100 changed by `overrides`, among `keys`, that change nothing of what users see.
std::set<std::string> without_effect(const std::set<std::string>& keys,
                                     const std::vector<std::string>& overrides) {
  const config::MachineFile base = library::read_machine("a100", overrides);
  struct View {
    std::function<std::string(const config::Machine&)> of;
    std::string seen;
  };
  std::vector<View> list;
  for (const auto& view : views()) list.push_back({view, view(base.machine)});
  std::set<std::string> without;
  for (const config::Setting& setting : base.settings) {
    if (!keys.contains(setting.key)) continue;
    config::MachineFile other =
        config::changed_a100(*config::find_key(setting.key), setting, overrides);
    library::equip(other);
    if (std::ranges::all_of(list,
                            [&](const View& view) { return view.of(other.machine) == view.seen; }))
      without.insert(setting.key);
  }
  return without;
}

TEST(KeyEffect, EveryKeyButTheDescriptiveChangesWhatUsersSee) {
  // Energies, the arithmetic of values and the links to other GPUs are no part of a simulation;
  // tests/energy, tests/cli, tests/numerics, tests/functional and tests/networks show what they
  // change.
  const auto is_elsewhere = [](std::string_view key) {
    return key.starts_with("energy.") || key.starts_with("nvlink.") ||
           key.starts_with("numerics.") || key == "architecture" ||
           key == config::kInstructionsPath || is_asynchronous(key);
  };
  const std::set<std::string> sizes{"gpu.sms", "gpu.sms_per_gpc"};
  EXPECT_EQ(without_effect(sizes, {}), std::set<std::string>{});
  std::set<std::string> keys;
  for (const config::Key& key : config::keys())
    if (!key.descriptive() && !is_elsewhere(key.path) && !sizes.contains(std::string(key.path)))
      keys.emplace(key.path);
  std::set<std::string> without = without_effect(keys, narrow_machine);
  // Tensor cores whose timing follows from their shape, without what instructions measured on
  // others say; then such that hold their sums.
  std::vector<std::string> derived = narrow_machine;
  derived.emplace_back("sm.tensor.instruction_timing=derived");
  without = without_effect(without, derived);
  for (const char* setting : {"sm.tensor.organisation=outer_product", "sm.tensor.fill_cycles=8",
                              "sm.tensor.drain_cycles=8", "sm.tensor.core=16x8x16"})
    derived.emplace_back(setting);
  without = without_effect(without, derived);
  EXPECT_EQ(without, std::set<std::string>{});
}

}  // namespace
}  // namespace tcsim::gpu
