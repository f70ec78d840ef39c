#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/machine_card.hpp"
#include "sim/report/network_setting.hpp"
#include "sim/report/sensitivity.hpp"

namespace tcsim::report {

/// One operation of a network on the machine.
struct NetworkStep {
  std::string layer;
  std::string part;               ///< "forward", "dgrad", ...
  std::string title;              ///< "gemm 4096x512x64 fp16->fp32 NT"
  bool is_reused = false;         ///< the result of an earlier step with the same kernels and L2
  bool is_estimated = false;      ///< estimated from steps with the same kernels and a similar L2
  nlohmann::ordered_json result;  ///< as run_json prints it
};

/// What a network imports without simulating it.
struct SkippedOperator {
  std::string name;
  std::string operation;
  std::optional<double> mac_share;  ///< of the network's multiply-adds, if known
};

/// A run of a whole network.
struct NetworkRun : NetworkSetting {
  std::string source;
  bool is_language_model = false;      ///< it ends in a score for every word of a vocabulary
  std::string clock_policy = "boost";  ///< as RunRequest has it
  double sampling_error = 0;           ///< relative, asked of a sampled run
  double limit_w = 0;                  ///< of the board
  double tensor_mhz = 0;               ///< energy.tensor_mhz of the machine
  std::int64_t parameters = 0;
  std::int64_t macs_per_sample = 0;  ///< forward
  std::vector<NetworkStep> steps;
  std::vector<SkippedOperator> skipped;
  std::optional<MachineCard> card;
  std::optional<Sensitivity> sensitivity{};  ///< where it was asked for
  std::string effective_machine;             ///< every key and value, a line each
  std::string machine_hash{};                ///< as RunRecord has it
  double wall_s = 0;
  bool is_complete = true;
  std::string stopped_by = "finished";
};

/// Of all steps together.
double time_us(const NetworkRun& run);
/// One screen: total, rates, use of the tensor cores, the layers that take longest.
std::string network_text(const NetworkRun& run);
std::string network_markdown(const NetworkRun& run);
/// Everything the text shows, and every step with its result.
nlohmann::ordered_json network_json(const NetworkRun& run);
/// network_json without the single steps: a run_json of the whole network, for tables of runs.
nlohmann::ordered_json network_summary(nlohmann::ordered_json network);
/// Tidy: a record per metric of the network and per figure of a step, as stats.csv of single runs.
std::string network_stats_csv(const std::string& name, const NetworkRun& run);
/// A record per step with a header, units in the column names.
std::string layers_csv(const NetworkRun& run);
/// The same behind the machine, what was changed of it, and how many of it there are.
std::string network_csv(const NetworkRun& run);
/// A record per kernel.
std::string network_kernels_csv(const NetworkRun& run);

}  // namespace tcsim::report
