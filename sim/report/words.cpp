#include "sim/report/words.hpp"

#include "sim/config/peak.hpp"

namespace tcsim::report {

std::string stop_words(std::string_view stopped_by) {
  return stopped_by == "interrupted" ? std::string(stopped_by)
                                     : "stopped by " + std::string(stopped_by);
}

void RateUnit::add_run(const nlohmann::ordered_json& result) {
  if (!result.is_object() || !result.contains("tflops") || !result["tflops"].is_number()) return;
  const auto dtype = result.find("dtype");
  add(dtype != result.end() && dtype->is_string() ? dtype->get<std::string>() : std::string());
}

void RateUnit::add(std::string_view dtype) {
  whole_ = whole_ || config::counts_whole_numbers(dtype);
}

std::string RateUnit::text() const { return whole_ ? "TOPS" : "TFLOPS"; }

std::string rate_unit(std::string_view dtype) {
  RateUnit unit;
  unit.add(dtype);
  return unit.text();
}

}  // namespace tcsim::report
