#include "sim/run/step_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "sim/gpu/students_t.hpp"

namespace tcsim::run {
namespace {

double time_of(const StepClusters::Member& member) {
  return member.result.at("time_us").get<double>();
}

double mean_of(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

}  // namespace

std::optional<StepClusters::Told> StepClusters::told(const std::string& cluster) const {
  const auto found = clusters_.find(cluster);
  if (found == clusters_.end() || std::ssize(found->second.times_us) < kFewestMembers) return {};
  const Cluster& one = found->second;
  const auto count = static_cast<double>(one.times_us.size());
  const double mean = mean_of(one.times_us);
  double squares = 0;
  for (const double time : one.times_us) squares += (time - mean) * (time - mean);
  // The means of these and of as many further ones are apart by the deviations of both.
  const double deviation = std::sqrt(2 * squares / (count - 1) / count);
  const double half_width =
      (gpu::students_t(count) * deviation + std::abs(time_of(one.nearest) - mean)) / mean +
      one.half_width;
  if (half_width > error_) return {};
  return Told{&one.nearest, half_width};
}

void StepClusters::add(const std::string& cluster, Member member) {
  Cluster& one = clusters_[cluster];
  one.times_us.push_back(time_of(member));
  if (member.result.contains("sampling"))
    one.half_width =
        std::max(one.half_width, member.result.at("sampling").at("half_width").get<double>());
  const double mean = mean_of(one.times_us);
  if (one.times_us.size() == 1 ||
      std::abs(time_of(member) - mean) <= std::abs(time_of(one.nearest) - mean))
    one.nearest = std::move(member);
}

}  // namespace tcsim::run
