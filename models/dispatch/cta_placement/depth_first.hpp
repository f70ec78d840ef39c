#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "models/dispatch/cta_placement/policy.hpp"

namespace tcsim::dispatch {

/// The first SM in order that has room: an SM is filled before the next one receives any CTA.
class DepthFirst {
 public:
  static constexpr std::string_view kName = "depth_first";

  explicit DepthFirst(SmOrder order) : order_(std::move(order)) {}

  template <typename Question>
  std::optional<std::size_t> pick(Question&& room_on) const {
    for (const std::size_t sm : order_)
      if (room_on(sm) > 0) return sm;
    return std::nullopt;
  }
  void placed(std::size_t /*sm*/) {}

 private:
  SmOrder order_;
};

}  // namespace tcsim::dispatch
