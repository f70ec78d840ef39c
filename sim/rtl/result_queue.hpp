#pragma once

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

/// Results of a WarpUnit whose D leaves register by register, in the order of its instructions.
class ResultQueue {
 public:
  /// An instruction whose D has `registers` registers starts at `now`.
  void expect(int registers, std::int64_t now) {
    waiting_.push_back({.d = {}, .accepted = now, .finished = 0});
    registers_.push_back(registers);
  }
  /// The oldest instruction in flight. Throws std::logic_error if there is none.
  WarpUnit::Result& oldest() {
    if (waiting_.empty()) throw std::logic_error("a result that no instruction makes");
    return waiting_.front();
  }
  /// `image` of oldest() leaves the unit at `now`.
  void take(const RegisterImage& image, std::int64_t now) {
    WarpUnit::Result& result = oldest();
    result.d.push_back(image);
    if (static_cast<int>(result.d.size()) < registers_.front()) return;
    result.finished = now;
    finished_.push_back(std::move(result));
    waiting_.pop_front();
    registers_.pop_front();
  }
  std::vector<WarpUnit::Result> take_finished() { return std::exchange(finished_, {}); }
  [[nodiscard]] int in_flight() const { return static_cast<int>(waiting_.size()); }

 private:
  std::deque<WarpUnit::Result> waiting_;
  std::deque<int> registers_;  ///< of each of them
  std::vector<WarpUnit::Result> finished_;
};

}  // namespace tcsim::rtl
