#include "sim/run/step_clusters.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace tcsim::run {
namespace {

constexpr double kUpperQuantile = 0.975;  // of a 95 % interval

}  // namespace

std::optional<StepClusters::Told> StepClusters::told(const std::string& cluster) const {
  const auto found = clusters_.find(cluster);
  if (found == clusters_.end() || std::ssize(found->second.times_us) < kFewestMembers) return {};
  const std::vector<double>& times = found->second.times_us;
  const auto count = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / count;
  double squares = 0;
  for (const double time : times) squares += (time - mean) * (time - mean);
  // Two steps of one cluster, the latest and the one to tell, are apart by both their deviations.
  const double deviation = std::sqrt(2 * squares / (count - 1));
  const double t = boost::math::quantile(boost::math::students_t(count - 1), kUpperQuantile);
  const double half_width = t * deviation / mean + found->second.half_width;
  if (half_width > error_) return {};
  return Told{&found->second.latest, half_width};
}

void StepClusters::add(const std::string& cluster, Member member) {
  Cluster& one = clusters_[cluster];
  one.times_us.push_back(member.result.at("time_us").get<double>());
  if (member.result.contains("sampling"))
    one.half_width =
        std::max(one.half_width, member.result.at("sampling").at("half_width").get<double>());
  one.latest = std::move(member);
}

}  // namespace tcsim::run
