#include "sim/run/step_clusters.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <utility>

namespace tcsim::run {
namespace {

constexpr double kUpperQuantile = 0.975;  // of a 95 % interval

double time_of(const StepClusters::Member& member) {
  return member.result.at("time_us").get<double>();
}

}  // namespace

std::optional<StepClusters::Told> StepClusters::told(const std::string& cluster) const {
  const auto found = clusters_.find(cluster);
  if (found == clusters_.end() || std::ssize(found->second.members) < kFewestMembers) return {};
  const std::vector<Member>& members = found->second.members;
  const auto count = static_cast<double>(members.size());
  double mean = 0;
  for (const Member& member : members) mean += time_of(member) / count;
  double squares = 0;
  for (const Member& member : members)
    squares += (time_of(member) - mean) * (time_of(member) - mean);
  const Member& nearest = *std::ranges::min_element(
      members, {}, [&](const Member& member) { return std::abs(time_of(member) - mean); });
  // The means of these and of as many further ones are apart by the deviations of both.
  const double deviation = std::sqrt(2 * squares / (count - 1) / count);
  const double t = boost::math::quantile(boost::math::students_t(count - 1), kUpperQuantile);
  const double half_width =
      (t * deviation + std::abs(time_of(nearest) - mean)) / mean + found->second.half_width;
  if (half_width > error_) return {};
  return Told{&nearest, half_width};
}

void StepClusters::add(const std::string& cluster, Member member) {
  Cluster& one = clusters_[cluster];
  if (member.result.contains("sampling"))
    one.half_width =
        std::max(one.half_width, member.result.at("sampling").at("half_width").get<double>());
  one.members.push_back(std::move(member));
}

}  // namespace tcsim::run
