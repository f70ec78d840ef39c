#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "models/dispatch/cta_placement/policy.hpp"

namespace tcsim::dispatch {

/// The SM with the most room; if several are equal, the first in order.
class BreadthFirst {
 public:
  static constexpr std::string_view kName = "breadth_first";

  explicit BreadthFirst(SmOrder order) : order_(std::move(order)) {}

  template <typename Question>
  std::optional<std::size_t> pick(Question&& room_on) const {
    std::optional<std::size_t> best;
    int most = 0;
    for (const std::size_t sm : order_) {
      const int room = room_on(sm);
      if (room <= most) continue;
      best = sm;
      most = room;
    }
    return best;
  }
  void placed(std::size_t /*sm*/) {}

 private:
  SmOrder order_;
};

}  // namespace tcsim::dispatch
