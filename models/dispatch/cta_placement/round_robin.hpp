#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "models/dispatch/cta_placement/policy.hpp"

namespace tcsim::dispatch {

/// Each SM in turn; one without room loses its turn. The baseline of work on CTA scheduling (Lee et
/// al., "Improving GPGPU resource utilization through alternative thread block scheduling", HPCA
/// 2014).
class RoundRobin {
 public:
  static constexpr std::string_view kName = "round_robin";

  explicit RoundRobin(SmOrder order) : order_(std::move(order)) {}

  template <typename Question>
  std::optional<std::size_t> pick(Question&& room_on) const {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t place = next_ + i;
      const std::size_t sm = order_[place < order_.size() ? place : place - order_.size()];
      if (room_on(sm) > 0) return sm;
    }
    return std::nullopt;
  }
  void placed(std::size_t sm) {
    next_ = static_cast<std::size_t>(std::ranges::find(order_, sm) - order_.begin()) + 1;
  }

 private:
  SmOrder order_;
  std::size_t next_ = 0;  ///< place of the SM whose turn it is; one past the last means the first
};

}  // namespace tcsim::dispatch
