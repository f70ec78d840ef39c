#include "sim/config/resources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/isa/cycle.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/machine_checks.hpp"
#include "sim/config/mma_interval.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

constexpr auto kRate = Scaling::kRate;
constexpr auto kTime = Scaling::kTime;

std::vector<Resource> domains() {
  return {
      {"sm_clock",
       "SM clock",
       "sm_clock",
       {{"clocks.sm_mhz", kRate},
        {"clocks.tensor_boost_mhz", kRate},
        {"energy.tensor_mhz", kRate}}},
      {"l2_clock", "L2 and network clock", "l2_clock", {{"clocks.l2_mhz", kRate}}},
      {"dram",
       "DRAM, clock and timings",
       "dram",
       {{"clocks.memory_mhz", kRate},
        {"dram.t_cl_ns", kTime},
        {"dram.t_cwl_ns", kTime},
        {"dram.t_rcd_read_ns", kTime},
        {"dram.t_rcd_write_ns", kTime},
        {"dram.t_rp_ns", kTime},
        {"dram.t_ras_ns", kTime},
        {"dram.t_wr_ns", kTime},
        {"dram.t_rtp_ns", kTime},
        {"dram.t_rrd_ns", kTime},
        {"dram.t_faw_ns", kTime},
        {"dram.t_wtr_s_ns", kTime},
        {"dram.t_wtr_l_ns", kTime},
        {"dram.t_rtw_ns", kTime},
        {"dram.t_rfc_ns", kTime},
        {"dram.t_refi_ns", kTime}}},
      {"launch", "launch overhead", "launch", {{"launch.overhead_us", kTime}}},
      {"nvlink",
       "NVLink",
       "nvlink",
       {{"nvlink.link_gb_per_s", kRate},
        {"nvlink.start_us", kTime},
        {"nvlink.hop_us", kTime},
        {"nvlink.line_start_us", kTime},
        {"nvlink.line_hop_us", kTime},
        {"nvlink.bulk_start_us", kTime},
        {"nvlink.bulk_hop_us", kTime},
        {"nvlink.switch_us", kTime}}},
  };
}

std::vector<Resource> parts_of_an_sm() {
  Resource tensor{"tensor",
                  "tensor rate",
                  "sm_clock",
                  {{"sm.tensor.operand_registers_per_cycle", kRate},
                   {"sm.tensor.least_interval_cycles", kTime},
                   {"sm.tensor.sparse_least_interval_cycles", kTime}}};
  for (const sm::TensorType& type : sm::kTensorTypes) tensor.keys.push_back({type.key, kRate});
  return {
      tensor,
      {"cuda_cores",
       "lanes of the CUDA cores",
       "sm_clock",
       {{"sm.pipes.fp32_lanes", Scaling::kLanes},
        {"sm.pipes.int32_lanes", Scaling::kLanes},
        {"sm.pipes.half2_lanes", Scaling::kLanes},
        {"sm.pipes.bf16x2_lanes", Scaling::kLanes},
        {"sm.pipes.dp4a_lanes", Scaling::kLanes},
        {"sm.pipes.fp64_lanes", Scaling::kLanes},
        {"sm.pipes.sfu_lanes", Scaling::kLanes}}},
      {"register_ports",
       "register ports",
       "sm_clock",
       {{"sm.register_file.read_ports_per_bank", Scaling::kDoubled}}},
      {"sm_memory_bandwidth",
       "shared memory/L1 bandwidth",
       "sm_clock",
       {{"sm.l1.bytes_per_cycle", kRate}, {"sm.memory_queue.load_return_bytes_per_cycle", kRate}}},
      {"shared_latency",
       "shared memory latency",
       "sm_clock",
       {{"sm.shared_memory.load_latency_cycles", kTime}}},
      {"l1_latency", "L1 latency", "sm_clock", {{"sm.l1.hit_latency_cycles", kTime}}},
      {"cta_start",
       "start and end of CTAs",
       "sm_clock",
       {{"launch.cta_release_cycles", kTime},
        {"launch.cta_dispatch_interval_cycles", kTime},
        {"launch.cta_start_cycles", kTime}}},
  };
}

