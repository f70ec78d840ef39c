#include "workloads/traceg/warp_walk.hpp"

#include "models/isa/box.hpp"

namespace tcsim::traceg {
namespace {

constexpr auto kLane = static_cast<std::size_t>(isa::Variable::kLane);

}  // namespace

WarpWalk::WarpWalk(const isa::KernelLaunch& launch, const std::array<std::int64_t, 3>& cta,
                   int warp)
    : launch_(launch),
      program_(launch.programs[static_cast<std::size_t>(
          launch.program_of_warp[static_cast<std::size_t>(warp)])]),
      bindings_{cta[0], cta[1], cta[2], warp} {
  isa::bind_uniforms(program_.uniforms, bindings_);
}

std::uint32_t WarpWalk::passing(const isa::Guard& guard) {
  std::uint32_t lanes = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    bindings_[kLane] = lane;
    if (isa::holds(guard, bindings_)) lanes |= std::uint32_t{1} << lane;
  }
  return lanes;
}

void WarpWalk::find_addresses(const isa::MemoryAccess& access) {
  const isa::Effect effect = isa::opcode_info(instruction().opcode).effect;
  const bool is_global = isa::addresses_global(effect);
  if (effect == isa::Effect::kCopyGlobalToShared) lanes_ &= passing(access.source);
  const isa::Address& address = is_global ? access.global : access.shared;
  const std::int64_t base =
      is_global ? static_cast<std::int64_t>(
                      launch_.buffers[static_cast<std::size_t>(access.buffer)].base_address)
                : 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((lanes_ >> lane & 1) == 0) {
      addresses_[lane] = 0;
      continue;
    }
    bindings_[kLane] = lane;
    addresses_[lane] = base + address.swizzle.apply(isa::evaluate(address.offset, bindings_));
  }
}

void WarpWalk::find_barrier(const isa::BarrierOperand& operand) {
  std::int64_t address = isa::evaluate(operand.address, bindings_);
  value_ = isa::evaluate(operand.value, bindings_);
  if (isa::opcode_info(instruction().opcode).effect == isa::Effect::kArriveRemote)
    address = isa::cluster_address(value_, address);
  addresses_.fill(address);
  lanes_ &= ~lanes_ + 1;  // one thread executes it
}

void WarpWalk::find_box(const isa::TileOperand& operand) {
  const isa::Box box = isa::box_of(launch_, operand, bindings_);
  const auto base =
      static_cast<std::int64_t>(launch_.buffers[static_cast<std::size_t>(box.buffer)].base_address);
  box_ = {0,
          isa::evaluate(operand.barrier, bindings_),
          isa::evaluate(operand.ranks, bindings_),
          {{}, box.bytes()}};
  for (const auto& [offset, bytes] : box.rows_inside()) {
    if (box_.box.pieces.empty()) box_.address = base + offset;
    box_.box.append({base + offset - box_.address, bytes});
  }
}

void WarpWalk::find_operands() {
  const isa::Effect effect = isa::opcode_info(instruction().opcode).effect;
  const auto index = static_cast<std::size_t>(instruction().access);
  if (isa::is_memory(effect)) {
    if (instruction().access != isa::kNoIndex) find_addresses(program_.accesses[index]);
  } else if (isa::is_asynchronous(effect)) {
    const isa::AsyncOperands& operands = program_.async[index];
    if (const auto* const barrier = std::get_if<isa::BarrierOperand>(&operands))
      find_barrier(*barrier);
    else if (const auto* const tile = std::get_if<isa::TileOperand>(&operands))
      find_box(*tile);
  }
}

bool WarpWalk::next() {
  if (alive_ == 0) return false;
  position_ = position_ == isa::kNoIndex ? 0 : isa::next_position(program_, position_, bindings_);
  lanes_ = alive_;
  if (instruction().guard != isa::kNoIndex)
    lanes_ &= passing(program_.guards[static_cast<std::size_t>(instruction().guard)]);
  find_operands();
  if (instruction().opcode == isa::Opcode::kExit) alive_ &= ~lanes_;
  return true;
}

}  // namespace tcsim::traceg
