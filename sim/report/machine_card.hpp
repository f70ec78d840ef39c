#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"
#include "sim/config/peak.hpp"

namespace tcsim::report {

/// What a report says of the machine.
struct MachineCard {
  std::string name;
  std::string description;
  std::string chip;
  std::string architecture;
  config::Peak peak;             ///< at the SM clock, at which kernels run
  int published_tensor_mhz = 0;  ///< lower clock of published tensor peaks, FP64 excepted; 0: none
  std::vector<config::Setting> assumptions;  ///< values that models read and nobody has published
};

/// `instructions` are the mnemonics that the run executes: assumptions about other MMAs have no
/// effect on it.
MachineCard machine_card(const config::MachineFile& file,
                         const std::vector<std::string>& instructions);

/// The object `machine_card` of stats.json: supported rates and bandwidths with their arithmetic.
nlohmann::ordered_json card_json(const MachineCard& card);

/// The array `assumptions` of stats.json.
nlohmann::ordered_json assumptions_json(const MachineCard& card);

}  // namespace tcsim::report
