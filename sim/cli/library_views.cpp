#include "sim/cli/library_views.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "sim/config/target.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/library/library_reader.hpp"
#include "sim/library/load.hpp"
#include "sim/library/machine_check.hpp"
#include "sim/run/prepare/attention.hpp"
#include "sim/run/prepare/conv.hpp"
#include "sim/run/prepare/gemm.hpp"
#include "sim/run/prepare/unit.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/kernels/attention/key_splits.hpp"
#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/cost_model.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;

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

/// Columns and rows of a table as a list of objects.
Json objects_of(const Table& table) {
  Json list = Json::array();
  for (const std::vector<std::string>& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i]] = row[i];
    list.push_back(object);
  }
  return list;
}

std::string rendered_table(const Table& table, Format format) {
  if (format == Format::kJson) return files::json_text(objects_of(table), 2) + "\n";
  return render(table, format);
}

/// What is said of a choice.
struct Explanation {
  Json facts = Json::object();  ///< machine, workload, libraries, pick, why
  Table table;
  Json candidates = Json::array();
};

/// "dim to 64, causal, SM below 131072 B": what a tile of attention is for.
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

/// Each tile of `family` with the words in front of it; `split` for those of CTAs that share keys.
template <typename Visit>
void visit_tiles(const kernels::AttentionFamily& family, Visit visit) {
  for (const kernels::AttentionTile& row : family.tiles) visit(row, std::string());
  if (!family.splits) return;
  for (const kernels::AttentionTile& row : family.splits->tiles) visit(row, std::string("split"));
}

std::string cycles_text(double cycles) { return fmt::format("{:.0f}", cycles); }

Json candidate_json(const kernels::Candidate& one, bool is_picked) {
  const kernels::CostTerms& costs = one.costs;
  const kernels::WaveCosts& wave = costs.full_waves > 0 ? costs.full : costs.last;
  return {{"tile", one.tile.text()},
          {"picked", is_picked},
          {"rating", one.rating()},
          {"estimated_cycles", costs.cycles()},
          {"preference", one.preference},
          {"slice_margin", one.margin},
          {"has_deeper_twin", one.has_deeper_twin},
          {"ctas", costs.ctas},
          {"slots", costs.slots},
          {"full_waves", costs.full_waves},
          {"has_last_wave", costs.last.cycles() > 0},
          {"fill_cycles", costs.start + wave.fill},
          {"k_tile_cycles", wave.k_tile},
          {"k_tile_sm_cycles", wave.k_tile_sm},
          {"k_tile_memory_cycles", wave.k_tile_memory},
          {"main_loop_cycles", wave.main_loop},
          {"epilogue_cycles", wave.epilogue},
          {"last_wave_cycles", costs.last.cycles()},
          {"turn_round_cycles", costs.turn_round},
          {"reduction_cycles", costs.reduction}};
}

std::vector<std::string> candidate_row(const kernels::Candidate& one, bool is_picked) {
  const kernels::CostTerms& costs = one.costs;
  const kernels::WaveCosts& wave = costs.full_waves > 0 ? costs.full : costs.last;
  const double waves = static_cast<double>(costs.ctas) / static_cast<double>(costs.slots);
  return {is_picked ? "*" : "",
          one.tile.text(),
          cycles_text(one.rating()) + (one.has_deeper_twin ? ", last" : ""),
          cycles_text(costs.cycles()),
          fmt::format("{}", one.preference),
          fmt::format("{}", one.margin),
          fmt::format("{:.2f}", waves),
          cycles_text(costs.start + wave.fill),
          fmt::format("{:.0f} = max({:.0f}, {:.0f}, ..)", wave.k_tile, wave.k_tile_sm,
                      wave.k_tile_memory),
          cycles_text(wave.main_loop),
          cycles_text(wave.epilogue),
          cycles_text(costs.turn_round),
          cycles_text(costs.reduction)};
}

std::string why_first(const std::vector<kernels::Candidate>& candidates) {
  if (candidates.size() == 1) return "the only candidate";
  const double first = candidates[0].rating();
  const double second = candidates[1].rating();
  if (candidates[1].has_deeper_twin && second < first)
    return "the least rating of those whose size the library has with these k-tiles";
  if (second == first) return "as good as the next, larger, longer or deeper";
  constexpr double kPercent = 100;
  return fmt::format("the least rating of {} candidates, {:.1f} % below the next",
                     candidates.size(), kPercent * (1 - first / second));
}

