#include "sim/run/network_simulation.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "sim/gpu/simulation.hpp"
#include "sim/report/json_report.hpp"
#include "sim/run/simulate.hpp"

namespace tcsim::run {
namespace {

/// Results that are kept for steps to come: the kernels of one block of a network are fewer.
constexpr std::size_t kMostEarlier = 64;
constexpr int kLineShift = 7;  // addresses of lines end in seven zeros
constexpr int kMaskBits = 4;

std::uint64_t packed(const memory::CachedLine& line) {
  std::uint64_t word = line.address >> kLineShift;
  for (const std::uint8_t mask : {line.valid, line.dirty, line.partial})
    word = word << kMaskBits | mask;
  return word << 8 | static_cast<std::uint8_t>(line.copy_side);
}

memory::CachedLine unpacked(std::uint64_t word) {
  constexpr std::uint64_t kMask = (1U << kMaskBits) - 1;
  memory::CachedLine line;
  line.copy_side = static_cast<std::int8_t>(word & 0xff);
  word >>= 8;
  line.partial = static_cast<std::uint8_t>(word & kMask);
  line.dirty = static_cast<std::uint8_t>(word >> kMaskBits & kMask);
  line.valid = static_cast<std::uint8_t>(word >> 2 * kMaskBits & kMask);
  line.address = word >> 3 * kMaskBits << kLineShift;
  return line;
}

std::vector<std::uint64_t> packed(const std::vector<memory::CachedLine>& lines) {
  std::vector<std::uint64_t> words(lines.size());
  std::ranges::transform(lines, words.begin(),
                         [](const memory::CachedLine& line) { return packed(line); });
  return words;
}

std::string key_of(const networks::Step& step, const std::vector<memory::CachedLine>& lines) {
  const std::vector<std::uint64_t> words = packed(lines);
  const XXH128_hash_t hash = XXH3_128bits(words.data(), words.size() * sizeof(std::uint64_t));
  return fmt::format("{} {} {:016x}{:016x}", step.work.text, step.runs_on_cuda_cores, hash.high64,
                     hash.low64);
}

}  // namespace

NetworkSimulation::NetworkSimulation(const RunRequest& request, const config::MachineFile& machine,
                                     const networks::Program& program,
                                     const networks::Placement& placement)
    : request_(request),
      machine_(machine),
      preparation_(request, machine),
      contents_(program, placement) {}

const NetworkSimulation::Earlier* NetworkSimulation::find(const std::string& key) const {
  const auto found = std::ranges::find(earlier_, key, &Earlier::key);
  return found == earlier_.end() ? nullptr : &*found;
}

void NetworkSimulation::keep(Earlier earlier) {
  earlier_.push_back(std::move(earlier));
  if (earlier_.size() > kMostEarlier) earlier_.pop_front();
}

report::NetworkStep NetworkSimulation::run(const networks::Step& step,
                                           const std::function<bool()>& keep_going) {
  const PreparedRun& run = preparation_.prepared(step);
  const std::vector<memory::CachedLine> before = contents_.before(step, run.launches);
  report::NetworkStep done{step.layer, step.part, run.inputs.title, false, {}};
  const std::string key = key_of(step, before);
  if (const Earlier* earlier = request_.no_reuse ? nullptr : find(key)) {
    done.is_reused = true;
    done.result = earlier->result;
    std::vector<memory::CachedLine> lines(earlier->lines.size());
    std::ranges::transform(earlier->lines, lines.begin(), unpacked);
    contents_.after(lines);
    return done;
  }
  report::RunInputs inputs = run.inputs;
  constexpr double kOperationsPerMac = 2.0;
  inputs.flop = step.macs > 0 ? std::optional(kOperationsPerMac * step.macs) : std::nullopt;
  inputs.l2_state = "carried over";
  std::vector<memory::CachedLine> lines;
  const auto simulate = [&](const std::optional<gpu::SamplingOptions>& sampling) {
    gpu::SimulationOptions options = network_simulation_options(request_);
    options.sampling = sampling;
    gpu::Simulation simulation(machine_.machine, options);
    simulation.fill_l2(before);
    gpu::Outcome outcome =
        simulation.run(run.launches, [&](const gpu::Progress&) { return keep_going(); });
    stopped_ = outcome.stop != gpu::StopReason::kFinished;
    done.result = report::run_json(report::make_record(inputs, outcome, simulation.counters(), {}));
    if (!stopped_) lines = simulation.l2_lines();
    return stopped_ || is_as_sure_as(outcome, request_.sampling_error);
  };
  if (std::ranges::none_of(sampling_attempts(request_, run.launches), simulate)) simulate({});
  done.result.erase("simulation");
  if (stopped_) return done;
  contents_.after(lines);
  if (!request_.no_reuse) keep({key, done.result, packed(lines)});
  return done;
}

}  // namespace tcsim::run
