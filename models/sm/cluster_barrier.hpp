#pragma once

#include <utility>

namespace tcsim::sm {

/// The barrier of a cluster as one of its CTAs knows it. It opens when all CTAs have come that have
/// not ended, each once all its warps that have not exited have arrived.
class ClusterBarrier {
 public:
  /// A warp of the CTA arrives.
  void arrive() { ++warps_; }
  /// A warp of the CTA exits that has arrived `times` times.
  void exit(int times) {
    if (times > arrivals_) --warps_;
  }
  /// True if the last of the `warps_left` warps of the CTA has arrived, and the CTA with it: it
  /// tells all of the cluster.
  bool complete_arrival(int warps_left) {
    if (warps_ == 0 || warps_ < warps_left) return false;
    warps_ = 0;
    ++arrivals_;
    return true;
  }
  /// Times that the CTA has arrived.
  [[nodiscard]] int arrivals() const { return arrivals_; }

  /// A CTA of the cluster, this one or another, tells that it has arrived.
  void cta_came() { ++came_; }
  /// Another one has ended after `arrivals` of its own: one that came before it ended is among
  /// those that have this time.
  void cta_left(int arrivals) { ++(arrivals > phase_ ? leaving_ : left_); }
  /// True if all `ctas` of the cluster have come or ended: then the barrier has opened.
  bool open_if_complete(int ctas) {
    if (came_ + left_ < ctas) return false;
    came_ = 0;
    left_ += std::exchange(leaving_, 0);
    ++phase_;
    return true;
  }
  /// Times that it has opened.
  [[nodiscard]] int phase() const { return phase_; }

 private:
  int warps_ = 0;     ///< of the CTA that have arrived since the CTA last has
  int arrivals_ = 0;  ///< of the CTA
  int came_ = 0;      ///< CTAs since it last opened
  int left_ = 0;      ///< CTAs that have ended and come no more
  int leaving_ = 0;   ///< the same from the next time on
  int phase_ = 0;
};

}  // namespace tcsim::sm
