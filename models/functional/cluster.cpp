#include "models/functional/cluster.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace tcsim::functional {

Cluster::Cluster(const isa::KernelLaunch& launch, std::span<const LaneProgram> programs,
                 std::int64_t index, std::span<const std::span<std::uint8_t>> buffers,
                 MatrixUnit& matrix_unit, GlobalOrder* global_order) {
  const int size = launch.cluster_size();
  const int warps = size * launch.warps_per_cta;
  const bool is_asynchronous = AsyncUnit::is_used_by(launch);
  if (is_asynchronous || global_order != nullptr) order_.emplace(warps);
  if (global_order != nullptr) global_order->begin_cluster(index, *order_);
  for (int rank = 0; rank < size; ++rank)
    ctas_.push_back(std::make_unique<Cta>(launch, programs, index, rank, buffers, matrix_unit,
                                          is_asynchronous ? &*order_ : nullptr, global_order));
  for (const auto& cta : ctas_) cta->join(memory_);
  if (!is_asynchronous) return;
  barrier_.pending = barrier_.warps = warps;
  barrier_.arrivals.resize(static_cast<std::size_t>(warps));
  barrier_.waited_for.resize(static_cast<std::size_t>(warps));
  for (const auto& cta : ctas_) units_.push_back(cta->async());
  for (AsyncUnit* const unit : units_) unit->join(units_, memory_, barrier_);
}

std::optional<numerics::Refusal> Cluster::run() {
  while (!std::ranges::all_of(ctas_, [](const auto& cta) { return cta->has_ended(); })) {
    bool advanced = false;
    for (const auto& cta : ctas_)
      if (auto failure = cta->run_on(advanced)) return failure;
    if (!advanced) return deadlock();
  }
  return std::nullopt;
}

numerics::Refusal Cluster::deadlock() const {
  std::string text;
  for (const auto& cta : ctas_)
    if (!cta->has_ended())
      text += (text.empty() ? "CTA " : "; CTA ") + std::to_string(cta->index()) + " never ends" +
              cta->waits_text();
  return numerics::mistake(text);
}

}  // namespace tcsim::functional
