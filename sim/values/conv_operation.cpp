#include "sim/values/conv_operation.hpp"

#include <algorithm>
#include <cmath>

#include "sim/values/exact_sum.hpp"

namespace tcsim::values {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvPass;
using kernels::ConvProblem;
using kernels::Element;

/// An element of x, w or y: image or filter, row, column, channel.
struct Point {
  std::int64_t image, row, column, channel;
};

/// Where the elements of a tensor are stored, in either order.
class TensorMap {
 public:
  TensorMap(kernels::TensorOrder order, std::int64_t images, std::int64_t rows,
            std::int64_t columns, std::int64_t channels)
      : is_nchw_(order == kernels::TensorOrder::kNchw),
        images_(images),
        rows_(rows),
        columns_(columns),
        channels_(channels) {}

  [[nodiscard]] std::size_t index(const Point& p) const {
    const std::int64_t pixel = p.row * columns_ + p.column;
    const std::int64_t pixels = rows_ * columns_;
    return static_cast<std::size_t>(is_nchw_ ? (p.image * channels_ + p.channel) * pixels + pixel
                                             : (p.image * pixels + pixel) * channels_ + p.channel);
  }
  [[nodiscard]] Point point(std::int64_t index) const {
    const std::int64_t pixels = rows_ * columns_;
    const std::int64_t image = index / (pixels * channels_);
    const std::int64_t inside = index % (pixels * channels_);
    const std::int64_t pixel = is_nchw_ ? inside % pixels : inside / channels_;
    const std::int64_t channel = is_nchw_ ? inside / pixels : inside % channels_;
    return {image, pixel / columns_, pixel % columns_, channel};
  }
  [[nodiscard]] std::vector<std::int64_t> extents() const {
    if (is_nchw_) return {images_, channels_, rows_, columns_};
    return {images_, rows_, columns_, channels_};
  }

 private:
  bool is_nchw_;
  std::int64_t images_, rows_, columns_, channels_;
};

struct BoundedOutput {
  double exact = 0;
  double allowed = 0;
};

class ConvDefinition {
 public:
  ConvDefinition(const ConvProblem& problem, ConvAlgorithm algorithm)
      : c_(problem),
        algorithm_(algorithm),
        x_(problem.order, problem.n, problem.h, problem.w, problem.c),
        w_(problem.order, problem.k, problem.r, problem.s, problem.group_c()),
        y_(problem.order, problem.n, problem.p(), problem.q(), problem.k),
        pooled_(problem.order, problem.n, problem.p() / 2, problem.q() / 2, problem.k) {}

  [[nodiscard]] std::vector<TensorShape> inputs() const {
    std::vector<TensorShape> all;
    if (c_.pass != ConvPass::kDataGradient) all.push_back({"x", c_.input, x_.extents()});
    if (c_.pass != ConvPass::kWeightGradient) all.push_back({"w", c_.input, w_.extents()});
    if (c_.pass != ConvPass::kForward) all.push_back({"y", c_.input, y_.extents()});
    if (c_.post.scale) all.push_back({"scale", Element::kFp32, {c_.k}});
    if (c_.post.bias) all.push_back({"bias", Element::kFp32, {c_.k}});
    if (c_.post.residual) all.push_back({"z", c_.output, y_.extents()});
    return all;
  }

  [[nodiscard]] TensorShape result() const {
    if (c_.pass == ConvPass::kDataGradient) return {"x", c_.output, x_.extents()};
    if (c_.pass == ConvPass::kWeightGradient) return {"w", c_.output, w_.extents()};
    return {"y", c_.output, c_.post.pool ? pooled_.extents() : y_.extents()};
  }

  void evaluate(const TensorElements& inputs, const ElementVisit& visit) const {
    const std::int64_t elements = result().elements();
    const std::int64_t products = c_.macs() / elements + 1;
    const std::int64_t stride = thinning(elements, products, result().extents.back());
    const double largest = largest_magnitude(inputs[0]) * largest_magnitude(inputs[1]);
    for (std::int64_t i = 0; i < elements; i += stride) {
      const BoundedOutput element =
          c_.post.pool ? pooled(inputs, pooled_.point(i), largest) : finished(inputs, i, largest);
      visit(0, i, element.exact, element.allowed);
    }
  }

