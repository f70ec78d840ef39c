#include "sim/report/values_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  return fmt::format(
      "ulp: max {:.3g}, mean {:.3g}; relative: max {:.2e}, mean {:.2e}, of the norm {:.2e}",
      error.max_ulp, error.mean_ulp, error.max_relative, error.mean_relative, error.norm_relative);
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
                     conversion.max_relative, with_thousands(conversion.overflow),
                     with_thousands(conversion.subnormal), with_thousands(conversion.underflow));
}

std::string specials_text(const values::SpecialValues& specials) {
  return fmt::format("{} infinite (overflow), {} NaN, {} subnormal, {} zero",
                     with_thousands(specials.infinities), with_thousands(specials.nans),
                     with_thousands(specials.subnormals), with_thousands(specials.zeros));
}

/// The ratio of signal to quantisation noise, decibels.
double decibels(const ProductError& error) { return -20 * std::log10(error.norm_relative); }

std::string reals_text(const ProductError& error) {
  return fmt::format("{:.1f} dB; relative: mean {:.2e}, of the norm {:.2e}", decibels(error),
                     error.mean_relative, error.norm_relative);
}

std::string scales_text(const std::vector<float>& scales) {
  if (scales.size() == 1) return fmt::format("scale {:.4g}", scales.front());
  const auto [least, most] = std::ranges::minmax(scales);
  return fmt::format("{} scales {:.4g} ... {:.4g}", scales.size(), least, most);
}

std::string quantization_text(const values::QuantizationError& error) {
  std::string text =
      line("quantised A",
           fmt::format("{}, zero point {}, {} of its elements clipped", scales_text(error.scales_a),
                       error.zero_point_a, with_thousands(error.clipped_a)));
  text +=
      line("quantised B", fmt::format("{}, {} of its elements clipped", scales_text(error.scales_b),
                                      with_thousands(error.clipped_b)));
  text += line("INT32 D as reals", reals_text(error.product));
  if (!error.output) return text;
  text += line("INT8 D as reals", reals_text(error.output->error));
  text += line(
      "", fmt::format("scale {:.4g}, zero point {}, {} elements saturated", error.output->scale,
                      error.output->zero_point, with_thousands(error.output->saturated)));
  return text;
}

Json error_json(const ProductError& error) {
  return {{"elements", error.elements},
          {"wrong", error.wrong},
          {"max_ulp", error.max_ulp},
          {"mean_ulp", error.mean_ulp},
          {"max_relative", error.max_relative},
          {"mean_relative", error.mean_relative},
          {"norm_relative", error.norm_relative},
          {"worst_batch", error.worst_batch},
          {"worst_row", error.worst_row},
          {"worst_column", error.worst_column}};
}

Json quantization_json(const values::QuantizationError& error) {
  Json json = {{"scales_a", error.scales_a},
               {"zero_point_a", error.zero_point_a},
               {"clipped_a", error.clipped_a},
               {"scales_b", error.scales_b},
               {"clipped_b", error.clipped_b},
               {"error", error_json(error.product)},
               {"output", Json()}};
  if (error.output) {
    json["output"] = {{"scale", error.output->scale},
                      {"zero_point", error.output->zero_point},
                      {"saturated", error.output->saturated},
                      {"error", error_json(error.output->error)}};
  }
  return json;
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
  if (record.quantization) text += quantization_text(*record.quantization);
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
  if (record.quantization) json["quantization"] = quantization_json(*record.quantization);
  return json;
}

}  // namespace tcsim::report
