#pragma once

#include <utility>

namespace tcsim::sm {

/// The barrier of a cluster as one of its CTAs sees it. It opens when all CTAs that have not ended
/// have arrived. A CTA arrives when all its warps that have not exited have arrived.
class ClusterBarrier {
 public:
  /// A warp of the CTA arrives.
  void arrive() { ++warps_; }
  /// A warp of the CTA that has arrived `times` times exits.
  void exit(int times) {
    if (times > arrivals_) --warps_;
  }
  /// True if the last of the `warps_left` warps of the CTA has arrived. The CTA has then arrived,
  /// too, and must notify the whole cluster.
  bool complete_arrival(int warps_left) {
    if (warps_ == 0 || warps_ < warps_left) return false;
    warps_ = 0;
    ++arrivals_;
    return true;
  }
  /// How often the CTA has arrived.
  [[nodiscard]] int arrivals() const { return arrivals_; }

  /// A CTA of the cluster, this one or another, reports that it has arrived.
  void cta_came() { ++came_; }
  /// Another CTA has ended after `arrivals` arrivals of its own. If it arrived for the current
  /// phase before it ended, it still counts as arrived in this phase.
  void cta_left(int arrivals) { ++(arrivals > phase_ ? leaving_ : left_); }
  /// True if all `ctas` of the cluster have arrived or ended; the barrier has then opened.
  bool open_if_complete(int ctas) {
    if (came_ + left_ < ctas) return false;
    came_ = 0;
    left_ += std::exchange(leaving_, 0);
    ++phase_;
    return true;
  }
  /// How often it has opened.
  [[nodiscard]] int phase() const { return phase_; }

 private:
  int warps_ = 0;     ///< warps of the CTA that have arrived since the CTA last did
  int arrivals_ = 0;  ///< arrivals of the CTA
  int came_ = 0;      ///< CTAs that have arrived since it last opened
  int left_ = 0;      ///< CTAs that have ended and will not arrive again
  int leaving_ = 0;   ///< CTAs that count as ended from the next phase on
  int phase_ = 0;
};

}  // namespace tcsim::sm
