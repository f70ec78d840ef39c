#include "sim/values/reference_product.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "models/isa/cycle.hpp"
#include "models/numerics/convert.hpp"
#include "models/numerics/fast_mma.hpp"
#include "models/numerics/ieee_fma.hpp"
#include "models/numerics/mma.hpp"
#include "sim/values/element.hpp"
#include "sim/values/matrix.hpp"
#include "sim/values/operand_store.hpp"
#include "sim/values/packed_weights.hpp"
#include "sim/values/row_blocks.hpp"
#include "sim/values/sparse_sums.hpp"
#include "workloads/kernels/gemv.hpp"

namespace tcsim::values {
namespace {

using functional::Poll;
using kernels::Element;
using kernels::GemmProblem;
using kernels::Layout;
using numerics::ElementType;
using Words = std::vector<std::uint64_t>;

constexpr std::uint32_t kOne = 0x3f800000;
constexpr std::uint32_t kHalfOne = 0x3c00;
constexpr std::uint64_t kDoubleOne = 0x3ff0000000000000;

constexpr std::uint32_t low_word(std::uint64_t pattern) {
  return static_cast<std::uint32_t>(pattern);
}

/// The positions along k of one chain of multiply-adds, in its order; positions beyond k hold
/// zeros.
using Places = std::vector<std::int64_t>;

/// The chains of the lanes of a warp, which take turns to read `vector` elements.
std::vector<Places> chains_of_lanes(std::int64_t k, std::int64_t vector) {
  std::vector<Places> lanes(isa::kLanes);
  const std::int64_t step = isa::kLanes * vector;
  for (std::int64_t place = 0; place < ceil_div(k, step) * step; ++place)
    lanes[static_cast<std::size_t>(place % step / vector)].push_back(place);
  return lanes;
}

/// The chains of one output, in the order in which their sums are added: the warp groups of each
/// slice of k, slice after slice. Stream-K cuts slices at the k-tiles `cuts`.
std::vector<std::vector<Places>> chains(std::int64_t k, const kernels::GemmTile& tile,
                                        const std::vector<std::int64_t>& cuts) {
  const auto k_tiles = ceil_div<std::int64_t>(k, tile.k);
  const auto tiles_of_slice = ceil_div<std::int64_t>(k_tiles, tile.split_k);
  const std::int64_t group_k = tile.k / tile.sliced_k;
  const auto slice_of = [&](std::int64_t k_tile) {
    return tile.stream_k ? std::ranges::upper_bound(cuts, k_tile) - cuts.begin()
                         : k_tile / tiles_of_slice;
  };
  std::vector<std::vector<Places>> slices(place_of(slice_of(k_tiles - 1) + 1),
                                          std::vector<Places>(place_of(tile.sliced_k)));
  for (std::int64_t place = 0; place < k_tiles * tile.k; ++place)
    slices[place_of(slice_of(place / tile.k))][place_of(place % tile.k / group_k)].push_back(place);
  return slices;
}

/// Rows of A or columns of B.
struct Range {
  std::int64_t first;
  std::int64_t count;
};

/// A part of D whose outputs have the same chains.
struct Part {
  Range rows;
  Range columns;
  std::vector<std::vector<Places>> chains;
};

std::vector<Part> parts_of(const GemmProblem& problem, const kernels::GemmTile& tile,
                           const KCuts& cuts) {
  const Range rows{0, problem.m};
  const Range columns{0, problem.n};
  if (tile.roles == kernels::WarpRoles::kGemv)
    return {{rows, columns, {chains_of_lanes(problem.k, kernels::gemv_vector(problem.input))}}};
  if (!tile.stream_k) return {{rows, columns, chains(problem.k, tile, {})}};
  std::vector<Part> parts;
  for (std::int64_t m = 0; m < problem.m; m += tile.m)
    for (std::int64_t n = 0; n < problem.n; n += tile.n)
      parts.push_back({{m, std::min<std::int64_t>(tile.m, problem.m - m)},
                       {n, std::min<std::int64_t>(tile.n, problem.n - n)},
                       chains(problem.k, tile, cuts(m / tile.m, n / tile.n))});
  return parts;
}

/// Operand vectors along k, [across][place], for the rows or columns `range` of one matrix of the
/// batch, which has `across` of them.
Words vectors_along_k(std::span<const std::uint8_t> bytes, Element element, std::int64_t across,
                      Range range, std::int64_t k, const Places& places, bool along_k,
                      std::int64_t batch) {
  Words words;
  words.reserve(static_cast<std::size_t>(range.count) * places.size());
  for (std::int64_t i = range.first; i < range.first + range.count; ++i)
    for (const std::int64_t j : places)
      words.push_back(
          j < k ? pattern_at(bytes, batch * across * k + (along_k ? i * k + j : j * across + i),
                             element)
                : 0);
  return words;
}

/// The vectors along k of A's rows and B's columns, and their number.
struct Panels {
  Words a;
  Words b;
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

constexpr std::size_t kSumsPerPoll = 64;

/// [n][m] sums over k on CUDA cores: one FFMA or DFMA after another.
Words sums_of_fma(Element input, Element accumulate, const Panels& panels, const Poll& poll) {
  const auto single = [&](std::uint64_t word) {
    const bool is_narrow = kernels::element_bytes(input) < kernels::element_bytes(Element::kFp32);
    return low_word(is_narrow ? numerics::convert(type_of(input), word, ElementType::kFp32) : word);
  };
  const auto fma = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) -> std::uint64_t {
    if (accumulate == Element::kFp64) return numerics::ieee_fma(ElementType::kFp64, a, b, c);
    return numerics::fp32_fma(single(a), single(b), low_word(c));
  };
  Words sums(panels.m * panels.n);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i % kSumsPerPoll == 0) poll();
    for (std::size_t j = 0; j < panels.k; ++j)
      sums[i] = fma(panels.a[i % panels.m * panels.k + j], panels.b[i / panels.m * panels.k + j],
                    sums[i]);
  }
  return sums;
}

