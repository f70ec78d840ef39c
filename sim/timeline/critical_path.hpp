#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/opcode.hpp"
#include "sim/timeline/record.hpp"

namespace tcsim::timeline {

/// What the time between two events of a critical path went into.
enum class PathCause : std::uint8_t {
  kLaunch,        ///< from the launch of a kernel to the start of a CTA
  kDispatch,      ///< from the end of a CTA to the start of the next one in its place
  kFetch,         ///< code that has not arrived
  kConstant,      ///< a constant that has not arrived
  kDependence,    ///< the latency of the instruction before that matters
  kIssueSlot,     ///< another warp of the sub-core issued
  kPipe,          ///< an earlier instruction has the pipe
  kRegisterPort,  ///< earlier instructions have the register read ports
  kMemoryQueue,   ///< queue and address unit before the memory pipeline
  kDataPath,      ///< others have the data path of shared memory and L1, or the L1's tags
  kMissEntries,   ///< the L1 has no room for more misses
  kShared,        ///< the latency of shared memory
  kL1,            ///< the latency of the L1 on a hit
  kRequestPort,   ///< from the memory pipeline out of the SM: tags of the L1, its port
  kNetwork,       ///< between SM and L2, either way, with translation
  kL2Queue,       ///< queue before a slice of the L2
  kL2,            ///< the latency of the slice and its port
  kL2Miss,        ///< from DRAM, or the other half of the L2
  kMemorySide,    ///< network, L2 and DRAM of a read that has joined another one's
  kReturn,        ///< from the SM's port into registers or shared memory
  kTileCopy,      ///< a box of a tensor on its way (TMA)
  kBarrier,       ///< from the last arrival at a barrier to where it opens
  kMbarrier,      ///< from what completes a phase to where the warp goes on
  kCluster,       ///< the same at the barrier of a cluster
  kWrites,        ///< answers to stores and atomics
  kDrain,         ///< from the last instruction of a CTA to its end
  kCount,
};
inline constexpr std::size_t kPathCauseCount = static_cast<std::size_t>(PathCause::kCount);

/// "issue slot".
std::string_view cause_name(PathCause cause);

/// Of a PathStep that waits for no instruction.
inline constexpr int kNoPlace = -1;

/// Cycles [from, until) of a critical path: the event at `until` waited for the event at `from`,
/// and the time between them is due to `cause`.
struct PathStep {
  Cycle from = 0;  ///< from the start of the run
  Cycle until = 0;
  PathCause cause = PathCause::kLaunch;
  int sm = 0;
  int warp = kNoPlace;         ///< hardware warp of the instruction waited for
  std::int64_t cta = 0;        ///< its number in the grid, x first
  int program = kNoPlace;      ///< of the kernel
  int instruction = kNoPlace;  ///< its number there; kNoPlace: CTAs and launches
  int loop = kNoPlace;         ///< innermost loop round it, its number in the program
  std::int64_t trip = 0;       ///< of that loop

  [[nodiscard]] Cycle cycles() const { return until - from; }
};

/// The chain of waits that ends with a kernel: its steps lead from the launch to the end without
/// gaps, so their cycles add up to those of the kernel.
struct KernelPath {
  std::string name;
  Cycle start = 0;
  Cycle end = 0;
  std::vector<std::vector<std::string>> texts;    ///< of its instructions, by program
  std::vector<std::vector<isa::Opcode>> opcodes;  ///< the same
  std::vector<PathStep> steps;                    ///< in order of time
  bool complete = true;  ///< false: the path could not be followed to the launch

  /// "HMMA.16816.F32 R16, R8, R12, R16", or "" where the step waits for no instruction.
  [[nodiscard]] std::string text_of(const PathStep& step) const;
  /// "tensor core", "FMA", "L2 and DRAM", "CTA scheduler", ...
  [[nodiscard]] std::string unit_of(const PathStep& step) const;
};

/// The steps of `paths` that touch the window, for its timeline.
std::vector<Timeline::Mark> marks_in(const Window& window, const std::vector<KernelPath>& paths);

/// Cycles of a path by something.
struct PathShare {
  std::string name;
  Cycle cycles = 0;
  std::int64_t steps = 0;
};

/// The most first; of equal ones the one that comes first on the path.
std::vector<PathShare> shares_by_cause(const KernelPath& path);
std::vector<PathShare> shares_by_unit(const KernelPath& path);
/// By "program.instruction  text".
std::vector<PathShare> shares_by_instruction(const KernelPath& path);

/// Cycles of a path by cause in intervals of its time.
struct PathOverTime {
  std::vector<Cycle> edges;  ///< ends of the intervals since the kernel's launch
  std::vector<std::array<Cycle, kPathCauseCount>> cycles;
};

/// In at most `intervals` of them, of equal length but for the last. Requires intervals > 0.
PathOverTime over_time(const KernelPath& path, int intervals);

/// The steps of one iteration, in steady state, of the loop on which the path spends most: the
/// middle one of the longest run of iterations without a gap.
struct PathIteration {
  int program = kNoPlace;
  int loop = kNoPlace;
  std::int64_t trip = 0;
  std::int64_t trips = 0;  ///< in the run of iterations
  Cycle cycles_of_run = 0;
  std::size_t first = 0;  ///< steps [first, end) of the path
  std::size_t end = 0;
};

/// Nothing (trips 0) where the path has no three iterations of any loop.
PathIteration steady_iteration(const KernelPath& path);

}  // namespace tcsim::timeline
