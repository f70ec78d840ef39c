#include "sim/report/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/layout.hpp"
#include "sim/report/or_null.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSm = "sm_clock";
constexpr const char* kRestId = "sm_rest";
constexpr const char* kRestLabel = "issue, latencies and the rest of an SM";

bool is_domain(const ResourceAnswer& answer) { return answer.id == answer.domain; }

/// A smaller elasticity cannot be distinguished from rounding to whole cycles.
constexpr double kNoAnswer = 0.005;

std::string elasticity_text(std::optional<double> elasticity) {
  if (!elasticity) return "-";
  return std::abs(*elasticity) < kNoAnswer ? "0.00" : fmt::format("{:.2f}", *elasticity);
}

std::vector<std::string> row_of(const ResourceAnswer& answer) {
  if (!answer.time_us) return {answer.label, "-", "-", "-", answer.reason};
  constexpr int kWidth = 25;
  return {answer.label, fmt::format("{:.3f}", answer.ratio), fmt::format("{:.2f}", *answer.time_us),
          elasticity_text(answer.elasticity), bar(-answer.elasticity.value_or(0), kWidth)};
}

}  // namespace

std::optional<double> Sensitivity::rest_of_an_sm() const {
  std::optional<double> rest;
  for (const ResourceAnswer& answer : answers) {
    if (answer.domain != kSm) continue;
    if (is_domain(answer)) {
      if (!answer.elasticity) return {};
      rest = *answer.elasticity;
    } else if (rest) {
      *rest -= answer.elasticity.value_or(0);  // a part that cannot be faster is in the rest
    }
  }
  return rest;
}

std::optional<double> Sensitivity::sum_of_domains() const {
  double sum = 0;
  for (const ResourceAnswer& answer : answers) {
    if (!is_domain(answer)) continue;
    if (!answer.elasticity) return {};
    sum += *answer.elasticity;
  }
  return sum;
}

Sensitivity::Binding Sensitivity::binding() const {
  Binding most;
  const auto consider = [&](const std::string& id, const std::string& label, double elasticity) {
    if (elasticity < most.elasticity - kNoAnswer) most = {id, label, elasticity};
  };
  for (const ResourceAnswer& answer : answers) {
    const bool is_part = std::ranges::none_of(answers, [&](const ResourceAnswer& other) {
      return other.domain == answer.id && !is_domain(other);
    });
    if (is_part && answer.id != "sms")
      consider(answer.id, answer.label, answer.elasticity.value_or(0));
  }
  consider(kRestId, kRestLabel, rest_of_an_sm().value_or(0));
  return most;
}

std::string sensitivity_sentence(const Sensitivity& sensitivity) {
  const Sensitivity::Binding most = sensitivity.binding();
  if (most.id.empty()) return "Time depends on no single part.";
  return fmt::format("Time depends most on {}: making it 1 % faster saves {:.2f} %.", most.label,
                     -most.elasticity);
}

std::string sensitivity_text(const Sensitivity& sensitivity) {
  std::vector<std::vector<std::string>> rows;
  bool in_domains = true;
  for (const ResourceAnswer& answer : sensitivity.answers) {
    if (in_domains && !is_domain(answer)) {
      in_domains = false;
      rows.push_back({"all of them (-1 if time is linear)", "", "",
                      elasticity_text(sensitivity.sum_of_domains()), ""});
    }
    rows.push_back(row_of(answer));
  }
  if (const auto rest = sensitivity.rest_of_an_sm())
    rows.push_back({kRestLabel, "", "", elasticity_text(rest), "SM clock minus its parts"});
  std::string text = fmt::format("  {}\n", sensitivity_sentence(sensitivity));
  if (sensitivity.half_width > 0)
    text += fmt::format("  Times are sampled, within {:.2f} %.\n", 100 * sensitivity.half_width);
  text += "\n";
  text += indented(aligned_table(
      {{"resource", "x as fast", "time us", "elasticity", "saved by 1 % faster (of 1 %)"}, rows}));
  return text;
}

Json sensitivity_json(const Sensitivity& sensitivity) {
  Json json{{"percent", sensitivity.percent},
            {"time_us", sensitivity.time_us},
            {"half_width", sensitivity.half_width},
            {"sentence", sensitivity_sentence(sensitivity)},
            {"answers_most_to", sensitivity.binding().id},
            {"sum_of_domains", or_null(sensitivity.sum_of_domains())},
            {"rest_of_an_sm", or_null(sensitivity.rest_of_an_sm())},
            {"answers", Json::array()}};
  for (const ResourceAnswer& answer : sensitivity.answers)
    json["answers"].push_back({{"resource", answer.id},
                               {"label", answer.label},
                               {"domain", answer.domain},
                               {"settings", answer.settings},
                               {"ratio", answer.ratio},
                               {"time_us", or_null(answer.time_us)},
                               {"elasticity", or_null(answer.elasticity)},
                               {"reason", answer.reason}});
  return json;
}

}  // namespace tcsim::report
