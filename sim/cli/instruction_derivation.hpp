#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/config/machine.hpp"

namespace tcsim::cli {

/// How issue interval and latency of MMA instruction `mnemonic` follow from the geometry of
/// `machine`: shape over type rate and cores, operand registers over ports, least interval, what
/// the pipeline adds. Null or "" if the machine lacks the instruction.
nlohmann::ordered_json derivation_json(const config::Machine& machine, const std::string& mnemonic);
std::string derivation_text(const config::Machine& machine, const std::string& mnemonic);

/// The same as a calculation, a line each for passes, operands, ports, interval, latency and rate.
std::string calculation_text(const config::Machine& machine, const std::string& mnemonic);

}  // namespace tcsim::cli
