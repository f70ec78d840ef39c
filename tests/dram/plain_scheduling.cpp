#include "tests/dram/plain_scheduling.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace tcsim::dram::test {
namespace {

class PlainFcfs : public PlainScheduling {
 public:
  const PlainRequest& next(const std::vector<PlainRequest>& requests, std::int64_t /*open_row*/,
                           int /*bypassed*/) const override {
    return requests.front();
  }
};

class PlainFrFcfs : public PlainScheduling {
 public:
  explicit PlainFrFcfs(int cap) : cap_(cap) {}
  const PlainRequest& next(const std::vector<PlainRequest>& requests, std::int64_t open_row,
                           int bypassed) const override {
    for (const PlainRequest& request : requests)
      if (request.row == open_row && bypassed < cap_) return request;
    return requests.front();
  }

 private:
  int cap_;
};

/// Batches as sets of ages; order by comparing what the paper lists, one after the other.
class PlainParBs : public PlainScheduling {
 public:
  explicit PlainParBs(int cap) : writes_(cap) {}

  const PlainRequest& next(const std::vector<PlainRequest>& requests, std::int64_t open_row,
                           int bypassed) const override {
    if (requests.front().write) return writes_.next(requests, open_row, bypassed);
    return *std::min_element(
        requests.begin(), requests.end(), [&](const PlainRequest& left, const PlainRequest& right) {
          return order(left, left.row == open_row) < order(right, right.row == open_row);
        });
  }
  bool precedes(const PlainRequest& left, const PlainRequest& right) const override {
    if (left.write) return left.age < right.age;
    return order(left, true) < order(right, true);
  }
  void look(const std::vector<PlainRequest>& waiting) override {
    std::set<std::uint64_t> left;
    for (const PlainRequest& request : waiting)
      if (batch_.count(request.age) != 0) left.insert(request.age);
    batch_ = left;
    if (!batch_.empty()) return;
    std::map<int, std::map<int, int>> loads;  // by source, by bank
    for (const PlainRequest& request : waiting)
      if (!request.write && loads[request.source][request.dram_bank] < 5) {
        ++loads[request.source][request.dram_bank];
        batch_.insert(request.age);
      }
    std::vector<std::tuple<int, int, int>> shortest_first;  // most in a bank, total, source
    for (const auto& [source, banks] : loads) {
      int most = 0;
      int total = 0;
      for (const auto& [dram_bank, load] : banks) {
        most = std::max(most, load);
        total += load;
      }
      shortest_first.emplace_back(most, total, source);
    }
    std::sort(shortest_first.begin(), shortest_first.end());
    place_.clear();
    for (const auto& [most, total, source] : shortest_first)
      place_.emplace(source, static_cast<int>(place_.size()) + 1);
  }

 private:
  std::tuple<bool, bool, int, std::uint64_t> order(const PlainRequest& request, bool is_hit) const {
    const auto place = place_.find(request.source);
    return {batch_.count(request.age) == 0, !is_hit, place == place_.end() ? 0 : place->second,
            request.age};
  }

  PlainFrFcfs writes_;
  std::set<std::uint64_t> batch_;
  std::map<int, int> place_;  ///< by source
};

}  // namespace

const std::map<std::string, MakePlainScheduling>& plain_schedulings() {
  static const std::map<std::string, MakePlainScheduling> rows{
      {"fr_fcfs", [](int cap) { return std::make_unique<PlainFrFcfs>(cap); }},
      {"fcfs", [](int) { return std::make_unique<PlainFcfs>(); }},
      {"par_bs", [](int cap) { return std::make_unique<PlainParBs>(cap); }}};
  return rows;
}

}  // namespace tcsim::dram::test
