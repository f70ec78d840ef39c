#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/rtl/coverage.hpp"
#include "sim/rtl/matrix_unit.hpp"
#include "sim/rtl/random.hpp"
#include "sim/rtl/stage_probe.hpp"

namespace tcsim::rtl {

/// The operands of the element at which RTL and model diverged, in the form of a row of a vector
/// file.
struct DivergentVector {
  Divergence divergence;
  Operation operation;
  std::vector<std::uint64_t> a;
  std::vector<std::uint64_t> b;
  std::uint64_t c = 0;
  std::uint64_t model_d = 0;
  std::int64_t vector = 0;  ///< Number of vectors compared before it.
  std::string source;       ///< Of the pass: scenario, or file and line.
};

/// Random stalls at both ends: in each cycle the producer offers nothing and the consumer takes
/// nothing with these probabilities, in sixteenths.
struct Stalls {
  int producer = 0;
  int consumer = 0;
};

/// Sends passes through a unit and compares every stage of every element with models/numerics; the
/// first divergence ends it. A vector is one element of D with its row of A, column of B and c.
/// Passes of several operations of the unit may be in flight together; vectors and coverage count
/// only the operation that is verified.
class Verification {
 public:
  Verification(MatrixUnit& unit, const Operation& operation, std::uint64_t seed);

  /// Offers `pass`, of any operation of the unit, and clocks until the unit has accepted it. Does
  /// nothing after a divergence.
  void push(const Pass& pass, const Stalls& stalls, const std::string& source);
  /// Clocks until everything in flight has come out.
  void drain();

  std::int64_t vectors() const { return vectors_; }
  std::int64_t passes() const { return passes_; }
  std::int64_t cycles() const { return cycles_; }
  /// D of the last pass that came out, as the RTL gave it. Requires one.
  const std::vector<std::uint32_t>& last_result() const { return last_result_; }
  const Coverage& coverage() const { return verified().coverage; }
  const std::optional<DivergentVector>& divergence() const { return divergence_; }

 private:
  /// What the passes of one operation are compared with.
  struct Checker {
    Operation operation;
    numerics::Arithmetic arithmetic;
    StageProbe probe;
    Coverage coverage;
  };
  struct InFlight {
    Pass pass;
    const StageProbe* probe;
    std::vector<ElementModel> models;
    std::string source;
  };

  Checker& checker_of(const Operation& operation);
  Checker& verified() { return checkers_[verified_]; }
  const Checker& verified() const { return checkers_[verified_]; }
  InFlight model_of(const Pass& pass, const std::string& source);
  static void trace_blocks(Checker& checker, std::span<const std::uint64_t> row,
                           std::span<const std::uint64_t> column, std::uint64_t c,
                           ElementModel& model);
  void cycle(bool offered, const Stalls& stalls);
  void observe_handshake(bool offered);
  void compare_cuts();
  void compare_cut(int cut);
  void take_result();
  void report(const Divergence& divergence, const InFlight* in_flight);
  const InFlight& in_flight(std::int64_t number) const {
    return in_flight_[static_cast<std::size_t>(number - taken_out_)];
  }

  MatrixUnit& unit_;
  std::vector<Checker> checkers_;  ///< One for each operation of the unit.
  std::size_t verified_ = 0;       ///< The one whose operation is verified.
  Random random_;
  UnitInputs inputs_;
  std::deque<InFlight> in_flight_;  ///< Passes taken_out_ .. passes_ - 1.
  std::vector<std::uint32_t> last_result_;
  std::vector<std::int64_t> arrived_;  ///< Passes that have reached each cut.
  std::int64_t taken_out_ = 0;
  std::int64_t passes_ = 0;   ///< Accepted by the unit.
  std::int64_t vectors_ = 0;  ///< Compared to the end.
  std::int64_t cycles_ = 0;
  std::optional<DivergentVector> divergence_;
};

}  // namespace tcsim::rtl
