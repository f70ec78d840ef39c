#include "sim/report/energy_section.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/report/or_null.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

struct Part {
  const char* metric;
  const char* label;
};
constexpr std::array<Part, 6> kParts{{{"tensor_energy_j", "tensor"},
                                      {"vector_energy_j", "vector"},
                                      {"l1_energy_j", "shared/L1"},
                                      {"l2_energy_j", "L2"},
                                      {"dram_energy_j", "DRAM"},
                                      {"constant_energy_j", "constant"}}};

std::string readable_energy(double joules) {
  constexpr double kMilli = 1e-3;
  return joules < 1 ? fmt::format("{:.3f} mJ", joules / kMilli) : fmt::format("{:.3f} J", joules);
}

}  // namespace

std::string readable_power(double watts) {
  constexpr double kTwoDigits = 10;
  return fmt::format("{:.{}f} W", watts, watts < kTwoDigits ? 1 : 0);
}

std::string energy_text(const RunRecord& record) {
  const auto energy_j = record.metric("energy_j");
  const auto power_w = record.metric("power_w");
  if (!energy_j || !power_w || *energy_j <= 0) return "";
  std::string text =
      fmt::format("{}, {} of {}", readable_energy(*energy_j), readable_power(*power_w),
                  readable_power(record.inputs.power->limit_w));
  if (const auto per_flop = record.metric("energy_pj_per_flop"))
    text += fmt::format(", {:.2f} pJ/FLOP", *per_flop);
  std::string separator = ": ";
  for (const Part& part : kParts) {
    const double share = record.metric(part.metric).value_or(0.0) / *energy_j;
    if (share < 0.0005) continue;
    text += fmt::format("{}{} {:.0f} %", separator, part.label, 100 * share);
    separator = ", ";
  }
  return text;
}

std::string slower_text(const BoardLoad& load) {
  if (!load.is_above_power() && !load.is_above_tensor_clock()) return "";
  return fmt::format("a real board would lower its clock: add --clock {} to model that",
                     load.is_above_power() ? "power" : "load");
}

std::string clock_text(const RunRecord& record) {
  const auto& power = record.inputs.power;
  if (!power || power->clock_policy != "boost") return "";
  const double share = record.tensor_share();
  const BoardLoad load{record.metric("power_w").value_or(0.0), power->limit_w,
                       share * record.inputs.clock_mhz, power->tensor_mhz};
  std::string text = slower_text(load);
  if (load.is_above_tensor_clock())
    text += fmt::format(
        "; with its tensor cores at {:.0f} % of their peak, it runs at about {:.0f} MHz",
        100 * share, power->tensor_mhz / share);
  return text;
}

nlohmann::ordered_json energy_json(const RunRecord& record) {
  if (!record.inputs.power || !record.metric("energy_j")) return {};
  Json json;
  json["data"] = record.inputs.power->data;
  json["clock_policy"] = record.inputs.power->clock_policy;
  json["limit_w"] = record.inputs.power->limit_w;
  for (const char* name : {"power_w", "energy_j", "energy_pj_per_flop", "energy_delay_js"}) {
    const auto value = record.metric(name);
    json[name] = or_null(value);
  }
  for (const Part& part : kParts) json[part.metric] = record.metric(part.metric).value_or(0.0);
  return json;
}

}  // namespace tcsim::report
