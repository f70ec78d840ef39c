#pragma once

#include <string>
#include <vector>

#include "sim/files/descriptor.hpp"
#include "sim/sweep/folder.hpp"

namespace tcsim::sweep {

/// Tells other processes that this one runs a point: running/KEY with host, process and time,
/// locked while it does. A killed process loses the lock, so no mark outlives it. Some file systems
/// of networks lock nothing; there two processes may run a point.
class RunningMark {
 public:
  /// Throws IoError.
  RunningMark(const Folder& folder, const Point& point);
  /// False if another process runs the point, whose mark stays.
  [[nodiscard]] bool is_ours() const { return is_ours_; }
  ~RunningMark();
  RunningMark(const RunningMark&) = delete;
  RunningMark& operator=(const RunningMark&) = delete;

 private:
  std::string file_;
  files::Descriptor descriptor_;
  bool is_ours_;
};

/// A point that runs at the moment.
struct RunningPoint {
  const Point* point;
  std::string host;
  int process = 0;
  double seconds = 0;  ///< since it started
};

/// Points of the plan that some process runs, in their order.
std::vector<RunningPoint> running_points(const Folder& folder);

}  // namespace tcsim::sweep
