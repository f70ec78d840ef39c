#include "workloads/networks/gradients.hpp"

#include <algorithm>

#include "workloads/networks/counts.hpp"

namespace tcsim::networks {
namespace {

using kernels::ConvPass;
using kernels::GemmProblem;
using kernels::Layout;
using kernels::VectorOperation;

constexpr std::int64_t kWidestSoftmax = 32768;  // columns, kernels/vector

}  // namespace

Gradients::Gradients(const Network& network, StepBuilder& builder, std::vector<LayerState> states)
    : network_(network),
      builder_(builder),
      states_(std::move(states)),
      has_gradient_(states_.size(), false),
      gradients_(states_.size()) {}

void Gradients::run() {
  loss();
  for (int i = static_cast<int>(states_.size()) - 1; i >= 0; --i)
    if (has_gradient_[static_cast<std::size_t>(i)]) run_layer(i);
  optimizer();
}

/// Softmax of the last layer, minus the labels.
void Gradients::loss() {
  const int last = static_cast<int>(states_.size()) - 1;
  builder_.start("loss", "loss");
  const Value logits = builder_.as(state(last).result, builder_.wide_element());
  gradients_.back() = builder_.vector(
      logits.cols > kWidestSoftmax ? VectorOperation::kCopy : VectorOperation::kSoftmax, logits);
  has_gradient_.back() = true;
}

bool Gradients::is_wanted(int index, std::size_t which) const {
  return layer(index).inputs[which] != kNetworkInput;
}

void Gradients::pass_to(int index, std::size_t which, const Value& gradient) {
  if (!is_wanted(index, which)) return;
  const auto input = static_cast<std::size_t>(layer(index).inputs[which]);
  if (has_gradient_[input]) {
    builder_.start(layer(index).name, "backward");
    gradients_[input] = builder_.vector(VectorOperation::kAdd, gradients_[input], gradient);
  } else {
    gradients_[input] = gradient;
    has_gradient_[input] = true;
  }
}

void Gradients::run_layer(int index) {
  const Value dy = gradients_[static_cast<std::size_t>(index)];
  const Layer& self = layer(index);
  builder_.start(self.name, "backward");
  switch (self.kind) {
    case LayerKind::kConv:
      return conv(index, dy);
    case LayerKind::kLinear:
      return linear(index, dy);
    case LayerKind::kMatmul:
      return matmul(index, dy);
    case LayerKind::kAttention:
      return attention(index, dy);
    case LayerKind::kConcatenate:
      return concatenate(index, dy);
    case LayerKind::kAdd:
      return add(index, dy);
    case LayerKind::kMultiply:
      for (std::size_t which = 0; which < self.inputs.size(); ++which)
        if (is_wanted(index, which))
          pass_to(index, which,
                  builder_.vector(VectorOperation::kMultiply, state(index).inputs[1 - which], dy));
      return;
    case LayerKind::kFlatten:
    case LayerKind::kReshape:
    case LayerKind::kIdentity: {
      const Value& x = state(index).inputs.front();
      if (self.resizes && is_wanted(index, 0))
        return pass_to(index, 0, builder_.activation(x.rows, x.cols, dy.element));
      return pass_to(index, 0, {dy.tensor, dy.offset, dy.element, x.rows, x.cols});
    }
    case LayerKind::kFirstToken:
    case LayerKind::kLastToken:
      return one_token(index, dy);
    case LayerKind::kEmbedding:
      return embedding(index, dy);
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
    case LayerKind::kGlobalAveragePool:
      if (is_wanted(index, 0))
        pass_to(index, 0, builder_.spread(dy, state(index).inputs.front().rows));
      return;
    case LayerKind::kSiluAndMultiply:
      return silu_and_multiply(index, dy);
    default: {
      // Norms and activations: their input (or result) and dy give dx. Norms read both for their
      // scales, too.
      if (!is_wanted(index, 0) && parameters(network_, self) == 0) return;
      const bool is_inside_tail = state(index).inputs.empty();
      const Value& x = is_inside_tail ? state(index).result : state(index).inputs.front();
      pass_to(index, 0, builder_.vector(VectorOperation::kMultiply, x, dy));
    }
  }
}

/// One row that was added to all of a sample receives their sum.
void Gradients::add(int index, const Value& dy) {
  const Layer& self = layer(index);
  pass_to(index, 0, dy);
  if (network_.shape_of(self.inputs[1]) == self.shape) return pass_to(index, 1, dy);
  if (is_wanted(index, 1))
    pass_to(index, 1, builder_.pool(pixel_sums(self.shape, builder_.options().batch), dy));
}

/// Zeros for all tokens, then the gradient of those that were taken. No kernel only writes, so the
/// one that writes the zeros reads dy.
void Gradients::one_token(int index, const Value& dy) {
  if (!is_wanted(index, 0)) return;
  const Value dx = builder_.spread(dy, state(index).inputs.front().rows);
  Value taken = dx;
  if (layer(index).kind == LayerKind::kLastToken) taken.offset += bytes_of(dx) - bytes_of(dy);
  builder_.copy(dy, taken);
  pass_to(index, 0, dx);
}

/// One kernel over both halves of x, each of which needs all of dy: as two long rows and the
/// summand of both.
void Gradients::silu_and_multiply(int index, const Value& dy) {
  if (!is_wanted(index, 0)) return;
  const auto [x, y] = builder_.in_one_type(state(index).inputs.front(), dy);
  Value halves = x;
  halves.rows = 2;
  halves.cols = x.rows * x.cols / 2;
  Value dx = builder_.bias(halves, y);
  dx.rows = x.rows;
  dx.cols = x.cols;
  pass_to(index, 0, dx);
}

void Gradients::conv(int index, const Value& dy) {
  const Layer& self = layer(index);
  const Shape& input = network_.shape_of(self.inputs.front());
  kernels::ConvProblem problem = conv_problem(self, input, builder_.options().batch);
  const auto work = static_cast<double>(macs(network_, self)) * static_cast<double>(problem.n);
  const Value& x = state(index).operands.front();
  const Value& w = state(index).weights;
  const Value y = builder_.as(dy, builder_.product_element());
  if (is_wanted(index, 0)) {
    builder_.start(self.name, "dgrad");
    problem.pass = ConvPass::kDataGradient;
    const Value dx = builder_.activation(x.rows, x.cols, builder_.storage_element());
    builder_.conv(problem, work, dx, w, y);
    pass_to(index, 0, dx);
  }
  builder_.start(self.name, "wgrad");
  problem.pass = ConvPass::kWeightGradient;
  const Value dw = builder_.activation(w.rows, w.cols, builder_.storage_element());
  builder_.conv(problem, work, x, dw, y);
  keep(dw);
}

void Gradients::linear(int index, const Value& dy) {
  const Layer& self = layer(index);
  const Value& x = state(index).operands.front();
  const Value& w = state(index).weights;
  const Value y = builder_.as(dy, builder_.product_element());
  GemmProblem problem;
  problem.layout_b = Layout::kNormal;
  if (is_wanted(index, 0)) {
    builder_.start(self.name, "dgrad");
    problem.m = x.rows;
    problem.n = x.cols;
    problem.k = self.features;
    pass_to(index, 0, builder_.gemm(problem, y, w, x.rows, x.cols));
  }
  builder_.start(self.name, "wgrad");
  problem.layout_a = Layout::kTransposed;
  problem.m = self.features;
  problem.n = x.cols;
  problem.k = x.rows;
  const Value dw = keep(builder_.gemm(problem, y, x, self.features, x.cols));
  if (const auto owner = tied_embedding(network_, self)) table_gradients_[*owner] = dw;
}

void Gradients::matmul(int index, const Value& dy) {
  if (!is_wanted(index, 0) && !is_wanted(index, 1)) return;
  const Layer& self = layer(index);
  const Value& a = state(index).operands[0];
  const Value& b = state(index).operands[1];
  const Value y = builder_.as(dy, builder_.product_element());
  GemmProblem problem;
  problem.batch = self.count * builder_.options().batch;
  problem.layout_b = Layout::kNormal;
  if (is_wanted(index, 0)) {
    builder_.start(self.name, "dgrad");
    problem.m = self.m;
    problem.n = self.k;
    problem.k = self.n;
    pass_to(index, 0, builder_.gemm(problem, y, b, a.rows, a.cols));
  }
  if (is_wanted(index, 1)) {
    builder_.start(self.name, "dgrad");
    problem.layout_a = Layout::kTransposed;
    problem.m = self.n;
    problem.n = self.k;
    problem.k = self.m;
    pass_to(index, 1, builder_.gemm(problem, y, a, b.rows, b.cols));
  }
}

/// Recomputes the scores, then dV = P^T dO, dP = dO V^T, dS from both, dQ = dS K, dK = dS^T Q.
/// Heads with the same keys and values are rows of one product, so that dV and dK are sums over
/// them. No kernel computes what no input wants.
void Gradients::attention(int index, const Value& dy) {
  const Layer& self = layer(index);
  const bool is_joined = self.inputs.size() == 1;
  const auto wants = [&](std::size_t which) { return is_wanted(index, is_joined ? 0 : which); };
  if (!wants(0) && !wants(1) && !wants(2)) return;
  const std::int64_t dim = head_dim(network_, self);
  const auto [q, k, v] = head_operands(self, dim, state(index).operands);
  const Value grad_o = builder_.as(dy, builder_.product_element());
  const std::int64_t rows =
      self.heads / self.kv_heads * network_.shape_of(self.inputs.front()).rows();
  const std::int64_t keys = keys_of(network_, self);
  GemmProblem problem;
  problem.batch = builder_.options().batch * self.kv_heads;
  const std::int64_t score_rows = problem.batch * rows;
  const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t depth, Layout a, Layout b,
                           const Value& left, const Value& right, std::int64_t result_rows,
                           std::int64_t result_cols) {
    problem.m = m;
    problem.n = n;
    problem.k = depth;
    problem.layout_a = a;
    problem.layout_b = b;
    return builder_.gemm(problem, left, right, result_rows, result_cols);
  };
  constexpr Layout kN = Layout::kNormal;
  constexpr Layout kT = Layout::kTransposed;
  const Value scores = product(rows, keys, dim, kN, kT, q, k, score_rows, keys);
  const Value p = builder_.as(
      builder_.vector(VectorOperation::kSoftmax, builder_.as(scores, builder_.wide_element())),
      builder_.product_element());
  // Behind the rows of the input are those of earlier tokens' keys, whose gradient nobody reads.
  const std::int64_t own_rows = k.rows;
  const std::int64_t key_rows = std::max(own_rows, builder_.options().batch * keys);
  const auto of_keys = [&](const Value& left, const Value& right) {
    Value gradient = product(keys, dim, rows, kT, kN, left, right, key_rows, self.kv_heads * dim);
    gradient.rows = own_rows;
    return gradient;
  };
  Value dq;
  Value dk;
  Value dv;
  if (wants(2)) dv = of_keys(p, grad_o);
  if (wants(0) || wants(1)) {
    const Value dp = product(rows, keys, dim, kN, kT, grad_o, v, score_rows, keys);
    const Value ds = builder_.vector(VectorOperation::kMultiply, p, dp);
    if (wants(0)) dq = product(rows, dim, keys, kN, kN, ds, k, q.rows, self.heads * dim);
    if (wants(1)) dk = of_keys(ds, q);
  }
  if (!is_joined) {
    pass_to(index, 0, dq);
    pass_to(index, 1, dk);
    return pass_to(index, 2, dv);
  }
  const Value& joined = state(index).operands.front();
  const Value dx = builder_.activation(joined.rows, joined.cols, dq.element);
  Value part = dx;
  for (const Value& gradient : {dq, dk, dv}) {
    builder_.start(self.name, "backward");
    builder_.copy(gradient, part);
    part.offset += bytes_of(gradient);
  }
  pass_to(index, 0, dx);
}

