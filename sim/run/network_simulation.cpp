#include "sim/run/network_simulation.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <span>
#include <utility>

#include "models/memory/line_request.hpp"
#include "sim/config/peak.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/report/json_report.hpp"
#include "sim/run/simulate.hpp"

namespace tcsim::run {
namespace {

/// Results that are kept for steps to come: the kernels of one block of a network are fewer.
constexpr std::size_t kMostEarlier = 64;
constexpr double kBytesPerUsOfGbPerS = 1e3;
constexpr int kLineShift = 6;  // addresses of the smallest lines end in six zeros
constexpr int kMaskBits = 8;
constexpr int kSideBits = 2;  // -1, 0, 1
static_assert(memory::kPhysicalBits - kLineShift + 2 * kMaskBits + kSideBits <= 64);

std::uint64_t packed(const memory::CachedLine& line) {
  std::uint64_t word = line.address >> kLineShift;
  for (const std::uint8_t mask : {line.valid, line.dirty}) word = word << kMaskBits | mask;
  return word << kSideBits | static_cast<std::uint64_t>(line.copy_side + 1);
}

memory::CachedLine unpacked(std::uint64_t word) {
  constexpr std::uint64_t kMask = (1U << kMaskBits) - 1;
  memory::CachedLine line;
  constexpr std::uint64_t kSide = (1U << kSideBits) - 1;
  line.copy_side = static_cast<std::int8_t>(static_cast<int>(word & kSide) - 1);
  word >>= kSideBits;
  line.dirty = static_cast<std::uint8_t>(word & kMask);
  line.valid = static_cast<std::uint8_t>(word >> kMaskBits & kMask);
  line.address = word >> 2 * kMaskBits << kLineShift;
  return line;
}

std::vector<std::uint64_t> packed(const std::vector<memory::CachedLine>& lines) {
  std::vector<std::uint64_t> words(lines.size());
  std::ranges::transform(lines, words.begin(),
                         [](const memory::CachedLine& line) { return packed(line); });
  return words;
}

void append(const std::vector<std::uint64_t>& words, std::vector<memory::CachedLine>& lines) {
  for (const std::uint64_t word : words) lines.push_back(unpacked(word));
}

/// Steps of equal names run the same kernels.
std::string kernels_of(const networks::Step& step) {
  return fmt::format("{} {}", step.work.text, step.runs_on_cuda_cores);
}

/// The block of a step without gaps of which `simulated` was simulated: all or nothing.
nlohmann::ordered_json sampling_without_gaps(const nlohmann::ordered_json& result, double simulated,
                                             double half_width) {
  return {{"gaps", 0},
          {"instructions_simulated", simulated},
          {"cycles_simulated", simulated},
          {"half_width_cycles", half_width * result.at("cycles").get<double>()},
          {"half_width", half_width},
          {"nominal_confidence", 0.95}};
}

/// As a result of which nothing was simulated.
nlohmann::ordered_json estimated(nlohmann::ordered_json result, double half_width) {
  result["fidelity"] = "sampled";
  for (nlohmann::ordered_json& kernel : result["kernels"]) kernel["fidelity"] = "sampled";
  result["sampling"] = sampling_without_gaps(result, 0, half_width);
  return result;
}

/// Widens the half-width of a step that was simulated with an estimated L2.
void widen(nlohmann::ordered_json& result) {
  constexpr double kLeast = StepClusters::kArrangement;
  if (!result.contains("sampling")) {
    result["sampling"] = sampling_without_gaps(result, 1, kLeast);
  } else if (result.at("sampling").at("half_width").get<double>() < kLeast) {
    result["sampling"]["half_width"] = kLeast;
    result["sampling"]["half_width_cycles"] = kLeast * result.at("cycles").get<double>();
  }
}

/// Replaces the bytes that a step writes to DRAM, with what follows from them.
void set_written(nlohmann::ordered_json& result, double bytes, const report::RunInputs& inputs) {
  nlohmann::ordered_json& memory = result.at("memory");
  const double before = memory.at("dram_write_bytes").get<double>();
  memory["dram_write_bytes"] = bytes;
  const double moved = memory.at("dram_read_bytes").get<double>() + bytes;
  const double gb_per_s = moved / (result.at("time_us").get<double>() * kBytesPerUsOfGbPerS);
  memory["dram_gb_per_s"] = gb_per_s;
  memory["dram_fraction"] = gb_per_s / inputs.dram_peak_gb_per_s;
  nlohmann::ordered_json& intensity = memory.at("arithmetic_intensity");
  if (intensity.is_number() && moved > 0) intensity = result.at("flop").get<double>() / moved;
  nlohmann::ordered_json& energy = result.at("energy");
  if (!energy.is_object() || !inputs.power) return;
  constexpr double kPico = 1e-12;
  const double more_j = (bytes - before) * inputs.power->energies.dram_pj_per_byte * kPico;
  const double all_j = energy.at("energy_j").get<double>();
  energy["dram_energy_j"] = energy.at("dram_energy_j").get<double>() + more_j;
  for (const char* follows : {"energy_j", "power_w", "energy_pj_per_flop", "energy_delay_js"})
    if (energy.at(follows).is_number())
      energy[follows] = energy[follows].get<double>() * (all_j + more_j) / all_j;
}

XXH128_hash_t hash_of(const std::vector<memory::CachedLine>& lines) {
  constexpr std::size_t kPart = 1024;
  std::array<std::uint64_t, kPart> words;
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (std::size_t first = 0; first < lines.size(); first += kPart) {
    const auto part = std::span(lines).subspan(first, std::min(kPart, lines.size() - first));
    std::ranges::transform(part, words.begin(), [](const auto& line) { return packed(line); });
    XXH3_128bits_update(&state, words.data(), part.size() * sizeof(words[0]));
  }
  return XXH3_128bits_digest(&state);
}

std::string key_of(const networks::Step& step, const std::vector<memory::CachedLine>& lines) {
  const XXH128_hash_t hash = hash_of(lines);
  return fmt::format("{} {:016x}{:016x}", kernels_of(step), hash.high64, hash.low64);
}

}  // namespace

NetworkSimulation::NetworkSimulation(const RunRequest& request, const config::MachineFile& machine,
                                     const networks::Placement& placement)
    : request_(request),
      machine_(machine),
      preparation_(request, machine),
      contents_(placement, machine.machine.l2),
      clusters_(request.sampling_error,
                config::dram_read_bandwidth(machine.machine).gb_per_s * kBytesPerUsOfGbPerS) {}

const NetworkSimulation::Earlier* NetworkSimulation::find(const std::string& key) const {
  const auto found = std::ranges::find(earlier_, key, &Earlier::key);
  return found == earlier_.end() ? nullptr : &*found;
}

void NetworkSimulation::keep(Earlier earlier) {
  earlier_.push_back(std::move(earlier));
  if (earlier_.size() > kMostEarlier) earlier_.pop_front();
}

double NetworkSimulation::dirty_bytes_of_others(
    const std::vector<memory::CachedLine>& lines) const {
  std::int64_t sectors = 0;
  for (const memory::CachedLine& line : lines)
    if (!contents_.is_own(line)) sectors += std::popcount(line.dirty);
  return static_cast<double>(machine_.machine.l2.sector_bytes * sectors);
}

/// The L2 then holds its buffers as the like step left them, and of others what these leave room
/// for, in the order of their use.
bool NetworkSimulation::take_similar_step(const std::string& kernels,
                                          const networks::L2Contents::Shape& found,
                                          const std::vector<memory::CachedLine>& before,
                                          const report::RunInputs& inputs,
                                          report::NetworkStep& done) {
  const auto similar = clusters_.estimate(kernels, found);
  if (!similar) return false;
  done.is_estimated = true;
  done.result = estimated(similar->member->result, similar->half_width);
  left_.clear();
  std::ranges::copy_if(before, std::back_inserter(left_),
                       [&](const memory::CachedLine& line) { return !contents_.is_own(line); });
  append(similar->member->lines, left_);
  gpu::Simulation filled(machine_.machine, network_simulation_options(request_));
  filled.fill_l2(left_);
  filled.clean_l2();
  left_ = filled.l2_lines();
  set_written(
      done.result,
      similar->member->written_bytes + dirty_bytes_of_others(before) - dirty_bytes_of_others(left_),
      inputs);
  contents_.after(left_);
  return true;
}

report::NetworkStep NetworkSimulation::run(const networks::Step& step, double most_cycles,
                                           const std::function<bool()>& keep_going) {
  report::NetworkStep done = simulate_or_estimate(step, most_cycles, keep_going);
  if (stopped_) return done;
  if (has_estimated_ && !done.is_estimated) widen(done.result);
  has_estimated_ |= done.is_estimated;
  clusters_.count(done.result);
  return done;
}

report::NetworkStep NetworkSimulation::simulate_or_estimate(
    const networks::Step& step, double most_cycles, const std::function<bool()>& keep_going) {
  const PreparedRun& run = preparation_.prepared(step);
  const std::vector<memory::CachedLine>& before = contents_.before(step, run.launches);
  report::NetworkStep done{step.layer, step.part, run.inputs.title, false, false, {}};
  const std::string key = key_of(step, before);
  if (const Earlier* earlier = request_.no_reuse ? nullptr : find(key)) {
    done.is_reused = true;
    done.result = earlier->result;
    left_.clear();
    append(earlier->lines, left_);
    contents_.after(left_);
    return done;
  }
  const bool is_sampled = request_.sampling_error > 0 && !request_.no_reuse;
  const auto found = is_sampled ? contents_.shape_of(before) : networks::L2Contents::Shape{};
  if (is_sampled && take_similar_step(kernels_of(step), found, before, run.inputs, done))
    return done;
  report::RunInputs inputs = run.inputs;
  constexpr double kOperationsPerMac = 2.0;
  inputs.flop = step.macs > 0 ? std::optional(kOperationsPerMac * step.macs) : std::nullopt;
  inputs.l2_state = request_.cold_code ? "carried over, code in DRAM" : "carried over";
  std::vector<memory::CachedLine> lines;
  double dirty_of_others = 0;  // of the lines that found a place
  const auto simulate = [&](const std::optional<gpu::SamplingOptions>& sampling) {
    gpu::SimulationOptions options = network_simulation_options(request_);
    options.sampling = sampling;
    if (request_.max_cycles > 0)
      options.max_cycles = static_cast<Cycle>(std::max(most_cycles, 1.0));
    gpu::Simulation simulation(machine_.machine, options);
    simulation.fill_l2(before);
    if (is_sampled) dirty_of_others = dirty_bytes_of_others(simulation.dirty_l2_lines());
    gpu::Outcome outcome =
        simulation.run(run.launches, [&](const gpu::Progress&) { return keep_going(); });
    stopped_ = outcome.stop != gpu::StopReason::kFinished;
    done.result = report::run_json(report::make_record(inputs, outcome, simulation.counters(), {}));
    if (stopped_) done.result["flop"] = nullptr;  // how much of them is done is not known
    if (!stopped_) lines = simulation.l2_lines();
    return outcome;
  };
  auto sampling = sampling_of(request_, run.launches);
  if (sampling) sampling->history = &histories_[kernels_of(step)];
  const gpu::Outcome first = simulate(sampling);
  const bool is_repeated = sampling && is_unsure(first, request_.sampling_error);
  if (is_repeated) simulate({});
  done.result.erase("simulation");
  if (stopped_) return done;
  if (is_sampled) {
    std::vector<memory::CachedLine> own;
    std::ranges::copy_if(lines, std::back_inserter(own),
                         [&](const memory::CachedLine& line) { return contents_.is_own(line); });
    const auto written = done.result.at("memory").at("dram_write_bytes").get<double>();
    const double of_others = dirty_of_others - dirty_bytes_of_others(lines);
    // Rates give what a sampled step has written.
    clusters_.add(kernels_of(step), found,
                  {done.result, packed(own), std::max(0.0, written - of_others)});
  }
  if (is_repeated)  // a step that it stands for was not
    done.result["notes"].push_back(simulated_whole_note(request_.sampling_error));
  contents_.after(lines);
  if (!request_.no_reuse) keep({key, done.result, packed(lines)});
  return done;
}

}  // namespace tcsim::run