/// [n][m] sums over k on CUDA cores with HFMA2: even and odd positions in FP16, added in FP32.
Words sums_of_packed_fma(const Panels& panels, const Poll& poll) {
  const auto single = [](std::uint64_t half) {
    return low_word(numerics::convert(ElementType::kFp16, half, ElementType::kFp32));
  };
  Words sums(panels.m * panels.n);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i % kSumsPerPoll == 0) poll();
    std::array<std::uint64_t, 2> halves{};
    for (std::size_t j = 0; j < panels.k; ++j)
      halves[j % 2] = numerics::ieee_fma(ElementType::kFp16, panels.a[i % panels.m * panels.k + j],
                                         panels.b[i / panels.m * panels.k + j], halves[j % 2]);
    sums[i] = numerics::fp32_add(single(halves[0]), single(halves[1]));
  }
  return sums;
}

/// [n][m] sums over k on CUDA cores with DP4A: exact, modulo 2^32.
Words sums_of_bytes(const Panels& panels, const Poll& poll) {
  const auto byte = [](std::uint64_t pattern) { return static_cast<std::int8_t>(pattern); };
  Words sums(panels.m * panels.n);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i % kSumsPerPoll == 0) poll();
    std::uint32_t sum = 0;
    for (std::size_t j = 0; j < panels.k; ++j)
      sum += static_cast<std::uint32_t>(byte(panels.a[i % panels.m * panels.k + j]) *
                                        byte(panels.b[i / panels.m * panels.k + j]));
    sums[i] = sum;
  }
  return sums;
}

/// [n][m] sums over k on CUDA cores, by the instructions that add in `accumulate`.
Words sums_on_cuda_cores(Element input, Element accumulate, const Panels& panels,
                         const Poll& poll) {
  if (accumulate == Element::kInt32) return sums_of_bytes(panels, poll);
  if (accumulate == Element::kFp16) return sums_of_packed_fma(panels, poll);
  return sums_of_fma(input, accumulate, panels, poll);
}