std::vector<Resource> parts_of_the_memory() {
  return {
      {"network_bandwidth",
       "network bandwidth",
       "l2_clock",
       {{"noc.sm_read_bytes_per_cycle", kRate},
        {"noc.sm_write_bytes_per_cycle", kRate},
        {"noc.tpc_read_bytes_per_cycle", kRate},
        {"noc.tpc_write_bytes_per_cycle", kRate},
        {"noc.gpc_read_bytes_per_cycle", kRate},
        {"noc.gpc_write_bytes_per_cycle", kRate}}},
      {"network_latency",
       "network latency",
       "l2_clock",
       {{"noc.request_latency_cycles", kTime},
        {"noc.response_latency_cycles", kTime},
        {"noc.distance_spread_cycles", kTime}}},
      {"l2_bandwidth",
       "L2 bandwidth",
       "l2_clock",
       {{"l2.bytes_per_cycle_per_slice", kRate}, {"l2.crossing_bytes_per_cycle", kRate}}},
      {"l2_latency",
       "L2 latency",
       "l2_clock",
       {{"l2.hit_latency_cycles", kTime}, {"l2.crossing_latency_cycles", kTime}}},
      {"dram_bandwidth",
       "DRAM bandwidth",
       "dram",
       {{"clocks.memory_mhz", kRate}, {"dram.return_bytes_per_cycle", Scaling::kBursts}}},
      {"dram_latency",
       "DRAM latency",
       "dram",
       {{"dram.controller_latency_cycles", kTime},
        {"dram.t_cl_ns", kTime},
        {"dram.t_rcd_read_ns", kTime},
        {"dram.t_rp_ns", kTime}}},
      {"sms", "SMs", "", {{"gpu.sms", Scaling::kSms}, {"gpu.sms_per_gpc", Scaling::kSms}}},
  };
}

std::vector<Resource> all_resources() {
  std::vector<Resource> all = domains();
  std::ranges::move(parts_of_an_sm(), std::back_inserter(all));
  std::ranges::move(parts_of_the_memory(), std::back_inserter(all));
  return all;
}

/// The changes of the keys of one resource.
class Change {
 public:
  Change(const Machine& machine, const std::vector<isa::Opcode>& mmas)
      : before_(machine), after_(machine), mmas_(mmas) {}

  void scale(const ScaledKey& scaled, double ratio) {
    const Key& key = *find_key(scaled.path);
    if (scaled.scaling == Scaling::kSms) return scale_sms(key, ratio);
    if (scaled.scaling == Scaling::kBursts) return scale_bursts(key, ratio);
    if (is_rate_key(key.path) && !multiplies(key.path)) return;
    std::visit([&](auto slot) { scale_slot(key, scaled.scaling, ratio, slot); }, key.slot);
  }

  /// Least intervals that the file gives for the MMAs of the run.
  void scale_mmas(double ratio) {
    for (auto& row : after_.sm.tensor.instructions) {
      if (!row.min_interval_cycles || std::ranges::find(mmas_, row.opcode) == mmas_.end()) continue;
      const int given = *row.min_interval_cycles;
      const int least = std::max(1, static_cast<int>(std::lround(given / ratio)));
      if (least == given) continue;
      row.min_interval_cycles = least;
      settings_.push_back(fmt::format("{}.{}.min_interval_cycles={}", kInstructionsPath,
                                      isa::opcode_info(row.opcode).mnemonic, least));
    }
  }

  [[nodiscard]] const Machine& machine() const { return after_; }

  [[nodiscard]] ResourceChange of_times_and_rates() const {
    double log_ratio = rates_ == 0 ? 0 : rate_logs_ / rates_;
    if (new_times_ > 0) {
      const double times = std::log(old_times_ / new_times_);
      log_ratio = rates_ == 0 ? times : (log_ratio + times) / 2;
    }
    return {settings_, std::exp(log_ratio)};
  }

  [[nodiscard]] ResourceChange of_mmas() const {
    return {settings_, sustained(after_) / sustained(before_)};
  }

  [[nodiscard]] ResourceChange of_dram() const {
    const double pins = dram_bandwidth(after_).gb_per_s / dram_bandwidth(before_).gb_per_s;
    const double reads =
        dram_read_bandwidth(after_).gb_per_s / dram_read_bandwidth(before_).gb_per_s;
    return {settings_, std::sqrt(pins * reads)};
  }

 private:
  [[nodiscard]] bool multiplies(std::string_view rate) const {
    return std::ranges::any_of(mmas_, [&](isa::Opcode mma) { return rate_key(mma) == rate; });
  }

  /// Multiply-adds per cycle of the slowest MMA.
  [[nodiscard]] double sustained(const Machine& machine) const {
    double least = std::numeric_limits<double>::infinity();
    for (const isa::Opcode mma : mmas_)
      if (const auto interval = mma_interval(machine, mma))
        least = std::min(least, interval->sustained());
    return least;
  }

  /// The value of `key` after the change, within its range.
  [[nodiscard]] double scaled(const Key& key, Scaling scaling, double ratio, double value) const {
    const double most = scaling == Scaling::kLanes ? 32.0 * before_.sm.sub_cores : key.max;
    const double wanted = scaling == Scaling::kTime   ? value / ratio
                          : scaling == Scaling::kRate ? value * ratio
                                                      : 2 * value;
    return std::clamp(wanted, std::min(value, key.min), std::max(value, most));
  }

  void note(const Key& key, Scaling scaling, double before, double after, const std::string& text) {
    if (after == before) return;
    settings_.push_back(fmt::format("{}={}", key.path, text));
    if (scaling == Scaling::kTime) {
      old_times_ += before;
      new_times_ += after;
    } else {
      rate_logs_ += std::log(after / before);
      ++rates_;
    }
  }

