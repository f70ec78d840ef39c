#include "sim/stats/writers.hpp"
#include "sim/text/outgoing.hpp"

#include <fmt/format.h>

namespace tcsim::stats {
namespace {

void append_counters(const std::string& run, const std::string& path, const Scope& scope,
                     const std::string& fidelity, std::string& text) {
  for (const CounterSummary& counter : scope.counters) {
    text += fmt::format("{},{},{},{},{},{}\n", text::csv_field(run), path, counter.name,
                        counter.unit, counter.sum, fidelity);
  }
  for (const Scope& child : scope.children) {
    append_counters(run, path + "." + child.name, child, fidelity, text);
  }
}

}  // namespace

nlohmann::ordered_json to_json(const Scope& scope) {
  nlohmann::ordered_json json;
  json["instances"] = scope.instances;
  auto& counters = json["counters"] = nlohmann::ordered_json::object();
  for (const CounterSummary& counter : scope.counters) {
    auto& entry = counters[counter.name];
    entry["value"] = counter.sum;
    if (counter.half_width > 0) entry["half_width"] = counter.half_width;
    if (scope.instances > 1) {
      entry["min"] = counter.min;
      entry["max"] = counter.max;
    }
    entry["unit"] = counter.unit;
    entry["sentence"] = counter.sentence;
  }
  auto& children = json["children"] = nlohmann::ordered_json::object();
  for (const Scope& child : scope.children) children[child.name] = to_json(child);
  return json;
}

nlohmann::ordered_json to_json(const std::vector<Metric>& metrics) {
  auto json = nlohmann::ordered_json::object();
  for (const Metric& metric : metrics) {
    auto& entry = json[std::string(metric.definition.name)];
    entry["value"] =
        metric.value ? nlohmann::ordered_json(*metric.value) : nlohmann::ordered_json();
    if (metric.half_width > 0) entry["half_width"] = metric.half_width;
    entry["unit"] = metric.definition.unit;
    entry["formula"] = metric.definition.formula;
    entry["sentence"] = metric.definition.sentence;
  }
  return json;
}

std::string to_csv(const std::string& run, const Scope& root, const std::vector<Metric>& metrics,
                   const std::string& fidelity) {
  std::string text;
  for (const Metric& metric : metrics) {
    text +=
        fmt::format("{},run,{},{},{},{}\n", text::csv_field(run), metric.definition.name,
                    metric.definition.unit, metric.value ? shortest(*metric.value) : "", fidelity);
  }
  append_counters(run, root.name, root, fidelity, text);
  return text;
}

std::string shortest(double value) { return fmt::format("{}", value); }

}  // namespace tcsim::stats
