#include "sim/values/sparse_operand.hpp"

#include <cmath>
#include <utility>

#include "sim/values/element.hpp"
#include "workloads/kernels/sparse_metadata.hpp"

namespace tcsim::values {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::MetadataOrder;

/// The nibble for keeping elements `first` and `second` of a chunk. TF32 keeps one of two, in the
/// same way as both halves of a pair of 16-bit elements would be kept (numerics reference section
/// 11).
std::uint8_t nibble_of(Element format, int first, int second) {
  if (format == Element::kTf32) return first == 0 ? 0b0100 : 0b1110;
  return static_cast<std::uint8_t>(first | second << 2);
}

/// The kept elements of one chunk.
std::vector<int> kept_of(Element format, std::uint8_t nibble) {
  if (format == Element::kTf32) return {nibble == 0b0100 ? 0 : 1};
  return {nibble & 3, nibble >> 2};
}

/// What pruning compares: a magnitude, or a NaN, which is above all of them.
std::pair<bool, double> rank_of(double value) {
  if (std::isnan(value)) return {true, 0};
  return {false, std::abs(value)};
}

/// The `kept` elements of a chunk that pruning keeps, ascending; zeros fill up if there are too few
/// others.
std::vector<int> largest_of(std::span<const double> chunk, int kept) {
  std::vector<int> places;
  for (int i = 0; i < static_cast<int>(chunk.size()); ++i) {
    int ahead = 0;
    for (int j = 0; j < static_cast<int>(chunk.size()); ++j) {
      const auto mine = rank_of(chunk[place_of(i)]);
      const auto other = rank_of(chunk[place_of(j)]);
      if (other > mine || (other == mine && j < i)) ++ahead;
    }
    if (ahead < kept) places.push_back(i);
  }
  return places;
}

/// Calls action(batch, row, chunk, elements of the chunk) for each chunk of the matrix.
template <typename Values, typename Action>
void for_each_chunk(Values& matrix, int chunk_elements, const Action& action) {
  const std::int64_t chunks = matrix.columns / chunk_elements;
  for (std::int64_t batch = 0; batch < matrix.batch; ++batch)
    for (std::int64_t row = 0; row < matrix.rows; ++row)
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
        action(batch, row, chunk,
               std::span(matrix.values)
                   .subspan(place_of((batch * matrix.rows + row) * matrix.columns +
                                     chunk * chunk_elements),
                            place_of(chunk_elements)));
}

void put_nibble(std::span<std::uint8_t> bytes, std::int64_t index, std::uint8_t nibble) {
  std::uint8_t& byte = bytes[place_of(index / 2)];
  const int shift = index % 2 == 0 ? 0 : 4;
  byte = static_cast<std::uint8_t>((byte & ~(0xf << shift)) | nibble << shift);
}

std::uint8_t nibble_at(std::span<const std::uint8_t> bytes, std::int64_t index) {
  return static_cast<std::uint8_t>(bytes[place_of(index / 2)] >> (index % 2 == 0 ? 0 : 4) & 0xf);
}

/// Position in buffer "A" of kept element `kept` of a row.
Placement stored_placement(const GemmProblem& problem) {
  return {problem.input, problem.layout_a == kernels::Layout::kNormal};
}

}  // namespace

Matrix pruned(Matrix a, Element format) {
  const int kept = MetadataOrder::kept_elements(format);
  for_each_chunk(a, MetadataOrder::chunk_elements(format),
                 [&](std::int64_t, std::int64_t, std::int64_t, std::span<double> chunk) {
                   std::vector<double> zeros(chunk.size());
                   for (const int i : largest_of(chunk, kept))
                     zeros[place_of(i)] = chunk[place_of(i)];
                   std::copy(zeros.begin(), zeros.end(), chunk.begin());
                 });
  return a;
}

Conversion store_sparse(const Matrix& matrix, const GemmProblem& problem,
                        const kernels::GemmTile& tile, std::span<std::uint8_t> a,
                        std::span<std::uint8_t> metadata) {
  const MetadataOrder order(problem, tile);
  const Element format = problem.input;
  // Padding keeps the first elements of its chunks.
  for (std::uint8_t& byte : metadata)
    byte = static_cast<std::uint8_t>(nibble_of(format, 0, 1) * 17);
  Matrix compressed{matrix.batch, matrix.rows, problem.stored_k(), {}};
  for_each_chunk(
      matrix, MetadataOrder::chunk_elements(format),
      [&](std::int64_t batch, std::int64_t row, std::int64_t chunk, std::span<const double> all) {
        const std::vector<int> places = largest_of(all, MetadataOrder::kept_elements(format));
        for (const int i : places) compressed.values.push_back(all[place_of(i)]);
        put_nibble(metadata, 2 * batch * order.bytes_of_batch() + order.nibble(row, chunk),
                   nibble_of(format, places.front(), places.back()));
      });
  return store(compressed, stored_placement(problem), a);
}

KeptPlaces kept_places(const GemmProblem& problem, const kernels::GemmTile& tile,
                       std::span<const std::uint8_t> metadata) {
  const MetadataOrder order(problem, tile);
  const int elements = MetadataOrder::chunk_elements(problem.input);
  KeptPlaces places;
  for (std::int64_t batch = 0; batch < problem.batch; ++batch)
    for (std::int64_t row = 0; row < problem.m; ++row)
      for (std::int64_t chunk = 0; chunk < problem.k / elements; ++chunk) {
        const std::int64_t index = 2 * batch * order.bytes_of_batch() + order.nibble(row, chunk);
        for (const int i : kept_of(problem.input, nibble_at(metadata, index)))
          places.push_back(chunk * elements + i);
      }
  return places;
}

Matrix load_sparse(const GemmProblem& problem, const kernels::GemmTile& tile,
                   std::span<const std::uint8_t> a, std::span<const std::uint8_t> metadata) {
  const Matrix compressed =
      load(a, stored_placement(problem), problem.batch, problem.m, problem.stored_k());
  const KeptPlaces places = kept_places(problem, tile, metadata);
  Matrix matrix{problem.batch, problem.m, problem.k, {}};
  matrix.values.resize(place_of(matrix.elements()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / problem.stored_k();
    matrix.values[place_of(row * problem.k + places[i])] = compressed.values[i];
  }
  return matrix;
}

}  // namespace tcsim::values
