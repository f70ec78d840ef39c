#include "sim/report/rtl_section.hpp"

#include <fmt/format.h>

#include "sim/report/layout.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

std::string cycles_text(const rtl::LoopResult& result) {
  const std::string cycles =
      fmt::format("{} in RTL, {} with the machine file", with_thousands(result.rtl_cycles),
                  with_thousands(result.model_cycles));
  return cycles + (result.same_counters ? "; every counter is equal" : "; counters differ");
}

}  // namespace

std::string rtl_text(const rtl::LoopResult& result) {
  std::string text =
      fmt::format("  {:<15}{} in RTL: {} MMAs through the units of {} sub-cores\n", "tensor core",
                  result.unit, with_thousands(result.instructions), result.units);
  text += indented_line("cycles", cycles_text(result));
  text +=
      indented_line("bits", fmt::format("{} of {} MMAs with a D that differs from models/numerics",
                                        with_thousands(result.wrong_values),
                                        with_thousands(result.instructions)));
  for (const rtl::LoopLatency& latency : result.latencies)
    text += indented_line(
        "latency",
        latency.unit_cycles == latency.machine_cycles
            ? fmt::format("{}: {} cycles, as in the machine", latency.mnemonic, latency.unit_cycles)
            : fmt::format(
                  "{}: {} cycles in the unit, {} in the machine file, which includes issue, "
                  "operand read and write-back",
                  latency.mnemonic, latency.unit_cycles, latency.machine_cycles));
  if (result.late > 0)
    text +=
        indented_line("late", fmt::format("{} MMAs waited up to {} cycles for passes of other MMAs",
                                          with_thousands(result.late), result.latest_cycles));
  if (!result.agrees()) text += indented_line("DIFFERS", result.first_difference);
  return text;
}

Json rtl_json(const rtl::LoopResult& result) {
  Json json;
  json["unit"] = result.unit;
  json["sub_cores"] = result.units;
  json["mma_instructions"] = result.instructions;
  json["wrong_values"] = result.wrong_values;
  json["wrong_cycles"] = result.wrong_cycles;
  json["late"] = result.late;
  json["latest_cycles"] = result.latest_cycles;
  json["rtl_cycles"] = result.rtl_cycles;
  json["model_cycles"] = result.model_cycles;
  json["same_counters"] = result.same_counters;
  json["agrees"] = result.agrees();
  json["first_difference"] = result.first_difference;
  Json& latencies = json["latencies"] = Json::array();
  for (const rtl::LoopLatency& latency : result.latencies)
    latencies.push_back({{"opcode", latency.mnemonic},
                         {"mma_instructions", latency.instructions},
                         {"unit_cycles", latency.unit_cycles},
                         {"machine_cycles", latency.machine_cycles}});
  return json;
}

}  // namespace tcsim::report
