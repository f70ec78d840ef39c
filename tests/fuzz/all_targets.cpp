#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {

std::span<const Target> targets() {
  static const std::vector<Target> all{hex_target,
                                       json_line_target,
                                       vector_table_target,
                                       npy_target,
                                       tct_target,
                                       traceg_target,
                                       kernels_list_target,
                                       machine_target,
                                       numerics_target,
                                       set_words_target,
                                       library_target,
                                       network_target,
                                       scalesim_target,
                                       onnx_target,
                                       network_csv_target,
                                       workload_words_target,
                                       workload_csv_target,
                                       measured_times_target,
                                       sources_target,
                                       accuracies_target,
                                       published_table_target,
                                       lab_target,
                                       answer_sheet_target,
                                       spec_target,
                                       expression_target,
                                       stats_json_target,
                                       manifest_json_target,
                                       run_directory_target,
                                       rows_json_target,
                                       result_table_target,
                                       plan_json_target,
                                       point_json_target,
                                       failure_json_target};
  return all;
}

}  // namespace tcsim::fuzz
