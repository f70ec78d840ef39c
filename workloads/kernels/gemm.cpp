#include "workloads/kernels/gemm.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/semaphore.hpp"
#include "workloads/kernels/sparse_metadata.hpp"
#include "workloads/kernels/split_k_reduction.hpp"

namespace tcsim::kernels {
namespace {

std::string layout_letters(const GemmProblem& problem) {
  // BLAS letters, which see matrices column-major: A along k and B along k is "tn".
  std::string letters;
  letters += problem.layout_a == Layout::kNormal ? 't' : 'n';
  letters += problem.layout_b == Layout::kTransposed ? 'n' : 't';
  return letters;
}

std::string element_name(Element element) {
  switch (element) {
    case Element::kFp16:
      return "fp16";
    case Element::kBf16:
      return "bf16";
    case Element::kTf32:
      return "tf32";
    case Element::kFp32:
      return "fp32";
    case Element::kFp64:
      return "fp64";
    case Element::kInt8:
      return "int8";
    case Element::kInt32:
      return "int32";
  }
  throw std::invalid_argument("element");
}

/// "_dp4a", "_hfma2" where CUDA cores multiply what tensor cores could.
std::string unit_word(const Recipe& recipe) {
  if (recipe.word_elements == 1) return "";
  return recipe.multiply == isa::Opcode::kDp4a ? "_dp4a" : "_hfma2";
}

/// All buffers of a product behind one another, as an allocator with 256-byte granularity places
/// them.
struct Buffers {
  isa::Buffer a, b, d, workspace;
  std::optional<isa::Buffer> metadata, flags;
  std::vector<isa::Buffer> post;  ///< of the epilogue, in the order of EpiloguePost

  /// `sums`: the format of partial sums.
  Buffers(const GemmProblem& problem, const GemmTile& tile, Element sums) {
    constexpr std::uint64_t kFirstAddress = 0x7f0000000000;  // assumption: any aligned address does
    constexpr std::uint64_t kGranularity = 256;
    std::uint64_t next = kFirstAddress;
    const auto place = [&](const char* name, std::int64_t elements, Element element, bool input) {
      const auto bytes =
          static_cast<std::uint64_t>(problem.batch * elements * element_bytes(element));
      const isa::Buffer buffer{name, next, bytes, input};
      next += (bytes + kGranularity - 1) / kGranularity * kGranularity;
      return buffer;
    };
    a = place("A", problem.m * problem.stored_k(), problem.input, true);
    b = place("B", problem.n * problem.k, problem.input, true);
    d = place("D", problem.m * problem.n, problem.output, false);
    workspace =
        place("workspace", problem.m * problem.n * (tile.has_workspace() ? tile.split_k : 1), sums,
              false);
    if (problem.sparse)
      metadata = place("E", MetadataOrder(problem, tile).bytes_of_batch(), Element::kInt8, true);
    if (tile.serial_k) {
      flags = place("semaphores", flag_count(Raster(problem, tile)), Element::kInt32, false);
      flags->flags = true;
    }
    if (problem.epilogue.scale) post.push_back(place("scale", problem.n, Element::kFp32, true));
    if (problem.epilogue.bias) post.push_back(place("bias", problem.n, Element::kFp32, true));
    if (problem.epilogue.residual)
      post.push_back(place("C", problem.m * problem.n, problem.output, true));
  }
};

KernelPlan checked_plan(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (recipe && reason.empty()) reason = why_not(problem, tile, *recipe, target);
  if (!reason.empty()) throw std::invalid_argument("gemm " + tile.text() + ": " + reason);
  return plan_kernel(problem, tile, *recipe);
}

}  // namespace

std::string GemmEpilogue::text() const {
  constexpr std::array kActivations{"", "_relu", "_gelu", "_silu"};
  return std::string(scale ? "_scale" : "") + (bias ? "_bias" : "") +
         (residual ? "_residual" : "") + kActivations.at(static_cast<std::size_t>(activation));
}

int element_bytes(Element element) {
  switch (element) {
    case Element::kInt8:
      return 1;
    case Element::kFp16:
    case Element::kBf16:
      return 2;
    case Element::kTf32:
    case Element::kFp32:
    case Element::kInt32:
      return 4;
    case Element::kFp64:
      return 8;
  }
  throw std::invalid_argument("element");
}

isa::KernelLaunch make_gemm(const GemmProblem& problem, const GemmTile& tile,
                            const Target& target) {
  const KernelPlan plan = checked_plan(problem, tile, target);
  const Buffers buffers(problem, tile, plan.problem.accumulate);
  isa::KernelLaunch launch = make_launch(plan);
  launch.name = "gemm_" + element_name(problem.input) + "_" + element_name(problem.accumulate) +
                unit_word(plan.recipe) + (problem.sparse ? "_sparse" : "") + "_" + tile.text() +
                "_" + layout_letters(problem);
  launch.buffers = {buffers.a, buffers.b, tile.has_workspace() ? buffers.workspace : buffers.d};
  if (buffers.metadata) launch.buffers.push_back(*buffers.metadata);
  if (buffers.flags) launch.buffers.push_back(*buffers.flags);
  if (tile.has_workspace()) return launch;
  launch.name += problem.epilogue.text();
  std::ranges::copy(buffers.post, std::back_inserter(launch.buffers));
  return launch;
}

std::vector<isa::KernelLaunch> make_gemm_stream(const GemmProblem& problem, const GemmTile& tile,
                                                const Target& target) {
  std::vector<isa::KernelLaunch> stream{make_gemm(problem, tile, target)};
  if (!tile.has_workspace()) return stream;
  const KernelPlan plan = checked_plan(problem, tile, target);
  const Buffers buffers(problem, tile, plan.problem.accumulate);
  isa::KernelLaunch reduction = make_reduction(plan);
  reduction.name = "splitk_reduce_" + element_name(problem.accumulate) + "_" +
                   element_name(problem.output) + "_" + std::to_string(tile.split_k) +
                   problem.epilogue.text();
  reduction.buffers = {buffers.workspace, buffers.d};
  reduction.buffers.front().input = true;
  std::ranges::copy(buffers.post, std::back_inserter(reduction.buffers));
  stream.push_back(std::move(reduction));
  return stream;
}

}  // namespace tcsim::kernels
