#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/files/descriptor.hpp"
#include "sim/sweep/plan.hpp"

namespace tcsim::sweep {

/// A folder that is not what the command needs; the message names it and the remedy. Status 2.
class FolderRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class PointState { kOpen, kDone, kFailed, kCrashed, kTimeLimit, kMemoryLimit };
/// "open", "done", "failed", "crashed", "time limit", "memory limit".
std::string_view state_text(PointState state);

/// Why a point has no result.
struct Failure {
  PointState state = PointState::kFailed;
  int status = 0;
  int signal = 0;
  std::string reason;                   ///< one line
  std::vector<std::string> last_lines;  ///< of its standard error
};

/// What is known of a point.
// NOLINTNEXTLINE(bugprone-exception-escape): moving JSON throws nothing
struct PointRecord {
  PointState state = PointState::kOpen;
  nlohmann::ordered_json result;  ///< what tcsim run printed; null unless done
  Failure failure;                ///< if it failed
  bool corrupt = false;           ///< its result file was there but not whole: counts as open
};

/// The folder of a sweep: plan.json, bin/, inputs/, points/KEY.json, failed/KEY.json, running/KEY,
/// submitted.
/// Files appear by rename only, so any process may be killed at any time.
class Folder {
 public:
  /// Writes `plan` to `path`, or over an earlier plan of the same name there; copies program and
  /// inputs. Throws FolderRefused for other content, IoError.
  static Folder prepare(const std::filesystem::path& path, Plan plan);
  /// Opens what prepare wrote. Throws FolderRefused.
  static Folder open(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }

  [[nodiscard]] PointRecord record(const Point& point) const;
  /// Throws IoError.
  void store_result(const Point& point, const nlohmann::ordered_json& result) const;
  void store_failure(const Point& point, const Failure& failure) const;
  /// Forgets a failure, so that the point is open again.
  void forget_failure(const Point& point) const;
  void write(const std::string& file, const std::string& text) const;

  /// Stores which points are handed out, as their keys in `submitted`. Throws IoError.
  void store_submission(const std::vector<const Point*>& points) const;
  /// Keys of the points that were handed out last; none if there is no such file.
  [[nodiscard]] std::set<std::string> submission() const;

  /// Results of planned inputs by another revision of the model.
  [[nodiscard]] int count_stale() const;

 private:
  Folder(std::filesystem::path path, Plan plan);

  std::filesystem::path path_;
  Plan plan_;
};

/// Keeps a second command out of a sweep's folder; ends with the process at the latest, however
/// that ends.
class FolderLock {
 public:
  enum class Kind { kAlone, kWithOtherWorkers };

  /// Throws FolderRefused if another process holds the folder, IoError.
  FolderLock(const std::filesystem::path& folder, Kind kind);

 private:
  files::Descriptor descriptor_;
};

}  // namespace tcsim::sweep
