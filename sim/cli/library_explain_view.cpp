#include "sim/cli/library_explain_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sim/cli/library_list_view.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/library/load.hpp"
#include "sim/report/or_null.hpp"
#include "sim/run/prepare/attention.hpp"
#include "sim/run/prepare/conv.hpp"
#include "sim/run/prepare/gemm.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/kernels/attention/key_splits.hpp"
#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/cost_model.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The tiles of a product in the order in which the chooser ranks them.
struct TileRanking {
  std::string title{};  ///< empty where the tiles are all that is told
  Table table;
  Json candidates = Json::array();
};

/// What is said of a choice.
struct Explanation {
  Json facts = Json::object();  ///< machine, workload, libraries, pick, why
  std::string estimates{};      ///< what the estimates leave out; empty where there are none
  Table table;
  Json candidates = Json::array();
  std::optional<TileRanking> tiles{};  ///< of the algorithm that is picked among the candidates
};

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
    return "the lowest rating among the sizes that the library has with these k-tiles";
  if (second == first) return "rated equal to the next, but larger, longer or deeper";
  constexpr double kPercent = 100;
  return fmt::format("the lowest rating of {} candidates, {:.1f} % below the next",
                     candidates.size(), kPercent * (1 - first / second));
}

/// Requires `candidates` not to be empty.
TileRanking ranking_of(const std::vector<kernels::Candidate>& candidates) {
  TileRanking ranking;
  ranking.table.columns = {"",         "tile",       "rating",   "estimate", "preference",
                           "slices",   "waves",      "fill",     "k-tile",   "loop",
                           "epilogue", "turn-round", "reduction"};
  for (const kernels::Candidate& one : candidates) {
    const bool is_picked = &one == &candidates.front();
    ranking.table.rows.push_back(candidate_row(one, is_picked));
    ranking.candidates.push_back(candidate_json(one, is_picked));
  }
  return ranking;
}

/// Estimates count the launches of all kernels but the first.
std::string left_out(const kernels::Target& target) {
  return fmt::format("estimates leave out the first launch of a run, {:.0f} cycles\n",
                     target.launch_cycles);
}

Explanation explain_gemm(const kernels::GemmProblem& asked, const run::PreparationOptions& options,
                         const config::Machine& machine) {
  const auto product = run::settled(asked, options, machine);
  const std::string pick = run::tile_of(product).text();
  const std::vector<kernels::Candidate> candidates =
      kernels::gemm_candidates(product.problem, product.target);
  const kernels::KernelFamily& family = *candidates.front().family;
  Explanation choice;
  choice.facts = {{"title", run::gemm_title(product.problem)},
                  {"library", family.library},
                  {"kernels", family.name},
                  {"pick", pick},
                  {"why", why_first(candidates)}};
  choice.estimates = left_out(product.target);
  TileRanking ranking = ranking_of(candidates);
  choice.table = std::move(ranking.table);
  choice.candidates = std::move(ranking.candidates);
  return choice;
}

