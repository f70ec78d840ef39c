#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/rtl/coverage.hpp"
#include "sim/rtl/unit_timing.hpp"
#include "sim/rtl/verification.hpp"

namespace tcsim::rtl {

/// A result of a real GPU that the RTL does not reproduce.
struct MeasuredMismatch {
  std::string place;  ///< file:line
  std::uint64_t rtl = 0;
  std::uint64_t measured = 0;
};

/// The outcome for one operation of one unit.
struct UnitReport {
  UnitReport(const UnitInfo& info, const Operation& of)
      : unit(info.name),
        generation(info.generation),
        kind(info.kind),
        operation(of),
        coverage(of, arithmetic_of(info, of).block),
        machine(info.machine) {}

  std::string unit;
  numerics::Generation generation;
  numerics::InstructionKind kind;
  Operation operation;
  std::uint64_t seed = 0;
  std::int64_t vectors = 0;
  std::int64_t passes = 0;
  std::int64_t cycles = 0;
  Coverage coverage;
  UnitTiming timing;
  std::string machine;
  std::string replay_machine;  ///< "-m MACHINE ..." for `tcsim mma`, if the arithmetic is not that
                               ///< of the generation; else empty.
  double macs_per_cycle = 0;
  int machine_macs_per_cycle = 0;
  std::optional<DivergentVector> divergence;
  std::string file;  ///< Replayed file, or empty.
  std::int64_t measured = 0;
  std::vector<MeasuredMismatch> measured_mismatches;

  bool rate_holds() const { return macs_per_cycle == machine_macs_per_cycle; }
  bool holds() const { return !divergence && measured_mismatches.empty() && rate_holds(); }
};

/// A few lines of text for readers.
std::string to_text(const UnitReport& report);
/// All reports as one JSON object.
std::string to_json(const std::vector<UnitReport>& reports);

}  // namespace tcsim::rtl
