#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "sim/json/view.hpp"
#include "sim/serve/experiment.hpp"
#include "sim/serve/http/message.hpp"
#include "sim/serve/lane.hpp"
#include "sim/serve/settings.hpp"
#include "sim/serve/store.hpp"

namespace tcsim::serve {

/// Runs of clients, from the request to the result. Equal experiments are one run: clients that ask
/// before it has ended share it, later ones receive its result from the store.
class Runs {
 public:
  Runs(Lane& lane, Store& store, Settings settings, std::string program);

  /// Answers with the run's state. 429 if the client has too many runs open or too many of all
  /// clients wait, 403 if nothing may run and the store does not have it.
  http::Reply submit(const std::string& client, const Experiment& experiment);
  /// {"id", "state": "waiting" | "running" | "done" | "failed", "ahead", "progress", "share",
  /// "seconds", "experiment", "result", "failure"}; what does not apply is left out. 404 if it is
  /// unknown.
  [[nodiscard]] http::Reply state(const std::string& id) const;
  /// The client gives up the run; a run that no client wants any more ends.
  http::Reply cancel(const std::string& client, const std::string& id);
  /// The runs that the client asked for, the latest first, without results.
  [[nodiscard]] http::Reply list(const std::string& client) const;

  /// Folder of the run directory of a finished run; empty if there is none.
  [[nodiscard]] std::filesystem::path directory(const std::string& id) const;

 private:
  struct Run {
    json::Json experiment;
    Lane::Number number = 0;  ///< in the lane; 0: it has ended
    std::set<std::string> clients;
    std::shared_ptr<files::ScratchFolder> workplace;  ///< while it runs
    std::chrono::steady_clock::time_point start{};
    json::Json failure;  ///< null unless it has failed
  };

  [[nodiscard]] json::Json state_json(const std::string& id, bool with_result) const;
  [[nodiscard]] http::Reply too_many() const;
  void add_progress(const Run& run, json::Json& json) const;
  Launch start(const std::string& id, const Experiment& experiment);
  void end(const std::string& id, const Ending& ending);
  void remember(const std::string& client, const std::string& id);

  Lane& lane_;
  Store& store_;
  Settings settings_;
  std::string program_;
  std::map<std::string, Run> runs_;  ///< under way and failed ones; results are in the store
  std::deque<std::string> failed_;   ///< the latest last
  std::map<std::string, std::deque<std::string>> asked_;  ///< by clients, the latest first
};

}  // namespace tcsim::serve
