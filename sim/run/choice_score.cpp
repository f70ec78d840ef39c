#include "sim/run/choice_score.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "sim/config/operator_target.hpp"
#include "sim/config/target.hpp"
#include "sim/library/load.hpp"
#include "sim/run/prepare/unit.hpp"
#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::run {
namespace {

using kernels::Candidate;
using kernels::GemmTile;

bool have_same_sides(const GemmTile& a, const GemmTile& b) { return a.m == b.m && a.n == b.n; }

/// Doublings between two tiles along m and n.
double distance(const GemmTile& a, const GemmTile& b) {
  const auto apart = [](int x, int y) { return std::abs(std::log2(static_cast<double>(x) / y)); };
  return apart(a.m, b.m) + apart(a.n, b.n);
}

/// What the libraries offer for one call, first what they take.
struct Offer {
  std::string library;
  std::vector<GemmTile> tiles;
  std::vector<double> estimates;
};

Offer offer_for(kernels::GemmProblem problem, const validate::NamedKernel& row,
                const config::Machine& machine) {
  take_unit(row.unit, problem);
  const kernels::Target target = config::make_target(machine, problem);
  Offer offer;
  for (const Candidate& one : kernels::gemm_candidates(problem, target)) {
    offer.tiles.push_back(one.tile);
    offer.estimates.push_back(one.costs.cycles());
    if (offer.library.empty()) offer.library = one.family->library;
  }
  return offer;
}

Offer offer_for(kernels::ConvProblem problem, const validate::NamedKernel& row,
                const config::Machine& machine) {
  take_unit(row.unit, problem);
  const kernels::Target target = config::make_conv_target(machine, problem);
  Offer best;
  for (const auto algorithm :
       {kernels::ConvAlgorithm::kImplicitGemm, kernels::ConvAlgorithm::kImplicitGemmTma}) {
    const auto method = kernels::make_conv_method(problem, algorithm, target);
    if (!method->why_not().empty()) continue;
    Offer offer;
    offer.library = "implicit GEMM";
    for (const Candidate& one : method->candidates()) {
      offer.tiles.push_back(one.tile);
      offer.estimates.push_back(method->estimate(one.tile));
    }
    if (best.tiles.empty() || offer.estimates.front() < best.estimates.front())
      best = std::move(offer);
  }
  return best;
}

Offer offer_for(const validate::NamedKernel& row, const config::Machine& machine) {
  if (const auto* gemm = std::get_if<kernels::GemmProblem>(&row.workload.work))
    return offer_for(*gemm, row, machine);
  return offer_for(std::get<workload::ConvWork>(row.workload.work).problem, row, machine);
}

bool is_right_in_all(const GemmTile& chosen, const GemmTile& named) {
  const auto fits = [](int part, int told) { return told == 0 || part == told; };
  return have_same_sides(chosen, named) && chosen.sliced_k == named.sliced_k &&
         fits(chosen.k, named.k) && fits(chosen.stages, named.stages);
}

NamedChoice judge(const validate::NamedKernel& row, const Offer& offer) {
  NamedChoice choice;
  choice.row = &row;
  choice.library = offer.library;
  choice.chosen = choice.nearest = offer.tiles.front();
  choice.named = row.name.tile();
  choice.is_right = have_same_sides(choice.chosen, choice.named);
  choice.is_right_in_all = is_right_in_all(choice.chosen, choice.named);
  if (row.slices) choice.is_slicing_right = (choice.chosen.split_k > 1) == (*row.slices > 1);
  std::set<std::pair<int, int>> sides;
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < offer.tiles.size(); ++i) {
    const GemmTile& tile = offer.tiles[i];
    sides.emplace(tile.m, tile.n);
    if (offer.estimates[i] < offer.estimates[fastest]) fastest = i;
    if (distance(tile, choice.named) < distance(choice.nearest, choice.named))
      choice.nearest = tile;
    if (!have_same_sides(tile, choice.named)) continue;
    choice.is_on_menu = true;
    const double loss = offer.estimates.front() / offer.estimates[i] - 1;
    choice.loss = std::max(loss, choice.loss.value_or(loss));
  }
  choice.is_fastest_right = have_same_sides(offer.tiles[fastest], choice.named);
  if (choice.is_on_menu) choice.uniform = 1.0 / static_cast<double>(sides.size());
  return choice;
}

}  // namespace

NamedChoices choose_for(const std::vector<validate::NamedKernel>& rows,
                        const std::vector<std::string>& libraries) {
  library::KnownMachines machines;
  NamedChoices choices;
  for (const validate::NamedKernel& row : rows) {
    std::vector<std::string> asked = libraries;
    asked.insert(asked.end(), row.libraries.begin(), row.libraries.end());
    const Offer offer =
        offer_for(row, machines.of(row.model.machine, row.model.overrides, asked).machine);
    if (offer.tiles.empty())
      choices.skipped.push_back({"", row.line, "no kernel on " + row.model.machine});
    else
      choices.rows.push_back(judge(row, offer));
  }
  return choices;
}

void ChoiceScore::add(const NamedChoice& choice) {
  ++rows;
  right += choice.is_right ? 1 : 0;
  right_in_all += choice.is_right_in_all ? 1 : 0;
  slicing_told += choice.is_slicing_right ? 1 : 0;
  slicing_right += choice.is_slicing_right.value_or(false) ? 1 : 0;
  fastest_right += choice.is_fastest_right ? 1 : 0;
  on_menu += choice.is_on_menu ? 1 : 0;
  uniform += choice.uniform;
  if (!choice.is_right && choice.loss) losses.push_back(*choice.loss);
}

ShareInterval wilson(std::size_t right, std::size_t rows) {
  if (rows == 0) return {};
  constexpr double kTwoSided = 1.959964;  // 95 % of a normal distribution
  const auto n = static_cast<double>(rows);
  const double share = static_cast<double>(right) / n;
  const double square = kTwoSided * kTwoSided;
  const double middle = (share + square / (2 * n)) / (1 + square / n);
  const double half =
      kTwoSided * std::sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::vector<ChoiceGroup> score_choices(const std::vector<NamedChoice>& choices) {
  std::map<std::tuple<std::string, std::string, std::string>, ChoiceScore> scores;
  ChoiceScore all;
  for (const NamedChoice& choice : choices) {
    scores[{choice.row->gpu, choice.library, choice.row->operation}].add(choice);
    all.add(choice);
  }
  std::vector<ChoiceGroup> groups;
  for (auto& [key, score] : scores)
    groups.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(score)});
  groups.push_back({"all", "", "", std::move(all)});
  return groups;
}

}  // namespace tcsim::run
