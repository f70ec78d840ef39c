#include "sim/run/collective_step.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/networks/collective.hpp"

namespace tcsim::run {
namespace {

using Json = nlohmann::ordered_json;

/// The bytes and shares of a step in which no SM takes part.
Json no_memory() {
  Json json;
  for (const char* name :
       {"dram_read_bytes", "dram_write_bytes", "l2_read_bytes", "l2_write_bytes", "shared_bytes"})
    json[name] = 0;
  for (const char* name : {"l2_hit_rate", "arithmetic_intensity"}) json[name] = nullptr;
  return json;
}

/// As energy_json has it, of a board that draws `constant_w` only.
Json waiting_energy(const RunRequest& request, const config::Machine& machine, double time_us) {
  constexpr double kMicro = 1e-6;
  const double energy_j = machine.energy.constant_w * time_us * kMicro;
  Json json{{"data", request.constant_data ? "constant" : "random"},
            {"clock_policy", name(request.clock)},
            {"limit_w", machine.energy.limit_w},
            {"power_w", machine.energy.constant_w},
            {"energy_j", energy_j},
            {"energy_pj_per_flop", nullptr},
            {"energy_delay_js", energy_j * time_us * kMicro}};
  for (const char* part :
       {"tensor_energy_j", "vector_energy_j", "l1_energy_j", "l2_energy_j", "dram_energy_j"})
    json[part] = 0.0;
  json["constant_energy_j"] = energy_j;
  return json;
}

}  // namespace

report::NetworkStep collective_step(const networks::Step& step, const RunRequest& request,
                                    const config::Machine& machine) {
  const auto kind =
      step.gathers ? networks::CollectiveKind::kAllGather : networks::CollectiveKind::kAllReduce;
  const networks::CollectiveTime time =
      networks::collective_time(kind, machine.nvlink, request.gpus, step.collective_bytes);
  const auto cycles = static_cast<std::uint64_t>(std::lround(time.time_us * machine.clocks.sm_mhz));
  constexpr double kMega = 1e6;
  report::NetworkStep done{
      step.layer,
      step.part,
      fmt::format("{} of {:.4g} MB over {} GPUs ({}, {}; a model)",
                  step.gathers ? "all_gather" : "all_reduce", step.collective_bytes / kMega,
                  request.gpus, time.algorithm, time.protocol),
      false,
      false,
      {}};
  Json& result = done.result;
  result = {{"machine", request.machines.front()},
            {"workload", step.work.text},
            {"dtype", ""},
            {"l2_state", "carried over"},
            {"validated", ""},
            {"fidelity", "model"},
            {"time_us", time.time_us},
            {"cycles", cycles},
            {"clock_mhz", machine.clocks.sm_mhz}};
  for (const char* name : {"flop", "tflops", "peak_tflops", "attainable_tflops", "peak_fraction"})
    result[name] = nullptr;
  result["pipe_active"] = 0;
  result["issue_fraction"] = 0;
  result["tensor_fraction"] = 0;
  result["bound_by"] = "nvlink";
  result["cycles_by_reason"] = {
      {"collective", cycles * static_cast<std::uint64_t>(machine.gpu.sms * machine.sm.sub_cores)}};
  result["memory"] = no_memory();
  result["instructions"] = {{"warp", 0}, {"mma", 0}};
  result["kernels"] = Json::array();
  result["energy"] = waiting_energy(request, machine, time.time_us);
  result["collective"] = {{"gpus", request.gpus},
                          {"bytes", step.collective_bytes},
                          {"algorithm", time.algorithm},
                          {"protocol", time.protocol}};
  return done;
}

}  // namespace tcsim::run
