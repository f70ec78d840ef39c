#include "sim/report/peak_json.hpp"

#include <nlohmann/json.hpp>

#include "sim/files/json_text.hpp"
#include "sim/report/or_null.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;
using config::Peak;
using config::PeakBandwidth;
using config::PeakRate;

Json rate_json(const PeakRate& rate) {
  return {
      {"unit", rate.unit},
      {"dtype", rate.dtype},
      {"acc", rate.accumulate},
      {"sparse", rate.sparse},
      {"tera_ops_per_s", or_null(rate.tera_ops_per_s)},
      {"supported", rate.tera_ops_per_s.has_value()},
      {"measure", rate.measure()},
      {"macs_per_cycle_per_sm", rate.tera_ops_per_s ? Json(rate.macs_per_cycle_per_sm) : Json()},
      {"clock_mhz", rate.clock_mhz},
      {"formula", rate.formula}};
}

}  // namespace

std::string peak_json(const Peak& peak) {
  Json json{{"machine", peak.machine}, {"clock_mhz", peak.clock_mhz}, {"rates", Json::array()}};
  for (const PeakRate& rate : peak.rates) json["rates"].push_back(rate_json(rate));
  for (const PeakBandwidth& bandwidth : peak.bandwidths) {
    json[bandwidth.level + "_gb_per_s"] = bandwidth.gb_per_s;
    json[bandwidth.level + "_bytes_per_cycle"] = bandwidth.bytes_per_cycle;
    json[bandwidth.level + "_clock_mhz"] = bandwidth.clock_mhz;
    json[bandwidth.level + "_formula"] = bandwidth.formula;
  }
  json["ridge_points"] = Json::array();
  for (const PeakRate& rate : peak.rates)
    if (rate.tera_ops_per_s)
      json["ridge_points"].push_back({{"unit", rate.unit},
                                      {"dtype", rate.dtype},
                                      {"acc", rate.accumulate},
                                      {"sparse", rate.sparse},
                                      {"ops_per_dram_byte", rate.ops_per_dram_byte},
                                      {"ops_per_l2_byte", rate.ops_per_l2_byte}});
  return files::json_text(json, 2) + "\n";
}

}  // namespace tcsim::report
