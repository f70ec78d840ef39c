#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/networks/l2_contents.hpp"

namespace tcsim::run {

/// Steps of a network that run the same kernels, in clusters by the contents of the L2 that they
/// find. Further steps are estimated from one that was simulated, as long as the half-widths of all
/// steps so far add up to no more than the requested error of their time. The half-width of a step
/// is the smaller of two:
/// - by times, from two or more members of its cluster, estimated from the member nearest to their
///   mean: sampling by clusters of equal launches, as STEM+ROOT does across the launches of a
///   program, with the interval from Student's t instead of the central limit. Bytes that the step
///   finds in the L2 outside the range of what the members found count as below;
/// - by contents, estimated from the nearest member of any cluster: the time that the DRAM takes
///   for the bytes that one step finds in the L2 and the other does not. So long kernels need no
///   second member.
class StepClusters {
 public:
  /// How far apart the times of two steps are that find as many bytes of each buffer in the L2, but
  /// not the same lines, relative: docs/sampling.md. No step after an estimated one is surer.
  static constexpr double kArrangement = 0.01;

  // NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
  struct Member {
    nlohmann::ordered_json result;
    std::vector<std::uint64_t> lines;  ///< that it left of its own buffers in the L2
    double written_bytes = 0;          ///< to DRAM, of its own buffers
  };
  struct Estimate {
    const Member* member = nullptr;
    /// Of the mean time of further steps about the time of this one, relative, 95 %.
    double half_width = 0;
  };

  StepClusters(double error, double dram_bytes_per_us)
      : error_(error), dram_bytes_per_us_(dram_bytes_per_us) {}

  /// The estimate for a step with `kernels` that finds `found` in the L2; nothing if it has to be
  /// simulated.
  [[nodiscard]] std::optional<Estimate> estimate(const std::string& kernels,
                                                 const networks::L2Contents::Shape& found) const;
  void add(const std::string& kernels, const networks::L2Contents::Shape& found, Member member);
  /// The next step of the network was simulated or estimated, with this result.
  void count(const nlohmann::ordered_json& result);

 private:
  // NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
  struct Cluster {
    std::vector<int> eighths;
    std::vector<double> times_us;
    double half_width = 0;  ///< the largest of its members' own
    Member nearest;         ///< to the mean at its time; only this one is kept: it has many lines
    std::vector<std::int64_t> found_bytes;  ///< by that one in the L2
    std::vector<std::int64_t> least_found;  ///< by any member
    std::vector<std::int64_t> most_found;
  };

  [[nodiscard]] double width_by_times(const Cluster& cluster,
                                      const std::vector<std::int64_t>& found_bytes) const;
  [[nodiscard]] double width_by_contents(const Cluster& cluster,
                                         const std::vector<std::int64_t>& found_bytes) const;

  double error_;
  double dram_bytes_per_us_;
  double time_us_ = 0;  ///< of all steps so far
  double half_width_us_ = 0;
  std::map<std::string, std::vector<Cluster>> clusters_;  ///< by kernels
};

}  // namespace tcsim::run
