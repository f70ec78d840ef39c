#pragma once

#include <memory>
#include <string>

#include "sim/rtl/unit_report.hpp"

namespace tcsim::rtl {

struct VerifyOptions {
  std::int64_t vectors = 100'000;  ///< For each operation, rounded up to whole passes.
  std::uint64_t seed = 1;
  std::string vcd;      ///< Waveform file, or empty.
  std::string machine;  ///< Words of UnitReport::replay_machine, or empty.
};

/// The unit of `info`. Only one at a time, see MatrixUnit.
std::unique_ptr<MatrixUnit> make_unit(const UnitInfo& info);

/// Random and directed operands with random stalls at both ends. `machine_macs`: multiply-adds per
/// cycle that the unit must reach.
UnitReport verify_random(MatrixUnit& unit, const Operation& operation, int machine_macs,
                         const VerifyOptions& options);
/// The same with a new unit of kind `unit` and the rate of its machine.
UnitReport verify_random(const UnitInfo& unit, const Operation& operation,
                         const VerifyOptions& options);

/// Sends the rows of a vector file (sim/mma/vector_table.hpp) through the unit: rows on the
/// diagonal of D, longer rows as a chain of passes. Throws UsageError for a file that does not fit,
/// IoError for one that cannot be read.
UnitReport verify_file(const UnitInfo& unit, const Operation& operation, const std::string& file,
                       const VerifyOptions& options);

}  // namespace tcsim::rtl
