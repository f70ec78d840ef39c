#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/run_record.hpp"

namespace tcsim::report {

inline constexpr int kSchemaVersion = 1;

/// What `tcsim run -f json` prints: one object. A rate that does not apply is null.
/// `cycles_by_reason` counts cycles of all sub-cores and adds up to cycles x sub-cores.
nlohmann::ordered_json run_json(const RunRecord& record);

/// The file stats.json: the counter tree and the derived metrics. Only its `simulation` block
/// depends on the host.
nlohmann::ordered_json stats_json(const RunRecord& record);

/// The tile of the first kernel that has one in `result`, run_json or stats_json of a run; empty if
/// none has.
std::string tile_of(const nlohmann::ordered_json& result);

/// "sampled" if `result`, run_json of a run, has a sampled kernel, else "cycle". Of a network or a
/// collective operation, whose results say their fidelity themselves, that word: also "model".
std::string_view fidelity_of(const nlohmann::ordered_json& result);

/// Metrics, counters and facts of stats.json as rows under stats::kStatsCsvHeader, for the file
/// stats.csv; facts have the scope "run".
std::string stats_csv(const std::string& run, const RunRecord& record);

/// The file kernels.csv: one row per kernel, units in the column names.
std::string kernels_csv(const std::string& run, const RunRecord& record);
inline constexpr std::string_view kKernelsCsvHeader =
    "run,kernel,tile,start_cycle,end_cycle,cycles,time_us,ctas,ctas_per_sm,occupancy_limit,waves,"
    "last_wave_fill,warp_instructions,mma_instructions,fidelity\n";

}  // namespace tcsim::report
