#pragma once

#include <string>
#include <vector>

#include "sim/report/result_files.hpp"
#include "sim/timeline/record.hpp"

namespace tcsim::cli {

/// The window packed for a viewer; warns on standard error before making a text of more than
/// 200 MB, which viewers hardly open.
std::string packed_kanata(const timeline::Timeline& recorded);
std::string packed_perfetto(const timeline::Timeline& recorded);

inline constexpr const char* kKanataFile = "timeline.kanata.zst";
inline constexpr const char* kPerfettoFile = "timeline.perfetto.json.gz";

/// Writes both and returns their names. Throws IoError.
std::vector<std::string> write_timeline_files(report::ResultFiles& files,
                                              const timeline::Timeline& recorded);

}  // namespace tcsim::cli
