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

/// Steps of a network that run the same kernels, in clusters by how they find the L2. Further ones
/// are told to be as one that was simulated, as long as the half-widths of all steps so far add up
/// to no more than the asked error of their time. That of a step is the smaller of two:
/// - by times, of two members or more of its cluster, as the nearest to their mean: sampling by
///   clusters of equal launches, as STEM+ROOT does across the launches of a program, with the
///   interval from Student's t in the place of the central limit;
/// - by contents, as the nearest member of any cluster: how long the DRAM takes for the bytes that
///   one step finds in the L2 and the other does not. Long kernels need no second member so.
class StepClusters {
 public:
  // NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
  struct Member {
    nlohmann::ordered_json result;
    std::vector<std::uint64_t> lines;  ///< that it left of its own buffers in the L2
    double written_bytes = 0;          ///< to DRAM, of its own buffers
  };
  struct Told {
    const Member* member = nullptr;
    /// Of the mean of further steps about this one's time, relative, 95 %.
    double half_width = 0;
  };

  StepClusters(double error, double dram_bytes_per_us)
      : error_(error), dram_bytes_per_us_(dram_bytes_per_us) {}

  /// Of a step of this cluster that finds `held_bytes` in the L2 (networks::L2Contents::Shape).
  [[nodiscard]] std::optional<Told> told(const std::string& kernels,
                                         const networks::L2Contents::Shape& found) const;
  void add(const std::string& kernels, const networks::L2Contents::Shape& found, Member member);
  /// The next step of the network has run, or was told, with this result.
  void count(const nlohmann::ordered_json& result);

 private:
  // NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
  struct Cluster {
    std::vector<int> eighths;
    std::vector<double> times_us;
    double half_width = 0;  ///< the largest of its members' own
    Member nearest;         ///< to the mean at its time: one alone is kept, as its lines are many
    std::vector<std::int64_t> found_bytes;  ///< by that one in the L2
  };

  [[nodiscard]] static double width_by_times(const Cluster& cluster);
  [[nodiscard]] double width_by_contents(const Cluster& cluster,
                                         const std::vector<std::int64_t>& found_bytes) const;

  double error_;
  double dram_bytes_per_us_;
  double time_us_ = 0;  ///< of all steps so far
  double half_width_us_ = 0;
  std::map<std::string, std::vector<Cluster>> clusters_;  ///< by kernels
};

}  // namespace tcsim::run