/// The unit that takes what a run of `problem` would take.
std::string unit_of(const ExplainRequest& request, const auto& problem,
                    const config::Machine& machine, bool is_sparse = false) {
  run::PreparationOptions options;
  options.unit = request.unit;
  return run::unit_for(options, {problem.input, problem.accumulate}, machine, is_sparse);
}

Explanation explain_gemm(kernels::GemmProblem problem, const ExplainRequest& request,
                         const config::Machine& machine) {
  run::take_unit(unit_of(request, problem, machine, problem.sparse), problem);
  const kernels::Target target = config::make_target(machine, problem);
  const std::vector<kernels::Candidate> candidates = kernels::gemm_candidates(problem, target);
  if (candidates.empty())
    throw NotCovered(
        fmt::format("{}: {}{}: {}", request.machine, run::gemm_title(problem),
                    run::output_words({problem.input, problem.accumulate}, problem.output),
                    kernels::why_no_kernel(problem, target)));
  const kernels::KernelFamily& family = *candidates.front().family;
  Explanation choice;
  choice.facts = {{"title", run::gemm_title(problem)},
                  {"library", family.library},
                  {"kernels", family.name},
                  {"pick", candidates.front().tile.text()},
                  {"why", why_first(candidates)}};
  choice.table.columns = {"",     "tile",   "rating", "estimate", "preference", "slices",   "waves",
                          "fill", "k-tile", "loop",   "epilogue", "turn-round", "reduction"};
  for (const kernels::Candidate& one : candidates) {
    const bool is_picked = &one == &candidates.front();
    choice.table.rows.push_back(candidate_row(one, is_picked));
    choice.candidates.push_back(candidate_json(one, is_picked));
  }
  return choice;
}

/// What is run: the algorithm that `work` asks for, else the least estimate. Nothing where there is
/// no kernel.
std::optional<kernels::ConvPlan> plan_of(const workload::ConvWork& work,
                                         const kernels::ConvProblem& problem,
                                         const kernels::Target& target) {
  if (!work.algorithm) return kernels::choose_conv(problem, target);
  if (!kernels::why_no_conv_kernel(problem, *work.algorithm, target).empty()) return std::nullopt;
  return kernels::choose_conv_tile(problem, *work.algorithm, target);
}

Explanation explain_conv(const workload::ConvWork& work, const ExplainRequest& request,
                         const config::Machine& machine) {
  kernels::ConvProblem problem = work.problem;
  run::take_unit(unit_of(request, problem, machine), problem);
  const kernels::Target target = config::make_target(
      machine, {.input = problem.input, .accumulate = problem.accumulate, .unit = problem.unit});
  const std::optional<kernels::ConvPlan> plan = plan_of(work, problem, target);
  if (!plan) {
    const auto asked = work.algorithm.value_or(kernels::ConvAlgorithm::kImplicitGemm);
    throw NotCovered(
        fmt::format("{}: {}{}: {}", request.machine, run::conv_title(problem),
                    run::output_words({problem.input, problem.accumulate}, problem.output),
                    kernels::why_no_conv_kernel(problem, asked, target)));
  }
  Explanation choice;
  choice.facts = {
      {"title", run::conv_title(problem)},
      {"pick", plan->text()},
      {"why", work.algorithm
                  ? "asked for, with its preferred tile"
                  : "the least estimate of the algorithms, each with its preferred tile"}};
  choice.table.columns = {"", "algorithm", "tile", "estimate", "why not"};
  for (std::size_t i = 0; i < kernels::kConvAlgorithmNames.size(); ++i) {
    const auto algorithm = static_cast<kernels::ConvAlgorithm>(i);
    const auto method = kernels::make_conv_method(problem, algorithm, target);
    const bool is_picked = algorithm == plan->algorithm;
    const std::string reason = method->why_not();
    std::string tile;
    std::string estimate;
    if (reason.empty()) {
      const kernels::GemmTile chosen = method->choose();
      if (chosen.m > 0) tile = chosen.text();
      estimate = cycles_text(method->estimate(chosen));
    }
    choice.table.rows.push_back(
        {is_picked ? "*" : "", std::string(name(algorithm)), tile, estimate, reason});
    choice.candidates.push_back(
        {{"algorithm", name(algorithm)},
         {"tile", tile},
         {"picked", is_picked},
         {"estimated_cycles", reason.empty() ? Json(std::stod(estimate)) : Json()},
         {"why_not", reason}});
  }
  return choice;
}

Json candidate_json(const std::string& tile, bool is_picked, double waves, double efficiency,
                    const std::string& why_not) {
  return {{"tile", tile},
          {"picked", is_picked},
          {"waves", waves > 0 ? Json(waves) : Json()},
          {"efficiency", waves > 0 ? Json(efficiency) : Json()},
          {"why_not", why_not}};
}

