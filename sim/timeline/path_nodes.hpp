#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/timeline/critical_path.hpp"

namespace tcsim::timeline {

/// An event, and the earlier event that it waited for last.
struct PathNode {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Cycle at = 0;
  std::uint32_t before = kNone;
  std::uint32_t uses = 0;
  PathCause cause = PathCause::kLaunch;  ///< of the cycles since `before`
  std::uint8_t warp = 0;
  std::uint16_t sm = 0;
  std::int16_t program = kNoPlace;
  std::int16_t loop = kNoPlace;
  std::int32_t instruction = kNoPlace;
  std::int32_t trip = 0;
  std::int64_t cta = 0;
};

/// Events as a forest that grows at its leaves. A node is deleted when nobody holds it and no event
/// follows it: only the paths to events that may still matter remain.
class PathNodes {
 public:
  std::uint32_t add(const PathNode& node) {
    std::uint32_t index = free_;
    if (index == PathNode::kNone) {
      index = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[index].before;
    }
    nodes_[index] = node;
    nodes_[index].uses = 0;
    hold(node.before);
    return index;
  }
  const PathNode& operator[](std::uint32_t index) const { return nodes_[index]; }

  void hold(std::uint32_t index) {
    if (index != PathNode::kNone) ++nodes_[index].uses;
  }
  void drop(std::uint32_t index) {
    while (index != PathNode::kNone && --nodes_[index].uses == 0) {
      const std::uint32_t before = nodes_[index].before;
      nodes_[index].before = free_;
      free_ = index;
      index = before;
    }
  }

 private:
  std::vector<PathNode> nodes_;
  std::uint32_t free_ = PathNode::kNone;
};

/// Holds a node, or none.
class PathRef {
 public:
  PathRef() = default;
  PathRef(PathNodes& nodes, std::uint32_t index) : nodes_(&nodes), index_(index) {
    nodes.hold(index);
  }
  PathRef(const PathRef& other) : nodes_(other.nodes_), index_(other.index_) {
    if (nodes_ != nullptr) nodes_->hold(index_);
  }
  PathRef(PathRef&& other) noexcept
      : nodes_(other.nodes_), index_(std::exchange(other.index_, PathNode::kNone)) {}
  PathRef& operator=(PathRef other) noexcept {
    std::swap(nodes_, other.nodes_);
    std::swap(index_, other.index_);
    return *this;
  }
  ~PathRef() {
    if (nodes_ != nullptr) nodes_->drop(index_);
  }

  explicit operator bool() const { return index_ != PathNode::kNone; }
  const PathNode* operator->() const { return &(*nodes_)[index_]; }
  [[nodiscard]] const PathNode& node() const { return (*nodes_)[index_]; }
  [[nodiscard]] std::uint32_t index() const { return index_; }

 private:
  PathNodes* nodes_ = nullptr;
  std::uint32_t index_ = PathNode::kNone;
};

}  // namespace tcsim::timeline
