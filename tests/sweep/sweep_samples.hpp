#pragma once

#include <string>

#include "sim/sweep/folder.hpp"
#include "sim/sweep/plan.hpp"

namespace tcsim::sweep {

/// Two machines and two sizes on the smallest machine there is.
inline std::string small_spec_text() {
  return "name: small\n"
         "machines: [lab-tiny, {name: half, base: lab-tiny, set: {l2.bytes: 256 KiB}}]\n"
         "workloads: [\"gemm:m={n},n=32,k=32\"]\n"
         "axes: {n: [32, 64]}\n";
}

inline Plan plan_of(const std::string& text) { return make_plan("s.yaml", text); }

/// Throws ConfigError with every mistake.
inline Spec spec_of(const std::string& text) {
  config::Mistakes mistakes("s.yaml");
  Spec spec = read_spec("s.yaml", text, mistakes);
  mistakes.finish();
  return spec;
}

/// The same.
inline std::vector<Configuration> configurations_of(const Spec& spec) {
  config::Mistakes mistakes(spec.file);
  std::vector<Configuration> configurations = expand(spec, mistakes);
  mistakes.finish();
  return configurations;
}

/// What tcsim run would print, as far as sweeps read it.
inline nlohmann::ordered_json result_of(double time_us) {
  return {{"machine", "x"},
          {"time_us", time_us},
          {"flop", 1e6},
          {"tflops", 1.0 / time_us},
          {"bound_by", "launch"},
          {"memory", {{"dram_read_bytes", 64}, {"l2_hit_rate", nullptr}}},
          {"energy", {{"energy_j", 2.0}}},
          {"kernels", {{{"tile", "64x64x32_s2_w2x2"}}}},
          {"simulation", {{"wall_s", 0.5}}}};
}

/// A plan with one point per command line of /bin/sh, for work that uses it as its program.
inline Folder shell_folder(const std::filesystem::path& path,
                           const std::vector<std::string>& scripts, Limits limits = {}) {
  Plan plan;
  plan.name = "shell";
  plan.revision = "r1";
  plan.limits = limits;
  plan.parameters = {"machine"};
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    Point point;
    point.number = point.configuration = static_cast<int>(i) + 1;
    point.parameters = {{"machine", "m" + std::to_string(i)}};
    point.part = "gemm:1";
    point.key = point.inputs = "key" + std::to_string(i);
    point.command = {"-c", scripts[i]};
    plan.points.push_back(point);
  }
  return Folder::prepare(path, plan);
}

}  // namespace tcsim::sweep
