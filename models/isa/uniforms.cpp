#include "models/isa/uniforms.hpp"

#include <algorithm>

#include "models/isa/any_variable.hpp"

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
std::int64_t outermost_trips(const WarpProgram& program, const Loop& loop,
                             const Bindings& bindings) {
  if (loop.depth == 0) return 1;
  const auto outermost = std::ranges::find_if(program.loops, [&](const Loop& other) {
    return other.depth == 0 && other.first <= loop.first && loop.last < other.last;
  });
  return outermost == program.loops.end() ? 1 : evaluate(outermost->trips, bindings);
}

}  // namespace

bool uses_uniforms(const Expression& expression) {
  return any_variable(expression, [](Variable v) { return v >= Variable::kUniform0; });
}

std::vector<std::string> uniform_problems(const WarpProgram& program) {
  std::vector<std::string> problems;
  if (program.uniforms.size() > static_cast<std::size_t>(kMaxUniforms))
    problems.push_back("has " + std::to_string(program.uniforms.size()) + " uniforms, allowed " +
                       std::to_string(kMaxUniforms));
  for (std::size_t i = 0; i < program.uniforms.size(); ++i) {
    const auto itself = static_cast<Variable>(static_cast<std::size_t>(Variable::kUniform0) + i);
    const Expression added = without(program.uniforms[i], itself);
    const bool is_wrong = any_variable(added, [&](Variable variable) {
      const bool is_given = variable <= Variable::kCtaZ || variable == Variable::kLoop0;
      return !is_given && (variable < Variable::kUniform0 || variable >= itself);
    });
    if (is_wrong)
      problems.push_back(
          "uniform " + std::to_string(i) +
          " depends on more than CTA, outermost loop, the uniforms before it and, as a "
          "running sum, itself");
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
      problems.push_back("loop " + std::to_string(i) +
                         " has a trip count of uniforms that do not exist or that the outermost "
                         "loop changes");
  }
  return problems;
}

std::optional<std::int64_t> fewest_trips(const KernelLaunch& launch, const WarpProgram& program,
                                         std::size_t index) {
  const Loop& loop = program.loops[index];
  std::optional<std::int64_t> fewest;
  std::int64_t looks = 0;
  const auto look_at_warps = [&](Bindings& bindings) {
    for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
      bindings[static_cast<std::size_t>(Variable::kWarp)] = warp;
      const std::int64_t trips = evaluate(loop.trips, bindings);
      fewest = std::min(fewest.value_or(trips), trips);
    }
    return ++looks <= kMostLooks;
  };
  for_each_cta(launch, [&](Bindings& bindings) {
    bind_uniforms(program.uniforms, bindings);
    const std::int64_t trips = outermost_trips(program, loop, bindings);
    std::int64_t& counter = bindings[static_cast<std::size_t>(Variable::kLoop0)];
    for (; counter < trips; ++counter) {
      if (counter > 0) bind_uniforms(program.uniforms, bindings);
      if (!look_at_warps(bindings)) return false;
    }
    return true;
  });
  return looks > kMostLooks ? std::nullopt : fewest;
}

}  // namespace tcsim::isa
