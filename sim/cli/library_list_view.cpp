#include "sim/cli/library_list_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/files/json_text.hpp"
#include "sim/library/library_reader.hpp"
#include "sim/library/load.hpp"
#include "sim/library/machine_check.hpp"

namespace tcsim::cli {
namespace {

template <typename Word>
std::string listed_words(const std::vector<Word>& values,
                         const std::vector<std::string_view>& words) {
  std::vector<std::string_view> names;
  for (const Word value : values) names.push_back(words[static_cast<std::size_t>(value)]);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string tile_text(const kernels::MenuTile& row) {
  const kernels::GemmTile& tile = row.tile;
  const std::string stages = row.least_stages == row.most_stages
                                 ? fmt::format("{}", row.most_stages)
                                 : fmt::format("{}-{}", row.least_stages, row.most_stages);
  return fmt::format("{}x{}x{}_s{}_w{}x{}{}", tile.m, tile.n, tile.k, stages, tile.warps_m,
                     tile.warps_n,
                     tile.sliced_k > 1 ? fmt::format("_sliced{}", tile.sliced_k) : "");
}

std::string purpose_text(const kernels::AttentionTile& row) {
  std::string text = fmt::format("dim to {}", row.most_dim);
  if (row.is_causal_only) text += ", causal";
  if (row.least_queries > 1) text += fmt::format(", {} queries and more", row.least_queries);
  if (row.sm_shared_below > 0) text += fmt::format(", SM below {} B", row.sm_shared_below);
  if (row.cta_shared_below > 0) text += fmt::format(", CTA below {} B", row.cta_shared_below);
  return text;
}

/// The words of `multiply` and `load`.
std::pair<kernels::MathKind, kernels::Mover> words_of(kernels::FusedForm form) {
  using kernels::FusedForm;
  if (form == FusedForm::kWarpgroups) return {kernels::MathKind::kGroup, kernels::Mover::kBox};
  return {form == FusedForm::kQuadPairs ? kernels::MathKind::kQuadPair : kernels::MathKind::kLdsm,
          form == FusedForm::kAsync ? kernels::Mover::kCopy : kernels::Mover::kStaged};
}

}  // namespace

std::vector<ListedTile> tiles_of(const kernels::AttentionFamily& family) {
  std::vector<ListedTile> tiles;
  for (const kernels::AttentionTile& row : family.tiles)
    tiles.push_back({&row, false, purpose_text(row)});
  if (!family.splits) return tiles;
  for (const kernels::AttentionTile& row : family.splits->tiles)
    tiles.push_back({&row, true, purpose_text(row)});
  return tiles;
}

std::string list_libraries(Format format) {
  Table table{{"library", "kernels", "tiles", "description"}, {}};
  auto json = nlohmann::ordered_json::array();
  for (const std::string& name : library::library_names()) {
    const auto one = library::read_library(name);
    std::size_t tiles = 0;
    for (const kernels::KernelFamily& family : one->families) tiles += family.tiles.size();
    for (const kernels::AttentionFamily& family : one->attention)
      tiles += family.tiles.size() + (family.splits ? family.splits->tiles.size() : 0);
    const std::size_t kernels = one->families.size() + one->attention.size();
    table.rows.push_back({name, std::to_string(kernels), std::to_string(tiles), one->description});
    json.push_back({{"library", name},
                    {"kernels", kernels},
                    {"tiles", tiles},
                    {"description", one->description}});
  }
  return format == Format::kJson ? files::json_text(json, 2) + "\n" : render(table, format);
}

std::string show_library(const std::string& library, const std::string& machine, Format format) {
  const auto one = library::read_library(library);
  std::optional<config::Machine> judged;
  std::vector<library::TileProblem> beyond;
  if (!machine.empty()) {
    judged = config::load_machine(machine);
    beyond = library::tiles_beyond(*one, *judged);
  }
  Table table{{"kernels", "computes", "multiply", "load", "operands", "results", "tile"}, {}};
  if (judged) table.columns.push_back("on " + machine);
  const auto why_none = [&](const auto& family) {
    return judged ? library::why_none(family, *judged) : std::string();
  };
  const auto judge = [&](const std::string& of_family, int line, int column,
                         const std::string& why_no_tile) {
    if (!judged) return;
    table.rows.back().push_back(why_no_tile);
    for (const library::TileProblem& problem : beyond)
      if (problem.kernels.starts_with(of_family) && problem.line == line &&
          problem.column == column)
        table.rows.back().back() = problem.reason;
  };
  for (const kernels::KernelFamily& family : one->families) {
    const std::string why_no_tile = why_none(family);
    for (const kernels::MenuTile& row : family.tiles) {
      table.rows.push_back(
          {family.name, listed_words(family.uses, library::use_words()),
           std::string(library::math_words()[static_cast<std::size_t>(family.math)]),
           listed_words(family.movers, library::mover_words()),
           listed_words(family.operands, library::element_words()),
           listed_words(family.results, library::element_words()), tile_text(row)});
      judge("kernels." + family.name + ".", row.line, row.column, why_no_tile);
    }
  }
  for (const kernels::AttentionFamily& family : one->attention) {
    const std::string why_no_tile = why_none(family);
    const auto form = words_of(family.form);
    const std::string math(library::math_words()[static_cast<std::size_t>(form.first)]);
    const std::string mover(library::mover_words()[static_cast<std::size_t>(form.second)]);
    std::vector<kernels::Element> results;
    for (const kernels::Element operand : family.operands)
      results.push_back(kernels::attention_result(operand));
    const std::string computes =
        family.algorithm == kernels::AttentionAlgorithm::kPaged ? "paged attention" : "attention";
    for (const auto& [row, is_split, purpose] : tiles_of(family)) {
      const std::string tile =
          fmt::format("{}{} ({})", row->tile.text(), is_split ? "_split" : "", purpose);
      table.rows.push_back({family.name, computes, math, mover,
                            listed_words(family.operands, library::element_words()),
                            listed_words(results, library::element_words()), tile});
      judge("attention." + family.name + ".", row->line, row->column, why_no_tile);
    }
  }
  std::string text = render(table, format);
  if (format != Format::kText) return text;
  return fmt::format("{}: {}\n{}\n{}", one->name, one->description, one->file, text);
}

}  // namespace tcsim::cli
