#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::run {

/// Steps of a network that run the same kernels and find the L2 in a like state. When the times of
/// those that were simulated are near enough to each other, further ones are told to be as the one
/// nearest to their mean: sampling by clusters of equal launches, as STEM+ROOT does across the
/// launches of a program, with the interval from Student's t in the place of the central limit.
class StepClusters {
 public:
  /// Fewer say nothing about how far times are apart. Of two, Student's t asks that they be nearly
  /// equal.
  static constexpr std::int64_t kFewestMembers = 2;

  // NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
  struct Member {
    nlohmann::ordered_json result;
    std::vector<std::uint64_t> lines;  ///< that it left of its own buffers in the L2
    /// Which lines of other buffers did, of those it found; clean ones, then dirty ones.
    std::array<std::vector<bool>, 2> stayed;
    double dirtied_bytes = 0;  ///< that it wrote and that were not dirty then
  };
  struct Told {
    const Member* member = nullptr;
    /// Of the mean of as many further steps about this one's time, relative, 95 %.
    double half_width = 0;
  };

  /// Steps are told when the half-width is at most `error`.
  explicit StepClusters(double error) : error_(error) {}

  [[nodiscard]] std::optional<Told> told(const std::string& cluster) const;
  void add(const std::string& cluster, Member member);

 private:
  // NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
  struct Cluster {
    std::vector<double> times_us;
    double half_width = 0;  ///< the largest of its members' own
    Member nearest;         ///< to the mean at its time: one alone is kept, as its lines are many
  };

  double error_;
  std::map<std::string, Cluster> clusters_;
};

}  // namespace tcsim::run
