#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "models/functional/causal_order.hpp"
#include "models/functional/race_detector.hpp"
#include "models/isa/launch.hpp"

namespace tcsim::functional {

/// A word of a flag buffer.
struct FlagPlace {
  int buffer = isa::kNoIndex;
  std::int64_t offset = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 reads a pointer into what is defaulted
  auto operator<=>(const FlagPlace&) const = default;
};

/// What clusters of a launch that wait for each other at flags know of each other's stores to
/// global memory. A load sees a store of another cluster if two conditions hold. First, the warp
/// that stored, or one that learned of the store at a barrier, has passed a MEMBAR and then raised
/// a flag. Second, the warp that loads, or one that it has learned from, has waited for the flag.
/// Clusters run one after the other here, so values are right in any case; a load without this
/// order is a race. Only buffers that the launch both loads and stores by LDG and STG are watched.
class GlobalOrder {
 public:
  /// For a launch with loops that wait.
  explicit GlobalOrder(const isa::KernelLaunch& launch);
  static bool is_needed_by(const isa::KernelLaunch& launch);

  /// The following calls concern cluster `number`, whose warps are agents of `order`.
  void begin_cluster(std::int64_t number, CausalOrder& order);

  /// The `warps` warps from `first` on have met at a BAR.SYNC.
  void meet(int first, std::ptrdiff_t warps) { order_->meet(first, static_cast<int>(warps)); }
  /// Warp `agent` executes a MEMBAR.
  void fence(int agent);
  /// `agent` has added `by` to a flag.
  void raise(int agent, const FlagPlace& flag, std::int32_t by);
  /// The wait of `agent` until `flag` is at least `until` has ended.
  void acquire(int agent, const FlagPlace& flag, std::int64_t until);
  /// Plain accesses of CTA number `cta`.
  void store(const Accessor& who, std::int64_t cta, int buffer, std::int64_t offset,
             std::size_t bytes);
  void load(const Accessor& who, std::int64_t cta, int buffer, std::int64_t offset,
            std::size_t bytes);

  /// In the order in which they were found.
  [[nodiscard]] const std::vector<Race>& races() const { return races_; }

 private:
  static constexpr std::int64_t kNever = -1;

  /// Which warp stored a grain last, and at which time of its clock.
  struct Store {
    std::int64_t cluster = kNever;
    Accessor who;
    int time = 0;
  };
  /// Knowledge of a cluster: the time of each of its warps, and which part was fenced.
  struct Known {
    Clock seen;
    Clock fenced;
  };
  using Knowledge = std::map<std::int64_t, Known>;  ///< by cluster
  struct Release {
    Knowledge knowledge;
    std::int32_t by;
  };
  /// Warps that know of `agent` up to this time know what the flag conveyed.
  struct Acquired {
    int agent;
    Knowledge knowledge;
  };
  struct Watched {
    bool has_flags = false;
    std::size_t grain = 0;  ///< bytes; 0: the buffer is not watched
    std::vector<Store> stores{};
  };

  static void add(Knowledge& to, const Knowledge& from);
  [[nodiscard]] Knowledge acquired_by(int agent) const;
  void check(const Store& store, const Accessor& who, std::int64_t cta, std::int64_t offset,
             std::size_t bytes);

  std::vector<Watched> buffers_;
  std::map<FlagPlace, std::vector<Release>> releases_;
  std::int64_t cluster_ = 0;
  CausalOrder* order_ = nullptr;
  std::vector<Clock> fenced_;       ///< by warp of the cluster: what it knew at its last MEMBAR
  std::vector<Acquired> acquired_;  ///< in the current cluster
  std::vector<Race> races_;
  std::map<std::tuple<RaceKind, std::int64_t, Accessor, Accessor>, std::size_t> known_;
};

}  // namespace tcsim::functional