std::string why_of(const kernels::AttentionFamily& family, const kernels::AttentionChoice& choice) {
  const std::string first = "the first tile of the list that is for the problem";
  if (!family.splits) return first + "; keys are not split";
  if (choice.tiles == 0) return first + "; keys of causal attention are not split";
  const std::string counted =
      fmt::format("{} tiles and {} blocks of keys", choice.tiles, choice.blocks);
  if (choice.candidates.empty()) return fmt::format("{}; {} ask for no splits", first, counted);
  return fmt::format("{}: the fewest splits that reach {} of the best efficiency; {}", counted,
                     family.splits->nearly_best,
                     choice.most_splits == 1 ? first : "the first split tile for the problem");
}

Explanation explain_attention(kernels::AttentionProblem problem, const ExplainRequest& request,
                              const config::Machine& machine) {
  const kernels::Target target = config::make_target(machine, {.input = problem.element});
  const std::string title = run::attention_title(problem);
  const std::string reason = kernels::why_no_attention(problem, target);
  if (!reason.empty()) throw NotCovered(fmt::format("{}: {}: {}", request.machine, title, reason));
  if (problem.pass == kernels::AttentionPass::kBackward ||
      problem.algorithm == kernels::AttentionAlgorithm::kUnfused || problem.block_rows > 0)
    throw NotCovered(
        fmt::format("{}: nothing is picked: libraries have the tiles of fused and "
                    "paged forward passes",
                    title));
  problem.causal = problem.causal && problem.queries > 1;  // one query sees all keys
  const auto family = kernels::find_attention(problem, target);
  const kernels::AttentionChoice pick = kernels::choose_attention(*family, problem, target);
  Explanation choice;
  choice.facts = {{"title", title},
                  {"library", family->library},
                  {"kernels", family->name},
                  {"pick", pick.pick.text()},
                  {"why", why_of(*family, pick)}};
  choice.table.columns = {"", "tile", "waves", "efficiency", "for", "why not"};
  kernels::FusedTile undivided = pick.pick;
  undivided.splits = 1;
  const kernels::AttentionTile* picked = kernels::first_for(family->tiles, problem, target);
  if (picked->tile.text() != undivided.text())
    picked = kernels::first_for(family->splits->tiles, problem, target);
  visit_tiles(*family, [&](const kernels::AttentionTile& row, const std::string& kind) {
    const std::string why_not = kernels::why_not_for(row, problem, target);
    const std::string tile = row.tile.text();
    const bool is_picked = &row == picked;
    const std::string purpose = (kind.empty() ? "" : kind + ", ") + purpose_text(row);
    choice.table.rows.push_back({is_picked ? "*" : "", tile, "", "", purpose, why_not});
    choice.candidates.push_back(candidate_json(tile, is_picked, 0, 0, why_not));
  });
  for (const kernels::SplitCandidate& one : pick.candidates) {
    const bool is_taken = one.splits == pick.most_splits;
    choice.table.rows.push_back({is_taken ? "*" : "", fmt::format("splits {}", one.splits),
                                 fmt::format("{:.2f}", one.waves),
                                 fmt::format("{:.3f}", one.efficiency()), "", ""});
    choice.candidates.push_back(candidate_json(fmt::format("splits {}", one.splits), is_taken,
                                               one.waves, one.efficiency(), ""));
  }
  return choice;
}

Explanation explanation_of(const workload::Workload& workload, const ExplainRequest& request,
                           const config::Machine& machine) {
  if (const auto* gemm = std::get_if<kernels::GemmProblem>(&workload.work))
    return explain_gemm(*gemm, request, machine);
  if (const auto* conv = std::get_if<workload::ConvWork>(&workload.work))
    return explain_conv(*conv, request, machine);
  if (const auto* attention = std::get_if<kernels::AttentionProblem>(&workload.work))
    return explain_attention(*attention, request, machine);
  if (const auto* unsupported = std::get_if<workload::Unsupported>(&workload.work))
    throw NotCovered(fmt::format("{}: {}", workload.text, unsupported->reason));
  throw NotCovered(
      fmt::format("{}: libraries pick among kernels for gemm, conv and attn", workload.text));
}

}  // namespace

std::string list_libraries(Format format) {
  Table table{{"library", "kernels", "tiles", "description"}, {}};
  for (const std::string& name : library::library_names()) {
    const auto one = library::read_library(name);
    std::size_t tiles = 0;
    for (const kernels::KernelFamily& family : one->families) tiles += family.tiles.size();
    for (const kernels::AttentionFamily& family : one->attention)
      tiles += family.tiles.size() + (family.splits ? family.splits->tiles.size() : 0);
    table.rows.push_back({name, std::to_string(one->families.size() + one->attention.size()),
                          std::to_string(tiles), one->description});
  }
  return rendered_table(table, format);
}

