#include "sim/cli/workload_preparation.hpp"
#include "sim/cli/exit_status.hpp"
namespace tcsim::cli {
PreparedRun prepare_run(const RunOptions&, const std::string&, const config::Machine&) {
  throw NotCovered("interim");
}
bool is_list(const std::string& workload) { return workload.starts_with("csv:"); }
std::vector<ListRow> list_rows(const std::string&) { return {}; }
}  // namespace tcsim::cli
