#include "workloads/import/gemm_fields.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "workloads/import/workload.hpp"
#include "workloads/trace/nearest_word.hpp"

namespace tcsim::workload {
namespace {

using kernels::Element;
using kernels::Layout;
using trace::did_you_mean;

constexpr std::int64_t kLargestExtent = std::int64_t{1}
                                        << 24;  // 16 million rows; libraries index with 32 bits
constexpr std::int64_t kLargestBatch = 65535;   // grid.z, programming guide

struct ElementName {
  std::string_view name;
  Element element;
};
constexpr std::array<ElementName, 7> kElements{{{"fp16", Element::kFp16},
                                                {"bf16", Element::kBf16},
                                                {"tf32", Element::kTf32},
                                                {"fp32", Element::kFp32},
                                                {"fp64", Element::kFp64},
                                                {"int8", Element::kInt8},
                                                {"int32", Element::kInt32}}};

/// Types of real tensor cores for which no kernel is generated.
constexpr std::array<std::string_view, 9> kOtherElements{
    "fp8", "e4m3", "e5m2", "fp8_e4m3", "fp8_e5m2", "int4", "uint8", "b1", "fp4"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Element default_accumulate(Element input) {
  if (input == Element::kInt8) return Element::kInt32;
  return input == Element::kFp64 ? Element::kFp64 : Element::kFp32;
}

/// Libraries return half types as they came and the others as accumulated.
Element default_output(Element input, Element accumulate) {
  return input == Element::kFp16 || input == Element::kBf16 ? input : accumulate;
}

}  // namespace

std::string_view element_name(Element element) {
  return std::ranges::find(kElements, element, &ElementName::element)->name;
}

std::string gemm_text(const kernels::GemmProblem& problem) {
  const auto letter = [](Layout layout) { return layout == Layout::kNormal ? "n" : "t"; };
  const auto name = [](Element element) { return std::string(element_name(element)); };
  return "gemm:m=" + std::to_string(problem.m) + ",n=" + std::to_string(problem.n) +
         ",k=" + std::to_string(problem.k) + ",dtype=" + name(problem.input) +
         ",acc=" + name(problem.accumulate) + ",out=" + name(problem.output) +
         ",layout=" + letter(problem.layout_a) + letter(problem.layout_b) +
         ",batch=" + std::to_string(problem.batch);
}

std::vector<Field> split_fields(std::string_view text, char separator, int first_column) {
  std::vector<Field> fields;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    const std::string_view part = text.substr(start, end - start);
    const std::size_t equals = part.find('=');
    const int column = first_column + static_cast<int>(start);
    if (equals == std::string_view::npos) {
      fields.push_back({{}, part, column, column});
    } else {
      fields.push_back({part.substr(0, equals), part.substr(equals + 1), column,
                        column + static_cast<int>(equals) + 1});
    }
    start = end + 1;
  }
  return fields;
}

const std::vector<std::string_view>& GemmFields::keys() {
  static const std::vector<std::string_view> all{"m",   "n",   "k",      "dtype",
                                                 "acc", "out", "layout", "batch"};
  return all;
}

void GemmFields::complain(int column, std::string_view what, std::string reason) {
  complaints_.push_back({column, std::string(what), std::move(reason)});
}

std::int64_t GemmFields::extent(std::string_view what, std::string_view text, int column,
                                std::int64_t largest) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (!is_number) {
    complain(column, what, quoted(text) + " is not a whole number");
    return 1;
  }
  if (error != std::errc{} || value < 1 || value > largest) {
    complain(column, what, quoted(text) + " is not between 1 and " + std::to_string(largest));
    return 1;
  }
  return value;
}

std::optional<Element> GemmFields::element(const Field& field) {
  if (field.value.empty()) return std::nullopt;
  const std::string name = lower(field.value);
  const auto* const known = std::ranges::find(kElements, name, &ElementName::name);
  if (known != kElements.end()) return known->element;
  if (std::ranges::find(kOtherElements, name) != kOtherElements.end()) {
    unsupported_ = "no kernel is generated for " + std::string(field.key) + "=" + name;
    return std::nullopt;
  }
  std::vector<std::string_view> names(kElements.size());
  std::ranges::transform(kElements, names.begin(), &ElementName::name);
  const std::string meant = did_you_mean(name, names);
  complain(field.value_column, field.key,
           "unknown type " + quoted(field.value) +
               (meant.empty() ? "; known: fp16, bf16, tf32, fp32, fp64, int8, int32" : meant));
  return std::nullopt;
}

void GemmFields::set_layout(const Field& field) {
  if (field.value.empty()) return;
  const std::string letters = lower(field.value);
  if (letters.size() != 2 || letters.find_first_not_of("nt") != std::string::npos) {
    complain(field.value_column, "layout",
             quoted(field.value) +
                 " is not two letters, for A and B, each n (as in the product) "
                 "or t (transposed): nn, nt, tn, tt");
    return;
  }
  const auto layout = [](char c) { return c == 'n' ? Layout::kNormal : Layout::kTransposed; };
  problem_.layout_a = layout(letters[0]);
  problem_.layout_b = layout(letters[1]);
}

void GemmFields::set(const Field& field) {
  if (field.key.empty()) {
    complain(field.value_column, "gemm", "expected KEY=VALUE, got " + quoted(field.value));
    return;
  }
  const auto& known = keys();
  if (std::ranges::find(known, field.key) == known.end()) {
    complain(field.key_column, "gemm",
             "unknown key " + quoted(field.key) + did_you_mean(field.key, known));
    return;
  }
  if (std::ranges::find(seen_, field.key) != seen_.end()) {
    complain(field.key_column, "gemm", quoted(field.key) + " is given twice");
    return;
  }
  seen_.emplace_back(field.key);
  const auto number = [&](std::int64_t largest) {
    return extent(field.key, field.value, field.value_column, largest);
  };
  if (field.key == "m") problem_.m = number(kLargestExtent);
  if (field.key == "n") problem_.n = number(kLargestExtent);
  if (field.key == "k") problem_.k = number(kLargestExtent);
  if (field.key == "batch") problem_.batch = number(kLargestBatch);
  if (field.key == "dtype") input_ = element(field);
  if (field.key == "acc") accumulate_ = element(field);
  if (field.key == "out") output_ = element(field);
  if (field.key == "layout") set_layout(field);
}

void GemmFields::set_square(std::string_view size, int column) {
  problem_.m = problem_.n = problem_.k = extent("size", size, column, kLargestExtent);
  for (const char* key : {"m", "n", "k"}) seen_.emplace_back(key);
}

std::optional<kernels::GemmProblem> GemmFields::finish(int end_column) {
  for (const char* key : {"m", "n", "k"}) {
    if (std::ranges::find(seen_, key) == seen_.end()) {
      complain(end_column, "gemm", quoted(key) + " is missing");
    }
  }
  if (!complaints_.empty()) return std::nullopt;
  problem_.input = input_.value_or(Element::kFp16);
  problem_.accumulate = accumulate_.value_or(default_accumulate(problem_.input));
  problem_.output = output_.value_or(default_output(problem_.input, problem_.accumulate));
  // No tensor core takes FP32 operands.
  if (problem_.input == Element::kFp32) problem_.unit = kernels::Unit::kCudaCore;
  return problem_;
}

}  // namespace tcsim::workload