std::vector<std::uint32_t> low_words(std::span<const std::uint64_t> words) {
  std::vector<std::uint32_t> low(words.size());
  std::ranges::transform(words, low.begin(), low_word);
  return low;
}

void sum_on_fast_path(const Panels& panels, const numerics::Arithmetic& arithmetic,
                      const Poll& poll, Words& sums) {
  std::vector<std::uint32_t> words = low_words(sums);
  numerics::OperandPanel rows;
  numerics::OperandPanel columns;
  const int length = static_cast<int>(panels.k);
  rows.load(arithmetic.key.a, low_words(panels.a), static_cast<int>(panels.m), length, length, 1);
  constexpr std::size_t kColumnsPerPoll = numerics::OperandPanel::kGroup;
  for (std::size_t first = 0; first < panels.n; first += kColumnsPerPoll) {
    poll();
    const std::size_t count = std::min(kColumnsPerPoll, panels.n - first);
    const auto b = std::span(panels.b).subspan(first * panels.k, count * panels.k);
    columns.load(arithmetic.key.b, low_words(b), static_cast<int>(count), length, length, 1);
    numerics::fast_mma(arithmetic, columns, rows,
                       std::span(words).subspan(first * panels.m, count * panels.m),
                       static_cast<int>(panels.m));
  }
  sums.assign(words.begin(), words.end());
}

/// Adds to `sums` the products of MMAs with `mma_k` elements, one after another.
void sum_on_plain_path(const Panels& panels, const numerics::Arithmetic& arithmetic,
                       std::size_t mma_k, const Poll& poll, Words& sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (i % kSumsPerPoll == 0) poll();
    for (std::size_t k = 0; k < panels.k; k += mma_k) {
      const std::size_t count = std::min(mma_k, panels.k - k);
      sums[i] =
          numerics::mma(arithmetic, std::span(panels.a).subspan(i % panels.m * panels.k + k, count),
                        std::span(panels.b).subspan(i / panels.m * panels.k + k, count), sums[i]);
    }
  }
}

Words sums_of(Element input, Element accumulate,
              const std::optional<numerics::Arithmetic>& arithmetic, std::int64_t mma_k,
              const Panels& panels, const Poll& poll) {
  if (!arithmetic) return sums_on_cuda_cores(input, accumulate, panels, poll);
  Words sums(panels.m * panels.n);
  // If blocks end with an MMA, many MMAs form one chain.
  const bool one_chain = mma_k == 0 || mma_k % arithmetic->block.products == 0;
  if (one_chain && numerics::fast_path_covers(*arithmetic))
    sum_on_fast_path(panels, *arithmetic, poll, sums);
  else
    sum_on_plain_path(panels, *arithmetic, mma_k == 0 ? panels.k : static_cast<std::size_t>(mma_k),
                      poll, sums);
  return sums;
}

/// The sum of two partial sums in the accumulator's format.
std::uint64_t added(Element accumulate, std::uint64_t a, std::uint64_t b) {
  if (accumulate == Element::kInt32) return low_word(a + b);
  if (accumulate == Element::kFp16) return numerics::ieee_add(ElementType::kFp16, a, b);
  if (accumulate == Element::kFp64) return numerics::ieee_add(ElementType::kFp64, a, b);
  return numerics::fp32_add(low_word(a), low_word(b));
}

