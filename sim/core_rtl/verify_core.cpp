#include "sim/core_rtl/verify_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/core_rtl/loaded_array.hpp"
#include "sim/core_rtl/loaded_warp.hpp"
#include "sim/files/json_text.hpp"

namespace tcsim::core_rtl {
namespace {

/// A tenth of the vectors goes through the cores of a sub-core, whose arithmetic is that of the
/// array.
constexpr std::int64_t kVectorsOfArrayPerWarp = 10;

nlohmann::ordered_json to_json(const WarpReport& report) {
  nlohmann::ordered_json json{{"instruction", report.mnemonic},
                              {"mmas", report.mmas},
                              {"vectors", report.vectors},
                              {"mismatches", report.wrong ? 1 : 0},
                              {"interval_cycles", report.interval_cycles},
                              {"derived_interval_cycles", report.derived_interval_cycles},
                              {"latency_cycles", report.latency_cycles},
                              {"derived_latency_cycles", report.derived_latency_cycles},
                              {"latest_cycles", report.latest_cycles}};
  if (report.wrong)
    json["divergence"] = {{"mma", report.wrong->mma},
                          {"lane", report.wrong->lane},
                          {"register", report.wrong->register_index},
                          {"rtl", report.wrong->rtl},
                          {"model", report.wrong->model}};
  return json;
}

}  // namespace

bool CoreReport::holds() const {
  return std::ranges::all_of(arrays, [](const auto& report) { return report.holds(); }) &&
         std::ranges::all_of(warps, [](const auto& report) { return report.holds(); });
}

int CoreReport::missed() const {
  int missed = 0;
  for (const rtl::UnitReport& report : arrays)
    missed += static_cast<int>(report.coverage.missed().size());
  return missed;
}

CoreReport verify_core(const CorePlan& plan, const BuiltCore& built,
                       const rtl::VerifyOptions& options) {
  CoreReport report{plan.machine,
                    fmt::format("{} x {}, {}", plan.tensor.cores_per_sub_core,
                                sm::to_string(plan.tensor.core), plan.tensor.organisation),
                    {},
                    {}};
  const rtl::UnitInfo info = plan.unit();
  const auto array = std::make_shared<const CoreLibrary>(built.folder / "array.so");
  for (const rtl::Operation& operation : plan.operations) {
    const auto unit = make_array(info, array);
    report.arrays.push_back(
        rtl::verify_random(*unit, operation, info.elements() * info.products(operation), options));
  }
  const auto warp = std::make_shared<const CoreLibrary>(built.folder / "warp.so");
  for (const CoreInstruction& instruction : plan.instructions) {
    const auto unit = make_warp_unit(plan, warp);
    report.warps.push_back(verify_warp(plan, instruction, *unit,
                                       options.vectors / kVectorsOfArrayPerWarp, options.seed));
  }
  return report;
}

std::string to_text(const CoreReport& report) {
  std::string text = fmt::format("{}: {}\n", report.machine, report.core);
  for (const rtl::UnitReport& array : report.arrays) text += rtl::to_text(array);
  text += "  tensor cores of a sub-core, numerics and derived cycles of the same file\n";
  for (const WarpReport& warp : report.warps) text += to_text(warp);
  return text;
}

std::string to_json(const CoreReport& report) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(rtl::to_json(report.arrays));
  json["machine"] = report.machine;
  json["core"] = report.core;
  json["mmas"] = nlohmann::ordered_json::array();
  for (const WarpReport& warp : report.warps) json["mmas"].push_back(to_json(warp));
  return files::json_text(json, 2) + "\n";
}

}  // namespace tcsim::core_rtl