  template <typename Slot>
  void scale_slot(const Key& key, Scaling scaling, double ratio, Slot slot) {
    auto& value = slot(after_);
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, int>) {
      const int before = value;
      value = static_cast<int>(std::lround(scaled(key, scaling, ratio, before)));
      note(key, scaling, before, value, std::to_string(value));
    } else if constexpr (std::is_same_v<Value, double>) {
      const double before = value;
      value = scaled(key, scaling, ratio, before);
      note(key, scaling, before, value, fmt::format("{:.6g}", value));
    } else if constexpr (std::is_same_v<Value, std::optional<int>>) {
      const auto type = std::ranges::find(sm::kTensorTypes, key.path, &sm::TensorType::key);
      const int before = sm::dense_macs(*type, before_.sm.tensor);
      const int step = before_.sm.tensor.fp32_sum_slowdown;  // which divides the rates of floats
      value = step * static_cast<int>(std::ceil(scaled(key, scaling, ratio, before) / step));
      note(key, scaling, before, *value, std::to_string(*value));
    }
  }

  void scale_sms(const Key& key, double ratio) {
    if (key.path != "gpu.sms_per_gpc") return;  // gpu.sms follows
    const int step = before_.gpu.sms_per_tpc;
    std::vector<int>& gpcs = after_.gpu.sms_per_gpc;
    for (int& sms : gpcs) sms = step * static_cast<int>(std::lround(sms * ratio / step));
    after_.gpu.sms = std::accumulate(gpcs.begin(), gpcs.end(), 0);
    if (after_.gpu.sms == before_.gpu.sms) return;
    settings_.push_back(fmt::format("gpu.sms_per_gpc=[{}]", fmt::join(gpcs, ", ")));
    note(*find_key("gpu.sms"), Scaling::kRate, before_.gpu.sms, after_.gpu.sms,
         std::to_string(after_.gpu.sms));
  }

  /// A burst takes whole cycles on its way to the L2, so less than a cycle changes nothing.
  void scale_bursts(const Key& key, double ratio) {
    int& bytes = after_.dram.return_bytes_per_cycle;
    const int burst = after_.dram.channel_width_bits * after_.dram.burst_length_beats / 8;
    const double wanted =
        std::min(ratio * dram_read_bandwidth(before_).gb_per_s, dram_bandwidth(after_).gb_per_s);
    int cycles = ceil_div(burst, bytes);
    while (cycles > 1 && dram_read_bandwidth(after_).gb_per_s < wanted)
      bytes = ceil_div(burst, --cycles);
    note(key, Scaling::kRate, before_.dram.return_bytes_per_cycle, bytes, std::to_string(bytes));
  }

  const Machine& before_;
  Machine after_;
  const std::vector<isa::Opcode>& mmas_;
  std::vector<std::string> settings_;
  double rate_logs_ = 0;
  int rates_ = 0;
  double old_times_ = 0;
  double new_times_ = 0;
};

/// A change and the machine that it makes.
struct Candidate {
  ResourceChange change;
  Machine machine;
};

Candidate changed(const Machine& machine, const Resource& resource, double ratio,
                  const std::vector<isa::Opcode>& mmas) {
  Change change(machine, mmas);
  for (const ScaledKey& key : resource.keys) change.scale(key, ratio);
  if (resource.id == "dram_bandwidth") return {change.of_dram(), change.machine()};
  if (resource.id != "tensor") return {change.of_times_and_rates(), change.machine()};
  change.scale_mmas(ratio);
  return {change.of_mmas(), change.machine()};
}

/// Whether a file with the values of `machine` would be accepted.
bool may_be(const Machine& machine) {
  return std::ranges::all_of(
      machine_checks(), [&](const MachineCheck& check) { return check.problem(machine).empty(); });
}

}  // namespace

std::span<const Resource> resources() {
  static const std::vector<Resource> all = all_resources();
  return all;
}

std::optional<ResourceChange> faster(const Machine& machine, const Resource& resource, double ratio,
                                     const std::vector<isa::Opcode>& mmas) {
  if (resource.id == "tensor" && mmas.empty()) return {};
  constexpr double kStep = 0.02;
  constexpr int kSteps = 60;  // up to 2.2 times the ratio: values of one, two and four cycles
  constexpr double kLeast = 1e-3;
  std::optional<ResourceChange> nearest;
  const auto distance = [&](const ResourceChange& change) {
    return std::abs(std::log(change.ratio / ratio));
  };
  for (int i = 0; i < kSteps; ++i) {
    auto [change, result] = changed(machine, resource, ratio * (1 + kStep * i), mmas);
    if (!(change.ratio > 1 + kLeast) || !std::isfinite(change.ratio)) continue;
    const bool is_nearer = !nearest || distance(change) < distance(*nearest) - kLeast;
    if (is_nearer && may_be(result)) nearest = std::move(change);
  }
  return nearest;
}

}  // namespace tcsim::config
