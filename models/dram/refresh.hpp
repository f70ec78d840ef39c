#pragma once

#include "models/isa/cycle.hpp"

namespace tcsim::dram {

/// Which bank's refresh is due when. Every bank is refreshed once per refresh interval, by
/// single-bank commands that rotate over the banks: the n-th command (n = 0, 1, ...) goes to bank n
/// mod banks and is due at (n + 1) * interval / banks, rounded down. This is how JEDEC relates the
/// two refresh commands: one all-bank REFRESH per tREFI, or within the same time one single-bank
/// REFRESH to each bank.
class RefreshRotation {
 public:
  RefreshRotation(Cycle interval, int banks) : interval_(interval), banks_(banks) {}

  [[nodiscard]] Cycle due() const { return ((issued_ + 1) * interval_) / banks_; }
  [[nodiscard]] int dram_bank() const { return static_cast<int>(issued_ % banks_); }
  void command_issued() { ++issued_; }

 private:
  const Cycle interval_;
  const Cycle banks_;
  Cycle issued_ = 0;
};

}  // namespace tcsim::dram