 private:
  static double largest_magnitude(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
  }

  /// Calls visit(element of the first input, element of the second) for every product of result
  /// `index`.
  template <typename Visit>
  void for_each_product(std::int64_t index, const Visit& visit) const {
    if (c_.pass == ConvPass::kForward) return forward_products(y_.point(index), visit);
    if (c_.pass == ConvPass::kDataGradient) return data_products(x_.point(index), visit);
    weight_products(w_.point(index), visit);
  }

  [[nodiscard]] bool has_pixel(std::int64_t row, std::int64_t column) const {
    return row >= 0 && row < c_.h && column >= 0 && column < c_.w;
  }

  template <typename Visit>
  void forward_products(const Point& y, const Visit& visit) const {
    const std::int64_t first = y.channel / c_.group_k() * c_.group_c();
    for (std::int64_t r = 0; r < c_.r; ++r)
      for (std::int64_t s = 0; s < c_.s; ++s) {
        const std::int64_t row = y.row * c_.stride_h - c_.pad_h + r * c_.dil_h;
        const std::int64_t column = y.column * c_.stride_w - c_.pad_w + s * c_.dil_w;
        if (!has_pixel(row, column)) continue;
        for (std::int64_t i = 0; i < c_.group_c(); ++i)
          visit(x_.index({y.image, row, column, first + i}), w_.index({y.channel, r, s, i}));
      }
  }

  template <typename Visit>
  void data_products(const Point& x, const Visit& visit) const {
    const std::int64_t group = x.channel / c_.group_c();
    for (std::int64_t r = 0; r < c_.r; ++r)
      for (std::int64_t s = 0; s < c_.s; ++s) {
        const std::int64_t row = x.row + c_.pad_h - r * c_.dil_h;
        const std::int64_t column = x.column + c_.pad_w - s * c_.dil_w;
        if (row < 0 || column < 0 || row % c_.stride_h != 0 || column % c_.stride_w != 0) continue;
        const std::int64_t p = row / c_.stride_h;
        const std::int64_t q = column / c_.stride_w;
        if (p >= c_.p() || q >= c_.q()) continue;
        for (std::int64_t k = group * c_.group_k(); k < (group + 1) * c_.group_k(); ++k)
          visit(w_.index({k, r, s, x.channel % c_.group_c()}), y_.index({x.image, p, q, k}));
      }
  }

  template <typename Visit>
  void weight_products(const Point& w, const Visit& visit) const {
    const std::int64_t channel = w.image / c_.group_k() * c_.group_c() + w.channel;
    for (std::int64_t n = 0; n < c_.n; ++n)
      for (std::int64_t p = 0; p < c_.p(); ++p)
        for (std::int64_t q = 0; q < c_.q(); ++q) {
          const std::int64_t row = p * c_.stride_h - c_.pad_h + w.row * c_.dil_h;
          const std::int64_t column = q * c_.stride_w - c_.pad_w + w.column * c_.dil_w;
          if (has_pixel(row, column))
            visit(x_.index({n, row, column, channel}), y_.index({n, p, q, w.image}));
        }
  }

  /// The sum of products, unrounded.
  [[nodiscard]] BoundedOutput sum(const TensorElements& inputs, std::int64_t index,
                                  double largest) const {
    ExactSum sum;
    double magnitude = 0;
    std::int64_t terms = 0;
    for_each_product(index, [&](std::size_t a, std::size_t b) {
      sum.add_product(inputs[0][a], inputs[1][b]);
      magnitude += std::abs(inputs[0][a] * inputs[1][b]);
      ++terms;
    });
    double allowed = sum_error(c_.accumulate, magnitude, static_cast<double>(terms) + 1);
    allowed += transform_roundings() * unit_roundoff(transformed()) * most_terms() * largest;
    return {sum.value(), allowed};
  }

