#include "workloads/kernels/sparse_metadata.hpp"

#include "models/isa/cycle.hpp"

namespace tcsim::kernels {
namespace {

std::int64_t padded(std::int64_t size, std::int64_t multiple) {
  return ceil_div(size, multiple) * multiple;
}

}  // namespace

int MetadataOrder::step_k(Element input) {
  switch (input) {
    case Element::kFp16:
    case Element::kBf16:
      return 32;
    case Element::kTf32:
      return 16;
    case Element::kInt8:
      return 64;
    default:
      return 0;
  }
}

MetadataOrder::MetadataOrder(const GemmProblem& problem, const GemmTile& tile)
    : chunks_of_step_(step_k(problem.input) / chunk_elements(problem.input)),
      chunks_of_block_(are_warpgroups(tile.roles) ? kChunksOfWord : chunks_of_step_),
      rows_(2 * kBlockBytes / chunks_of_block_),
      padded_rows_(padded(problem.m, std::int64_t{tile.m} * tile.cluster_m)),
      steps_(padded(problem.k, tile.k) / chunks_of_block_ / chunk_elements(problem.input)) {}

// Row g of LDSM's matrix is 16 bytes, four words; lane 4 g + q receives word q. Eight chunks of a
// step: word q holds rows g (low half) and g + 8 of what selector q / 2 names, 16 rows or, for
// warpgroups, the step, and half q % 2 of k. Sixteen chunks: row g or g + 8 (q % 2) and half q / 2
// of k.
std::int64_t MetadataOrder::nibble(std::int64_t row, std::int64_t chunk) const {
  constexpr int kNibbles = 2 * kBlockBytes;
  constexpr int kNibblesOfWord = 8;
  const std::int64_t groups = padded_rows_ / rows_;
  const std::int64_t block = chunk / chunks_of_block_ * groups + row / rows_;
  const std::int64_t in_group = row % rows_;
  const std::int64_t upper = in_group / 8 % 2;
  const std::int64_t c = chunk % chunks_of_step_;
  const bool word_per_row = chunks_of_step_ == kChunksOfWord;
  const std::int64_t selector =
      chunks_of_block_ > chunks_of_step_ ? chunk / chunks_of_step_ % 2 : in_group / 16;
  const std::int64_t word = word_per_row ? upper + 2 * (c / 8) : selector * 2 + c / 4;
  const std::int64_t in_word = word_per_row ? c % 8 : 4 * upper + c % 4;
  return kNibbles * block + kNibblesOfWord * (4 * (in_group % 8) + word) + in_word;
}

}  // namespace tcsim::kernels
