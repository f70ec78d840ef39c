#include "models/functional/cta.hpp"

#include <algorithm>
#include <string>

#include "models/functional/lane_arithmetic.hpp"

namespace tcsim::functional {
namespace {

using isa::Effect;

/// True for instructions that cannot be executed by only some lanes of a warp.
bool needs_whole_warp(isa::Opcode opcode) {
  const Effect effect = isa::opcode_info(opcode).effect;
  return isa::is_mma(opcode) || isa::is_shuffle(opcode) || isa::moves_matrices(effect) ||
         effect >= Effect::kCloseCopyGroup;
}

}  // namespace

Cta::Cta(const isa::KernelLaunch& launch, std::span<const LaneProgram> programs,
         std::int64_t cluster, int rank, std::span<const std::span<std::uint8_t>> buffers,
         MatrixUnit& matrix_unit, CausalOrder* order, GlobalOrder* global_order)
    : index_(isa::number_of_cta(launch, isa::cta_of_cluster(launch, cluster, rank))),
      matrix_unit_(matrix_unit),
      shared_(index_, launch.shared_bytes_per_cta),
      memory_unit_(buffers, shared_),
      global_order_(global_order),
      warps_(static_cast<std::size_t>(launch.warps_per_cta)) {
  for (int id = 0; id < launch.warps_per_cta; ++id) {
    Warp& warp = warps_[static_cast<std::size_t>(id)];
    const int program = launch.program_of_warp[static_cast<std::size_t>(id)];
    warp.id = id;
    warp.agent = rank * launch.warps_per_cta + id;
    warp.program = &programs[static_cast<std::size_t>(program)];
    const auto position = isa::cta_of_cluster(launch, cluster, rank);
    std::ranges::copy(position, warp.bindings.begin());
    warp.bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = id;
    isa::bind_uniforms(warp.program->source().uniforms, warp.bindings);
  }
  if (global_order_ != nullptr) memory_unit_.watch(*global_order_, index_);
  if (order != nullptr)
    async_ =
        std::make_unique<AsyncUnit>(launch, buffers, shared_, warps_, matrix_unit, *order, rank);
}

bool Cta::has_ended() const { return std::ranges::all_of(warps_, &Warp::exited); }

Cta::Failure Cta::run_on(bool& advanced) {
  for (Warp& warp : warps_)
    if (auto failure = run_to_wait(warp, advanced)) return failure;
  if (has_ended() || !is_at_barrier()) return std::nullopt;
  if (auto failure = check_barriers()) return failure;
  for (Warp& warp : warps_) warp.at_barrier = false;
  shared_.races().pass_barrier();
  if (global_order_ != nullptr) global_order_->meet(warps_.front().agent, std::ssize(warps_));
  advanced = true;
  return std::nullopt;
}

/// True if all warps that have not exited wait at a barrier.
bool Cta::is_at_barrier() const {
  return std::ranges::all_of(warps_,
                             [](const Warp& warp) { return warp.exited || warp.at_barrier; });
}

std::string Cta::waits_text() {
  std::string text;
  for (const Warp& warp : warps_)
    if (!warp.exited && !warp.at_barrier) text += "; " + async_->wait_text(warp);
  return text;
}

Cta::Failure Cta::run_to_wait(Warp& warp, bool& advanced) {
  Progress progress = Progress::kGoesOn;
  while (!warp.exited && !warp.at_barrier && progress == Progress::kGoesOn) {
    const isa::Instruction& instruction = warp.instruction();
    const LaneMask mask = warp.program->mask_of(instruction, warp.bindings);
    if (mask != kAllLanes && needs_whole_warp(instruction.opcode)) {
      if (mask != 0 || instruction.opcode == isa::Opcode::kBra)
        return located(warp, numerics::unsupported(
                                 "its guard turns off lanes, but this instruction is executed by "
                                 "all lanes of a warp or, except BRA, by none"));
      ++warp.next;
      continue;
    }
    if (async_ != nullptr) async_->check_registers(warp);
    if (auto failure = execute(warp, mask, progress)) return located(warp, *failure);
    warp.at_barrier = progress == Progress::kWaits;
    advanced |= progress != Progress::kStays;
  }
  return std::nullopt;
}

/// Checks that all warps that have not exited wait at the same BAR; a CTA whose warps wait at
/// different ones would never continue.
Cta::Failure Cta::check_barriers() const {
  const Warp* first = nullptr;
  for (const Warp& warp : warps_) {
    if (warp.exited) continue;
    const auto barrier = [](const Warp& w) {
      return w.program->source().instructions[w.next - 1].immediate;
    };
    if (first == nullptr) first = &warp;
    if (barrier(warp) != barrier(*first))
      return numerics::mistake(
          "CTA " + std::to_string(index_) + " never ends: warp " + std::to_string(first->id) +
          " waits at barrier " + std::to_string(barrier(*first)) + ", warp " +
          std::to_string(warp.id) + " at barrier " + std::to_string(barrier(warp)));
  }
  return std::nullopt;
}

Cta::Failure Cta::execute(Warp& warp, LaneMask mask, Progress& progress) {
  const isa::Instruction& instruction = warp.instruction();
  const Effect effect = isa::opcode_info(instruction.opcode).effect;
  switch (effect) {
    case Effect::kNone:
      if (isa::is_mma(instruction.opcode)) {
        if (auto failure = matrix_unit_.execute(instruction, warp.bindings, warp.registers))
          return failure;
      } else if (value_class(instruction.opcode) == ValueClass::kUnknown) {
        return numerics::unsupported("the values of this instruction are not modelled");
      } else {
        execute_arithmetic(instruction, mask, warp.registers);
      }
      break;
    case Effect::kFence:  // no effect on values: CTAs run in sequence, warps up to a barrier
      if (global_order_ != nullptr) global_order_->fence(warp.agent);
      break;
    case Effect::kBranch:
      if (auto failure = check_flag(warp)) return failure;
      [[fallthrough]];
    case Effect::kSkipLoop:
      warp.next = static_cast<std::size_t>(
          isa::next_position(warp.program->source(), static_cast<int>(warp.next), warp.bindings));
      return std::nullopt;
    case Effect::kBarrier:
    case Effect::kBarrierArrive:
      if (isa::named_barrier(instruction.immediate).warps > 0) return synchronize(warp, progress);
      progress = Progress::kWaits;
      break;
    case Effect::kExit:
      if (warp.copies.has_boxes())
        return numerics::mistake("ends while TMA may still read shared memory");
      warp.exited = true;
      if (async_ != nullptr) async_->leave_cluster(warp);
      if (has_ended()) shared_.races().end(warp.accessor());
      break;
    case Effect::kCloseCopyGroup:
      warp.copies.close();
      break;
    case Effect::kWaitCopyGroups:
      if (const auto boxes = shared_.wait(warp.copies, instruction.immediate); !boxes.empty())
        async_->store(boxes);
      break;
    default:
      if (effect >= Effect::kInitBarrier) return synchronize(warp, progress);
      if (auto failure = memory_unit_.execute(warp, mask)) return failure;
  }
  ++warp.next;
  return std::nullopt;
}

Cta::Failure Cta::synchronize(Warp& warp, Progress& progress) {
  bool goes_on = true;
  if (auto failure = async_->execute(warp, goes_on)) return failure;
  if (goes_on)
    ++warp.next;
  else
    progress = Progress::kStays;
  return std::nullopt;
}

/// CTAs run in the order in which they start, so an event that a CTA waits for has already happened
/// or never will.
Cta::Failure Cta::check_flag(const Warp& warp) {
  const isa::Loop& loop =
      warp.program->source().loops[static_cast<std::size_t>(warp.instruction().immediate)];
  if (!loop.until) return std::nullopt;
  const std::int64_t until = isa::evaluate(*loop.until, warp.bindings);
  if (warp.flag >= until) {
    if (global_order_ != nullptr) global_order_->acquire(warp.agent, warp.flag_place, until);
    return std::nullopt;
  }
  return numerics::mistake("waits for a flag of " + std::to_string(until) +
                           ", which the CTAs before "
                           "it have left at " +
                           std::to_string(warp.flag));
}

numerics::Refusal Cta::located(const Warp& warp, const numerics::Refusal& refusal) const {
  const auto& info = isa::opcode_info(warp.instruction().opcode);
  return {refusal.kind, "CTA " + std::to_string(index_) + " warp " + std::to_string(warp.id) +
                            " at " + isa::address_text(static_cast<int>(warp.next)) + " (" +
                            std::string(info.mnemonic) + "): " + refusal.reason};
}

}  // namespace tcsim::functional
