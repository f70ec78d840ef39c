#include "models/memory/dram_port.hpp"

#include <algorithm>
#include <string>

#include "models/memory/channel_hash.hpp"

namespace tcsim::memory {

DramPorts::DramPorts(const dram::DramParams& params, int l2_mhz, int memory_mhz, int slices,
                     int interleave_bytes, stats::Group& parent)
    : l2_to_dram_(l2_mhz, memory_mhz),
      dram_to_l2_(memory_mhz, l2_mhz),
      send_latency_(params.controller_latency_cycles / 2),
      return_latency_(params.controller_latency_cycles - send_latency_),
      return_interval_(ceil_div<Cycle>(
          static_cast<Cycle>(params.channel_width_bits) / 8 * params.burst_length_beats,
          params.return_bytes_per_cycle)),
      slices_(slices),
      interleave_(static_cast<std::uint64_t>(interleave_bytes)) {
  const dram::DramTiming timing = dram::resolve(params, memory_mhz);
  for (int channel = 0; channel < params.channels; ++channel) {
    controllers_.push_back(std::make_unique<Controller>(
        timing, params, parent, "channel[" + std::to_string(channel) + "]"));
  }
}

DramPorts::Controller& DramPorts::controller_of(int slice, std::uint64_t& address) {
  const int channels = static_cast<int>(controllers_.size());
  const std::uint64_t block = address / interleave_;
  const std::uint64_t byte = address % interleave_;
  if (channels >= slices_) {  // a slice owns whole channels
    const auto owned = static_cast<std::uint64_t>(channels / slices_);
    address = block / owned * interleave_ + byte;
    return *controllers_[static_cast<std::size_t>(slice) * owned + channel_of(block, owned)];
  }
  const auto sharing = static_cast<std::uint64_t>(
      slices_ / channels);  // slices that share a channel alternate on it
  const auto home = static_cast<std::uint64_t>(slice);
  address = (block * sharing + home % sharing) * interleave_ + byte;
  return *controllers_[home / sharing];
}

void DramPorts::send(int slice, dram::Burst burst, Cycle at) {
  Controller& controller = controller_of(slice, burst.address);
  controller.backlog.emplace_back(l2_to_dram_.up(at + send_latency_), burst);
  ++controller.under_way;
  ++under_way_;
}

void DramPorts::advance(Cycle now, std::vector<DramFill>& done) {
  const Cycle until = l2_to_dram_.down(now + send_latency_);
  const Cycle since = l2_to_dram_.down(now - kStep + send_latency_);
  for (const auto& controller : controllers_) {
    if (controller->under_way == 0) continue;
    auto& backlog = controller->backlog;
    while (!backlog.empty() && backlog.front().first < until && controller->channel.can_accept()) {
      controller->last_push = std::max({backlog.front().first, since, controller->last_push});
      controller->channel.push(controller->last_push, backlog.front().second);
      backlog.pop_front();
    }
    completions_.clear();
    controller->channel.advance(until, completions_);
    controller->under_way -= static_cast<int>(completions_.size());
    under_way_ -= static_cast<std::int64_t>(completions_.size());
    for (const dram::Completion& completion : completions_) {
      Cycle at = dram_to_l2_.up(completion.at);
      if (!completion.write) {
        at = std::max(at, controller->return_free);
        controller->return_free = at + return_interval_;
      }
      done.push_back({completion.tag, completion.write, at + return_latency_});
    }
  }
}

}  // namespace tcsim::memory
