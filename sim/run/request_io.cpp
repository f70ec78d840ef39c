#include "sim/run/request_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/config/error.hpp"
#include "sim/config/mistakes.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/files/nearest.hpp"
#include "sim/run/request_fields.hpp"

namespace tcsim::run {
namespace {

using config::TreeNode;

bool is_given(const GivenFields& given, std::string_view name) {
  const auto found = given.find(name);
  return found != given.end() && std::ranges::any_of(found->second, [](const std::string& text) {
           return !text.empty() && text != "false";
         });
}

/// Throws if two of these are given.
void refuse_together(const GivenFields& given, std::string_view one, std::string_view other) {
  if (is_given(given, one) && is_given(given, other))
    throw RequestError(
        fmt::format("{} and {} contradict each other", word_of(one), word_of(other)));
}

void check_values(const GivenFields& given) {
  constexpr std::array kOfValues{"inputs", "seed", "a", "b", "quantize"};
  for (const char* const name : kOfValues)
    if (is_given(given, name) && !is_given(given, "values"))
      throw mistake_in(name, "has no effect without " + word_of("values"));
  const bool draws_nothing = is_given(given, "a") && is_given(given, "b");
  if (draws_nothing && (is_given(given, "inputs") || is_given(given, "seed")))
    throw RequestError(fmt::format("{} and {} have no effect with both {} and {}",
                                   word_of("inputs"), word_of("seed"), word_of("a"), word_of("b")));
}

/// What means nothing for a network, or for anything else.
void check_network(const RunRequest& request, const GivenFields& given) {
  if (!is_network(request.workload)) {
    for (const Field& field : request_fields())
      if (field.is_of_networks && is_given(given, field.name))
        throw mistake_in(field.name, "belongs to networks (net:NAME)");
    return;
  }
  const auto refuse = [](std::string_view name, const std::string& value = "") {
    throw mistake_in(name, value + "has no meaning for a network");
  };
  if (request.machines.size() > 1 && request.streams > 1)
    throw mistake_in("streams", "runs on one machine; repeat the command for others");
  if (request.clock != ClockPolicy::kBoost && request.streams > 1)
    throw RequestError(
        fmt::format("{} {} looks for the clock of one instance; it cannot be combined with {}",
                    word_of("clock"), name(request.clock), word_of("streams")));
  if (!request.tile.empty()) refuse("tile");
  if (request.unit == "cuda-core") refuse("unit", request.unit + " ");
  if (request.rtl_tensor_core) refuse("tensor_core", "rtl ");
  if (request.warm_l2) refuse("warm_l2");
  if (request.overwrite_l2) refuse("overwrite_l2");
  if (request.values.wanted) refuse("values");
  if (request.limit > 0) refuse("limit");
  if (request.timeline) refuse("timeline");
  if (request.counts_source) refuse("source");
  if (request.follows_path) refuse("critical_path");
  if (request.rotate_weights) refuse("rotate_weights");
}

/// The texts that `node` gives `field`; nothing, and a mistake, if it has another form.
std::optional<std::vector<std::string>> texts_in(const TreeNode& node, const Field& field,
                                                 config::Mistakes& mistakes) {
  const auto refuse = [&](const TreeNode& what, const char* form) {
    mistakes.add(what.place, field.name, fmt::format("{} is not {}", config::describe(what), form));
    return std::nullopt;
  };
  if (node.kind == TreeNode::Kind::kText) return std::vector<std::string>{node.text};
  if (field.kind != FieldKind::kTexts) return refuse(node, "one value");
  if (node.kind != TreeNode::Kind::kList) return refuse(node, "a value or a list of values");
  std::vector<std::string> texts;
  for (const TreeNode& item : node.items) {
    if (item.kind != TreeNode::Kind::kText) return refuse(item, "one value");
    texts.push_back(item.text);
  }
  return texts;
}

std::string no_such_field(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Field& field : request_fields()) names.push_back(field.name);
  return "a request has no such field" + files::did_you_mean(name, names);
}

/// Takes one entry of a request file.
void take_entry(const config::TreeEntry& entry, RunRequest& request, GivenFields& given,
                config::Mistakes& mistakes) {
  const Field* const field = find_field(entry.name.text);
  if (field == nullptr) {
    mistakes.add(entry.name.place, entry.name.text, no_such_field(entry.name.text));
    return;
  }
  if (given.contains(field->name)) {
    mistakes.add(entry.name.place, field->name, "given twice");
    return;
  }
  const auto texts = texts_in(entry.value, *field, mistakes);
  if (!texts) return;
  given[field->name] = *texts;
  for (const std::string& text : *texts) {
    try {
      if (!text.empty()) field->take(request, text);
    } catch (const RequestError& error) {
      mistakes.add(entry.value.place, field->name, error.what());
    }
  }
}

}  // namespace

