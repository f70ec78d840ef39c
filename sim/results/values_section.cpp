#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

/// Adds every number and word below `json` under its path.
void add_rows(const std::string& path, const View& json, Table& table) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = path.empty() ? key : path + "." + key;
    if (value.is_object()) {
      add_rows(name, value, table);
    } else if (value.is_number()) {
      table.rows.push_back({{name}, {value.json().dump(), value.get<double>()}});
    } else if (value.is_string()) {
      table.rows.push_back({{name}, {value.get<std::string>()}});
    } else if (value.is_boolean()) {
      table.rows.push_back({{name}, {value.get<bool>() ? "yes" : "no"}});
    }
  }
}

std::string error_sentence(const View& result) {
  const View error = result.at("error");
  const View specials = result.at("specials");
  return fmt::format(
      "against exact arithmetic the largest error is {:.3g} ulp ({:.2e} relative), the mean {:.3g} "
      "ulp. {} infinite, {} NaN, {} subnormal.",
      error.at("max_ulp").get<double>(), error.at("max_relative").get<double>(),
      error.at("mean_ulp").get<double>(), specials.at("infinities").get<std::int64_t>(),
      specials.at("nans").get<std::int64_t>(), specials.at("subnormals").get<std::int64_t>());
}

/// Of a product, which has a bit-exact reference, of each result of another operation, or of a
/// kernel from a file, which has neither.
std::vector<std::string> values_sentences(const View& values) {
  if (values.contains("buffers"))
    return {
        "The kernel ran without a race. What it should compute is not known: there is no "
        "reference."};
  if (!values.contains("results"))
    return {fmt::format("{} of {} elements differ from the reference; {}",
                        values.at("differences_from_reference").get<std::int64_t>(),
                        values.at("elements").get<std::int64_t>(), error_sentence(values))};
  std::vector<std::string> sentences;
  for (const auto& [name, result] : values.at("results").items())
    sentences.push_back(
        fmt::format("{}: {}; {}", name,
                    result.at("largest_share_of_bound").is_null()
                        ? "its rounding has no bound"
                        : fmt::format("{} elements beyond the bound of its rounding",
                                      result.at("elements_beyond_bound").get<std::int64_t>()),
                    error_sentence(result)));
  return sentences;
}

}  // namespace

Section values_section(const StoredRun& run) {
  Section section{"values", "Values and errors", {}};
  const auto values = run.stats.find("values");
  const auto tensor_core = run.stats.find("tensor_core");
  if (!values && !tensor_core) {
    section.parts.emplace_back(Paragraph{"Not computed in this run; --values computes them."});
    return section;
  }
  if (values) {
    for (std::string& sentence : values_sentences(*values))
      section.parts.emplace_back(Paragraph{std::move(sentence)});
    Table table{"All figures", {"quantity", "value"}, {}, /*folded=*/true};
    add_rows("", *values, table);
    section.parts.emplace_back(std::move(table));
  }
  if (tensor_core) {
    Table table{"The tensor core in RTL against the model", {"quantity", "value"}, {}};
    add_rows("", *tensor_core, table);
    section.parts.emplace_back(std::move(table));
  }
  return section;
}

}  // namespace tcsim::results
