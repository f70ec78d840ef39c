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
      slack_((params.controller_latency_cycles / kStep - 2) * kStep),
      interleave_(static_cast<std::uint64_t>(interleave_bytes)),
      owned_(static_cast<std::uint64_t>(std::max(params.channels / slices, 1))),
      sharing_(static_cast<std::uint64_t>(std::max(slices / params.channels, 1))),
      sent_(static_cast<std::size_t>(params.channels)) {
  const dram::DramTiming timing = dram::resolve(params, memory_mhz);
  for (int channel = 0; channel < params.channels; ++channel) {
    controllers_.push_back(std::make_unique<Controller>(
        timing, params, parent, "channel[" + std::to_string(channel) + "]"));
  }
}

std::size_t DramPorts::channel_of(int slice, std::uint64_t& address) const {
  const auto home = static_cast<std::uint64_t>(slice);
  const std::uint64_t group = sharing_.quotient(home);
  const std::uint64_t block =
      interleave_.quotient(address) * sharing_.divisor() + sharing_.remainder(home);
  address = owned_.quotient(block) * interleave_.divisor() + interleave_.remainder(address);
  return group * owned_.divisor() + memory::channel_of(block, owned_);
}

void DramPorts::send(int slice, dram::Burst burst, Cycle at) {
  const std::size_t channel = channel_of(slice, burst.address);
  sent_[channel].emplace_back(l2_to_dram_.up(at + send_latency_), burst);
  ++under_way_;
}

void DramPorts::begin(Cycle until) {
  first_step_ = end_step_;
  end_step_ = std::max(first_step_, ceil_div(until, kStep) * kStep);
  for (std::size_t i = 0; i < controllers_.size(); ++i) {
    Controller& controller = *controllers_[i];
    controller.next_step = first_step_;
    controller.under_way += static_cast<int>(sent_[i].size());
    controller.backlog.insert(controller.backlog.end(), sent_[i].begin(), sent_[i].end());
    sent_[i].clear();
  }
}

void DramPorts::carry(std::size_t channel) {
  Controller& controller = *controllers_[channel];
  for (; controller.next_step < end_step_ && controller.under_way > 0;
       controller.next_step += kStep)
    carry(controller, controller.next_step);
  controller.next_step = end_step_;
}

void DramPorts::end(std::vector<DramFill>& done) {
  const auto steps = static_cast<std::size_t>((end_step_ - first_step_) / kStep);
  if (done_.size() < steps) done_.resize(steps);
  for (std::size_t i = 0; i < controllers_.size(); ++i) {
    carry(i);
    auto& done_by_one = controllers_[i]->done;
    for (const auto& [step, fill] : done_by_one)
      done_[static_cast<std::size_t>((step - first_step_) / kStep)].push_back(fill);
    under_way_ -= static_cast<std::int64_t>(done_by_one.size());
    done_by_one.clear();
  }
  for (std::size_t i = 0; i < steps; ++i) {
    done.insert(done.end(), done_[i].begin(), done_[i].end());
    done_[i].clear();
  }
  due_ = end_step_ + slack_;
}

/// Executes one step, knowing only what was sent before it.
void DramPorts::carry(Controller& controller, Cycle step) {
  const Cycle until = l2_to_dram_.down(step + send_latency_);
  const Cycle since = l2_to_dram_.down(step - kStep + send_latency_);
  auto& backlog = controller.backlog;
  while (!backlog.empty() && backlog.front().first < until && controller.channel.can_accept()) {
    controller.last_push = std::max({backlog.front().first, since, controller.last_push});
    controller.channel.push(controller.last_push, backlog.front().second);
    backlog.pop_front();
  }
  controller.completions.clear();
  controller.channel.advance(until, controller.completions);
  controller.under_way -= static_cast<int>(controller.completions.size());
  for (const dram::Completion& completion : controller.completions) {
    Cycle at = dram_to_l2_.up(completion.at);
    if (!completion.write) {
      at = std::max(at, controller.return_free);
      controller.return_free = at + return_interval_;
    }
    controller.done.emplace_back(step,
                                 DramFill{completion.tag, completion.write, at + return_latency_});
  }
}

}  // namespace tcsim::memory