void add(Element accumulate, Words& sums, const Words& more) {
  if (sums.empty()) {
    sums = more;
    return;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = added(accumulate, sums[i], more[i]);
}

/// The sums of the lanes of a warp, added by a butterfly: halves first.
Words butterfly(Element accumulate, std::vector<Words> lanes) {
  for (std::size_t distance = lanes.size() / 2; distance > 0; distance /= 2)
    for (std::size_t lane = 0; lane < distance; ++lane)
      add(accumulate, lanes[lane], lanes[lane + distance]);
  return lanes.front();
}

/// Adds to the [n][m] `sums` the sums of the block of k at `first` times its factors, by FMUL and
/// FFMA.
void add_scaled(const GemmProblem& problem, const functional::GlobalMemory& memory,
                const RowBlock& block, Range rows, std::int64_t first, const Words& of_block,
                Words& sums) {
  const auto blocks_of = [](std::int64_t elements) {
    return ceil_div(elements, kernels::kScaledBlock);
  };
  const std::int64_t step = first / kernels::kScaledBlock;
  const std::int64_t steps = blocks_of(problem.k);
  const auto factor = [&](const char* buffer, std::int64_t index) {
    return low_word(pattern_at(memory.buffer(buffer), index, Element::kFp32));
  };
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int64_t row = rows.first + static_cast<std::int64_t>(i) % rows.count;
    const std::int64_t column = static_cast<std::int64_t>(i) / rows.count / kernels::kScaledBlock;
    const std::uint32_t scale = numerics::fp32_multiply(
        factor("scale_a", (block.a * steps + step) * problem.factor_rows() + row),
        factor("scale_b", (block.b * blocks_of(problem.n) + column) * steps + step));
    sums[i] = numerics::fp32_fma(low_word(of_block[i]), scale, low_word(sums[i]));
  }
}

/// The epilogue: alpha = 1, then the output format.
std::uint64_t output_of(const GemmProblem& problem, std::uint64_t sum) {
  if (problem.accumulate == Element::kInt32 && problem.output == Element::kInt32) return sum;
  if (problem.accumulate == Element::kInt32)  // I2F rounds to nearest, as the host does
    sum = numerics::fp32_pattern(static_cast<float>(static_cast<std::int32_t>(sum)));
  if (problem.output == Element::kInt8)
    return static_cast<std::uint8_t>(
        static_cast<std::int8_t>(std::clamp(numerics::host_float(low_word(sum)), -128.0F, 127.0F)));
  if (problem.accumulate == Element::kFp16)
    return numerics::ieee_multiply(ElementType::kFp16, sum, kHalfOne);
  if (problem.accumulate == Element::kFp64)
    return numerics::ieee_multiply(ElementType::kFp64, sum, kDoubleOne);
  return numerics::convert(ElementType::kFp32, numerics::fp32_multiply(low_word(sum), kOne),
                           type_of(problem.output));
}

/// Serial split-K: adds `sums`, in the accumulator's format, to the current content of D, in its
/// own format.
void add_to_result(const GemmProblem& problem, Words& sums, const Words& more) {
  if (sums.empty()) sums.assign(more.size(), 0);
  const bool is_stored_as_it_is = problem.output == problem.accumulate;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::uint64_t stored = output_of(problem, sums[i]);
    const std::uint64_t before =
        is_stored_as_it_is ? stored
                           : numerics::convert(type_of(problem.output), stored, ElementType::kFp32);
    sums[i] = added(problem.accumulate, more[i], before);
  }
}

}  // namespace

numerics::Arithmetic product_arithmetic(const GemmProblem& problem,
                                        const numerics::TensorArithmetic& core,
                                        numerics::InstructionKind kind) {
  numerics::ArithmeticKey key;
  key.kind = kind;
  key.a = key.b = type_of(problem.input);
  key.accumulator = type_of(problem.accumulate);
  return numerics::find_arithmetic(core, key).value();
}