std::string show_library(const std::string& library, const std::string& machine, Format format) {
  const auto one = library::read_library(library);
  std::vector<library::TileProblem> beyond;
  if (!machine.empty()) beyond = library::tiles_beyond(*one, config::load_machine(machine));
  Table table{{"kernels", "computes", "multiply", "load", "operands", "results", "tile"}, {}};
  if (!machine.empty()) table.columns.push_back("on " + machine);
  const auto judge = [&](const std::string& of_family, int line, int column) {
    if (machine.empty()) return;
    table.rows.back().emplace_back();
    for (const library::TileProblem& problem : beyond)
      if (problem.kernels.starts_with(of_family) && problem.line == line &&
          problem.column == column)
        table.rows.back().back() = problem.reason;
  };
  for (const kernels::KernelFamily& family : one->families)
    for (const kernels::MenuTile& row : family.tiles) {
      table.rows.push_back(
          {family.name, listed_words(family.uses, library::use_words()),
           std::string(library::math_words()[static_cast<std::size_t>(family.math)]),
           listed_words(family.movers, library::mover_words()),
           listed_words(family.operands, library::element_words()),
           listed_words(family.results, library::element_words()), tile_text(row)});
      judge("kernels." + family.name + ".", row.line, row.column);
    }
  for (const kernels::AttentionFamily& family : one->attention) {
    const auto form = words_of(family.form);
    const std::string math(library::math_words()[static_cast<std::size_t>(form.first)]);
    const std::string mover(library::mover_words()[static_cast<std::size_t>(form.second)]);
    std::vector<kernels::Element> results;
    for (const kernels::Element operand : family.operands)
      results.push_back(kernels::attention_result(operand));
    const std::string computes =
        family.algorithm == kernels::AttentionAlgorithm::kPaged ? "paged attention" : "attention";
    visit_tiles(family, [&](const kernels::AttentionTile& row, const std::string& kind) {
      const std::string tile = fmt::format("{}{} ({})", row.tile.text(),
                                           kind.empty() ? "" : "_" + kind, purpose_text(row));
      table.rows.push_back({family.name, computes, math, mover,
                            listed_words(family.operands, library::element_words()),
                            listed_words(results, library::element_words()), tile});
      judge("attention." + family.name + ".", row.line, row.column);
    });
  }
  std::string text = rendered_table(table, format);
  if (format != Format::kText) return text;
  return fmt::format("{}: {}\n{}\n{}", one->name, one->description, one->file, text);
}

std::string explain_choice(const ExplainRequest& request, Format format) {
  if (request.machine.empty())
    throw UsageError(
        "tcsim library explain: which machine? Add -m NAME or -m FILE; presets: tcsim machine "
        "list");
  if (!request.unit.empty() && request.unit != "tensor" && request.unit != "cuda-core")
    throw UsageError("tcsim library explain: --unit: '" + request.unit +
                     "' is not one of tensor, cuda-core");
  const auto workloads = workload::parse_workload(request.workload);
  if (workloads.size() != 1)
    throw UsageError("tcsim library explain: takes one workload, not a list");
  const config::Machine machine =
      library::read_machine(request.machine, request.overrides, request.libraries).machine;
  Explanation choice = explanation_of(workloads.front(), request, machine);
  std::vector<std::string> names;
  for (const auto& library : machine.kernel_libraries) names.push_back(library->name);
  if (format == Format::kJson) {
    Json json{{"machine", request.machine}, {"workload", workloads.front().text}};
    json["libraries"] = names;
    json.update(choice.facts);
    json["candidates"] = choice.candidates;
    return files::json_text(json, 2) + "\n";
  }
  if (format == Format::kCsv) return render(choice.table, format);
  const std::string of = choice.facts.contains("library")
                             ? fmt::format(" of {}.{}", choice.facts["library"].get<std::string>(),
                                           choice.facts["kernels"].get<std::string>())
                             : "";
  return fmt::format("{} on {}\nlibraries in the order asked: {}\npicks {}{}: {}\n\n{}",
                     choice.facts["title"].get<std::string>(), request.machine,
                     fmt::join(names, ", "), choice.facts["pick"].get<std::string>(), of,
                     choice.facts["why"].get<std::string>(), render(choice.table, format));
}

}  // namespace tcsim::cli
