#include "sim/run/step_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/gpu/students_t.hpp"

namespace tcsim::run {
namespace {

/// What a dirty byte costs the DRAM, in bytes of its bandwidth: it is written between reads, which
/// wait for both turns of the bus.
constexpr double kDirtyByte = 3;
/// The half-width of a single step in terms of the asked error of all.
constexpr double kMostOfOne = 3;

double time_of(const nlohmann::ordered_json& result) { return result.at("time_us").get<double>(); }

/// Zero of a step that was simulated whole.
double half_width_of(const nlohmann::ordered_json& result) {
  return result.contains("sampling") ? result.at("sampling").at("half_width").get<double>() : 0;
}

/// The bytes of DRAM bandwidth that `found`, as Shape counts it, is outside of the range from
/// `least` to `most`.
double bytes_outside(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& least,
                     const std::vector<std::int64_t>& most) {
  double bytes = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_dirty = i >= found.size() / 2;
    const std::int64_t outside =
        std::max({least[i] - found[i], found[i] - most[i], std::int64_t{0}});
    bytes += static_cast<double>(outside) * (is_dirty ? kDirtyByte : 1.0);
  }
  return bytes;
}

double mean_of(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

}  // namespace

double StepClusters::width_by_times(const Cluster& cluster,
                                    const std::vector<std::int64_t>& found_bytes) const {
  const auto count = static_cast<double>(cluster.times_us.size());
  if (count < 2) return std::numeric_limits<double>::infinity();
  const double mean = mean_of(cluster.times_us);
  double squares = 0;
  for (const double time : cluster.times_us) squares += (time - mean) * (time - mean);
  // The means of these and of as many further ones are apart by the deviations of both.
  const double deviation = std::sqrt(2 * squares / (count - 1) / count);
  const double apart =
      gpu::students_t(count) * deviation + std::abs(time_of(cluster.nearest.result) - mean);
  const double outside = bytes_outside(found_bytes, cluster.least_found, cluster.most_found);
  // Equal times of members show nothing of lines that lie elsewhere.
  return std::max(apart / mean + cluster.half_width, kArrangement) +
         outside / dram_bytes_per_us_ / mean;
}

double StepClusters::width_by_contents(const Cluster& cluster,
                                       const std::vector<std::int64_t>& found_bytes) const {
  const double difference = bytes_outside(found_bytes, cluster.found_bytes, cluster.found_bytes);
  return difference / dram_bytes_per_us_ / time_of(cluster.nearest.result) +
         std::hypot(half_width_of(cluster.nearest.result), kArrangement);
}

std::optional<StepClusters::Estimate> StepClusters::estimate(
    const std::string& kernels, const networks::L2Contents::Shape& found) const {
  // All steps after the first estimate have at least this half-width.
  if (error_ < kArrangement) return {};
  const auto of_kernels = clusters_.find(kernels);
  if (of_kernels == clusters_.end()) return {};
  Estimate best{nullptr, std::numeric_limits<double>::infinity()};
  for (const Cluster& cluster : of_kernels->second) {
    double half_width = width_by_contents(cluster, found.bytes);
    if (cluster.eighths == found.eighths)
      half_width = std::min(half_width, width_by_times(cluster, found.bytes));
    if (half_width < best.half_width) best = {&cluster.nearest, half_width};
  }
  const double time_us = time_of(best.member->result);
  if (best.half_width > kMostOfOne * error_ ||
      half_width_us_ + best.half_width * time_us > error_ * (time_us_ + time_us))
    return {};
  return best;
}

void StepClusters::add(const std::string& kernels, const networks::L2Contents::Shape& found,
                       Member member) {
  std::vector<Cluster>& of_kernels = clusters_[kernels];
  auto one = std::ranges::find(of_kernels, found.eighths, &Cluster::eighths);
  if (one == of_kernels.end()) {
    one = of_kernels.emplace(one);
    one->eighths = found.eighths;
    one->least_found = one->most_found = found.bytes;
  }
  for (std::size_t i = 0; i < found.bytes.size(); ++i) {
    one->least_found[i] = std::min(one->least_found[i], found.bytes[i]);
    one->most_found[i] = std::max(one->most_found[i], found.bytes[i]);
  }
  one->times_us.push_back(time_of(member.result));
  one->half_width = std::max(one->half_width, half_width_of(member.result));
  const double mean = mean_of(one->times_us);
  if (one->times_us.size() > 1 &&
      std::abs(time_of(member.result) - mean) > std::abs(time_of(one->nearest.result) - mean))
    return;
  one->nearest = std::move(member);
  one->found_bytes = found.bytes;
}

void StepClusters::count(const nlohmann::ordered_json& result) {
  const double time_us = time_of(result);
  time_us_ += time_us;
  half_width_us_ += half_width_of(result) * time_us;
}

}  // namespace tcsim::run
