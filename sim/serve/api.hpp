#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/serve/http/message.hpp"
#include "sim/serve/lane.hpp"
#include "sim/serve/runs.hpp"
#include "sim/serve/settings.hpp"

namespace tcsim::serve {

/// Answers each request (docs/serve.md). A path is one of a fixed list, or has the key of a result
/// in the one place where a key is allowed: no part of it becomes the name of a file. Mistakes of a
/// user, which are frequent while typing, have the normal status 200 with "mistakes"
/// (mistake_list.hpp).
class Api {
 public:
  /// `questions` is the lane of requests that are answered at once: checks, peaks, comparisons.
  Api(Lane& questions, Runs& runs, Settings settings);

  /// Answers `request`, now or later.
  void answer(const http::Request& request, const http::Answer& answer);

 private:
  /// A command of this program whose output is the reply.
  struct Question {
    std::vector<std::string> words;
    std::string input{};
    std::string machine_text{};                            ///< stands in the folder as kMachineFile
    std::map<std::string, std::filesystem::path> links{};  ///< in the folder, to what it may read
    std::string type = "application/json";
    std::vector<std::pair<std::string, std::string>> fields{};  ///< of the reply
  };

  void route(const http::Request& request, const http::Answer& answer);
  /// True if it was one of these.
  bool answer_get(const http::Request& request, const http::Answer& answer);
  bool answer_post(const http::Request& request, const http::Answer& answer);
  bool answer_run(const http::Request& request, const http::Answer& answer);
  [[nodiscard]] http::Reply run_file(const std::string& id, const std::string& name) const;
  void ask(const std::string& client, const Question& question, const http::Answer& answer);
  void compare(const http::Request& request, const http::Answer& answer);
  void show_sweep(const http::Request& request, const http::Answer& answer);
  [[nodiscard]] http::Reply about() const;

  Lane& questions_;
  Runs& runs_;
  Settings settings_;
};

}  // namespace tcsim::serve