void check_fields(const RunRequest& request, const GivenFields& given) {
  if (request.workload.empty())
    throw RequestError("which workload? For example, tcsim run gemm:4096 -m a100");
  if (request.machines.empty())
    throw RequestError(
        "which machine? Add -m NAME or -m FILE; tcsim machine list shows the presets");
  const bool looks_for_clock = request.clock != ClockPolicy::kBoost;
  if (request.rtl_tensor_core && looks_for_clock)
    throw RequestError(fmt::format("{} rtl and {} {} contradict each other", word_of("tensor_core"),
                                   word_of("clock"), name(request.clock)));
  if (request.timeline && (request.rtl_tensor_core || looks_for_clock))
    throw RequestError(
        fmt::format("{} records one run; it cannot be combined with {} rtl, {} load or power",
                    word_of("timeline"), word_of("tensor_core"), word_of("clock")));
  refuse_together(given, "cold_l2", "warm_l2");
  for (const char* other : {"cold_l2", "warm_l2", "rotate_weights"})
    refuse_together(given, other, "overwrite_l2");
  check_values(given);
  check_network(request, given);
  if (request.limit > 0 && !request.workload.starts_with("csv:"))
    throw mistake_in("limit", "belongs to lists (csv:FILE)");
}

RunRequest make_request(const GivenFields& given) {
  RunRequest request;
  for (const auto& [name, texts] : given) {
    const Field* const field = find_field(name);
    if (field == nullptr) throw RequestError(fmt::format("{}: {}", name, no_such_field(name)));
    if (texts.size() > 1 && field->kind != FieldKind::kTexts) throw mistake_in(name, "given twice");
  }
  for (const Field& field : request_fields()) {
    const auto found = given.find(field.name);
    if (found == given.end()) continue;
    for (const std::string& text : found->second)
      if (!text.empty()) take_field(request, field.name, text);
  }
  check_fields(request, given);
  return request;
}

RunRequest read_request(const std::string& file, const std::string& text) {
  config::Mistakes mistakes(file);
  const config::TreeFile tree = config::parse_yaml(file, text, mistakes);
  RunRequest request;
  GivenFields given;
  if (tree.root.kind == TreeNode::Kind::kMapping) {
    for (const config::TreeEntry& entry : tree.root.entries)
      take_entry(entry, request, given, mistakes);
  } else {
    mistakes.add(tree.root.place, "", "a request is a mapping of fields to values");
  }
  mistakes.finish();
  try {
    check_fields(request, given);
  } catch (const RequestError& error) {
    mistakes.add({}, "", error.what());
  }
  mistakes.finish();
  return request;
}

nlohmann::ordered_json request_json(const RunRequest& request) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Field& field : request_fields()) {
    const std::vector<std::string> texts = field.texts(request);
    if (texts.empty()) continue;
    switch (field.kind) {
      case FieldKind::kFlag:
        json[field.name] = true;
        break;
      case FieldKind::kTexts:
        json[field.name] = texts;
        break;
      case FieldKind::kText:
        json[field.name] = texts.front();
        break;
      case FieldKind::kWhole:
      case FieldKind::kReal:
        json[field.name] = nlohmann::ordered_json::parse(texts.front());
        break;
    }
  }
  return json;
}

std::vector<std::string> command_words(const RunRequest& request) {
  std::vector<std::string> words;
  for (const Field& field : request_fields()) {
    const bool is_workload = &field == &request_fields().front();
    for (const std::string& text : field.texts(request)) {
      if (!is_workload)
        words.push_back(field.letter.empty() ? word_of(field.name) : "-" + field.letter);
      if (field.kind != FieldKind::kFlag) words.push_back(text);
    }
  }
  return words;
}

}  // namespace tcsim::run
