#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::report {

/// What time answers to one resource (config::Resource).
struct ResourceAnswer {
  std::string id;
  std::string label;
  std::string domain;                 ///< config::Resource::domain
  std::vector<std::string> settings;  ///< of the machine that was simulated
  double ratio = 1;                   ///< by how much the resource was faster there
  std::optional<double> time_us{};
  /// d ln t / d ln r, taken as ln(time / time before) / ln(ratio): -1 where time falls as the
  /// resource gets faster, 0 where it does not answer.
  std::optional<double> elasticity{};
  std::string reason{};  ///< why there is no time; empty otherwise
};

/// How the time of a run answers to each resource, by simulations of machines with one faster.
struct Sensitivity {
  double percent = 0;     ///< that was asked for
  double time_us = 0;     ///< of the run itself
  double half_width = 0;  ///< of the sampled times, relative, 95 %; 0: every cycle was simulated
  std::vector<ResourceAnswer> answers{};

  /// The time before of what is left of an SM, by difference: issue, latencies of pipes, barriers,
  /// code. Nothing if the clock of the SMs or a part that was tried has no answer.
  [[nodiscard]] std::optional<double> rest_of_an_sm() const;
  /// Of the elasticities of all domains, which is -1 but for what is not linear; nothing if one is
  /// missing.
  [[nodiscard]] std::optional<double> sum_of_domains() const;
  /// The part to which time answers most, with its elasticity; "" and 0 if none answers.
  struct Binding {
    std::string id;
    std::string label;
    double elasticity = 0;
  };
  [[nodiscard]] Binding binding() const;
};

/// "Time answers most to the tensor rate: 1 % more of it takes 0.71 % off."
std::string sensitivity_sentence(const Sensitivity& sensitivity);
/// The table of the terminal.
std::string sensitivity_text(const Sensitivity& sensitivity);
/// The object `sensitivity` of JSON output.
nlohmann::ordered_json sensitivity_json(const Sensitivity& sensitivity);

}  // namespace tcsim::report
