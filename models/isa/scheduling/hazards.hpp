#pragma once

#include <array>

#include "models/isa/cycle.hpp"
#include "models/isa/operands.hpp"
#include "models/isa/program.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

/// The constraints that the instructions issued so far still impose, in planned cycles of one warp:
/// fixed latencies, the pipes of the producers, and the delay of the counters. Without the pipes, a
/// stall that counts from the last instruction of a sequence would be added to the sequence's wait
/// for its pipe (microarchitecture.md 4.3: compiled code spaces independent HMMAs by the interval).
class Hazards {
 public:
  /// `timing` must outlive this object and its copies.
  explicit Hazards(const TimingTable& timing) : timing_(&timing) {}

  /// The first cycle at which `instruction` may issue.
  [[nodiscard]] Cycle earliest(const Instruction& instruction) const;
  /// `instruction` issues at `now`.
  void issue(const Instruction& instruction, Cycle now);

  /// The same hazards in a time base where cycle `now` is 0; expired ones read as 0.
  [[nodiscard]] Hazards relative_to(Cycle now) const;
  /// Merges `other`, whose cycle 0 is `now` here: the later of both applies.
  void merge(const Hazards& other, Cycle now);
  bool operator==(const Hazards& other) const;

 private:
  struct Cycles {
    std::array<Cycle, kZeroRegister> written{};           ///< results usable from here on
    std::array<Cycle, kZeroRegister> read{};              ///< sources in use until here
    std::array<Cycle, kScalars> scalar_written{};         ///< uniform registers and predicates
    std::array<Cycle, kDependenceCounters> counted_up{};  ///< the increment is visible from here on
    std::array<Cycle, kPipeCount> pipe_free{};            ///< the pipe takes the next instruction
    bool operator==(const Cycles&) const = default;
  };

  template <typename Operation>
  void for_each(const Cycles& other, Operation operation);

  const TimingTable* timing_;
  Cycles cycles_;
};

/// The smallest stall of an instruction, regardless of other instructions.
int smallest_stall(const Instruction& instruction, const TimingTable& timing);

}  // namespace tcsim::isa
