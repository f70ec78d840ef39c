#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/opcode.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::timeline {

/// A part of an SM for some of its cycles, counted from the start of the run.
struct Window {
  int sm = 0;
  std::optional<int> sub_core{};  ///< nothing: all
  Cycle first = 0;
  Cycle end = 0;  ///< exclusive
};

inline constexpr std::int64_t kNoInstruction = -1;
inline constexpr std::int64_t kOutsideWindow = -2;  ///< an instruction that the window leaves out

/// Cycles [from, until) in which an instruction at the head of its warp could not issue.
struct Wait {
  std::optional<sm::CycleReason> reason;  ///< nothing: another warp had the issue slot
  Cycle from = 0;
  Cycle until = 0;
  std::int64_t producer = kNoInstruction;           ///< id of the instruction waited for, if one is
  isa::Opcode producer_opcode = isa::Opcode::kNop;  ///< its opcode
};

/// One warp instruction from the cycle in which it became the next of its warp. The model knows
/// issue, operand window, issue interval and latency, of a warpgroup's product its turn on the
/// tensor cores; the stages drawn are derived from these.
struct InstructionRecord {
  std::int64_t id = 0;  ///< in order of issue
  int sub_core = 0;
  int warp = 0;                       ///< hardware warp of the SM
  std::array<std::int64_t, 3> cta{};  ///< position in the grid
  int warp_of_cta = 0;
  int instruction = 0;  ///< number in the warp's program
  isa::Opcode opcode = isa::Opcode::kNop;
  std::string text;  ///< opcode, registers, loop counters
  Cycle since = 0;   ///< the warp's next instruction from here on
  std::vector<Wait> waits;
  Cycle issue = 0;          ///< kNever: it still waited when the run stopped at `end`
  Cycle interval_end = 0;   ///< its pipe takes the next one from here on
  Cycle entered = kNever;   ///< memory operations: into the memory pipeline; products of
                            ///< warpgroups: onto the tensor cores; else, or not yet known: kNever
  Cycle operands_read = 0;  ///< exclusive
  Cycle end = kNever;       ///< results written: dependents may issue; kNever: not yet known
  std::vector<std::int64_t> producers;  ///< ids of instructions whose registers it reads

  [[nodiscard]] bool has_issued() const { return issue != kNever; }
  /// Its unit holds it in [held_from(), held_until()), as far as that is known: a product of a
  /// warpgroup first waits for its turn, and leaves the tensor cores before its sums are written.
  [[nodiscard]] Cycle held_from() const { return isa::is_group_mma(opcode) ? entered : issue; }
  [[nodiscard]] Cycle held_until() const { return isa::is_group_mma(opcode) ? interval_end : end; }
  /// True if both of these are known.
  [[nodiscard]] bool was_held() const { return held_from() != kNever && held_until() != kNever; }
};

enum class Stage : std::uint8_t { kWait, kIssue, kQueue, kOperands, kExecute, kWriteBack };

struct StageSpan {
  Stage stage;
  Cycle from;
  Cycle until;  ///< exclusive, more than `from`
};

/// The stages of `record` from `since` to `end` without gaps: waiting (if it did), issue, the queue
/// of the memory pipeline or of the tensor cores of an SM, operand reads, execution, write-back
/// (the last cycle of what has a result; of a warpgroup's product all cycles after its turn). An
/// instruction that never issued only waits. Where the latency is too short for all of them, one
/// cycle of execution comes first, then the write-back. An instruction without an end stops after
/// what is known.
std::vector<StageSpan> stages_of(const InstructionRecord& record);

/// What `wait` is for: "LDS.64", "tensor core", "barrier", "another warp", ...
std::string cause_text(const Wait& wait);

/// What views call a reason or a unit.
struct Names {
  std::string_view words;  ///< in sentences
  std::string_view brief;  ///< in names of stages, at most five letters
};
/// {"tensor core", "tc"}, {"barrier", "bar"}, ...; {"start", "start"} for reasons that hold no
/// instruction of a warp, such as a launch.
Names names_of(sm::CycleReason reason);
/// The unit that executes `opcode`: {"tensor core", "tc"}, {"FMA", "fma"}, {"shared memory", "sm"},
/// {"global memory", "gm"}, ...
Names unit_names(isa::Opcode opcode);
/// True for the products of warps and of warpgroups.
inline bool uses_tensor_core(isa::Opcode opcode) {
  return isa::is_mma(opcode) || isa::is_group_mma(opcode);
}

/// The instructions of a window in order of issue; ids are their places in `records`, and producers
/// outside of the window are left out.
struct Timeline {
  /// A part of the critical path.
  struct Mark {
    Cycle from = 0;
    Cycle until = 0;
    std::string name;  ///< cause and unit
    std::string text;  ///< instruction waited for
    int sm = 0;
    int warp = 0;
  };

  std::string title;  ///< of the run
  std::string machine;
  Window window;
  int sub_cores = 0;
  std::vector<InstructionRecord> records;
  std::vector<Mark> path{};  ///< in the window, in order of time; empty: not followed
};

}  // namespace tcsim::timeline
