#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tcsim::dram::test {

/// A waiting request.
struct PlainRequest {
  std::uint64_t age;
  std::int64_t row;
  int dram_bank;
  bool write;
  int source;
};

/// A scheduling policy in its simplest form.
class PlainScheduling {
 public:
  virtual ~PlainScheduling() = default;
  /// Which of `requests` goes next. They belong to one bank and direction, the oldest first;
  /// younger ones have overtaken the oldest `bypassed` times.
  virtual const PlainRequest& next(const std::vector<PlainRequest>& requests, std::int64_t open_row,
                                   int bypassed) const = 0;
  /// Whether `left` goes before `right`, which belongs to another bank.
  virtual bool precedes(const PlainRequest& left, const PlainRequest& right) const {
    return left.age < right.age;
  }
  /// Receives the waiting requests, the oldest first, after all arrivals of a clock and after its
  /// commands.
  virtual void look(const std::vector<PlainRequest>& /*waiting*/) {}
};

using MakePlainScheduling = std::function<std::unique_ptr<PlainScheduling>(int row_hit_cap)>;

/// By the words of dram.scheduling.
const std::map<std::string, MakePlainScheduling>& plain_schedulings();

}  // namespace tcsim::dram::test
