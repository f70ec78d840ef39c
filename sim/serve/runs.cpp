#include "sim/serve/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/run/request_io.hpp"
#include "sim/serve/confined_command.hpp"
#include "sim/serve/json_reply.hpp"
#include "sim/serve/mistake_list.hpp"

namespace tcsim::serve {
namespace {

using json::Json;

constexpr std::size_t kMostFailed = 1000;
constexpr std::size_t kMostAsked = 100;     // of a client
constexpr std::size_t kMostClients = 4096;  // as many as have sessions

/// Where a run is by what it has written: its last line of progress, and how much of it is done.
struct Progress {
  std::string line;
  std::optional<double> share;
};

/// 0.341 of "34.1 %  87 of 256 CTAs ...", 0.25 of "[3/12] conv1 ..."; nothing in other lines.
std::optional<double> share_in(std::string_view line) {
  const bool is_step = line.starts_with('[');
  if (is_step) line.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{}) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (!is_step) return line.starts_with(" %") ? std::optional(number / 100) : std::nullopt;
  double count = 0;
  if (!line.starts_with('/') ||
      std::from_chars(line.data() + 1, line.data() + line.size(), count).ec != std::errc{} ||
      count <= 0)
    return std::nullopt;
  return number / count;
}

/// Steps of a network count before the progress within one.
Progress progress_in(const std::string& text) {
  Progress progress;
  for (std::size_t start = 0, end = 0; (end = text.find('\n', start)) != std::string::npos;
       start = end + 1) {
    const std::string_view line = std::string_view(text).substr(start, end - start);
    const auto share = share_in(line);
    if (!share || (progress.line.starts_with('[') && !line.starts_with('['))) continue;
    progress = {std::string(line), std::clamp(*share, 0.0, 1.0)};
  }
  return progress;
}

/// Whether a run has a result: it came to its end, or to the cycle at which it was to stop.
bool has_result(const process::ChildResult& child) {
  if (child.timed_out || child.signal != 0) return false;
  if (child.status != kStopped) return child.status == kDone;
  const Json result = Json::parse(child.output, nullptr, /*allow_exceptions=*/false);
  const Json::json_pointer cause("/simulation/stopped_by");
  return result.contains(cause) && result.at(cause) == "cycle limit";
}

http::Reply read_only_refusal() {
  return http::refusal(403, "this server shows stored results and runs nothing");
}

}  // namespace

Runs::Runs(Lane& lane, Store& store, Settings settings, std::string program)
    : lane_(lane), store_(store), settings_(std::move(settings)), program_(std::move(program)) {}

http::Reply Runs::submit(const std::string& client, const Experiment& experiment) {
  const Json json = experiment_json(experiment);
  const std::string text = files::json_text(json);
  const std::string id = Store::key_of(program_, text);
  if (store_.has(id, text)) {
    remember(client, id);
    return state(id);
  }
  if (settings_.read_only) return read_only_refusal();
  const auto known = runs_.find(id);
  if (known != runs_.end() && known->second.number != 0) {
    if (!lane_.join(client, known->second.number)) return too_many();
    known->second.clients.insert(client);
    remember(client, id);
    return state(id);
  }
  const auto number = lane_.submit(
      client, [this, id, experiment] { return start(id, experiment); },
      [this, id](const Ending& ending) { end(id, ending); });
  if (!number && lane_.is_full())
    return http::refusal(429, fmt::format("{} runs of all clients are waiting, the most that this "
                                          "server takes; try again when some have started",
                                          lane_.waiting()));
  if (!number) return too_many();
  if (known != runs_.end()) std::erase(failed_, id);
  Run run;
  run.experiment = json;
  run.number = *number;
  run.clients = {client};
  runs_[id] = std::move(run);
  remember(client, id);
  return state(id);
}

http::Reply Runs::too_many() const {
  return http::refusal(429, fmt::format("you have {} runs waiting or running, the most that a "
                                        "client may have; wait for one or cancel it",
                                        settings_.queue));
}

void Runs::remember(const std::string& client, const std::string& id) {
  if (!asked_.contains(client) && asked_.size() >= kMostClients) asked_.erase(asked_.begin());
  std::deque<std::string>& asked = asked_[client];
  std::erase(asked, id);
  asked.push_front(id);
  if (asked.size() > kMostAsked) asked.pop_back();
}

