#include "sim/cli/area_view.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/area/area.hpp"
#include "sim/area/core_cells.hpp"
#include "sim/config/load.hpp"
#include "sim/files/json_text.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Unit {
  std::string name;
  double number;
  double each_mm2;
};

std::vector<Unit> units_of(const config::Machine& machine, const area::UnitAreas& areas) {
  const double sms = machine.gpu.sms;
  const double cores = machine.sm.sub_cores * machine.sm.tensor.cores_per_sub_core;
  constexpr double kMib = 1024.0 * 1024.0;
  std::vector<Unit> units{{"SM, logic", sms, areas.sm_logic_mm2}};
  if (cores > 0)
    units.push_back({"tensor core", sms * cores, area::tensor_cores_mm2(areas, machine) / cores});
  units.push_back(
      {"MiB of L1 and registers", sms * area::sm_cache_mib(machine), areas.cache_mib_mm2});
  units.push_back({"MiB of L2", static_cast<double>(machine.l2.bytes) / kMib, areas.cache_mib_mm2});
  units.push_back(
      {"DRAM channel", static_cast<double>(machine.dram.channels), areas.dram_channel_mm2});
  units.push_back({"rest of the die", 1, areas.rest_mm2});
  return units;
}

Json core_json(const area::CoreDesign& core) {
  const area::Cells cells = area::core_cells(core);
  Json json{{"rows", core.rows}, {"columns", core.columns}, {"products", Json::object()}};
  for (const char* key : {"block", "grid", "kept", "floor"}) json[key] = Json::object();
  for (const area::FloatUnit& unit : core.floats) {
    const std::string name(unit.format);
    json["products"][name] = unit.products;
    json["block"][name] = unit.block;
    json["grid"][name] = unit.grid_fraction_bits;
    json["kept"][name] = unit.kept_fraction_bits;
    json["floor"][name] = unit.exponent_floor;
  }
  if (core.int8_products > 0) json["products"]["int8"] = core.int8_products;
  json["fp16_sums"] = core.fp16_sums;
  json["floor_fp16_sums"] = core.fp16_sum_exponent_floor;
  json["subnormals"] = core.subnormals;
  json["fp32_nearest"] = core.fp32_nearest;
  json["fp16_nearest"] = core.fp16_nearest;
  json["left_out"] = core.left_out;
  json["gates"] = std::round(cells.gates);
  json["flip_flops"] = std::round(cells.flip_flops);
  json["gate_equivalents"] = std::round(cells.gate_equivalents());
  return json;
}

std::string core_text(const area::CoreDesign& core) {
  const area::Cells cells = area::core_cells(core);
  std::string text = fmt::format("tensor core  {} x {} sums in {}FP32\n", core.rows, core.columns,
                                 core.fp16_sums ? "FP16 or " : "");
  for (const area::FloatUnit& unit : core.floats)
    text += fmt::format("  {:<10} {} products in blocks of {}, {} fraction bits; sums keep {}\n",
                        unit.format, unit.products, unit.block, unit.grid_fraction_bits,
                        unit.kept_fraction_bits);
  if (core.int8_products > 0)
    text += fmt::format("  {:<10} {} products\n", "int8", core.int8_products);
  if (!core.left_out.empty())
    text += fmt::format("  {:<10} {}\n", "uncounted", fmt::join(core.left_out, ", "));
  return text + fmt::format("  {:<10} {:.0f} gates, {:.0f} flip-flops: {:.0f} gate equivalents\n",
                            "cells", cells.gates, cells.flip_flops, cells.gate_equivalents());
}

std::string no_areas_text(const config::Machine& machine) {
  return machine.chip == "none" ? machine.name + " is no product, so no die area is known\n"
                                : fmt::format("no areas are known for chip {}\n", machine.chip);
}

}  // namespace

std::string area_of_machine(const std::string& name, const std::vector<std::string>& overrides,
                            Format format) {
  const config::Machine machine = config::load_machine(name, overrides);
  const std::optional<area::UnitAreas> areas = area::unit_areas(machine);
  const std::optional<area::CoreDesign> core = area::core_design(machine);
  Table table{{"unit", "number", "each mm2", "mm2"}, {}};
  Json json{{"machine", machine.name}, {"chip", machine.chip}, {"units", Json::array()}};
  for (const Unit& unit : areas ? units_of(machine, *areas) : std::vector<Unit>{}) {
    const double mm2 = unit.number * unit.each_mm2;
    table.rows.push_back({unit.name, fmt::format("{:.6g}", unit.number),
                          fmt::format("{:.4f}", unit.each_mm2), fmt::format("{:.1f}", mm2)});
    json["units"].push_back(
        {{"unit", unit.name}, {"number", unit.number}, {"each_mm2", unit.each_mm2}, {"mm2", mm2}});
  }
  if (areas) {
    json["area_mm2"] = *area::area_mm2(machine);
    table.rows.push_back({"die", "", "", fmt::format("{:.1f}", *area::area_mm2(machine))});
  }
  if (core) {
    json["core"] = core_json(*core);
    json["cores_per_sm"] = machine.sm.sub_cores * machine.sm.tensor.cores_per_sub_core;
  }
  if (format == Format::kJson) return files::json_text(json, 2) + "\n";
  std::string text =
      areas || format == Format::kCsv ? render(table, format) : no_areas_text(machine);
  if (core && format != Format::kCsv) text += "\n" + core_text(*core);
  return text;
}

}  // namespace tcsim::cli
