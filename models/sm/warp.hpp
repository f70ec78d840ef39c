#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/program.hpp"
#include "models/sm/async_groups.hpp"
#include "models/sm/barrier.hpp"
#include "models/sm/cycle_reason.hpp"
#include "models/sm/dependence_counters.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/recorded_cursor.hpp"

namespace tcsim::sm {

/// Rare things that a warp waits for.
enum class Hold : std::uint8_t {
  kNone,
  kConstant,  ///< a constant operand of its next instruction, from L2
  kFence,     ///< after a MEMBAR: the answers to writes
  kPhase,     ///< after a wait at an mbarrier
  kGroup,     ///< after a warpgroup product: the other warps or a place in the queue
  kCluster,   ///< after a wait at the barrier of its cluster
  kNumber,    ///< at the end of a loop: the number that its CTA takes for the next iteration
};

/// A resident warp. The fields that the issue stage always reads are in the first 64 bytes.
struct alignas(64) Warp {
  Cycle ready = 0;  ///< earliest issue by stalls, counters and barriers; kNever while it waits for
                    ///< one of them
  const DecodedInstruction* next_instruction = nullptr;
  Cycle stall_until = 0;  ///< earliest issue by stall counts and passed barriers
  CycleReason stall_reason = CycleReason::kDependenceFixed;  ///< reason for `stall_until`
  CycleReason ready_reason = CycleReason::kNoWarp;           ///< reason for `ready`
  DependenceCounters counters;
  std::uint8_t slot = 0;      ///< hardware warp id
  std::uint8_t sub_core = 0;  ///< slot modulo sub-cores
  std::uint16_t cta_slot = 0;
  bool waits_for_code = false;        ///< for its next instruction, or at its start
  std::int16_t barrier = kNoBarrier;  ///< the named barrier of its CTA at which it waits
  Hold hold = Hold::kNone;
  bool resident = false;
  std::uint32_t lanes = kAllLanes;  ///< lanes that have not exited
  bool exiting = false;  ///< EXIT has issued; the warp leaves when nothing is in flight for it

  const DecodedProgram* program = nullptr;
  std::unique_ptr<RecordedCursor> recorded;  ///< position in its recording; null without one
  Cycle tensor_again = 0;  ///< earliest issue of the warp's next MMA, considering only its last one
  std::uint64_t age = 0;   ///< grows in start order
  isa::Bindings bindings{};    ///< CTA, warp, loop and uniform variables
  bool constant_came = false;  ///< a constant operand that it waited for has arrived
  std::uint32_t flag = 0;      ///< the last word that it has loaded from a flag buffer
  const std::vector<std::uint32_t>* taken = nullptr;  ///< Cta::taken of its CTA
  std::vector<std::int64_t> fixed_values;
  std::vector<std::int64_t> trips;  ///< iteration counts, per loop
  AsyncGroups copies;
  AsyncGroups products;      ///< products of its warpgroup
  int phase_barrier = 0;     ///< Hold::kPhase: the mbarrier of its CTA
  std::int64_t parity = 0;   ///< parity of the phase that it waits for
  int cluster_arrivals = 0;  ///< arrivals at the barrier of its cluster
  int peer_writes = 0;       ///< unanswered stores and atomics in the cluster
  /// Rank of a CTA that does not exist or has ended, and whose shared memory the warp has accessed:
  /// never answered.
  int unreachable = kAllReachable;
  static constexpr int kAllReachable = -2;

  /// Sets the uniforms and the iteration counts of all loops, from the outermost loop's counter or
  /// the number taken for its iteration.
  void count_trips(std::optional<std::int64_t> number = {}) {
    isa::bind_uniforms(program->uniforms, bindings, number);
    trips.clear();
    for (const DecodedLoop& loop : program->loops)
      trips.push_back(isa::evaluate(loop.trips, bindings));
  }

  /// Delays its next instruction to `until` at the earliest; records `reason` if that is later than
  /// before.
  void hold_back(Cycle until, CycleReason reason) {
    if (until <= stall_until) return;
    stall_until = until;
    stall_reason = reason;
  }

  /// True while something that must happen first keeps it from issuing, whatever its next
  /// instruction is.
  bool is_held() const { return barrier != kNoBarrier || waits_for_code || hold != Hold::kNone; }
  const DecodedInstruction& next() const { return *next_instruction; }
  /// Number of the next instruction in the program.
  int pc() const { return static_cast<int>(next_instruction - program->instructions.data()); }
};

}  // namespace tcsim::sm