Launch Runs::start(const std::string& id, const Experiment& experiment) {
  Run& run = runs_.at(id);
  run.workplace = store_.workplace();
  run.workplace->write(Store::kExperiment, files::json_text(run.experiment));
  if (experiment.machine.name.empty()) run.workplace->write(kMachineFile, experiment.machine.text);
  run.start = std::chrono::steady_clock::now();
  const std::string directory =
      Store::run_directory({}, id).string();  // relative, so that files name no folder of ours
  return launch_of({.words = {"run", "--request", "-", "-o", directory, "-f", "json", "-v",
                              "--progress-every", "0.3"},
                    .input = files::json_text(run::request_json(experiment.request)),
                    .folder = run.workplace->path(),
                    .writes = true,
                    .time_s = settings_.run_s,
                    .memory_mib = settings_.memory_mib});
}

void Runs::end(const std::string& id, const Ending& ending) {
  Run& run = runs_.at(id);
  run.number = 0;
  const auto workplace = std::exchange(run.workplace, nullptr);
  const process::ChildResult& child = ending.result;
  if (ending.trouble.empty() && has_result(child)) {
    try {
      workplace->write(Store::kResult, child.output);
      store_.take(id, *workplace);
      runs_.erase(id);
      return;
    } catch (const IoError& error) {
      run.failure = mistakes_json(kFileTrouble, error.what());
    } catch (const std::exception& error) {
      run.failure = mistakes_json(kOurBug, error.what());
    }
  } else {
    run.failure = ending.trouble.empty()
                      ? mistakes_json(child, settings_.run_s, settings_.memory_mib)
                      : mistakes_json(kFileTrouble, ending.trouble);
  }
  failed_.push_back(id);
  if (failed_.size() <= kMostFailed) return;
  runs_.erase(failed_.front());
  failed_.pop_front();
}

void Runs::add_progress(const Run& run, Json& json) const {
  if (const auto ahead = lane_.ahead_of(run.number)) {
    json["state"] = "waiting";
    json["ahead"] = *ahead + lane_.running();
    return;
  }
  json["state"] = "running";
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - run.start;
  json["seconds"] = age.count();
  const Progress progress = progress_in(lane_.errors_of(run.number));
  if (!progress.share) return;
  json["progress"] = progress.line;
  json["share"] = *progress.share;
}

Json Runs::state_json(const std::string& id, bool with_result) const {
  Json json{{"id", id}};
  const auto run = runs_.find(id);
  if (run != runs_.end()) {
    json["experiment"] = run->second.experiment;
    if (run->second.number != 0) {
      add_progress(run->second, json);
    } else {
      json["state"] = "failed";
      json["failure"] = run->second.failure;
    }
    return json;
  }
  Json experiment = store_.read(id, Store::kExperiment);
  Json result = with_result ? store_.read(id, Store::kResult) : Json();
  if (experiment.is_null() || (with_result && result.is_null())) return nullptr;
  json["state"] = "done";
  json["experiment"] = std::move(experiment);
  if (with_result) json["result"] = std::move(result);
  return json;
}

http::Reply Runs::state(const std::string& id) const {
  const Json json = state_json(id, /*with_result=*/true);
  return json.is_null() ? http::refusal(404, "no such run, or its stored result was deleted")
                        : json_reply(json);
}

http::Reply Runs::cancel(const std::string& client, const std::string& id) {
  if (const auto asked = asked_.find(client); asked != asked_.end()) std::erase(asked->second, id);
  const auto run = runs_.find(id);
  if (run == runs_.end() || run->second.clients.erase(client) == 0) {
    const bool is_known = !state_json(id, /*with_result=*/false).is_null();
    return settings_.read_only && !is_known ? read_only_refusal() : state(id);
  }
  if (run->second.number != 0) lane_.withdraw(client, run->second.number);
  if (run->second.clients.empty()) {
    std::erase(failed_, id);
    runs_.erase(run);
  }
  return json_reply({{"id", id}, {"state", "cancelled"}});
}

http::Reply Runs::list(const std::string& client) const {
  Json json = Json::array();
  if (const auto asked = asked_.find(client); asked != asked_.end())
    for (const std::string& id : asked->second) {
      Json state = state_json(id, /*with_result=*/false);
      if (!state.is_null()) json.push_back(std::move(state));
    }
  return json_reply(json);
}

std::filesystem::path Runs::directory(const std::string& id) const {
  return runs_.contains(id) ? std::filesystem::path() : store_.directory(id);
}

}  // namespace tcsim::serve