void Gradients::concatenate(int index, const Value& dy) {
  Value part = dy;
  for (std::size_t which = 0; which < layer(index).inputs.size(); ++which) {
    const Value& x = state(index).inputs[which];
    part.cols = x.cols;
    const Value dx = builder_.activation(x.rows, x.cols, dy.element);
    if (is_wanted(index, which)) builder_.copy(part, dx);
    part.offset += bytes_of(part);
    pass_to(index, which, dx);
  }
}

/// The rows that a batch has read go into a gradient of the whole table, or into that of tied
/// weights (assumption: no row was read twice).
void Gradients::embedding(int index, const Value& dy) {
  const auto tied = table_gradients_.find(static_cast<std::size_t>(index));
  const Value table =
      tied != table_gradients_.end()
          ? tied->second
          : keep(builder_.activation(layer(index).vocabulary, dy.cols, builder_.wide_element()));
  builder_.reserve(table, dy.rows);
  builder_.copy(dy, table);
}

Value Gradients::keep(const Value& gradient) {
  weight_gradients_.push_back(builder_.as(gradient, builder_.wide_element()));
  return weight_gradients_.back();
}

/// Stochastic gradient descent over all weights in one kernel: w - rate * gradient.
void Gradients::optimizer() {
  builder_.start("optimizer", "optimizer");
  if (const std::int64_t count = parameters(network_); count > 0)
    builder_.update(count, weight_gradients_);
}

}  // namespace tcsim::networks
