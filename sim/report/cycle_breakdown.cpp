#include "sim/report/cycle_breakdown.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "sim/errors/errors.hpp"
#include "sim/text/spaced.hpp"

namespace tcsim::report {
namespace {

constexpr std::string_view kPrefix = "cycles_";
constexpr int kWhole = 1000;  // tenths of a percent

/// Rounds down, then hands the missing tenths to the largest remainders (first ones on a tie), so
/// that the printed shares add up.
void round_to_tenths(std::vector<CycleShare>& shares, std::uint64_t total) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> remainder(shares.size());
  int given = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i].fraction = static_cast<double>(shares[i].cycles) / static_cast<double>(total);
    const double exact = shares[i].fraction * kWhole;
    shares[i].tenths = static_cast<int>(exact);
    remainder[i] = exact - shares[i].tenths;
    given += shares[i].tenths;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](auto left, auto right) { return remainder[left] > remainder[right]; });
  for (std::size_t i = 0; given < kWhole; ++i, ++given) ++shares[order[i % order.size()]].tenths;
}

}  // namespace

std::vector<CycleShare> cycle_breakdown(const stats::Scope& sub_cores, Cycle elapsed) {
  std::vector<CycleShare> shares;
  std::uint64_t total = 0;
  for (const stats::CounterSummary& counter : sub_cores.counters) {
    if (!counter.name.starts_with(kPrefix)) continue;
    const std::string reason = counter.name.substr(kPrefix.size());
    shares.push_back({reason, text::spaced(reason), counter.sum});
    total += counter.sum;
  }
  const std::uint64_t expected =
      static_cast<std::uint64_t>(elapsed) * static_cast<std::uint64_t>(sub_cores.instances);
  if (total != expected) {
    throw InternalError("cycles by reason add up to " + std::to_string(total) + ", not to " +
                        std::to_string(elapsed) + " cycles of " +
                        std::to_string(sub_cores.instances) +
                        " sub-cores = " + std::to_string(expected));
  }
  if (total > 0) round_to_tenths(shares, total);
  return shares;
}

}  // namespace tcsim::report
