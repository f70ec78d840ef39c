#include "sim/serve/mistake_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "sim/api/tcsim.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/process/verdict.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/serve/experiment.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::serve {
namespace {

/// Lines of a command's standard error without its name, and without those of progress and notes,
/// which end in no mistake.
std::string without_progress(const std::string& errors) {
  std::string kept;
  for (std::size_t start = 0; start < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', start), errors.size());
    const std::string line = errors.substr(start, end - start);
    start = end + 1;
    const bool is_progress = line.find(" CTAs  cycle ") != std::string::npos ||
                             line.starts_with('[') || line.starts_with("note: ");
    if (line.empty() || is_progress) continue;
    constexpr std::string_view kCommand = "tcsim run: ";
    kept += (kept.empty() ? "" : "\n") +
            (line.starts_with(kCommand) ? line.substr(kCommand.size()) : line);
  }
  return kept;
}

/// `text` with the options of the command line under the names that they have in an experiment:
/// "gpus" for "--gpus".
std::string with_names(std::string text) {
  const auto is_of_word = [](char c) {
    return c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (const std::string& name : option_names()) {
    const std::string word = run::word_of(name);
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end])))
        text.replace(at, word.size(), name);
    }
  }
  return text;
}

/// The option at the start of "source: needs every cycle" is the key of the mistake.
Mistake with_key_of_option(Mistake mistake) {
  if (std::ranges::find(option_names(), mistake.place) == option_names().end()) return mistake;
  if (!mistake.key.empty()) mistake.reason = mistake.key + ": " + mistake.reason;
  mistake.key = std::exchange(mistake.place, "");
  return mistake;
}

}  // namespace

json::Json mistakes_json(int status, const std::string& message) {
  const std::string shown = with_names(text::visible(files::shown_message(message)));
  json::Json json{{"status", status}, {"message", shown}, {"mistakes", json::Json::array()}};
  if (status != kUserMistake && status != kNotCovered) return json;
  for (const Mistake& told : mistakes_of(UsageError(shown))) {
    const Mistake mistake = with_key_of_option(told);
    json["mistakes"].push_back({{"place", mistake.place},
                                {"line", mistake.line},
                                {"column", mistake.column},
                                {"key", mistake.key},
                                {"reason", mistake.reason}});
  }
  return json;
}

json::Json mistakes_json(const process::ChildResult& child, double time_s, int memory_mib) {
  const process::Verdict verdict = process::verdict_of(child);
  switch (verdict.cause) {
    case process::Cause::kTimeLimit:
      return mistakes_json(
          kStopped, fmt::format("takes longer than the {:g} s that a client has here; a "
                                "smaller workload, or the option fidelity=sampled, is faster",
                                time_s));
    case process::Cause::kMemory:
    case process::Cause::kKilled:
      return mistakes_json(
          kStopped,
          fmt::format("ended before it was done; a run may use {} MiB of memory", memory_mib));
    case process::Cause::kOutput:
      return mistakes_json(kStopped, verdict.words);
    case process::Cause::kCrash:
      return mistakes_json(kOurBug, verdict.words);
    case process::Cause::kItself:
      break;
  }
  const std::string errors = without_progress(child.errors);
  return mistakes_json(child.status, errors.empty() ? "it failed without a message" : errors);
}

}  // namespace tcsim::serve
