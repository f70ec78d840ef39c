#include "sim/rtl/unit_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/files/json_text.hpp"
#include "sim/mma/hex.hpp"

namespace tcsim::rtl {

namespace {

using nlohmann::ordered_json;

std::string hex(const std::vector<std::uint64_t>& patterns, numerics::ElementType type) {
  std::string text;
  for (const std::uint64_t pattern : patterns) text += mma::to_hex(pattern, numerics::bits(type));
  return text;
}

/// The words of `tcsim mma` that select the arithmetic of the unit.
std::string core_words(const UnitReport& report) {
  if (!report.replay_machine.empty()) return report.replay_machine;
  return fmt::format("--arch {}{}", numerics::name(report.generation),
                     report.kind == numerics::InstructionKind::kWgmma ? " --instr wgmma" : "");
}

/// The command that shows the model's side of a divergence.
std::string replay(const UnitReport& report, const DivergentVector& vector) {
  const Operation& operation = vector.operation;
  return fmt::format(
      "tcsim mma {} --dtype {}{} --acc {} --a {} --b {} --c {} --explain", core_words(report),
      numerics::name(operation.input),
      operation.mixed() ? fmt::format(" --b-dtype {}", numerics::name(operation.b)) : "",
      numerics::name(operation.accumulator), hex(vector.a, operation.input),
      hex(vector.b, operation.b), mma::to_hex(vector.c, numerics::bits(operation.accumulator)));
}

std::string divergence_text(const UnitReport& report) {
  const DivergentVector& vector = *report.divergence;
  const Divergence& divergence = vector.divergence;
  std::string text = fmt::format(
      "  first divergence after {} vectors: stage {}, {}: rtl {}, model {}\n", vector.vector,
      divergence.stage, divergence.value, divergence.rtl, divergence.model);
  if (divergence.element < 0) return text;
  const Operation& operation = vector.operation;
  text += fmt::format("    {}, element {} of D, operands from {}\n", to_string(operation),
                      divergence.element, vector.source);
  text += fmt::format("    a {}\n    b {}\n    c {}  model d {}\n", hex(vector.a, operation.input),
                      hex(vector.b, operation.b),
                      mma::to_hex(vector.c, numerics::bits(operation.accumulator)),
                      mma::to_hex(vector.model_d, numerics::bits(operation.accumulator)));
  return text + "    " + replay(report, vector) + "\n";
}

std::string coverage_text(const Coverage& coverage) {
  std::string lines;
  std::string_view group;
  int bins = 0;
  for (int i = 0; i < static_cast<int>(Bin::kCount); ++i) {
    const auto bin = static_cast<Bin>(i);
    if (!coverage.applies(bin)) continue;
    ++bins;
    if (info(bin).group != group) {
      group = info(bin).group;
      lines += fmt::format("{}    {:<10}", lines.empty() ? "" : "\n", group);
    } else {
      lines += ",";
    }
    lines += fmt::format(" {} {}", info(bin).name, coverage.hits(bin));
  }
  const auto missed = coverage.missed();
  std::string text =
      fmt::format("  coverage {} of {} situations\n{}\n", bins - missed.size(), bins, lines);
  for (const Bin bin : missed)
    text += fmt::format("    missed: {}: {}\n", info(bin).group, info(bin).name);
  return text;
}

std::string measured_text(const UnitReport& report) {
  std::string text = fmt::format("  {}: {} measured results, {} mismatches\n", report.file,
                                 report.measured, report.measured_mismatches.size());
  const int width = numerics::bits(report.operation.accumulator);
  for (const MeasuredMismatch& mismatch : report.measured_mismatches)
    text += fmt::format("    {}: rtl {}, measured {}\n", mismatch.place,
                        mma::to_hex(mismatch.rtl, width), mma::to_hex(mismatch.measured, width));
  return text;
}

ordered_json coverage_json(const Coverage& coverage) {
  ordered_json bins = ordered_json::object();
  for (int i = 0; i < static_cast<int>(Bin::kCount); ++i) {
    const auto bin = static_cast<Bin>(i);
    if (coverage.applies(bin))
      bins[std::string(info(bin).group)][std::string(info(bin).name)] = coverage.hits(bin);
  }
  return bins;
}

ordered_json report_json(const UnitReport& report) {
  ordered_json json;
  json["unit"] = report.unit;
  json["input"] = numerics::name(report.operation.input);
  if (report.operation.mixed()) json["b"] = numerics::name(report.operation.b);
  json["accumulator"] = numerics::name(report.operation.accumulator);
  if (report.file.empty()) json["seed"] = report.seed;
  json["vectors"] = report.vectors;
  json["passes"] = report.passes;
  json["cycles"] = report.cycles;
  json["mismatches"] = report.divergence ? 1 : 0;
  json["macs_per_cycle"] = report.macs_per_cycle;
  json["machine"] = report.machine;
  json["machine_macs_per_cycle"] = report.machine_macs_per_cycle;
  json["latency_cycles"] = report.timing.latency_cycles;
  json["coverage"] = coverage_json(report.coverage);
  json["missed"] = report.coverage.missed().size();
  if (!report.file.empty()) {
    json["file"] = report.file;
    json["measured"] = report.measured;
    json["measured_mismatches"] = report.measured_mismatches.size();
  }
  if (!report.divergence) return json;
  const DivergentVector& vector = *report.divergence;
  json["divergence"] = {{"stage", vector.divergence.stage},     {"value", vector.divergence.value},
                        {"rtl", vector.divergence.rtl},         {"model", vector.divergence.model},
                        {"element", vector.divergence.element}, {"source", vector.source},
                        {"vectors_before", vector.vector}};
  if (vector.divergence.element >= 0) json["divergence"]["replay"] = replay(report, vector);
  return json;
}

}  // namespace

std::string to_text(const UnitReport& report) {
  std::string text = fmt::format("rtl {}, {}: {} vectors in {} passes and {} cycles, {} mismatches",
                                 report.unit, to_string(report.operation), report.vectors,
                                 report.passes, report.cycles, report.divergence ? 1 : 0);
  text += report.file.empty() ? fmt::format(", seed {}\n", report.seed) : "\n";
  if (report.divergence) return text + divergence_text(report);
  text += fmt::format("  throughput {} multiply-adds a cycle ({}: {}{}), latency {} cycles\n",
                      report.macs_per_cycle, report.machine, report.machine_macs_per_cycle,
                      report.rate_holds() ? "" : ", DIFFERS", report.timing.latency_cycles);
  return text + (report.file.empty() ? coverage_text(report.coverage) : measured_text(report));
}

std::string to_json(const std::vector<UnitReport>& reports) {
  ordered_json json;
  json["verify"] = "rtl";
  json["reports"] = ordered_json::array();
  for (const UnitReport& report : reports) json["reports"].push_back(report_json(report));
  return files::json_text(json, 2) + "\n";
}

}  // namespace tcsim::rtl
