#pragma once

#include <memory>
#include <set>
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
  int sm = 0;  ///< on which its last CTA ended, or the last access was answered
};

/// Follows what every event on some SMs waited for last, to find the chain of waits that ends with
/// each kernel. Not for SMs that run concurrently. Holds only the chains that may still matter, not
/// every event.
class PathRecorder {
 public:
  /// Listens to `sms`.
  explicit PathRecorder(std::set<int> sms);
  ~PathRecorder();
  PathRecorder(const PathRecorder&) = delete;
  PathRecorder& operator=(const PathRecorder&) = delete;

  /// The listener of SM `sm`, whose cycles count from `origin`; null for SMs left out.
  sm::Observer* observer(int sm, Cycle origin);

  /// The listener of reads of these SMs.
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
