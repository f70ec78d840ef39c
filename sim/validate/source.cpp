#include "sim/validate/source.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <optional>

#include "sim/config/number.hpp"
#include "sim/config/strict_map.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/library/load.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::validate {
namespace {

namespace fs = std::filesystem;
using config::StrictMap;
using config::TreeNode;

constexpr double kMostMicroseconds = 1e6;
constexpr const char* kFileName = "sources.yaml";

/// What Measurement::op may be.
const std::vector<std::string_view>& operation_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all{"gemm",          "conv_fwd",         "conv_dgrad",
                                      "conv_wgrad",    "attention_fwd",    "attention_decode",
                                      "attention_bwd", "attention_fwd_bwd"};
    for (const kernels::VectorTraits& traits : kernels::vector_operations())
      all.push_back(traits.name);
    for (const std::string_view name : kernels::kPoolNames) all.push_back(name);
    return all;
  }();
  return words;
}

const std::vector<std::string_view>& dtype_words() {
  static const std::vector<std::string_view> words(kernels::kElementNames.begin(),
                                                   kernels::kElementNames.end());
  return words;
}

bool is_text(const TreeNode* node, std::string_view text) {
  return node != nullptr && node->kind == TreeNode::Kind::kText && node->text == text;
}

/// The number at `key`; nothing if `word` stands in its place.
std::optional<double> number_or(StrictMap& map, std::string_view key, std::string_view word,
                                double absent) {
  const TreeNode* node = map.find(key);
  if (is_text(node, word)) return std::nullopt;
  const bool is_word = node != nullptr && node->kind == TreeNode::Kind::kText &&
                       !config::read_number(node->text, "").value;
  if (!is_word) return map.number(key, 0, kMostMicroseconds, absent);
  map.mistake(node->place, key,
              fmt::format("expected a number or {}, got {}", word, files::shown(node->text)));
  return absent;
}

/// The keys that tell how times were taken; those left out are as in `otherwise`.
SourceTraits read_traits(StrictMap& map, const SourceTraits& otherwise) {
  SourceTraits traits = otherwise;
  if (map.find("gap_us") != nullptr) traits.gap_us = number_or(map, "gap_us", "launch_overhead", 0);
  traits.floor_us = map.number("floor_us", 0, kMostMicroseconds, otherwise.floor_us);
  traits.l2 = static_cast<L2State>(map.word("l2", {"cold", "warm", "rotating", "overwritten"},
                                            static_cast<std::size_t>(otherwise.l2)));
  traits.power_limited_above_us =
      number_or(map, "power_limited_above_us", "never", otherwise.power_limited_above_us)
          .value_or(std::numeric_limits<double>::infinity());
  if (const TreeNode* node = map.find("libraries")) {
    traits.libraries = map.texts("libraries");
    for (const std::string& word : traits.libraries)
      if (const std::string reason = library::why_none(word); !reason.empty())
        map.mistake(node->place, "libraries", fmt::format("{}: {}", word, reason));
  }
  return traits;
}

/// The word at `key`, one of `words`; "" if absent.
std::string word_at(StrictMap& map, std::string_view key,
                    const std::vector<std::string_view>& words) {
  if (map.find(key) == nullptr) return {};
  return std::string(words[map.word(key, words)]);
}

RowRule read_rule(StrictMap map, const std::string& file, const SourceTraits& of_source) {
  RowRule rule;
  rule.file = file;
  rule.place = map.place();
  if (map.find("gpu") != nullptr) rule.gpu = map.text("gpu");
  rule.operation = word_at(map, "op", operation_words());
  rule.dtype = word_at(map, "dtype", dtype_words());
  rule.acc = word_at(map, "acc", dtype_words());
  rule.notes = map.texts("notes");
  rule.traits = read_traits(map, of_source);
  rule.call = static_cast<CallRule>(map.word("calls", {"as_printed", "padded"}, 0));
  if (rule.call == CallRule::kPadded && rule.operation != "gemm")
    map.mistake(map.place_of("calls"), "calls", "only calls of products are padded; add op: gemm");
  if (map.find("not_scored") != nullptr) rule.not_scored = map.text("not_scored");
  if (const TreeNode* node = map.find("words")) {
    StrictMap words(*node, map.path_of("words"), map.mistakes());
    for (const config::TreeEntry& entry : node->entries)
      rule.words.emplace_back(entry.name.text, words.text(entry.name.text));
    if (rule.operation.empty())
      map.mistake(node->place, "words", "they are words of one operation; add op");
  }
  map.finish();
  return rule;
}

Source read_source(StrictMap map, const std::string& file) {
  Source source;
  source.traits = read_traits(map, {});
  for (const TreeNode& item : map.list("rows"))
    source.rows.push_back(
        read_rule({item, map.path_of("rows"), map.mistakes()}, file, source.traits));
  map.finish();
  return source;
}

Sources read_file(const fs::path& file) {
  return read_sources_text(file.string(), files::read_file(file, files::FileKind::kSources));
}

}  // namespace

Sources read_sources_text(const std::string& file, const std::string& text) {
  config::Mistakes mistakes(file);
  const config::TreeFile tree = config::parse_yaml(file, text, mistakes);
  Sources sources;
  StrictMap map(tree.root, "", mistakes);
  for (const config::TreeEntry& entry : tree.root.entries)
    if (auto section = map.section(entry.name.text))
      sources.emplace(entry.name.text, read_source(*section, file));
  mistakes.finish();
  return sources;
}

Sources read_sources(const std::string& table) {
  const fs::path own = fs::path(table).parent_path() / kFileName;
  const fs::path shipped = files::data_folder("tests/validation") / kFileName;
  std::error_code ignored;
  Sources sources;
  if (fs::exists(own, ignored)) sources = read_file(own);
  if (!fs::equivalent(own, shipped, ignored)) sources.merge(read_file(shipped));
  return sources;
}

}  // namespace tcsim::validate
