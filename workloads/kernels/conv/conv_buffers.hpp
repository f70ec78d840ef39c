#pragma once

#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::kernels {

/// The tensors of a convolution behind one another, as an allocator with 256-byte granularity
/// places them, then the workspaces of its stream as they are asked for.
class ConvBuffers {
 public:
  explicit ConvBuffers(const ConvProblem& problem) : ConvBuffers(problem, kFirstAddress) {}
  /// From `first_address` on.
  ConvBuffers(const ConvProblem& problem, std::uint64_t first_address);

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
  /// Behind the last buffer.
  [[nodiscard]] std::uint64_t end() const { return next_; }

  /// A further buffer, written first and then read.
  isa::Buffer workspace(const char* name, std::int64_t elements, Element element);

 private:
  static constexpr std::uint64_t kFirstAddress = 0x7f0000000000;  // assumption: any aligned one

  isa::Buffer place(const char* name, std::int64_t elements, Element element, bool input);

  ConvPass pass_;
  std::uint64_t next_;
  isa::Buffer x_;
  isa::Buffer w_;
  isa::Buffer y_;
};

/// What follows the sums of `problem`, placed behind the tensors: scale, then bias, then z.
std::vector<isa::Buffer> post_operands(const ConvProblem& problem, ConvBuffers& buffers);

}  // namespace tcsim::kernels
