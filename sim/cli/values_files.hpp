#pragma once

#include <string>
#include <vector>

#include "sim/report/result_files.hpp"
#include "sim/report/values_record.hpp"
#include "sim/run/prepare/prepare.hpp"

namespace tcsim::cli {

/// Writes every result under its name in lower case: a product as `d.npy`; BF16 with the note
/// `d.npy.json` beside it. Returns the names written. `run`: what `record` was computed from.
std::vector<std::string> write_values(report::ResultFiles& files,
                                      const report::ValuesRecord& record,
                                      const run::PreparedRun& run);

}  // namespace tcsim::cli
