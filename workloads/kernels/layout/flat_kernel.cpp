#include "workloads/kernels/layout/flat_kernel.hpp"

#include <algorithm>
#include <iterator>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Variable;

constexpr int kFlatAddressRegisters = 20;

}  // namespace

FlatKernel::FlatKernel(std::string name, std::int64_t items, int rounds, int data_registers,
                       int setup_ops)
    : name_(std::move(name)),
      items_(items),
      rounds_(rounds),
      registers_(align_up(data_registers, kVectorRegisters) + kFlatAddressRegisters),
      builder_("main"),
      work_(registers_ - kFlatAddressRegisters, kFlatAddressRegisters) {
  begin_kernel(builder_, work_, 2, work_.setup_ops(setup_ops));
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

void FlatKernel::move(const Move& move, int round) {
  constexpr int kOpsPerMove = 4;  // pointer and predicate (assumption)
  const int access =
      builder_.access({.buffer = move.buffer, .global = {.offset = move.offset, .swizzle = {}}});
  isa::Guard guard = exists(round);
  std::ranges::copy(move.also.bounds, std::back_inserter(guard.bounds));
  builder_.append(work_.advance_pointer(round, kOpsPerMove));
  const isa::Register pointer = work_.pointer(round);
  builder_.append(move.is_store ? store(global_store_of(move.bytes), reg(move.data), pointer,
                                        access, builder_.guard(guard))
                                : load(global_load_of(move.bytes), reg(move.data), pointer, access,
                                       builder_.guard(guard)));
}

isa::KernelLaunch FlatKernel::finish() {
  const std::int64_t per_cta = std::int64_t{rounds_} * kWarps * kLanes;
  return uniform_launch({.name = name_,
                         .grid = {ceil_div(items_, per_cta), 1, 1},
                         .warps_per_cta = kWarps,
                         .registers_per_thread = registers_},
                        builder_.finish());
}

}  // namespace tcsim::kernels
