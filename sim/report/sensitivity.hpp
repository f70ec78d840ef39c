#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::report {

/// How time depends on one resource (config::Resource).
struct ResourceAnswer {
  std::string id;
  std::string label;
  std::string domain;                 ///< config::Resource::domain
  std::vector<std::string> settings;  ///< of the machine that was simulated
  double ratio = 1;                   ///< by how much the resource was faster there
  std::optional<double> time_us{};
  /// d ln t / d ln r, taken as ln(time / time before) / ln(ratio): -1 where time falls as the
  /// resource gets faster, 0 where time does not change.
  std::optional<double> elasticity{};
  std::string reason{};  ///< why there is no time; empty otherwise
};

/// How the time of a run depends on each resource, by simulations of machines with one faster.
struct Sensitivity {
  double percent = 0;     ///< that was asked for
  double time_us = 0;     ///< of the run itself
  double half_width = 0;  ///< of the sampled times, relative, 95 %; 0: every cycle was simulated
  std::vector<ResourceAnswer> answers{};

  /// Elasticity of the rest of an SM (issue, latencies of pipes, barriers, code): that of the SM
  /// clock minus those of its parts. Nothing if the SM clock has none.
  [[nodiscard]] std::optional<double> rest_of_an_sm() const;
  /// Sum of the elasticities of all domains: -1 if time is linear; nothing if one is missing.
  [[nodiscard]] std::optional<double> sum_of_domains() const;
  /// The part on which time depends most, with its elasticity; "" and 0 if there is none.
  struct Binding {
    std::string id;
    std::string label;
    double elasticity = 0;
  };
  [[nodiscard]] Binding binding() const;
};

/// "Time depends most on tensor rate: making it 1 % faster saves 0.71 %."
std::string sensitivity_sentence(const Sensitivity& sensitivity);
/// The table of the terminal.
std::string sensitivity_text(const Sensitivity& sensitivity);
/// The object `sensitivity` of JSON output.
nlohmann::ordered_json sensitivity_json(const Sensitivity& sensitivity);

}  // namespace tcsim::report
