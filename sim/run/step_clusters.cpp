#include "sim/run/step_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/gpu/students_t.hpp"

namespace tcsim::run {
namespace {

/// How far apart the times of two steps are that find as many bytes of each buffer in the L2, but
/// not the same lines: docs/sampling.md.
constexpr double kArrangement = 0.01;

double time_of(const StepClusters::Member& member) {
  return member.result.at("time_us").get<double>();
}

/// Zero of a step that was simulated whole.
double half_width_of(const StepClusters::Member& member) {
  const auto& result = member.result;
  return result.contains("sampling") ? result.at("sampling").at("half_width").get<double>() : 0;
}

double mean_of(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

}  // namespace

double StepClusters::width_by_times(const Cluster& cluster) {
  const auto count = static_cast<double>(cluster.times_us.size());
  if (count < 2) return std::numeric_limits<double>::infinity();
  const double mean = mean_of(cluster.times_us);
  double squares = 0;
  for (const double time : cluster.times_us) squares += (time - mean) * (time - mean);
  // The means of these and of as many further ones are apart by the deviations of both.
  const double deviation = std::sqrt(2 * squares / (count - 1) / count);
  return (gpu::students_t(count) * deviation + std::abs(time_of(cluster.nearest) - mean)) / mean +
         cluster.half_width;
}

double StepClusters::width_by_contents(const Member& member,
                                       const std::vector<std::int64_t>& held_bytes) const {
  double difference = 0;
  for (std::size_t i = 0; i < held_bytes.size(); ++i)
    difference += static_cast<double>(std::abs(held_bytes[i] - member.held_bytes[i]));
  return difference / dram_bytes_per_us_ / time_of(member) +
         std::hypot(half_width_of(member), kArrangement);
}

std::optional<StepClusters::Told> StepClusters::told(
    const std::string& cluster, const std::vector<std::int64_t>& held_bytes) const {
  const auto found = clusters_.find(cluster);
  if (found == clusters_.end()) return {};
  const Cluster& one = found->second;
  const double half_width =
      std::min(width_by_times(one), width_by_contents(one.nearest, held_bytes));
  if (half_width > error_) return {};
  return Told{&one.nearest, half_width};
}

void StepClusters::add(const std::string& cluster, Member member) {
  Cluster& one = clusters_[cluster];
  one.times_us.push_back(time_of(member));
  one.half_width = std::max(one.half_width, half_width_of(member));
  const double mean = mean_of(one.times_us);
  if (one.times_us.size() == 1 ||
      std::abs(time_of(member) - mean) <= std::abs(time_of(one.nearest) - mean))
    one.nearest = std::move(member);
}

}  // namespace tcsim::run
