#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "models/isa/timing.hpp"
#include "models/sm/tensor_unit.hpp"
#include "sim/rtl/loop_result.hpp"
#include "sim/rtl/mma_record.hpp"

namespace tcsim::rtl {

/// An MMA as a sub-core issued it.
struct IssuedMma {
  Cycle at = 0;
  isa::Bindings bindings{};
  isa::Opcode opcode{};

  friend bool operator==(const IssuedMma&, const IssuedMma&) = default;
};

/// Replaces the tensor cores of a simulated machine by the unit in RTL. Each MMA of each warp goes,
/// with the operands that it has in that warp, into the unit of its sub-core in the cycle in which
/// the SM issues it; only the unit decides when it accepts the next one. Every D is compared with
/// models/numerics, every latency with that of a single MMA. If units let MMAs wait for each
/// other's passes, the loop checks that no warp uses a D as C before it is available.
///
///   TensorCoreLoop loop(record, timing, stream.size());
///   simulate(machine, {.tensor_unit = loop.of_machine_file()});
///   simulate(machine, {.tensor_unit = loop.in_rtl()});
///   loop.result();
class TensorCoreLoop {
 public:
  using TensorUnits = std::function<sm::TensorUnit&(int sm, int sub_core)>;

  /// `record` holds the MMAs of a stream of `launches` launches, which may run more than once. It
  /// and `timing`, the table of the machine, outlive this object.
  TensorCoreLoop(const MmaRecord& record, const isa::TimingTable& timing, int launches);
  ~TensorCoreLoop();

  /// From here on a latency must equal that of the machine, not only stay within it.
  void require_latencies() { require_latencies_ = true; }

  /// Units that keep the intervals of the machine file and only record what is issued.
  TensorUnits of_machine_file();
  /// Units in RTL.
  TensorUnits in_rtl();

  /// What the units found; the caller fills in cycles and counters of the runs. Requires that both
  /// runs have ended.
  LoopResult result();

 private:
  class MachineFileUnit;
  class RtlUnit;
  struct Findings;
  using SubCore = std::pair<int, int>;  ///< SM, sub-core

  std::string first_other_issue() const;

  const MmaRecord& record_;
  const isa::TimingTable& timing_;
  const int launches_;
  bool require_latencies_ = false;
  std::unique_ptr<Findings> findings_;
  std::map<SubCore, std::unique_ptr<MachineFileUnit>> machine_file_units_;
  std::map<SubCore, std::unique_ptr<RtlUnit>> rtl_units_;
};

}  // namespace tcsim::rtl
