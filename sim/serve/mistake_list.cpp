#include "sim/serve/mistake_list.hpp"

#include <fmt/format.h>

#include "sim/api/tcsim.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/process/verdict.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::serve {
namespace {

/// Lines of a command's standard error without those of progress and notes, which end in no
/// mistake.
std::string without_progress(const std::string& errors) {
  std::string kept;
  for (std::size_t start = 0; start < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', start), errors.size());
    const std::string line = errors.substr(start, end - start);
    start = end + 1;
    const bool is_progress = line.find(" CTAs  cycle ") != std::string::npos ||
                             line.starts_with('[') || line.starts_with("note: ");
    if (line.empty() || is_progress) continue;
    kept += (kept.empty() ? "" : "\n") + line;
  }
  return kept;
}

}  // namespace

json::Json mistakes_json(int status, const std::string& message) {
  const std::string shown = text::visible(files::shown_message(message));
  json::Json json{{"status", status}, {"message", shown}, {"mistakes", json::Json::array()}};
  if (status != kUserMistake && status != kNotCovered) return json;
  for (const Mistake& mistake : mistakes_of(UsageError(shown)))
    json["mistakes"].push_back({{"place", mistake.place},
                                {"line", mistake.line},
                                {"column", mistake.column},
                                {"key", mistake.key},
                                {"reason", mistake.reason}});
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
