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

/// What a warp waits for that is rare.
enum class Hold : std::uint8_t {
  kNone,
  kConstant,  ///< an operand of its next instruction comes from L2
  kFence,     ///< behind a MEMBAR, for the answers to writes
  kPhase,     ///< behind a wait at an mbarrier
  kGroup,     ///< behind a product of its warpgroup, for the other warps or a place in the queue
  kCluster,   ///< behind a wait at the barrier of its cluster
  kNumber,    ///< at the end of a loop, for the number that its CTA takes for the next trip
};

/// A resident warp. What the issue stage reads every time lies in the first 64 bytes.
struct alignas(64) Warp {
  Cycle ready =
      0;  ///< earliest issue by stalls, counters and barriers; kNever while one of them waits
  const DecodedInstruction* next_instruction = nullptr;
  Cycle stall_until = 0;  ///< earliest issue by stall counts and barriers passed
  CycleReason stall_reason = CycleReason::kDependenceFixed;  ///< what set `stall_until`
  CycleReason ready_reason = CycleReason::kNoWarp;           ///< what set `ready`
  DependenceCounters counters;
  std::uint8_t slot = 0;      ///< hardware warp id
  std::uint8_t sub_core = 0;  ///< slot modulo sub-cores
  std::uint16_t cta_slot = 0;
  bool waits_for_code = false;        ///< its next instruction, or its start
  std::int16_t barrier = kNoBarrier;  ///< the named barrier of its CTA at which it waits
  Hold hold = Hold::kNone;
  bool resident = false;
  std::uint32_t lanes = kAllLanes;  ///< that have not exited
  bool exiting = false;  ///< EXIT has issued; the warp leaves when nothing is under way for it

  const DecodedProgram* program = nullptr;
  std::unique_ptr<RecordedCursor> recorded;  ///< where a warp of a recording is; else empty
  Cycle tensor_again =
      0;                  ///< earliest issue of the warp's next MMA, as far as its last one decides
  std::uint64_t age = 0;  ///< grows with the start order
  isa::Bindings bindings{};    ///< CTA, warp, loop and uniform variables
  bool constant_came = false;  ///< the constant operand of its next instruction, after a wait
  std::uint32_t flag = 0;      ///< the word of a flag buffer that it has loaded last
  const std::vector<std::uint32_t>* taken = nullptr;  ///< Cta::taken of its CTA
  std::vector<std::int64_t> fixed_values;
  std::vector<std::int64_t> trips;  ///< per loop
  AsyncGroups copies;
  AsyncGroups products;      ///< of its warpgroup
  int phase_barrier = 0;     ///< Hold::kPhase: the mbarrier of its CTA
  std::int64_t parity = 0;   ///< and the phase that it waits for
  int cluster_arrivals = 0;  ///< at the barrier of its cluster
  int peer_writes = 0;       ///< stores and atomics in the cluster that are not answered
  /// Rank of a CTA that is not there, or no more, and whose shared memory it has accessed: never
  /// answered.
  int unreachable = kAllReachable;
  static constexpr int kAllReachable = -2;

  /// Sets the uniforms, and the trips of all loops, as the outermost loop's counter has them, or
  /// the number taken for its trip.
  void count_trips(std::optional<std::int64_t> number = {}) {
    isa::bind_uniforms(program->uniforms, bindings, number);
    trips.clear();
    for (const DecodedLoop& loop : program->loops)
      trips.push_back(isa::evaluate(loop.trips, bindings));
  }

  /// Its next instruction issues at `until` at the earliest: `reason`, if that puts it off.
  void hold_back(Cycle until, CycleReason reason) {
    if (until <= stall_until) return;
    stall_until = until;
    stall_reason = reason;
  }

  /// True while something that must come first keeps it from issuing, whatever its next
  /// instruction.
  bool is_held() const { return barrier != kNoBarrier || waits_for_code || hold != Hold::kNone; }
  const DecodedInstruction& next() const { return *next_instruction; }
  /// Number of the next instruction in the program.
  int pc() const { return static_cast<int>(next_instruction - program->instructions.data()); }
};

}  // namespace tcsim::sm