std::vector<std::uint8_t> reference_product(const GemmProblem& asked, const kernels::GemmTile& tile,
                                            const std::optional<numerics::Arithmetic>& arithmetic,
                                            const functional::GlobalMemory& memory,
                                            const KCuts& cuts, std::int64_t mma_k,
                                            const Poll& poll) {
  GemmProblem problem = asked;
  if (!arithmetic && asked.accumulate == Element::kFp16) problem.accumulate = Element::kFp32;
  std::vector<std::uint8_t> d(memory.buffer("D").size());
  const std::vector<std::uint8_t> dense =
      problem.weights.are_packed()
          ? dense_weights(problem, {memory.buffer("B"), memory.buffer("scale_b")})
          : std::vector<std::uint8_t>{};
  const std::span<const std::uint8_t> b = dense.empty() ? memory.buffer("B") : std::span(dense);
  const auto put_part = [&](const Part& part, const RowBlock& block) {
    const Range rows = problem.is_grouped() ? Range{block.first, block.count} : part.rows;
    const auto sums_along = [&](const Places& places) {
      if (problem.sparse)
        return sparse_sums(problem, tile, *arithmetic, memory, places, block.a, mma_k / 2, poll);
      return sums_of(problem.input, asked.accumulate, arithmetic, mma_k,
                     {vectors_along_k(memory.buffer("A"), problem.input, problem.m, rows, problem.k,
                                      places, problem.layout_a == Layout::kNormal, block.a),
                      vectors_along_k(b, problem.input, problem.n, part.columns, problem.k, places,
                                      problem.layout_b == Layout::kTransposed, block.b),
                      place_of(rows.count), place_of(part.columns.count), places.size()},
                     poll);
    };
    Words sums;
    for (const std::vector<Places>& slice : part.chains) {
      Words sums_of_slice;
      if (tile.roles == kernels::WarpRoles::kGemv) {
        std::vector<Words> lanes(slice.size());
        std::ranges::transform(slice, lanes.begin(), sums_along);
        sums = butterfly(problem.accumulate, std::move(lanes));
        continue;
      }
      for (const Places& group : slice) {
        if (!problem.block_scales) {
          add(problem.accumulate, sums_of_slice, sums_along(group));
          continue;
        }
        sums_of_slice.resize(place_of(rows.count * part.columns.count));
        for (std::size_t first = 0; first < group.size(); first += kernels::kScaledBlock)
          add_scaled(problem, memory, block, rows, static_cast<std::int64_t>(first),
                     sums_along(Places(group.begin() + static_cast<std::ptrdiff_t>(first),
                                       group.begin() + std::min(static_cast<std::ptrdiff_t>(
                                                                    first + kernels::kScaledBlock),
                                                                std::ssize(group)))),
                     sums_of_slice);
      }
      if (tile.serial_k) {
        add_to_result(problem, sums, sums_of_slice);
        continue;
      }
      // Of two FP64 NaNs that of the second operand stays: here, what is handed over.
      if (tile.stream_k && !sums.empty()) std::swap(sums, sums_of_slice);
      add(problem.accumulate, sums, sums_of_slice);
    }
    for (std::int64_t m = 0; m < rows.count; ++m)
      for (std::int64_t n = 0; n < part.columns.count; ++n)
        put_pattern(d, (block.a * problem.m + rows.first + m) * problem.n + part.columns.first + n,
                    problem.output, output_of(problem, sums[place_of(n * rows.count + m)]));
  };
  for (const Part& part : parts_of(problem, tile, cuts))
    for (const RowBlock& block : row_blocks(problem)) put_part(part, block);
  return d;
}

std::vector<std::uint8_t> reference_product(const GemmProblem& problem,
                                            const kernels::GemmTile& tile,
                                            const numerics::TensorArithmetic& core,
                                            const functional::GlobalMemory& memory,
                                            const KCuts& cuts, std::int64_t mma_k,
                                            const Poll& poll) {
  std::optional<numerics::Arithmetic> arithmetic;
  if (problem.unit == kernels::Unit::kTensor && tile.roles != kernels::WarpRoles::kGemv) {
    const auto kind = kernels::are_warpgroups(tile.roles) ? numerics::InstructionKind::kWgmma
                                                          : numerics::InstructionKind::kMma;
    arithmetic = product_arithmetic(problem, core, kind);
  }
  return reference_product(problem, tile, arithmetic, memory, cuts, mma_k, poll);
}

}  // namespace tcsim::values
