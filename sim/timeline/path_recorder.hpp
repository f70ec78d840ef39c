#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/memory/observer.hpp"
#include "models/sm/observer.hpp"
#include "sim/timeline/critical_path.hpp"

namespace tcsim::timeline {

class PathListener;
struct PathEvents;

/// Where and when a kernel of a run has ended, in cycles from the start of the run.
struct KernelEnd {
  Cycle start = 0;  ///< its launch
  Cycle end = 0;
  int sm = 0;  ///< on which its last CTA ended, or the last store was answered
};

/// Follows what every event on some SMs waited for last, so that the chain behind the end of each
/// kernel can be told. Not for SMs that run at once. Holds the chains that may still matter, not
/// all that happened.
class PathRecorder {
 public:
  /// Listens to `sms`.
  explicit PathRecorder(std::set<int> sms);
  ~PathRecorder();
  PathRecorder(const PathRecorder&) = delete;
  PathRecorder& operator=(const PathRecorder&) = delete;

  /// Who listens to SM `sm`, whose cycles count from `origin`; null for SMs left out.
  sm::Observer* observer(int sm, Cycle origin);

  /// Who hears of reads of the SMs listened to.
  memory::Observer& reads();

  /// The paths of the kernels, in the order of their launch. Requires that `ends` has all of them,
  /// on SMs listened to.
  [[nodiscard]] std::vector<KernelPath> take(const std::vector<KernelEnd>& ends) const;

 private:
  const std::set<int> sms_;
  std::unique_ptr<PathEvents> shared_;
  std::vector<std::unique_ptr<PathListener>> listeners_;
};

}  // namespace tcsim::timeline
