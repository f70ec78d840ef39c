#include "models/isa/uniforms.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "models/isa/any_variable.hpp"
#include "models/isa/value_range.hpp"

namespace tcsim::isa {
namespace {

constexpr std::int64_t kMostLooks = std::int64_t{1} << 17;  // far less than a second

/// By uniform: whether iterations of the outermost loop change it.
std::vector<bool> changing_uniforms(const WarpProgram& program) {
  std::vector<bool> changes;
  for (const Expression& uniform : program.uniforms)
    changes.push_back(any_variable(uniform, [&](Variable variable) {
      if (variable < Variable::kUniform0) return variable == Variable::kLoop0;
      const auto number =
          static_cast<std::size_t>(variable) - static_cast<std::size_t>(Variable::kUniform0);
      return number == changes.size() || (number < changes.size() && changes[number]);
    }));
  return changes;
}

/// `uniform` without the terms that name `itself`; a running sum has such a term.
Expression without(Expression uniform, Variable itself) {
  const Term running{.variable = itself, .coefficient = 1};
  const auto found = std::ranges::find(uniform.terms, running);
  if (found != uniform.terms.end()) uniform.terms.erase(found);
  return uniform;
}

/// Calls `look` with the bindings of every CTA until it returns false.
template <typename Look>
void for_each_cta(const KernelLaunch& launch, const Look& look) {
  const std::int64_t ctas = launch.cta_count();
  for (std::int64_t cta = 0; cta < ctas; ++cta) {
    Bindings bindings{};
    std::ranges::copy(cta_at(launch, cta), bindings.begin());
    if (!look(bindings)) return;
  }
}

/// Iterations of the outermost loop around `loop`; 1 if `loop` is itself outermost.
Expression outermost_trips(const WarpProgram& program, const Loop& loop) {
  if (loop.depth == 0) return {1};
  const auto outermost = std::ranges::find_if(program.loops, [&](const Loop& other) {
    return other.depth == 0 && other.first <= loop.first && loop.last < other.last;
  });
  return outermost == program.loops.end() ? Expression{1} : outermost->trips;
}

/// Shows a least iteration count of a loop without all CTAs and iterations: the first uniforms, of
/// which heads and batches repeat the same few values, take every value of their ranges, and the
/// others are computed from them.
class TripBound {
 public:
  /// Requires that uniform_problems is empty.
  TripBound(const KernelLaunch& launch, const WarpProgram& program, const Loop& loop)
      : uniforms_(program.uniforms), trips_(loop.trips) {
    for (std::size_t axis = 0; axis < launch.grid.size(); ++axis)
      ranges_[axis].most = launch.grid[axis] - 1;
    ranges_[static_cast<std::size_t>(Variable::kWarp)].most = launch.warps_per_cta - 1;
    find_unknown();
    find_ranges();
    // The trips of the outermost loop depend on uniforms that it does not change.
    const std::int64_t outermost = range_of(outermost_trips(program, loop), ranges_).most;
    ranges_[static_cast<std::size_t>(Variable::kLoop0)].most =
        std::max<std::int64_t>(outermost - 1, 0);
    find_ranges();
  }

  /// True if the ranges show that the loop runs at least `least` times.
  [[nodiscard]] bool shows(std::int64_t least) const {
    for (std::size_t chosen = 1; chosen <= uniforms_.size(); ++chosen)
      if (shows(least, chosen)) return true;
    return false;
  }

 private:
  using Named = std::array<bool, kVariableCount>;

  void find_ranges() {
    for (std::size_t i = 0; i < uniforms_.size(); ++i)
      if (!is_unknown_[kFirst + i]) ranges_[kFirst + i] = range_of(uniforms_[i], ranges_);
  }

  /// Running sums, and what depends on them, have no known range.
  void find_unknown() {
    for (std::size_t i = 0; i < uniforms_.size(); ++i)
      is_unknown_[kFirst + i] = any_variable(uniforms_[i], [&](Variable variable) {
        const auto place = static_cast<std::size_t>(variable);
        return place == kFirst + i || is_unknown_[place];
      });
  }

  /// The variables from which the count follows if the first `chosen` uniforms are variables too.
  [[nodiscard]] Named named(std::size_t chosen) const {
    Named named{};
    const auto add = [&](Variable variable) {
      named[static_cast<std::size_t>(variable)] = true;
      return false;
    };
    any_variable(trips_, add);
    for (std::size_t i = uniforms_.size(); i-- > chosen;)
      if (named[kFirst + i]) any_variable(uniforms_[i], add);
    return named;
  }

  /// The same with the first `chosen` uniforms taking every value of their ranges.
  [[nodiscard]] bool shows(std::int64_t least, std::size_t chosen) const {
    const Named used = named(chosen);
    for (std::size_t place = kFirst; place < used.size(); ++place)
      if (used[place] && is_unknown_[place]) return false;
    std::vector<std::size_t> free;
    std::int64_t looks = 1;
    for (std::size_t place = 0; place < kFirst + chosen; ++place) {
      if (!used[place]) continue;
      const std::int64_t values = ranges_[place].most - ranges_[place].least + 1;
      if (values > kMostLooks / looks) return false;
      looks *= values;
      free.push_back(place);
    }
    Bindings bindings{};
    const auto look = [&] {
      for (std::size_t i = chosen; i < uniforms_.size(); ++i)
        if (used[kFirst + i]) bindings[kFirst + i] = evaluate(uniforms_[i], bindings);
      return evaluate(trips_, bindings) >= least;
    };
    return holds_for_all(free, bindings, look);
  }

