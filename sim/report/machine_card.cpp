#include "sim/report/machine_card.hpp"

#include <algorithm>
#include <utility>

#include "sim/config/schema.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

bool is_assumption(const config::Setting& setting) {
  return !setting.descriptive &&
         (setting.set > 0 || setting.source.find("assumption") != std::string::npos);
}

/// False for a key of an MMA that the run does not execute.
bool touches(const config::Setting& setting, const std::vector<std::string>& instructions) {
  const std::string prefix = std::string(config::kInstructionsPath) + ".";
  if (!setting.key.starts_with(prefix)) return true;
  const std::string mnemonic =
      setting.key.substr(prefix.size(), setting.key.rfind('.') - prefix.size());
  return std::find(instructions.begin(), instructions.end(), mnemonic) != instructions.end();
}

}  // namespace

MachineCard machine_card(const config::MachineFile& file,
                         const std::vector<std::string>& instructions) {
  config::Machine machine = file.machine;
  const int boost_mhz = std::exchange(machine.clocks.tensor_boost_mhz, 0);
  MachineCard card{.name = machine.name,
                   .description = machine.description,
                   .chip = machine.chip,
                   .architecture = machine.architecture,
                   .peak = config::peak(machine),
                   .published_tensor_mhz = boost_mhz < machine.clocks.sm_mhz ? boost_mhz : 0,
                   .assumptions = {}};
  for (const config::Setting& setting : file.settings) {
    if (is_assumption(setting) && touches(setting, instructions))
      card.assumptions.push_back(setting);
  }
  return card;
}

Json card_json(const MachineCard& card) {
  Json json{{"name", card.name},
            {"description", card.description},
            {"chip", card.chip},
            {"architecture", card.architecture},
            {"clock_mhz", card.peak.clock_mhz},
            {"published_tensor_mhz", card.published_tensor_mhz},
            {"rates", Json::array()},
            {"bandwidths", Json::array()}};
  for (const config::PeakRate& rate : card.peak.rates) {
    if (!rate.tera_ops_per_s) continue;
    json["rates"].push_back({{"unit", rate.unit},
                             {"dtype", rate.dtype},
                             {"acc", rate.accumulate},
                             {"sparse", rate.sparse},
                             {"tera_ops_per_s", *rate.tera_ops_per_s},
                             {"formula", rate.formula}});
  }
  for (const config::PeakBandwidth& bandwidth : card.peak.bandwidths) {
    json["bandwidths"].push_back({{"level", bandwidth.level},
                                  {"gb_per_s", bandwidth.gb_per_s},
                                  {"formula", bandwidth.formula}});
  }
  return json;
}

Json assumptions_json(const MachineCard& card) {
  Json json = Json::array();
  for (const config::Setting& setting : card.assumptions) {
    json.push_back({{"key", setting.key},
                    {"value", setting.value},
                    {"unit", setting.unit},
                    {"source", setting.set > 0 ? std::string("--set") : setting.source}});
  }
  return json;
}

}  // namespace tcsim::report
