#include "workloads/kernels/conv/upsample.hpp"

#include "workloads/kernels/conv/pool_shape.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kUpsampleSetupOps = 30;  // index and its divisions, as pools (assumption)
constexpr int kRegistersOfVector = 4;

/// Byte of x from which vector number `item` of y comes: pixel (row div r, column div s) of its
/// image.
isa::Expression source_of(const isa::Expression& item, const PoolProblem& problem, int vector) {
  const int bytes = element_bytes(problem.element);
  const std::int64_t vectors = problem.c / vector;    // of a pixel
  const std::int64_t of_row = vectors * problem.q();  // of a row of y
  const std::int64_t pixel_bytes = problem.c * bytes;
  isa::Expression source;
  add_quotient(source, std::int64_t{vector} * bytes, item, 1, vectors);
  add_quotient(source, pixel_bytes, item, vectors * problem.s, problem.w);
  add_quotient(source, problem.w * pixel_bytes, item, of_row * problem.r, 0);  // images follow rows
  return source;
}

}  // namespace

isa::KernelLaunch make_upsample(const PoolProblem& problem, const Target& target) {
  const int vector = pool_shape(problem, target).vector;
  const int bytes = vector * element_bytes(problem.element);
  const std::string name =
      "upsample_" + std::to_string(problem.r) + "x" + std::to_string(problem.s);
  FlatKernel kernel(name, problem.y_elements() / vector, 1, kRegistersOfVector, kUpsampleSetupOps);
  const isa::Expression item = kernel.item(0);
  kernel.move({.buffer = 0, .offset = source_of(item, problem, vector), .bytes = bytes}, 0);
  isa::Expression to;
  add_scaled(to, item, bytes);
  kernel.move({.is_store = true, .buffer = 1, .offset = to, .bytes = bytes}, 0);
  return kernel.finish();
}

}  // namespace tcsim::kernels
