#pragma once

#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::kernels {

/// The tensors of a convolution one after another, then the workspaces of its stream in the order
/// of requests.
class ConvBuffers {
 public:
  /// Places buffers in `row`, after its contents.
  explicit ConvBuffers(const ConvProblem& problem, BufferRow row = {});

  [[nodiscard]] const isa::Buffer& x() const { return x_; }
  [[nodiscard]] const isa::Buffer& w() const { return w_; }
  [[nodiscard]] const isa::Buffer& y() const { return y_; }
  /// The tensor that the pass computes.
  [[nodiscard]] const isa::Buffer& result() const;
  /// Operands A and B of the implicit product.
  [[nodiscard]] const isa::Buffer& a() const;
  [[nodiscard]] const isa::Buffer& b() const;

  /// The tensor called "x", "w" or "y".
  [[nodiscard]] const isa::Buffer& named(std::string_view name) const {
    return name == "x" ? x_ : name == "w" ? w_ : y_;
  }

  /// The row in which they are, for further buffers.
  [[nodiscard]] BufferRow& row() { return row_; }

  /// A further buffer, written first and then read.
  isa::Buffer workspace(const char* name, std::int64_t elements, Element element) {
    return row_.place(name, elements, element, /*input=*/false);
  }

 private:
  ConvPass pass_;
  BufferRow row_;
  isa::Buffer x_;
  isa::Buffer w_;
  isa::Buffer y_;
};

/// The operands of the steps after the sums of `problem`, placed in `row` after its contents:
/// scale, then bias, then z.
std::vector<isa::Buffer> post_operands(const ConvProblem& problem, BufferRow& row);

}  // namespace tcsim::kernels
