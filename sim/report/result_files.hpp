#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sim/files/atomic_file.hpp"
#include "sim/report/run_directory.hpp"

namespace tcsim::report {

/// The files of a run that has ended. They are written to the disk next to their places, which they
/// take only when all of them are there; before that an earlier run is whole, whatever happens.
/// Its files go with it. All members throw IoError.
class ResultFiles {
 public:
  /// `unfinished` is the manifest of the run before its end. It stands in the place of an earlier
  /// run's while the files take theirs, so that a mixture of both runs is never read as one.
  ResultFiles(RunDirectory directory, const nlohmann::ordered_json& unfinished);

  [[nodiscard]] const RunDirectory& directory() const { return directory_; }

  /// Each file once.
  void write(const std::string& file, std::string_view text);
  /// Puts the files and then `manifest`, with their checksums, in their places and removes what is
  /// left of an earlier run. Must be the last call.
  void publish(const nlohmann::ordered_json& manifest);

 private:
  RunDirectory directory_;
  std::optional<files::ReplacementFile> unfinished_;
  std::map<std::string, files::ReplacementFile> files_;
};

}  // namespace tcsim::report
