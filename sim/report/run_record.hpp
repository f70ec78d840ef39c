#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/energy/event_energies.hpp"
#include "models/isa/cycle.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/report/cycle_breakdown.hpp"
#include "sim/report/machine_card.hpp"
#include "sim/report/remedies.hpp"
#include "sim/report/sensitivity.hpp"
#include "sim/report/tile_search.hpp"
#include "sim/report/traffic.hpp"
#include "sim/report/values_record.hpp"
#include "sim/report/verdict.hpp"
#include "sim/report/waves.hpp"
#include "sim/rtl/loop_result.hpp"
#include "sim/stats/metrics.hpp"
#include "sim/stats/scope.hpp"
#include "sim/timeline/critical_path.hpp"
#include "sim/timeline/source_profile.hpp"

namespace tcsim::report {

/// What the energy of a run is made of.
struct PowerInputs {
  energy::EventEnergies energies;
  double constant_w = 0;
  double limit_w = 0;                  ///< of the board
  double tensor_mhz = 0;               ///< EnergyParams::tensor_mhz
  int boost_mhz = 0;                   ///< SM clock to whose voltage the energies refer
  std::string data = "random";         ///< random, constant
  std::string clock_policy = "boost";  ///< boost, load, power
};

/// The rate that the MMA instructions of a run can sustain.
struct AttainableRate {
  double tflops = 0;      ///< at the SM clock; zeros of a sparse A count, as in the peak
  std::string held_by{};  ///< what keeps it from the peak, with both values; empty: nothing
};

/// What was run and on what: everything of a report that is known before the simulation starts.
struct RunInputs {
  std::string machine;                   ///< preset name or file
  std::vector<std::string> overrides{};  ///< key=value, what --set changed of the machine
  std::string workload;                  ///< words that run the same workload again
  std::string workload_content{};        ///< a hash of the kernels in the file that they name
  std::string title;                     ///< "gemm 4096x4096x4096 fp16->fp32"
  std::string unit;                      ///< tensor, cuda-core
  /// Before the run: cold, warm from an earlier run of the same, overwritten by a program before.
  std::string l2_state = "cold";
  std::vector<std::string>
      kernel_tiles;               ///< one per launch; empty text for a kernel without a tile
  std::string effective_machine;  ///< complete YAML text after overrides
  int clock_mhz = 0;              ///< SM clock
  int sms = 0;
  std::optional<double> flop;  ///< useful operations; nothing for a trace
  bool sparse = false;         ///< flop and peak count the dense product, of which half is executed
  std::optional<double>
      peak_tflops;  ///< of unit and type; nothing where the workload names no type
  std::optional<AttainableRate> attainable;  ///< on tensor cores, where the peak is known
  std::string dtype;  ///< of that peak, "fp16"; empty where the workload names none
  double dram_peak_gb_per_s = 0.0;
  double dram_read_peak_gb_per_s = 0.0;   ///< of reads, on their way to the L2
  double l2_peak_bytes_per_cycle = 0.0;   ///< all slices, each way, per SM cycle
  double wavefront_bytes = 0.0;           ///< all banks of an SM's shared memory
  double shared_bytes_per_cycle = 0.0;    ///< shared memory and L1 of one SM
  std::optional<MinimumTraffic> minimum;  ///< nothing where the buffers are not known
  std::vector<KernelNeeds> needs;         ///< one per launch
  std::optional<MachineCard> card;        ///< peaks and assumptions of the machine
  std::vector<Remedy> remedies;           ///< what a verdict may advise
  std::vector<std::string> notes{};       ///< what the user should know; usually none
  double sampling_error = 0;              ///< relative, asked of a sampled run
  std::optional<PowerInputs> power;       ///< nothing where the type of the operands is not known

  /// That of the first kernel that has one; empty if none has.
  [[nodiscard]] std::string tile() const;
};

/// A run with the options of a verdict after its command.
struct TriedAdvice {
  std::optional<double> time_us{};
  double times_as_fast = 0;  ///< as the run; 0 without a time
  std::string reason{};      ///< why there is no time; empty otherwise
};

/// Share of the operations of the dense product that a 2:4 sparse one executes.
inline constexpr double kSparseShare = 0.5;

/// What the run cost on this host. Nothing else in a record depends on the host.
struct SimulationCost {
  double wall_s = 0.0;
  std::int64_t peak_rss_bytes = 0;
  Cycle quantum_cycles = 0;
};

struct RunRecord {
  RunInputs inputs;
  gpu::Outcome outcome;
  SimulationCost cost;
  std::string configuration_hash;
  stats::Scope counters;
  std::vector<stats::Metric> metrics;
  std::vector<CycleShare> breakdown;
  std::vector<Waves> waves;  ///< one per kernel
  Verdict verdict;
  std::optional<ValuesRecord> values{};                ///< where the run computed them
  std::optional<rtl::LoopResult> tensor_core{};        ///< where it was in RTL
  std::optional<Sensitivity> sensitivity{};            ///< where it was asked for
  std::optional<TriedAdvice> tried{};                  ///< the same, where the verdict has advice
  std::vector<timeline::SourceKernel> source{};        ///< counts by instruction, where asked for
  std::vector<timeline::KernelPath> critical_paths{};  ///< by kernel, where asked for
  std::optional<TileSearch> tiles{};                   ///< the same, with tiles
  std::string validated{};     ///< error against measured times of its class; empty: not looked up
  std::string machine_hash{};  ///< hash_text of the machine that was asked for; empty: not told
  std::string stopped_by{};    ///< stop_text, or "time limit" where the caller knows better

  [[nodiscard]] bool complete() const { return outcome.stop == gpu::StopReason::kFinished; }
  /// The metric called `name`, or nothing where it does not apply. Throws InternalError for an
  /// unknown name.
  [[nodiscard]] std::optional<double> metric(std::string_view name) const;
  /// The share of their peak at which the tensor cores work; of a workload that names no type, of
  /// the peak of its instructions.
  [[nodiscard]] double tensor_share() const;
  /// `metrics`, with half-widths where a sampled run estimated what they follow from.
  [[nodiscard]] std::vector<stats::Metric> metrics_with_half_widths() const;
};

/// The record of one run. Throws InternalError if the counters contradict each other or one is
/// missing.
RunRecord make_record(const RunInputs& inputs, const gpu::Outcome& outcome,
                      const stats::Group& counters, const SimulationCost& cost);

/// "finished", "interrupted", "cycle limit", "deadlock".
std::string_view stop_text(gpu::StopReason reason);

/// Where the numbers come from, stated in files next to each value: "cycle", only the
/// cycle-by-cycle model, or "sampled", with parts of the run left out.
inline std::string_view fidelity(const gpu::Outcome& outcome) {
  return outcome.sampling.gaps > 0 ? "sampled" : "cycle";
}

}  // namespace tcsim::report
