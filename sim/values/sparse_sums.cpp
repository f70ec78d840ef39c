#include "sim/values/sparse_sums.hpp"

#include <algorithm>
#include <span>

#include "models/numerics/mma.hpp"
#include "sim/values/matrix.hpp"
#include "sim/values/operand_store.hpp"
#include "sim/values/sparse_operand.hpp"

namespace tcsim::values {
namespace {

using kernels::GemmProblem;
using Patterns = std::vector<std::uint64_t>;

/// The kept elements of one row of A in a chain, and their positions along k.
struct SparseRow {
  Patterns a;
  std::vector<std::int64_t> places;
};

}  // namespace

std::vector<std::uint64_t> sparse_sums(const GemmProblem& problem, const kernels::GemmTile& tile,
                                       const numerics::Arithmetic& arithmetic,
                                       const functional::GlobalMemory& memory,
                                       const std::vector<std::int64_t>& places, std::int64_t batch,
                                       std::int64_t kept_of_mma, const functional::Poll& poll) {
  const std::size_t step = kept_of_mma == 0 ? places.size() : place_of(kept_of_mma);
  std::vector<bool> in_chain(place_of(problem.k));
  for (const std::int64_t k : places)
    if (k < problem.k) in_chain[place_of(k)] = true;
  const KeptPlaces kept = kept_places(problem, tile, memory.buffer("E"));
  std::vector<std::uint64_t> sums(place_of(problem.m * problem.n));
  for (std::int64_t m = 0; m < problem.m; ++m) {
    poll();
    SparseRow row;
    for (std::int64_t i = 0; i < problem.stored_k(); ++i) {
      const std::int64_t k = kept[place_of((batch * problem.m + m) * problem.stored_k() + i)];
      if (!in_chain[place_of(k)]) continue;
      row.a.push_back(
          pattern_at(memory.buffer("A"), element_of_a(problem, batch, m, i), problem.input));
      row.places.push_back(k);
    }
    row.a.resize(places.size() / 2);
    Patterns column(row.a.size());
    for (std::int64_t n = 0; n < problem.n; ++n) {
      for (std::size_t i = 0; i < row.places.size(); ++i)
        column[i] = pattern_at(memory.buffer("B"), element_of_b(problem, batch, row.places[i], n),
                               problem.input);
      std::uint64_t& sum = sums[place_of(n * problem.m + m)];
      for (std::size_t k = 0; k < row.a.size(); k += step) {
        const std::size_t count = std::min(step, row.a.size() - k);
        sum = numerics::mma(arithmetic, std::span(row.a).subspan(k, count),
                            std::span(column).subspan(k, count), sum);
      }
    }
  }
  return sums;
}

}  // namespace tcsim::values
