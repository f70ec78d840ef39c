#include "sim/report/values_section.hpp"

#include <fmt/format.h>

#include "sim/report/layout.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;
using values::Conversion;
using values::ProductError;

std::string line(std::string_view title, std::string_view text) {
  return fmt::format("    {:<20} {}\n", title, text);
}

std::string inputs_text(const ValuesRecord& record) {
  const std::string sources = record.input_a == record.input_b
                                  ? fmt::format("A and B {}", record.input_a)
                                  : fmt::format("A {}, B {}", record.input_a, record.input_b);
  return fmt::format("  {:<15}{}, seed {}; D in {}, arithmetic of {}\n", "values", sources,
                     record.seed, record.output_format, record.arithmetic);
}

std::string reference_text(const values::GemmValues& result) {
  std::string text = fmt::format("{} of {} elements differ", with_thousands(result.differences),
                                 with_thousands(result.elements));
  text += result.racing_bytes == 0
              ? "; no race in shared memory"
              : fmt::format("; {} bytes raced for", with_thousands(result.racing_bytes));
  return text;
}

std::string error_text(const ProductError& error) {
  if (error.elements == 0) return "not applicable: no element is finite";
  return fmt::format("max {:.3g} ulp  mean {:.3g} ulp  max relative {:.2e}  mean relative {:.2e}",
                     error.max_ulp, error.mean_ulp, error.max_relative, error.mean_relative);
}

std::string compared_text(const ProductError& error) {
  std::string text = fmt::format(
      "{} elements, {} exact; worst at row {}, column {}", with_thousands(error.elements),
      with_thousands(error.elements - error.wrong), error.worst_row, error.worst_column);
  if (error.worst_batch > 0) text += fmt::format(" of matrix {}", error.worst_batch);
  return text;
}

std::string conversion_text(const Conversion& conversion) {
  return fmt::format("{} of {} rounded, max relative {:.2e}; {} overflow, {} subnormal, {} to zero",
                     with_thousands(conversion.changed), with_thousands(conversion.elements),
                     conversion.max_relative, conversion.overflow, conversion.subnormal,
                     conversion.underflow);
}

std::string specials_text(const values::SpecialValues& specials) {
  return fmt::format("{} infinite (overflow), {} NaN, {} subnormal, {} zero",
                     with_thousands(specials.infinities), with_thousands(specials.nans),
                     with_thousands(specials.subnormals), with_thousands(specials.zeros));
}

Json error_json(const ProductError& error) {
  return {{"elements", error.elements},         {"wrong", error.wrong},
          {"max_ulp", error.max_ulp},           {"mean_ulp", error.mean_ulp},
          {"max_relative", error.max_relative}, {"mean_relative", error.mean_relative},
          {"worst_batch", error.worst_batch},   {"worst_row", error.worst_row},
          {"worst_column", error.worst_column}};
}

Json conversion_json(const Conversion& conversion) {
  return {{"elements", conversion.elements},   {"changed", conversion.changed},
          {"overflow", conversion.overflow},   {"subnormal", conversion.subnormal},
          {"underflow", conversion.underflow}, {"max_relative", conversion.max_relative}};
}

}  // namespace

std::string values_text(const ValuesRecord& record) {
  const values::GemmValues& result = record.result;
  std::string text = inputs_text(record);
  text += line("against reference", reference_text(result));
  text += line("against exact", error_text(result.arithmetic));
  text += line("", compared_text(result.arithmetic));
  if (result.conversion) {
    text += line("with rounded inputs", error_text(*result.conversion));
    text += line("A to " + record.input_format, conversion_text(result.a));
    text += line("B to " + record.input_format, conversion_text(result.b));
  }
  text += line("D", specials_text(result.specials));
  return text;
}

Json values_json(const ValuesRecord& record) {
  const values::GemmValues& result = record.result;
  Json json;
  json["inputs"] = {{"a", record.input_a}, {"b", record.input_b}, {"seed", record.seed}};
  json["input_format"] = record.input_format;
  json["output_format"] = record.output_format;
  json["arithmetic"] = record.arithmetic;
  json["elements"] = result.elements;
  json["differences_from_reference"] = result.differences;
  json["racing_bytes"] = result.racing_bytes;
  json["error"] = error_json(result.arithmetic);
  json["error_with_conversion"] = result.conversion ? error_json(*result.conversion) : Json();
  json["conversion"] = {{"a", conversion_json(result.a)}, {"b", conversion_json(result.b)}};
  json["specials"] = {{"infinities", result.specials.infinities},
                      {"nans", result.specials.nans},
                      {"subnormals", result.specials.subnormals},
                      {"zeros", result.specials.zeros}};
  return json;
}

}  // namespace tcsim::report
