#include "sim/results/stored_network.hpp"

#include <fmt/format.h>

#include "sim/json/parse.hpp"
#include "sim/report/checksum.hpp"
#include "sim/results/stored_run_checks.hpp"

namespace tcsim::results {
namespace {

namespace fs = std::filesystem;

void check_step(const View& step) {
  for (const char* key : {"layer", "part", "title"}) (void)step.at(key).get<std::string>();
  (void)step.at("reused").get<bool>();
  const View result = step.at("result");
  check_result(result);
  for (const char* key : {"workload", "l2_state"}) (void)result.at(key).get<std::string>();
  for (const char* key : {"time_us", "cycles"}) check_amount(result.at(key));
  for (const char* key : {"dram_read_bytes", "dram_write_bytes", "l2_read_bytes", "l2_write_bytes"})
    check_amount(result.at("memory").at(key));
  const View energy = result.at("energy");
  if (energy.is_null()) return;
  check_amount(energy.at("energy_j"));
  (void)energy.at("data").get<std::string>();
}

void check_network(const StoredNetwork& run) {
  const View& network = run.network;
  check_version(network);
  for (const char* part : {"metrics", "machine_card", "effective_machine", "title", "gpus",
                           "tokens", "context_tokens"})
    if (!network.contains(part))
      network.refuse(
          fmt::format("has no '{}': an older tcsim wrote it; run the network again", part));
  for (const char* key : {"machine", "network", "title", "precision", "pass", "fidelity",
                          "effective_machine", "source"})
    (void)network.at(key).get<std::string>();
  (void)network.at("complete").get<bool>();
  (void)network.at("gpus").get<int>();
  for (const char* key : {"batch", "time_us", "flop", "parameters", "macs_per_sample"})
    check_amount(network.at(key));
  for (const char* key : {"tflops", "tokens", "context_tokens"})
    check_optional_amount(network.at(key));
  for (const auto& [name, metric] : network.at("metrics").items()) {
    for (const char* key : {"unit", "sentence", "formula"}) (void)metric.at(key).get<std::string>();
    check_optional_amount(metric.at("value"));
  }
  if (const View energy = network.at("energy"); !energy.is_null())
    (void)energy.at("clock_policy").get<std::string>();
  check_sampling(network);
  check_card(network.at("machine_card"));
  for (const View& step : network.at("steps").elements()) check_step(step);
  for (const View& skipped : network.at("skipped").elements())
    for (const char* key : {"name", "operation"}) (void)skipped.at(key).get<std::string>();
}

}  // namespace

bool is_network(const fs::path& directory) {
  return fs::exists(directory / "network.json") && !fs::exists(directory / "stats.json");
}

StoredNetwork network_of(const std::string& name, const View& network, const View& manifest) {
  check_manifest(manifest);
  StoredNetwork run{name, network, manifest};
  check_network(run);
  return run;
}

StoredNetwork load_network(const fs::path& directory) {
  const View network = json::read(directory / "network.json");
  const View manifest = json::read(directory / "manifest.json");
  check_manifest(manifest);
  const bool verified = report::verify_directory(directory, manifest, "network.json");
  StoredNetwork run = network_of(directory.string(), network, manifest);
  run.verified = verified;
  return run;
}

}  // namespace tcsim::results