Explanation explain_conv(const workload::ConvWork& work, const run::PreparationOptions& options,
                         const config::Machine& machine) {
  const auto conv = run::settled(work.problem, options, machine);
  const kernels::ConvPlan plan = run::plan_of(conv, work.algorithm);
  Explanation choice;
  choice.facts["title"] = run::conv_title(conv.problem);
  const std::vector<kernels::Candidate> tiles =
      kernels::make_conv_method(conv.problem, plan.algorithm, conv.target)->candidates();
  if (!tiles.empty()) {
    choice.facts["library"] = tiles.front().family->library;
    choice.facts["kernels"] = tiles.front().family->name;
    choice.tiles = ranking_of(tiles);
    choice.tiles->title =
        fmt::format("tiles of the product of {}: {}", name(plan.algorithm), why_first(tiles));
  }
  choice.facts["pick"] = plan.text();
  choice.facts["why"] = work.algorithm
                            ? "requested, with its preferred tile"
                            : "the lowest estimate of the algorithms, each with its preferred tile";
  choice.estimates = left_out(conv.target);
  choice.table.columns = {"", "algorithm", "tile", "estimate", "why not"};
  for (std::size_t i = 0; i < kernels::kConvAlgorithmNames.size(); ++i) {
    const auto algorithm = static_cast<kernels::ConvAlgorithm>(i);
    const auto method = kernels::make_conv_method(conv.problem, algorithm, conv.target);
    const bool is_picked = algorithm == plan.algorithm;
    const std::string reason = method->why_not();
    std::string tile;
    std::optional<double> estimate;
    if (reason.empty()) {
      const kernels::GemmTile chosen = method->choose();
      if (chosen.m > 0) tile = chosen.text();
      estimate = method->estimate(chosen);
    }
    choice.table.rows.push_back({is_picked ? "*" : "", std::string(name(algorithm)), tile,
                                 estimate ? cycles_text(*estimate) : "", reason});
    choice.candidates.push_back({{"algorithm", name(algorithm)},
                                 {"tile", tile},
                                 {"picked", is_picked},
                                 {"estimated_cycles", report::or_null(estimate)},
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
  const std::string first = "the first tile of the list that fits the problem";
  if (!family.splits) return first + "; keys are not split";
  if (choice.tiles == 0) return first + "; keys of causal attention are not split";
  const std::string counted =
      fmt::format("{} tiles and {} blocks of keys", choice.tiles, choice.blocks);
  if (choice.candidates.empty()) return fmt::format("{}; {} need no splits", first, counted);
  return fmt::format(
      "{}: the fewest splits that reach {} of the best efficiency; {}", counted,
      family.splits->nearly_best,
      choice.most_splits == 1 ? first : "the first split tile that fits the problem");
}

Explanation explain_attention(const kernels::AttentionProblem& asked,
                              const run::PreparationOptions& options,
                              const config::Machine& machine) {
  auto [problem, how, peak, target, note] = run::settled(asked, options, machine);
  const std::string title = run::attention_title(problem);
  if (problem.pass == kernels::AttentionPass::kBackward ||
      problem.algorithm == kernels::AttentionAlgorithm::kUnfused || problem.block_rows > 0)
    throw NotCovered(
        fmt::format("{}: nothing is picked: libraries have tiles only for fused and "
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
  for (const auto& [row, is_split, purpose] : tiles_of(*family)) {
    const std::string why_not = kernels::why_not_for(*row, problem, target);
    const std::string tile = row->tile.text();
    const bool is_picked = row == picked;
    choice.table.rows.push_back(
        {is_picked ? "*" : "", tile, "", "", (is_split ? "split, " : "") + purpose, why_not});
    choice.candidates.push_back(candidate_json(tile, is_picked, 0, 0, why_not));
  }
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

Explanation explanation_of(const workload::Workload& workload,
                           const run::PreparationOptions& options, const config::Machine& machine) {
  if (const auto* gemm = std::get_if<kernels::GemmProblem>(&workload.work))
    return explain_gemm(*gemm, options, machine);
  if (const auto* conv = std::get_if<workload::ConvWork>(&workload.work))
    return explain_conv(*conv, options, machine);
  if (const auto* attention = std::get_if<kernels::AttentionProblem>(&workload.work))
    return explain_attention(*attention, options, machine);
  if (const auto* unsupported = std::get_if<workload::Unsupported>(&workload.work))
    throw NotCovered(fmt::format("{}: {}", workload.text, unsupported->reason));
  throw NotCovered(
      fmt::format("{}: libraries pick among kernels for gemm, conv and attn", workload.text));
}

}  // namespace

std::string explain_choice(const ExplainRequest& request, Format format) {
  if (request.machine.empty())
    throw UsageError(
        "tcsim library explain: which machine? Add -m NAME or -m FILE; presets: tcsim machine "
        "list");
  if (!request.unit.empty()) check_field("tcsim library explain", "unit", request.unit);
  const auto workloads = workload::parse_workload(request.workload);
  if (workloads.size() != 1)
    throw UsageError("tcsim library explain: takes one workload, not a list");
  const config::Machine machine =
      library::read_machine(request.machine, request.overrides, request.libraries).machine;
  Explanation choice =
      explanation_of(workloads.front(), {request.machine, request.unit, /*tile=*/""}, machine);
  std::vector<std::string> names;
  for (const auto& library : machine.kernel_libraries) names.push_back(library->name);
  if (format == Format::kJson) {
    Json json{{"machine", request.machine}, {"workload", workloads.front().text}};
    json["libraries"] = names;
    json.update(choice.facts);
    json["candidates"] = choice.candidates;
    if (choice.tiles) json["tiles"] = choice.tiles->candidates;
    return files::json_text(json, 2) + "\n";
  }
  if (format == Format::kCsv) return render(choice.table, format);
  const std::string of = choice.facts.contains("library")
                             ? fmt::format(" of {}.{}", choice.facts["library"].get<std::string>(),
                                           choice.facts["kernels"].get<std::string>())
                             : "";
  const std::string tiles = choice.tiles ? fmt::format("\n{}\n\n{}", choice.tiles->title,
                                                       render(choice.tiles->table, format))
                                         : "";
  return fmt::format("{} on {}\nlibraries in the order asked: {}\npicks {}{}: {}\n{}\n{}{}",
                     choice.facts["title"].get<std::string>(), request.machine,
                     fmt::join(names, ", "), choice.facts["pick"].get<std::string>(), of,
                     choice.facts["why"].get<std::string>(), choice.estimates,
                     render(choice.table, format), tiles);
}

}  // namespace tcsim::cli