  /// Products of an element whose window is inside the image. In transformed tiles, the elements at
  /// the edge share its roundings.
  [[nodiscard]] double most_terms() const {
    const std::int64_t channels = c_.pass == ConvPass::kForward ? c_.group_c() : c_.group_k();
    const std::int64_t terms =
        c_.pass == ConvPass::kWeightGradient ? c_.n * c_.p() * c_.q() : c_.r * c_.s * channels;
    return static_cast<double>(terms);
  }

  /// The format of transformed operands.
  [[nodiscard]] Element transformed() const {
    const bool is_single =
        algorithm_ == ConvAlgorithm::kWinograd2x2Fused || algorithm_ == ConvAlgorithm::kFft;
    return is_single ? Element::kFp32 : c_.input;
  }

  /// Roundings of transformed operands, as multiples of the largest possible sum.
  [[nodiscard]] double transform_roundings() const {
    constexpr double kTaps = 9;
    if (algorithm_ == ConvAlgorithm::kWinograd2x2 ||
        algorithm_ == ConvAlgorithm::kWinograd2x2Fused) {
      // Row sums of magnitudes: 3 of the output transform, 1.5 of the filters', 2 of the tiles'.
      constexpr double kNorm = 3 * 1.5 * 2;
      return 2 * kNorm * kNorm / kTaps;
    }
    const bool is_assumed =
        algorithm_ == ConvAlgorithm::kWinograd4x4 || algorithm_ == ConvAlgorithm::kFft;
    return is_assumed ? 64 : 0;
  }

  [[nodiscard]] BoundedOutput finished(const TensorElements& inputs, std::int64_t index,
                                       double largest) const {
    BoundedOutput value = sum(inputs, index, largest);
    if (c_.post.changes_values()) {
      const auto channel = static_cast<std::size_t>(y_.point(index).channel);
      value.allowed += 2 * rounding_to(c_.output, value.exact);
      std::size_t next = 2;
      if (c_.post.scale) {
        const double factor = inputs[next++][channel];
        value.exact *= factor;
        value.allowed *= std::abs(factor);
      }
      const double bias = c_.post.bias ? inputs[next++][channel] : 0;
      const double residual = c_.post.residual ? inputs[next][static_cast<std::size_t>(index)] : 0;
      value.allowed +=
          2 * unit_roundoff(Element::kFp32) *
          (std::abs(value.exact) + value.allowed + std::abs(bias) + std::abs(residual));
      value.exact += bias + residual;
      if (c_.post.relu) value.exact = std::max(value.exact, 0.0);
    }
    const StoredNumber stored = stored_number(c_.output, value.exact, value.allowed);
    return {stored.exact, stored.allowed};
  }

  [[nodiscard]] BoundedOutput pooled(const TensorElements& inputs, const Point& to,
                                     double largest) const {
    BoundedOutput best{-INFINITY, 0};
    for (std::int64_t pixel = 0; pixel < 4; ++pixel) {
      const Point from{to.image, 2 * to.row + pixel / 2, 2 * to.column + pixel % 2, to.channel};
      const BoundedOutput value =
          finished(inputs, static_cast<std::int64_t>(y_.index(from)), largest);
      best = {std::max(best.exact, value.exact), std::max(best.allowed, value.allowed)};
    }
    return best;
  }

  ConvProblem c_;
  ConvAlgorithm algorithm_;
  TensorMap x_, w_, y_, pooled_;
};

}  // namespace

TensorOperation conv_operation(const ConvProblem& problem, ConvAlgorithm algorithm) {
  const ConvDefinition definition(problem, algorithm);
  return {definition.inputs(),
          {definition.result()},
          [definition](const TensorElements& inputs, const ElementVisit& visit) {
            definition.evaluate(inputs, visit);
          }};
}

}  // namespace tcsim::values