  template <typename Look>
  bool holds_for_all(std::span<const std::size_t> free, Bindings& bindings,
                     const Look& look) const {
    if (free.empty()) return look();
    std::int64_t& value = bindings[free.front()];
    for (value = ranges_[free.front()].least; value <= ranges_[free.front()].most; ++value)
      if (!holds_for_all(free.subspan(1), bindings, look)) return false;
    return true;
  }

  static constexpr auto kFirst = static_cast<std::size_t>(Variable::kUniform0);

  const std::vector<Expression>& uniforms_;
  const Expression& trips_;
  ValueRanges ranges_{};
  Named is_unknown_{};
};

}  // namespace

bool uses_uniforms(const Expression& expression) {
  return any_variable(expression, [](Variable v) { return v >= Variable::kUniform0; });
}

std::vector<LaunchProblem> uniform_problems(const WarpProgram& program) {
  using Part = LaunchProblem::Part;
  std::vector<LaunchProblem> problems;
  if (program.uniforms.size() > static_cast<std::size_t>(kMaxUniforms))
    problems.push_back({"has " + std::to_string(program.uniforms.size()) + " uniforms, allowed " +
                            std::to_string(kMaxUniforms),
                        Part::kProgram});
  for (std::size_t i = 0; i < program.uniforms.size(); ++i) {
    const auto itself = static_cast<Variable>(static_cast<std::size_t>(Variable::kUniform0) + i);
    const Expression added = without(program.uniforms[i], itself);
    const bool is_wrong = any_variable(added, [&](Variable variable) {
      const bool is_given = variable <= Variable::kCtaZ || variable == Variable::kLoop0;
      return !is_given && (variable < Variable::kUniform0 || variable >= itself);
    });
    if (is_wrong)
      problems.push_back(
          {"uniform " + std::to_string(i) +
               " depends on more than CTA, outermost loop, the uniforms before it and, as a "
               "running sum, itself",
           Part::kProgram});
  }
  if (!problems.empty()) return problems;
  const std::vector<bool> changes = changing_uniforms(program);
  for (std::size_t i = 0; i < program.loops.size(); ++i) {
    const Loop& loop = program.loops[i];
    const bool is_wrong = any_variable(loop.trips, [&](Variable variable) {
      if (variable < Variable::kUniform0) return false;
      const auto number =
          static_cast<std::size_t>(variable) - static_cast<std::size_t>(Variable::kUniform0);
      return number >= changes.size() || (loop.depth == 0 && changes[number]);
    });
    if (is_wrong)
      problems.push_back({"loop " + std::to_string(i) +
                              " has a trip count of uniforms that do not exist or that the "
                              "outermost loop changes",
                          Part::kLoop, static_cast<int>(i)});
  }
  return problems;
}

KnownTrips known_trips(const KernelLaunch& launch, const WarpProgram& program, std::size_t index,
                       std::int64_t least) {
  const Loop& loop = program.loops[index];
  const Expression outermost = outermost_trips(program, loop);
  const bool differs_by_warp =
      any_variable(loop.trips, [](Variable v) { return v == Variable::kWarp; });
  const int warps = differs_by_warp ? launch.warps_per_cta : 1;
  KnownTrips known;
  std::int64_t looks = 0;
  const auto look_at_warps = [&](Bindings& bindings) {
    for (int warp = 0; warp < warps; ++warp) {
      bindings[static_cast<std::size_t>(Variable::kWarp)] = warp;
      const std::int64_t trips = evaluate(loop.trips, bindings);
      known.fewest = std::min(known.fewest.value_or(trips), trips);
      known.most = std::max(known.most.value_or(trips), trips);
    }
    return ++looks <= kMostLooks;
  };
  for_each_cta(launch, [&](Bindings& bindings) {
    bind_uniforms(program.uniforms, bindings);
    const std::int64_t trips = evaluate(outermost, bindings);
    std::int64_t& counter = bindings[static_cast<std::size_t>(Variable::kLoop0)];
    for (; counter < trips; ++counter) {
      if (counter > 0) bind_uniforms(program.uniforms, bindings);
      if (!look_at_warps(bindings)) return false;
    }
    return trips > 0 || ++looks <= kMostLooks;  // a CTA without iterations counts, too
  });
  const bool is_below = known.fewest && *known.fewest < least;
  if (looks <= kMostLooks)
    known.fewest = known.fewest.value_or(least);  // never entered: no count is too small
  else if (!is_below && TripBound(launch, program, loop).shows(least))
    known.fewest = least;
  else if (!is_below)
    known.fewest.reset();
  return known;
}

}  // namespace tcsim::isa
