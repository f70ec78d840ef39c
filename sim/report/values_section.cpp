#include "sim/report/values_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/report/layout.hpp"
#include "sim/values/element.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;
using values::Conversion;
using values::ErrorFigures;
using values::ProductError;

std::string inputs_text(const ValuesRecord& record, const ProductRecord& product) {
  const std::string sources = product.input_a == product.input_b
                                  ? fmt::format("A and B {}", product.input_a)
                                  : fmt::format("A {}, B {}", product.input_a, product.input_b);
  return fmt::format("  {:<15}{}, seed {}; D in {}, arithmetic of {}\n", "values", sources,
                     record.seed, product.output_format, record.arithmetic);
}

std::string race_text(std::int64_t racing_bytes) {
  if (racing_bytes == 0) return "no race in shared memory";
  return fmt::format("races on {} bytes", with_thousands(racing_bytes));
}

std::string reference_text(const values::GemmValues& result) {
  return fmt::format("{} of {} elements differ; {}", with_thousands(result.differences),
                     with_thousands(result.elements), race_text(result.racing_bytes));
}

std::string error_text(const ErrorFigures& error) {
  if (error.elements == 0) return "not applicable: no element is finite";
  return fmt::format(
      "ulp: max {:.3g}, mean {:.3g}; relative: max {:.2e}, mean {:.2e}, of the norm {:.2e}",
      error.max_ulp, error.mean_ulp, error.max_relative, error.mean_relative, error.norm_relative);
}

/// How many elements were compared, and which is the `worst` of those that are not exact; empty if
/// none was compared.
std::string compared_line(const ErrorFigures& error, const std::string& worst) {
  if (error.elements == 0) return "";
  return indented_line("", fmt::format("{} elements, {} exact{}", with_thousands(error.elements),
                                       with_thousands(error.elements - error.wrong),
                                       error.wrong > 0 ? "; worst at " + worst : ""));
}

std::string worst_text(const ProductError& error) {
  return fmt::format("row {}, column {}{}", error.worst_row, error.worst_column,
                     error.worst_batch > 0 ? fmt::format(" of matrix {}", error.worst_batch) : "");
}

std::string bound_text(const values::TensorResult& result) {
  if (!result.has_bound) return "no bound: subnormals are flushed, or sums may overflow";
  return fmt::format("{} of {} elements beyond their bound; largest error {:.2g} of its bound",
                     with_thousands(result.outside), with_thousands(result.arithmetic.elements),
                     result.nearest_bound);
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
      indented_line("quantised A", fmt::format("{}, zero point {}, {} of its elements clipped",
                                               scales_text(error.scales_a), error.zero_point_a,
                                               with_thousands(error.clipped_a)));
  text += indented_line("quantised B",
                        fmt::format("{}, {} of its elements clipped", scales_text(error.scales_b),
                                    with_thousands(error.clipped_b)));
  text += indented_line("INT32 D as reals", reals_text(error.product));
  if (!error.output) return text;
  text += indented_line("INT8 D as reals", reals_text(error.output->error));
  text += indented_line(
      "", fmt::format("scale {:.4g}, zero point {}, {} elements saturated", error.output->scale,
                      error.output->zero_point, with_thousands(error.output->saturated)));
  return text;
}

Json figures_json(const ErrorFigures& error) {
  return {{"elements", error.elements},
          {"wrong", error.wrong},
          {"max_ulp", error.max_ulp},
          {"mean_ulp", error.mean_ulp},
          {"max_relative", error.max_relative},
          {"mean_relative", error.mean_relative},
          {"norm_relative", error.norm_relative},
          {"norm_bits", error.norm_relative > 0
                            ? nlohmann::ordered_json(-std::log2(error.norm_relative))
                            : nlohmann::ordered_json()}};
}

