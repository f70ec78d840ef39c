#include "workloads/import/workload.hpp"

#include <algorithm>

#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "workloads/import/csv_list.hpp"
#include "workloads/import/operations.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::workload {
namespace {

/// `words: column N: what: reason`
std::string message(const std::string& words, const Complaint& complaint) {
  constexpr std::size_t kMostOfWords = 200;
  return files::shown_bare(words, kMostOfWords) + ": column " + std::to_string(complaint.column) +
         ": " + complaint.what + ": " + complaint.reason;
}

/// Throws the mistakes of `fields` as InputError.
void throw_complaints(const std::string& words, const OperatorFields& fields) {
  std::vector<std::string> messages;
  for (const Complaint& complaint : fields.complaints())
    messages.push_back(message(words, complaint));
  throw InputError(std::move(messages));
}

/// True for the first field of "4096,dtype=bf16", and for "40x", whose mistake is that of a size.
bool is_size(const Field& field) { return field.key.empty() && !field.value.empty(); }

Workload unsupported(const std::string& words, std::string operation, std::string reason) {
  Workload workload;
  workload.work = Unsupported{std::move(operation), std::move(reason)};
  workload.text = words;
  return workload;
}

/// Parses `words`, of which `rest`, from `column` on, are fields; `text_of` names their problem.
template <typename Fields, typename Text>
Workload parse_operation(const std::string& words, std::string_view rest, int column, Fields fields,
                         Text text_of) {
  bool is_first = true;
  for (const Field& field : split_fields(rest, ',', column)) {
    bool is_square = false;
    if constexpr (requires { fields.set_square(field.value, field.value_column); }) {
      is_square = is_first && is_size(field);
      if (is_square) fields.set_square(field.value, field.value_column);
    }
    if (!is_square) fields.set(field);
    is_first = false;
  }
  const auto problem = fields.finish(static_cast<int>(words.size()) + 1);
  if (!problem) throw_complaints(words, fields);
  if (!fields.unsupported_reason().empty())
    return unsupported(words, words.substr(0, words.find(':')), fields.unsupported_reason());
  Workload workload;
  workload.work = *problem;
  workload.text = text_of(*problem);
  return workload;
}

std::vector<Workload> parse_trace(const std::string& words, const std::string& path) {
  Workload workload;
  workload.text = words;
  if (!traceg::is_recording(path)) {
    workload.work = trace::load_tct(path);
    return {std::move(workload)};
  }
  traceg::RecordedStream stream = traceg::load_recording(path);
  if (!stream.not_covered.empty()) return {unsupported(words, "trace", stream.not_covered)};
  workload.work = std::move(stream);
  return {std::move(workload)};
}

/// Kinds that have their own form, operations, and operations that lists may name.
std::vector<std::string_view> known_kinds() {
  std::vector<std::string_view> names;
  visit_operations([&](const Operation& operation, const auto&, auto) {
    if (operation.is_in_words) names.push_back(operation.name);
  });
  names.insert(names.end(), {"csv", "trace", "net"});
  names.insert(names.end(), later_operations().begin(), later_operations().end());
  return names;
}

std::string unknown_kind(const std::string& kind, const std::vector<std::string_view>& kinds) {
  std::string hint = files::did_you_mean(kind, kinds);
  if (hint.empty())
    for (const std::string_view name : kinds)
      hint += (hint.empty() ? "; known: " : ", ") + std::string(name);
  return "unknown kind " + files::shown(kind) + hint;
}

}  // namespace

std::vector<Workload> parse_workload(const std::string& words) {
  static const std::vector<std::string_view> kinds = known_kinds();
  const std::size_t colon = words.find(':');
  const std::string kind = words.substr(0, colon);
  if (std::ranges::find(kinds, kind) == kinds.end())
    throw InputError({message(words, {1, "workload", unknown_kind(kind, kinds)})});
  const int column = static_cast<int>(kind.size()) + 2;
  if (colon == std::string::npos || colon + 1 == words.size()) {
    throw InputError({message(words, {column, "workload", "nothing follows '" + kind + ":'"})});
  }
  const std::string rest = words.substr(colon + 1);
  if (kind == "csv") return read_csv_list(files::read_file(rest, files::FileKind::kList), rest);
  if (kind == "trace") return parse_trace(words, rest);
  if (kind == "net")
    return {unsupported(words, kind,
                        "a network is many operations; name one of them (tcsim run " + words +
                            " --dry-run lists them)")};
  std::vector<Workload> workloads;
  visit_operations([&](const Operation& operation, const auto& make, auto text_of) {
    if (operation.is_in_words && operation.name == kind)
      workloads.push_back(parse_operation(words, rest, column, make(), text_of));
  });
  if (workloads.empty())
    workloads.push_back(unsupported(words, kind, kind + " is not simulated yet"));
  return workloads;
}

}  // namespace tcsim::workload
