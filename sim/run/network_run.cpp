#include "sim/run/network_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <map>
#include <stdexcept>

#include "sim/config/inert_keys.hpp"
#include "sim/config/target.hpp"
#include "sim/errors/errors.hpp"
#include "sim/library/load.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/run/collective_step.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/network_simulation.hpp"
#include "sim/run/network_streams.hpp"
#include "sim/run/prepare/memory_needs.hpp"
#include "sim/run/prepare/power.hpp"
#include "sim/run/prepare/step.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/simulate.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/networks/sequence.hpp"
#include "workloads/networks/tensor_parallel.hpp"

namespace tcsim::run {
namespace {

using networks::Network;
using networks::Program;

/// "; not simulated: LSTM 'l'", or nothing.
std::string not_simulated(const Network& network) {
  std::string text;
  for (const networks::Skipped& one : network.skipped)
    text += fmt::format("{}{} '{}'", text.empty() ? "; not simulated: " : ", ", one.operation,
                        one.name);
  return text;
}

kernels::PackedWeights packed_weights(const RunRequest& request) {
  constexpr std::int64_t kLeastGroup = 32;
  if (request.group > 0 && request.weights == networks::WeightIntegers::kNone)
    throw mistake_in("group", "belongs to " + word_of("weights"));
  if (request.group > 0 && (request.group < kLeastGroup ||
                            !std::has_single_bit(static_cast<std::uint64_t>(request.group))))
    throw mistake_in(
        "group",
        fmt::format("{} is not 32, 64, 128 or another power of two from 32 on", request.group));
  return {networks::bits_of(request.weights), request.group};
}

/// "fp16", or "fp16 by int4 weights in groups of 128".
std::string precision_text(const RunRequest& request) {
  const auto word = [](const auto& words, auto index) {
    return std::string(words[static_cast<std::size_t>(index)]);
  };
  std::string text = word(networks::precision_words(), request.precision);
  if (request.weights == networks::WeightIntegers::kNone) return text;
  text += " by " + word(networks::weight_integer_words(), request.weights) + " weights";
  return request.group > 0 ? text + fmt::format(" in groups of {}", request.group) : text;
}

Program lowered(const Network& network, const RunRequest& request, const config::Machine& machine) {
  const kernels::Features features = config::features_of(machine);
  const bool is_training = request.pass == networks::Pass::kTraining;
  const kernels::PackedWeights weights = packed_weights(request);
  const bool has_fused = is_training ? features.has_async_mma() : !features.mma.empty();
  const auto has_grouped_kernel = [&](const kernels::GemmProblem& problem) {
    return kernels::why_no_kernel(problem, config::make_target(machine, problem)).empty();
  };
  try {
    Program program =
        networks::lower(network, {request.batch, request.precision, is_training, has_fused,
                                  request.paged_cache, has_grouped_kernel, weights});
    if (!program.steps.empty()) return program;
    throw NotCovered(fmt::format("{}: no layer of this network runs on a GPU{}", request.workload,
                                 not_simulated(network)));
  } catch (const std::invalid_argument& error) {
    throw NotCovered(fmt::format("{}: {}", request.workload, error.what()));
  }
}

/// The network of `request` with as many tokens as that wants, or as a step of writing.
Network asked_network(const RunRequest& request) {
  Network network = networks::load_network(request.workload.substr(request.workload.find(':') + 1));
  const std::int64_t tokens = request.tokens > 0 ? request.tokens : network.input.h;
  const bool decodes = request.pass == networks::Pass::kDecode;
  const char* field = decodes ? "pass" : "tokens";
  try {
    if (decodes) return networks::decode_step(std::move(network), tokens);
    if (request.tokens > 0) network = networks::with_tokens(std::move(network), tokens);
    field = "pass";
    if (request.pass == networks::Pass::kTraining)
      network = networks::with_every_token(std::move(network));
  } catch (const std::invalid_argument& error) {
    throw mistake_in(field, error.what());
  }
  return network;
}

/// What one of the GPUs of `request` does.
Network part_of_one(const Network& network, const RunRequest& request,
                    const config::Machine& machine) {
  if (request.gpus == 1) return network;
  const config::LinkParams& link = machine.nvlink;
  if (link.links == 0)
    throw NotCovered(
        fmt::format("{}: {} needs NVLink, which this machine does not have "
                    "(nvlink.links = 0)",
                    request.machines.front(), word_of("gpus")));
  if (request.gpus > link.most_gpus)
    throw NotCovered(fmt::format("{}: NVLink joins {} GPUs at most (nvlink.most_gpus), not {}",
                                 request.machines.front(), link.most_gpus, request.gpus));
  if (request.pass == networks::Pass::kTraining)
    throw NotCovered(fmt::format("{}: {} divides forward and decode passes, not training",
                                 request.workload, word_of("gpus")));
  if (request.streams > 1)
    throw mistake_in("gpus", "cannot be combined with " + word_of("streams"));
  try {
    return networks::tensor_parallel(network, request.gpus);
  } catch (const std::invalid_argument& error) {
    throw NotCovered(fmt::format("{}: {}", request.workload, error.what()));
  }
}

/// True if twice as many GPUs as in `request` can share `network`.
bool takes_more_gpus(const Network& network, RunRequest request, const config::Machine& machine) {
  if (request.streams > 1) return false;
  request.gpus *= 2;
  try {
    (void)part_of_one(network, request, machine);
    return true;
  } catch (const NotCovered&) {
    return false;
  }
}

/// Keys that the attention of a step of writing reads.
std::int64_t context_of(const Network& network) {
  for (const networks::Layer& layer : network.layers)
    if (layer.has_cache) return layer.keys;
  return 0;
}

void set_setting(const Network& network, const RunRequest& request, const config::Machine& machine,
                 report::NetworkSetting& setting) {
  setting.machine = request.machines.front();
  const std::vector<std::string> shipped = config::machine_names();
  const bool is_shipped = std::ranges::find(shipped, setting.machine) != shipped.end();
  setting.machine_name = is_shipped ? setting.machine : machine.name;
  setting.overrides = request.overrides;
  setting.network = network.name;
  setting.gpus = request.gpus;
  setting.batch = request.batch;
  setting.tokens = network.is_sequence ? network.input.h : 0;
  setting.tokens_were_asked = request.tokens > 0;
  setting.precision = precision_text(request);
  setting.pass = networks::pass_words()[static_cast<std::size_t>(request.pass)];
  setting.paged_cache = request.paged_cache;
  if (request.pass == networks::Pass::kDecode) setting.context_tokens = context_of(network);
}

report::NetworkRun described(const Network& network, const RunRequest& request,
                             const config::Machine& machine) {
  report::NetworkRun run;
  set_setting(network, request, machine, run);
  run.source = network.source;
  run.is_language_model = networks::scores_of(network) != nullptr;
  run.clock_policy = name(request.clock);
  run.parameters = networks::parameters(network);
  run.macs_per_sample = networks::macs(network);
  for (const networks::Skipped& skipped : network.skipped)
    run.skipped.push_back({skipped.name, skipped.operation, networks::mac_share(network, skipped)});
  return run;
}

/// Keys and values that the prompts of a language model leave for decode passes, in bytes.
double prompt_cache(const Network& network, const RunRequest& request) {
  // Pages are tensors of the program.
  if (networks::scores_of(network) == nullptr || request.pass != networks::Pass::kForward ||
      request.paged_cache)
    return 0;
  const bool is_wide = request.precision == networks::Precision::kFp32 ||
                       request.precision == networks::Precision::kTf32;
  const double element_bytes = is_wide ? 4 : 2;
  double bytes = 0;
  for (const networks::Layer& layer : network.layers) {
    if (!networks::is_causal_attention(layer)) continue;
    const auto tokens = static_cast<double>(network.shape_of(layer.inputs.front()).rows());
    const auto columns = static_cast<double>(networks::cache_columns(network, layer));
    bytes += static_cast<double>(request.batch) * tokens * columns * element_bytes;
  }
  return bytes;
}

/// Weights are there once, activations for each instance of the network. `network` is the part of
/// one GPU of `whole`.
void require_memory(const Network& whole, const Network& network, const Program& program,
                    const networks::Placement& placement, const RunRequest& request,
                    const config::Machine& machine) {
  const networks::BlockSums sums = networks::block_sums(program, placement);
  const std::string of_each = request.gpus > 1 ? " of each GPU" : "";
  std::vector<workload::OperandSize> needs{{"weights" + of_each, sums.weights},
                                           {"activations", request.streams * sums.activations}};
  const double cache = sums.cache + prompt_cache(network, request);
  if (cache > 0) needs.push_back({"keys and values", request.streams * cache});
  require_addressable(request.workload, needs);
  if (request.ignores_capacity || !exceeds_capacity(needs, machine)) return;
  refuse_capacity(request.workload, needs, machine,
                  takes_more_gpus(whole, request, machine)
                      ? fmt::format("more GPUs ({})", word_of("gpus"))
                      : "");
}

/// The machine of `request`; fields that do not suit it are reported or refused.
config::MachineFile checked_machine(const RunRequest& request, const Hooks& hooks) {
  config::MachineFile machine =
      library::read_machine(request.machines.front(), request.overrides, request.libraries);
  check_quantum(request, machine.machine);
  for (const std::string& note : config::inert_override_notes(machine)) hooks.tell("note: " + note);
  return machine;
}

}  // namespace

NetworkSession::NetworkSession(const RunRequest& request, const Hooks& hooks)
    : request_(request),
      hooks_(hooks),
      network_(asked_network(request)),
      machine_(checked_machine(request, hooks)),
      part_(part_of_one(network_, request, machine_.machine)),
      program_(lowered(part_, request, machine_.machine)),
      placement_(networks::place(program_)) {
  require_memory(network_, part_, program_, placement_, request_, machine_.machine);
}

void NetworkSession::visit_steps(const StepVisitor& visitor) const {
  StepPreparation preparation(request_, machine_);
  std::map<std::string, std::int64_t> times;
  for (const networks::Step& step : program_.steps)
    if (!step.is_collective()) ++times[step.work.text];
  for (const networks::Step& step : program_.steps)
    if (const auto first = times.extract(step.work.text))
      visitor(step, preparation.prepared(step), first.mapped());
}

/// Whether a network is long is predicted for all its steps together.
RunRequest NetworkSession::settled_request() const {
  RunRequest request = request_;
  if (!request.samples_if_long) return request;
  SimulationWork all;
  visit_steps([&](const networks::Step&, const PreparedRun& run, std::int64_t times) {
    SimulationWork work = work_of(run.launches);
    all += work *= times;
  });
  if (!is_sampled(request, read_simulation_cost().seconds(all))) request.sampling_error = 0;
  request.samples_if_long = false;
  return request;
}

report::NetworkRun NetworkSession::run(const StepListener& listener) const {
  if (request_.clock == ClockPolicy::kBoost) return run_on(machine_, listener);
  const config::Machine& machine = machine_.machine;
  const int boost_mhz = machine.clocks.sm_mhz;
  energy::ClockSearch search(boost_mhz, load_limits(request_.clock, machine));
  report::NetworkRun run = run_on(machine_, listener);
  double wall_s = run.wall_s;
  while (run.is_complete) {
    const auto next_mhz = search.next(power_draw(run, machine.energy.constant_w));
    if (!next_mhz) break;
    run = run_on(machine_at(request_, machine_, *next_mhz), listener);
    wall_s += run.wall_s;
  }
  run.wall_s = wall_s;
  return run;
}

report::NetworkRun NetworkSession::run_on(const config::MachineFile& machine,
                                          const StepListener& listener) const {
  const auto start = std::chrono::steady_clock::now();
  report::NetworkRun run = described(network_, request_, machine.machine);
  run.card = report::machine_card(machine, {});
  run.effective_machine = config::canonical_text(machine);
  run.machine_hash = report::hash_text(config::canonical_text(machine_));  // at its own clock
  run.limit_w = machine.machine.energy.limit_w;
  run.tensor_mhz = machine.machine.energy.tensor_mhz;
  const RunRequest request = settled_request();
  run.sampling_error = request.sampling_error;
  NetworkSimulation simulation(request, machine, placement_);
  const auto keep_going = [&] { return hooks_.stop_cause() == StopCause::kNone; };
  const std::size_t count = program_.steps.size();
  const double most_cycles = request.max_cycles > 0 ? static_cast<double>(request.max_cycles)
                                                    : std::numeric_limits<double>::infinity();
  double cycles = 0;
  // Steps that equal earlier ones do not call keep_going.
  bool goes_on = true;
  for (std::size_t i = 0; i < count && goes_on; ++i) {
    const networks::Step& step = program_.steps[i];
    run.steps.push_back(step.is_collective()
                            ? collective_step(step, request, machine.machine)
                            : simulation.run(step, most_cycles - cycles, keep_going));
    cycles += run.steps.back().result.value("cycles", 0.0);
    if (listener) listener(i + 1, count, run.steps.back());
    goes_on = !simulation.stopped() && cycles <= most_cycles &&
              (i + 1 == count || (cycles < most_cycles && keep_going()));
  }
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.is_complete = goes_on;
  if (!run.is_complete)
    run.stopped_by = reason_of_stop(
        hooks_, cycles >= most_cycles ? gpu::StopReason::kCycleLimit : gpu::StopReason::kDeadlock);
  return run;
}

report::StreamsRun NetworkSession::run_streams() const {
  report::StreamsRun run;
  set_setting(network_, request_, machine_.machine, run);
  run.clock_mhz = machine_.machine.clocks.sm_mhz;
  run::run_streams(request_, machine_, program_, placement_, hooks_, run);
  return run;
}

}  // namespace tcsim::run
