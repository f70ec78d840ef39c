#include "sim/cli/import_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/config/error.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/read_file.hpp"
#include "sim/networks/csv_import.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/networks/network_text.hpp"
#include "sim/networks/onnx_bytes.hpp"
#include "sim/networks/onnx_import.hpp"
#include "sim/networks/scalesim_import.hpp"
#include "sim/report/layout.hpp"
#include "sim/text/counted.hpp"
#include "sim/text/number.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::cli {
namespace {

using networks::DepthwiseForm;
using networks::Imported;

struct ImportTexts {
  std::string kind;
  std::string file;
  std::string out;
  std::string batch;
  std::string depthwise;
  std::vector<std::string> dimensions;
};

std::int64_t size_of(const std::string& option, const std::string& text) {
  const auto value = text::number_of<std::int64_t>(text);
  constexpr std::int64_t kMost = 1 << 24;
  if (!value || *value < 1 || *value > kMost)
    throw UsageError(fmt::format("tcsim import: {}: '{}' is not a whole number from 1 to {}",
                                 option, text, kMost));
  return *value;
}

networks::ImportSizes sizes_of(const ImportTexts& texts) {
  networks::ImportSizes sizes;
  if (!texts.batch.empty()) sizes.batch = size_of("--batch", texts.batch);
  for (const std::string& text : texts.dimensions) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("tcsim import: --dim: '" + text + "' is not NAME=SIZE");
    const std::int64_t size = size_of("--dim", text.substr(equals + 1));
    const auto [given, is_new] = sizes.dimensions.emplace(text.substr(0, equals), size);
    if (!is_new && given->second != size)
      throw UsageError("tcsim import: --dim: '" + given->first + "' is " +
                       std::to_string(given->second) + " and " + std::to_string(size));
  }
  return sizes;
}

std::optional<DepthwiseForm> depthwise_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "one-filter") return DepthwiseForm::kOneFilter;
  if (text == "one-channel") return DepthwiseForm::kOneChannel;
  if (text == "none") return DepthwiseForm::kNone;
  throw UsageError("tcsim import: --depthwise: '" + text +
                   "' is not one of one-filter, one-channel, none");
}

Imported imported_from(const ImportTexts& texts) {
  const networks::ImportSizes sizes = sizes_of(texts);
  const std::optional<DepthwiseForm> depthwise = depthwise_of(texts.depthwise);
  const bool is_onnx = texts.kind == "onnx";
  if (!is_onnx && texts.kind != "scalesim" && texts.kind != "csv")
    throw UsageError("tcsim import: '" + texts.kind + "' is not one of onnx, scalesim, csv");
  if (!is_onnx && (!texts.batch.empty() || !texts.dimensions.empty()))
    throw UsageError("tcsim import: --batch and --dim fix symbols of ONNX models");
  if (depthwise && texts.kind != "scalesim")
    throw UsageError("tcsim import: --depthwise belongs to scalesim");
  if (texts.file.empty())
    throw UsageError(
        "tcsim import: which file? For example: tcsim import onnx model.onnx -o net.yaml");
  const std::string text =
      is_onnx
          ? networks::onnx_without_weights(*files::open_file(texts.file, files::FileKind::kModel))
          : files::read_file(texts.file, files::FileKind::kList);
  Imported imported = is_onnx ? networks::import_onnx(text, texts.file, sizes)
                      : texts.kind == "csv"
                          ? networks::import_csv(text, texts.file)
                          : networks::import_scalesim(text, texts.file, depthwise);
  if (!is_onnx) {
    imported.network.name = std::filesystem::path(texts.file).stem().string();
    imported.network.source = "imported from " + texts.kind;
  }
  return imported;
}

void print_summary(const Imported& imported) {
  const networks::Network& network = imported.network;
  constexpr double kGiga = 1e9;
  const std::optional<double> kept = networks::mac_share(network);
  fmt::print(std::cout, "kept: {}, {} parameters, {:.4g} G multiply-adds per sample ({})\n",
             text::counted(network.layers.size(), "layer"),
             report::with_thousands(networks::parameters(network)),
             static_cast<double>(networks::macs(network)) / kGiga,
             kept ? fmt::format("{:.1f} % of all", 100 * *kept) : "share unknown");
  for (const std::string& line : imported.changed) fmt::print(std::cout, "changed: {}\n", line);
  for (const std::string& line : imported.dropped) fmt::print(std::cout, "dropped: {}\n", line);
  for (const networks::Skipped& one : network.skipped) {
    const std::optional<double> share = networks::mac_share(network, one);
    fmt::print(
        std::cout, "skipped: {} '{}', {}\n", one.operation, one.name,
        share ? fmt::format("{:.2f} % of the multiply-adds", 100 * *share) : "share unknown");
  }
}

/// Writes `network`. Throws NotCovered where a network file cannot hold it, and writes nothing.
void write_network(const std::string& file, const networks::Network& network) {
  const std::string text = networks::network_yaml(network);
  try {
    (void)networks::read_network(file, text);
  } catch (const config::ConfigError& error) {
    throw NotCovered(fmt::format("a network file cannot hold this: {}", error.what()));
  }
  files::write_output(file, text);
}

}  // namespace

void add_import_command(CLI::App& app, int& status) {
  const auto texts = std::make_shared<ImportTexts>();
  CLI::App* command =
      app.add_subcommand("import", "Convert a network of another program into a network file");
  command->add_option("kind", texts->kind, "onnx, scalesim or csv");
  command->add_option("file", texts->file, "The file to read");
  command->add_option("-o,--out", texts->out, "The network file to write");
  command->add_option("--batch", texts->batch, "Size of a symbolic first dimension (ONNX)");
  add_repeatable(*command, "--dim", texts->dimensions,
                 "NAME=SIZE of another symbol (ONNX); repeatable");
  command->add_option(
      "--depthwise", texts->depthwise,
      "How the topology writes depthwise layers: one-filter, one-channel or none (default: a "
      "layer that may be one is a mistake)");
  command->callback([texts, &status] {
    const Imported imported = imported_from(*texts);
    if (texts->out.empty()) throw UsageError("tcsim import: where to? Add -o NET.yaml");
    write_network(texts->out, imported.network);
    print_summary(imported);
    fmt::print(std::cout, "{}\n", texts->out);
    status = kDone;
  });
}

}  // namespace tcsim::cli