Json error_json(const ProductError& error) {
  Json json = figures_json(error);
  json["worst_batch"] = error.worst_batch;
  json["worst_row"] = error.worst_row;
  json["worst_column"] = error.worst_column;
  return json;
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

Json specials_json(const values::SpecialValues& specials) {
  return {{"infinities", specials.infinities},
          {"nans", specials.nans},
          {"subnormals", specials.subnormals},
          {"zeros", specials.zeros}};
}

std::string format_name(const values::TensorShape& shape) {
  return std::string(numerics::name(values::type_of(shape.element)));
}

std::string text_of(const ValuesRecord& record, const ProductRecord& product) {
  const values::GemmValues& result = product.result;
  std::string text = inputs_text(record, product);
  text += indented_line("against reference", reference_text(result));
  text += indented_line("against exact", error_text(result.arithmetic));
  text += compared_line(result.arithmetic, worst_text(result.arithmetic));
  if (result.conversion) {
    text += indented_line("with rounded inputs", error_text(*result.conversion));
    text += indented_line("A to " + product.input_format, conversion_text(result.a));
    const std::string& weights = product.weight_format;
    text += indented_line("B to " + (weights.empty() ? product.input_format : weights),
                          conversion_text(result.b));
  }
  text += indented_line("D", specials_text(result.specials));
  if (product.quantization) text += quantization_text(*product.quantization);
  return text;
}

std::string result_text(const values::TensorResult& result) {
  const std::string name = result.shape.name;
  std::string text =
      indented_line(fmt::format("{} in {}", name, format_name(result.shape)), bound_text(result));
  text += indented_line("  against exact", error_text(result.arithmetic));
  text += compared_line(result.arithmetic, fmt::format("[{}]", fmt::join(result.worst, ", ")));
  if (result.conversion)
    text += indented_line("  with rounded inputs", error_text(*result.conversion));
  return text + indented_line("", specials_text(result.specials));
}

std::string text_of(const ValuesRecord& record, const OperationRecord& operation) {
  std::string text =
      fmt::format("  {:<15}inputs {}, seed {}; arithmetic of {}; {}\n", "values", operation.inputs,
                  record.seed, record.arithmetic, race_text(operation.result.racing_bytes));
  for (const values::TensorResult& result : operation.result.results) text += result_text(result);
  for (const values::TensorInput& input : operation.result.inputs)
    if (input.conversion.changed > 0)
      text += indented_line(fmt::format("{} to {}", input.shape.name, format_name(input.shape)),
                            conversion_text(input.conversion));
  return text;
}

Json json_of(const ValuesRecord& record, const ProductRecord& product) {
  const values::GemmValues& result = product.result;
  Json json;
  json["inputs"] = {{"a", product.input_a}, {"b", product.input_b}, {"seed", record.seed}};
  json["input_format"] = product.input_format;
  if (!product.weight_format.empty()) json["weight_format"] = product.weight_format;
  json["output_format"] = product.output_format;
  json["arithmetic"] = record.arithmetic;
  json["elements"] = result.elements;
  json["differences_from_reference"] = result.differences;
  json["racing_bytes"] = result.racing_bytes;
  json["error"] = error_json(result.arithmetic);
  json["error_with_conversion"] = result.conversion ? error_json(*result.conversion) : Json();
  json["conversion"] = {{"a", conversion_json(result.a)}, {"b", conversion_json(result.b)}};
  json["specials"] = specials_json(result.specials);
  if (product.quantization) json["quantization"] = quantization_json(*product.quantization);
  return json;
}

Json result_json(const values::TensorResult& result) {
  Json json;
  json["format"] = format_name(result.shape);
  json["extents"] = result.shape.extents;
  json["elements_beyond_bound"] = result.outside;
  json["largest_share_of_bound"] = result.has_bound ? Json(result.nearest_bound) : Json();
  json["error"] = figures_json(result.arithmetic);
  json["error"]["worst"] = result.worst;
  json["error_with_conversion"] = result.conversion ? figures_json(*result.conversion) : Json();
  json["specials"] = specials_json(result.specials);
  return json;
}

Json json_of(const ValuesRecord& record, const OperationRecord& operation) {
  Json json;
  json["inputs"] = {{"distribution", operation.inputs}, {"seed", record.seed}};
  json["arithmetic"] = record.arithmetic;
  json["racing_bytes"] = operation.result.racing_bytes;
  json["results"] = Json::object();
  for (const values::TensorResult& result : operation.result.results)
    json["results"][result.shape.name] = result_json(result);
  json["conversion"] = Json::object();
  for (const values::TensorInput& input : operation.result.inputs) {
    json["conversion"][input.shape.name] = conversion_json(input.conversion);
    json["conversion"][input.shape.name]["format"] = format_name(input.shape);
  }
  return json;
}

std::vector<std::string> hexadecimal(const std::vector<std::uint32_t>& words) {
  std::vector<std::string> texts;
  for (const std::uint32_t word : words) texts.push_back(fmt::format("{:08x}", word));
  return texts;
}

std::string buffer_text(const values::BufferValues& buffer) {
  std::string text = buffer.starts_as == "zeros" || buffer.starts_as == "ff"
                         ? "begins as " + buffer.starts_as
                         : "drawn as " + buffer.starts_as;
  if (buffer.is_written)
    text += fmt::format("; afterwards {} bytes, checksum {:016x}, first words {}",
                        with_thousands(buffer.bytes), buffer.checksum,
                        fmt::join(hexadecimal(buffer.first_words), " "));
  return indented_line(buffer.name, text);
}

std::string text_of(const ValuesRecord& record, const ProgramRecord& program) {
  std::string text =
      fmt::format("  {:<15}inputs {}, seed {}; arithmetic of {}; {}\n", "values", program.inputs,
                  record.seed, record.arithmetic, race_text(program.result.racing_bytes));
  text += indented_line("reference", "none: what a kernel from a file should compute is not known");
  for (const values::BufferValues& buffer : program.result.buffers) text += buffer_text(buffer);
  return text;
}

Json json_of(const ValuesRecord& record, const ProgramRecord& program) {
  Json json;
  json["inputs"] = {{"distribution", program.inputs}, {"seed", record.seed}};
  json["arithmetic"] = record.arithmetic;
  json["racing_bytes"] = program.result.racing_bytes;
  json["reference"] = Json();
  json["buffers"] = Json::object();
  for (const values::BufferValues& buffer : program.result.buffers) {
    Json& row = json["buffers"][buffer.name];
    row["bytes"] = buffer.bytes;
    row["starts_as"] = buffer.starts_as;
    row["checksum"] = buffer.is_written ? Json(fmt::format("{:016x}", buffer.checksum)) : Json();
    row["first_words"] = hexadecimal(buffer.first_words);
  }
  return json;
}

}  // namespace

std::string values_text(const ValuesRecord& record) {
  return std::visit([&](const auto& computed) { return text_of(record, computed); },
                    record.computed);
}

Json values_json(const ValuesRecord& record) {
  return std::visit([&](const auto& computed) { return json_of(record, computed); },
                    record.computed);
}

}  // namespace tcsim::report
