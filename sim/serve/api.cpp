#include "sim/serve/api.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "sim/config/json_schema.hpp"
#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/scratch_folder.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/json/parse.hpp"
#include "sim/library/load.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/report/revision.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/request_io.hpp"
#include "sim/serve/confined_command.hpp"
#include "sim/serve/json_reply.hpp"
#include "sim/serve/mistake_list.hpp"
#include "sim/serve/pages.hpp"
#include "sim/text/number.hpp"
#include "workloads/import/operation_words.hpp"

namespace tcsim::serve {
namespace {

namespace fs = std::filesystem;
using http::Reply;
using http::Request;
using json::Json;

constexpr double kQuestionSeconds = 20;
constexpr std::string_view kRuns = "/api/runs/";
constexpr std::string_view kReports = "/runs/";
constexpr std::string_view kMachines = "/api/machines/";

/// Pages that a run wrote hold words of whoever asked for it: they run in an origin of their own,
/// which has no cookie and may fetch nothing.
std::vector<std::pair<std::string, std::string>> fields_of_reports() {
  return {{"Content-Security-Policy",
           "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'unsafe-inline'; "
           "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'self'"}};
}

/// For a question that ended with `mistakes`. A page, which has `fields`, says why where it would
/// have been shown.
Reply unanswered(const std::vector<std::pair<std::string, std::string>>& fields,
                 const Json& mistakes) {
  if (fields.empty()) return json_reply(mistakes);
  return {200, mistakes.at("message").get<std::string>(), "text/plain; charset=utf-8", fields};
}

struct RunFile {
  std::string_view name;
  const char* type;
};
/// What a run writes and a client may have.
constexpr std::array<RunFile, 11> kRunFiles{{{"report.html", "text/html; charset=utf-8"},
                                             {"report.md", "text/plain; charset=utf-8"},
                                             {"stats.json", "application/json"},
                                             {"network.json", "application/json"},
                                             {"manifest.json", "application/json"},
                                             {"critical_path.json", "application/json"},
                                             {"stats.csv", "text/csv; charset=utf-8"},
                                             {"kernels.csv", "text/csv; charset=utf-8"},
                                             {"layers.csv", "text/csv; charset=utf-8"},
                                             {"timeline.perfetto.json.gz", "application/gzip"},
                                             {"timeline.kanata.zst", "application/zstd"}}};

/// A body that is no JSON.
class NoJson : public UsageError {
 public:
  using UsageError::UsageError;
};

json::View body_of(const Request& request) {
  try {
    return json::parse(request.body, "request", {.levels = 8, .keys_of_an_object = 256});
  } catch (const UsageError& error) {
    throw NoJson(error.what());
  }
}

std::vector<std::string> machine_words(std::vector<std::string> words,
                                       const MachineChoice& machine) {
  words.push_back(machine.word());
  for (const std::string& change : machine.overrides) words.push_back("--set=" + change);
  words.insert(words.end(), {"-f", "json"});
  return words;
}

Json options_json() {
  Json options = Json::array();
  for (const std::string& name : option_names()) {
    const run::Field& field = *run::find_field(name);
    options.push_back({{"name", name},
                       {"is_flag", field.kind == run::FieldKind::kFlag},
                       {"is_list", field.kind == run::FieldKind::kTexts},
                       {"words", field.words},
                       {"of_networks", field.is_of_networks},
                       {"help", field.help}});
  }
  return options;
}

Json words_json() {
  Json operations = Json::array();
  for (const workload::OperationWords& words : workload::operation_words())
    operations.push_back({{"name", words.name}, {"keys", words.keys}});
  return {{"operations", operations},
          {"types", workload::element_words()},
          {"networks", networks::network_names()},
          {"libraries", library::library_names()},
          {"options", options_json()}};
}

}  // namespace

Api::Api(Lane& questions, Runs& runs, Settings settings)
    : questions_(questions), runs_(runs), settings_(std::move(settings)) {}

void Api::answer(const Request& request, const http::Answer& answer) {
  try {
    route(request, answer);
  } catch (const NoJson& error) {
    answer(json_reply(mistakes_json(kUserMistake, error.what()), 400));
  } catch (const UsageError& error) {
    answer(json_reply(mistakes_json(kUserMistake, error.what())));
  } catch (const std::exception& error) {
    answer(json_reply(mistakes_json(kOurBug, error.what()), 500));
  }
}

void Api::route(const Request& request, const http::Answer& answer) {
  const bool is_answered = request.path.starts_with(kRuns) ? answer_run(request, answer)
                           : request.method == "GET"       ? answer_get(request, answer)
                           : request.method == "POST"      ? answer_post(request, answer)
                                                           : false;
  if (!is_answered) answer(http::refusal(404, "there is nothing here: see docs/serve.md"));
}

bool Api::answer_get(const Request& request, const http::Answer& answer) {
  const std::string& path = request.path;
  if (const Page* const page = find_page(path)) {
    answer({200, std::string(page->content()), page->type});
  } else if (path == "/api/about") {
    answer(about());
  } else if (path == "/api/words") {
    answer(json_reply(words_json()));
  } else if (path == "/api/schema") {
    answer({200, config::machine_json_schema()});
  } else if (path == "/api/machines") {
    ask(request.client, {.words = {"machine", "list", "-f", "json"}}, answer);
  } else if (path.starts_with(kMachines)) {
    const std::string name = path.substr(kMachines.size());
    const std::vector<std::string> names = config::machine_names();
    for (const std::string& known : names)
      if (known == name) {
        answer({200,
                files::read_file(config::configs_folder() / (known + ".yaml"),
                                 files::FileKind::kMachine),
                "text/plain; charset=utf-8"});
        return true;
      }
    answer(
        http::refusal(404, fmt::format("no machine {}{}", files::shown(name),
                                       files::did_you_mean(name, {names.begin(), names.end()}))));
  } else if (path == "/api/runs") {
    answer(runs_.list(request.client));
  } else if (path == "/api/sweep") {
    show_sweep(request, answer);
  } else if (path == "/api/compare" || path == "/compare") {
    compare(request, answer);
  } else if (path.starts_with(kReports)) {
    const std::string_view rest = std::string_view(path).substr(kReports.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return false;
    answer(run_file(std::string(rest.substr(0, slash)), std::string(rest.substr(slash + 1))));
  } else {
    return false;
  }
  return true;
}

bool Api::answer_post(const Request& request, const http::Answer& answer) {
  if (request.path == "/api/runs") {
    answer(runs_.submit(request.client, read_experiment(body_of(request))));
  } else if (request.path == "/api/forecast") {
    const Experiment experiment = read_experiment(body_of(request));
    ask(request.client,
        {.words = {"run", "--request", "-", "--dry-run", "-f", "json"},
         .input = files::json_text(run::request_json(experiment.request)),
         .machine_text = experiment.machine.text},
        answer);
  } else if (request.path == "/api/machine" || request.path == "/api/peak") {
    const MachineChoice machine = read_machine_choice(body_of(request));
    const bool is_peak = request.path == "/api/peak";
    ask(request.client,
        {.words = machine_words(is_peak ? std::vector<std::string>{"peak"}
                                        : std::vector<std::string>{"machine", "show"},
                                machine),
         .machine_text = machine.text},
        answer);
  } else {
    return false;
  }
  return true;
}

bool Api::answer_run(const Request& request, const http::Answer& answer) {
  const std::string id = request.path.substr(kRuns.size());
  if (!Store::is_key(id)) return false;
  if (request.method == "GET")
    answer(runs_.state(id));
  else if (request.method == "DELETE")
    answer(runs_.cancel(request.client, id));
  else
    return false;
  return true;
}

Reply Api::run_file(const std::string& id, const std::string& name) const {
  const fs::path directory = runs_.directory(id);
  for (const RunFile& file : kRunFiles) {
    if (file.name != name || directory.empty()) continue;
    std::error_code error;
    if (!fs::is_regular_file(directory / file.name, error)) break;
    const auto bytes = files::read_bytes(directory / file.name, files::FileKind::kRun);
    return {200, {bytes.begin(), bytes.end()}, file.type, fields_of_reports()};
  }
  return http::refusal(404, "no such file of a run");
}

void Api::ask(const std::string& client, const Question& question, const http::Answer& answer) {
  const auto folder = std::make_shared<std::unique_ptr<files::ScratchFolder>>();
  const auto start = [this, question, folder] {
    *folder = std::make_unique<files::ScratchFolder>(files::temporary_directory(), "tcsim-ask-");
    if (!question.machine_text.empty()) (*folder)->write(kMachineFile, question.machine_text);
    std::vector<fs::path> readable;
    for (const auto& [name, target] : question.links) {
      (*folder)->link(name, target);
      readable.push_back(target);
    }
    return launch_of({.words = question.words,
                      .input = question.input,
                      .folder = (*folder)->path(),
                      .time_s = kQuestionSeconds,
                      .memory_mib = settings_.memory_mib,
                      .readable = readable});
  };
  const auto end = [this, question, folder, answer](const Ending& ending) {
    folder->reset();
    const process::ChildResult& child = ending.result;
    if (!ending.trouble.empty())
      answer(json_reply(mistakes_json(kFileTrouble, ending.trouble), 503));
    else if (child.status == kDone && child.signal == 0 && !child.timed_out)
      answer({200, child.output, question.type, question.fields});
    else
      answer(unanswered(question.fields,
                        mistakes_json(child, kQuestionSeconds, settings_.memory_mib)));
  };
  const auto number = questions_.submit(client, start, end);
  if (!number)
    return answer(
        http::refusal(429, "too many requests at once; try again when some are answered"));
  answer.when_gone([this, client, number = *number] { questions_.withdraw(client, number); });
}

void Api::compare(const Request& request, const http::Answer& answer) {
  const bool is_page = request.path == "/compare";
  Question question{.words = {"compare"}};
  for (const auto& [name, side] : {std::pair{"a", "A"}, {"b", "B"}}) {
    const auto id = request.query.find(name);
    const fs::path directory = id == request.query.end() ? "" : runs_.directory(id->second);
    if (directory.empty())
      return answer(http::refusal(404, "a comparison needs two finished runs: ?a=ID&b=ID"));
    question.words.emplace_back(side);
    question.links[side] = directory;
  }
  question.words.insert(question.words.end(), {"-f", is_page ? "html" : "json"});
  if (is_page) {
    question.type = "text/html; charset=utf-8";
    question.fields = fields_of_reports();
  }
  ask(request.client, question, answer);
}

void Api::show_sweep(const Request& request, const http::Answer& answer) {
  const auto given = request.query.find("number");
  const std::string number = given == request.query.end() ? "" : given->second;
  const auto index = text::number_of<std::size_t>(number);
  if (!index || *index >= settings_.sweeps.size())
    return answer(http::refusal(404, "no such sweep: ?number=0 is the first of --sweep"));
  const fs::path folder = fs::absolute(settings_.sweeps[*index]);
  ask(request.client,
      {.words = {"sweep", "status", "sweep", "-f", "json"}, .links = {{"sweep", folder}}}, answer);
}

Reply Api::about() const {
  Json sweeps = Json::array();
  for (const fs::path& folder : settings_.sweeps)
    sweeps.push_back((folder.has_filename() ? folder : folder.parent_path()).filename().string());
  return json_reply({{"revision", report::revision()},
                     {"read_only", settings_.read_only},
                     {"sweeps", sweeps},
                     {"limits",
                      {{"body_kib", settings_.body_kib},
                       {"run_s", settings_.run_s},
                       {"memory_mib", settings_.memory_mib},
                       {"queue", settings_.queue}}}});
}

}  // namespace tcsim::serve
