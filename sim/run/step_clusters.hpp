#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::run {

/// Steps of a network that run the same kernels and find the L2 in a like state. Further ones are
/// told to be as one that was simulated, the nearest to the mean, where either of two bounds is
/// near enough:
/// - by times, of two members or more: sampling by clusters of equal launches, as STEM+ROOT does
///   across the launches of a program, with the interval from Student's t in the place of the
///   central limit;
/// - by contents: how long the DRAM takes for the bytes that one step finds in the L2 and the other
///   does not. Long kernels need no second member so.
class StepClusters {
 public:
  // NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
  struct Member {
    nlohmann::ordered_json result;
    std::vector<std::int64_t> held_bytes;  ///< that it found in the L2, as told() takes them
    std::vector<std::uint64_t> lines;      ///< that it left of its own buffers in the L2
    double written_bytes = 0;              ///< to DRAM, of its own buffers
  };
  struct Told {
    const Member* member = nullptr;
    /// Of the mean of further steps about this one's time, relative, 95 %.
    double half_width = 0;
  };

  /// Steps are told when the half-width is at most `error`.
  StepClusters(double error, double dram_bytes_per_us)
      : error_(error), dram_bytes_per_us_(dram_bytes_per_us) {}

  /// Of a step of this cluster that finds `held_bytes` in the L2 (networks::L2Contents::Shape).
  [[nodiscard]] std::optional<Told> told(const std::string& cluster,
                                         const std::vector<std::int64_t>& held_bytes) const;
  void add(const std::string& cluster, Member member);

 private:
  // NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
  struct Cluster {
    std::vector<double> times_us;
    double half_width = 0;  ///< the largest of its members' own
    Member nearest;         ///< to the mean at its time: one alone is kept, as its lines are many
  };

  [[nodiscard]] static double width_by_times(const Cluster& cluster);
  [[nodiscard]] double width_by_contents(const Member& member,
                                         const std::vector<std::int64_t>& held_bytes) const;

  double error_;
  double dram_bytes_per_us_;
  std::map<std::string, Cluster> clusters_;
};

}  // namespace tcsim::run
