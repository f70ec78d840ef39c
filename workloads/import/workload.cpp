#include "workloads/import/workload.hpp"

#include <algorithm>

#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "workloads/import/attention_fields.hpp"
#include "workloads/import/conv_fields.hpp"
#include "workloads/import/csv_list.hpp"
#include "workloads/import/gemm_fields.hpp"
#include "workloads/import/pool_fields.hpp"
#include "workloads/import/vector_fields.hpp"
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

/// The words of an operation whose fields all have keys; `text_of` names its problem.
template <typename Fields, typename Text>
std::vector<Workload> parse_operation(const std::string& words, std::string_view rest, int column,
                                      Fields fields, Text text_of) {
  for (const Field& field : split_fields(rest, ',', column)) fields.set(field);
  const auto problem = fields.finish(static_cast<int>(words.size()) + 1);
  if (!problem) throw_complaints(words, fields);
  Workload workload;
  if (fields.unsupported_reason().empty()) {
    workload.work = *problem;
    workload.text = text_of(*problem);
  } else {
    workload.work =
        Unsupported{words.substr(0, words.find(':')), std::string(fields.unsupported_reason())};
    workload.text = words;
  }
  return {std::move(workload)};
}

Workload unsupported(const std::string& words, std::string operation, std::string reason) {
  Workload workload;
  workload.work = Unsupported{std::move(operation), std::move(reason)};
  workload.text = words;
  return workload;
}

std::vector<Workload> parse_gemm(const std::string& words, std::string_view rest, int column) {
  GemmFields gemm;
  bool first = true;
  for (const Field& field : split_fields(rest, ',', column)) {
    const bool is_size = first && field.key.empty() && !field.value.empty() &&
                         field.value.find_first_not_of("0123456789") == std::string_view::npos;
    first = false;
    if (is_size)
      gemm.set_square(field.value, field.value_column);
    else
      gemm.set(field);
  }
  const auto problem = gemm.finish(static_cast<int>(words.size()) + 1);
  if (!problem) throw_complaints(words, gemm);
  if (!gemm.unsupported_reason().empty())
    return {unsupported(words, "gemm", gemm.unsupported_reason())};
  Workload workload;
  workload.work = *problem;
  workload.text = gemm_text(*problem);
  return {std::move(workload)};
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

/// Kinds that have a form of their own, and the operations that lists may name.
std::vector<std::string_view> known_kinds() {
  std::vector<std::string_view> names{"gemm", "csv", "trace", "conv", "attn", "net"};
  names.insert(names.end(), kernels::kPoolNames.begin(), kernels::kPoolNames.end());
  const auto& later = later_operations();
  names.insert(names.end(), later.begin(), later.end());
  for (const kernels::VectorTraits& row : kernels::vector_operations()) names.push_back(row.name);
  return names;
}

}  // namespace

std::vector<Workload> parse_workload(const std::string& words) {
  static const std::vector<std::string_view> kinds = known_kinds();
  const std::size_t colon = words.find(':');
  const std::string kind = words.substr(0, colon);
  const bool known = std::ranges::find(kinds, kind) != kinds.end();
  if (!known) {
    throw InputError(
        {message(words, {1, "workload",
                         "unknown kind " + files::shown(kind) + files::did_you_mean(kind, kinds) +
                             (files::did_you_mean(kind, kinds).empty()
                                  ? "; write gemm:..., conv:..., csv:FILE or trace:FILE"
                                  : "")})});
  }
  const int column = static_cast<int>(kind.size()) + 2;
  if (colon == std::string::npos || colon + 1 == words.size()) {
    throw InputError({message(words, {column, "workload", "nothing follows '" + kind + ":'"})});
  }
  const std::string rest = words.substr(colon + 1);
  if (kind == "gemm") return parse_gemm(words, rest, column);
  if (kind == "conv") return parse_operation(words, rest, column, ConvFields(), conv_text);
  if (kind == "attn")
    return parse_operation(words, rest, column, AttentionFields(), attention_text);
  if (const auto operation = kernels::vector_operation(kind))
    return parse_operation(words, rest, column, VectorFields(*operation), vector_text);
  if (const auto operation = pool_operation(kind))
    return parse_operation(words, rest, column, PoolFields(*operation), pool_text);
  if (kind == "csv") return read_csv_list(files::read_file(rest, files::FileKind::kList), rest);
  if (kind == "trace") return parse_trace(words, rest);
  return {unsupported(words, kind, kind + " is not simulated yet")};
}

}  // namespace tcsim::workload
