#include "workloads/kernels/conv/flat_kernel.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kLanes = 32;
constexpr int kAddressRegisters = 20;

}  // namespace

FlatKernel::FlatKernel(std::string name, std::int64_t items, int rounds, int data_registers,
                       int setup_ops, bool has_uniform_datapath)
    : name_(std::move(name)),
      items_(items),
      rounds_(rounds),
      registers_(ceil_div(data_registers, 4) * 4 + kAddressRegisters),
      builder_("main"),
      work_(registers_ - kAddressRegisters, kAddressRegisters, has_uniform_datapath) {
  for (int i = 0; i < 2; ++i) builder_.append(arithmetic(Opcode::kS2r, work_.pointer(i)));
  builder_.append(work_.setup_ops(setup_ops));
}

isa::Expression FlatKernel::item(int round) const {
  isa::Expression item = constant(std::int64_t{round} * kWarps * kLanes);
  add_term(item, {Variable::kCtaX, std::int64_t{rounds_} * kWarps * kLanes});
  add_term(item, {Variable::kWarp, kLanes});
  add_term(item, {Variable::kLane, 1});
  return item;
}

isa::Guard FlatKernel::exists(int round) const {
  if (items_ % (std::int64_t{rounds_} * kWarps * kLanes) == 0) return {};
  return {{{item(round), items_}}};
}

isa::KernelLaunch FlatKernel::finish() {
  isa::KernelLaunch launch;
  launch.name = name_;
  launch.grid = {ceil_div<std::int64_t>(items_, std::int64_t{rounds_} * kWarps * kLanes), 1, 1};
  launch.warps_per_cta = kWarps;
  launch.registers_per_thread = registers_;
  launch.programs.push_back(builder_.finish());
  launch.program_of_warp.assign(kWarps, 0);
  return launch;
}

Opcode global_load_opcode(int bytes) {
  if (bytes == 16) return Opcode::kLdg128;
  return bytes == 8 ? Opcode::kLdg64 : bytes == 4 ? Opcode::kLdg32 : Opcode::kLdg16;
}

Opcode global_store_opcode(int bytes) {
  if (bytes == 16) return Opcode::kStg128;
  return bytes == 8 ? Opcode::kStg64 : bytes == 4 ? Opcode::kStg32 : Opcode::kStg16;
}

}  // namespace tcsim::kernels
