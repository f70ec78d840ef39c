#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/sparse_metadata.hpp"
#include "workloads/kernels/weight_order.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

bool a_lies_along_k(const GemmProblem& problem) { return problem.layout_a == Layout::kNormal; }
bool b_lies_along_k(const GemmProblem& problem) { return problem.layout_b == Layout::kTransposed; }

/// The formats in which MMAs multiply and add for `problem`; kNone if there are none.
std::pair<isa::MmaInput, numerics::ElementType> mma_formats(const GemmProblem& problem) {
  using isa::MmaInput;
  using numerics::ElementType;
  const bool single = problem.accumulate == Element::kFp32;
  switch (problem.input) {
    case Element::kFp16:
      return {MmaInput::kFp16, single ? ElementType::kFp32 : ElementType::kFp16};
    case Element::kBf16:
      return {single ? MmaInput::kBf16 : MmaInput::kNone, ElementType::kFp32};
    case Element::kTf32:
      return {single ? MmaInput::kTf32 : MmaInput::kNone, ElementType::kFp32};
    case Element::kInt8:
      return {MmaInput::kInt8, ElementType::kInt32};
    default:
      return {MmaInput::kNone, ElementType::kFp32};
  }
}

/// MMAs of the machine that LdsmMath can use, dense and not in steps, the largest first. Among
/// equal ones, the first that the machine lists comes first.
std::vector<Opcode> mma_opcodes(const GemmProblem& problem, const Features& features) {
  const auto [input, sum] = mma_formats(problem);
  std::vector<Opcode> opcodes;
  for (const Opcode opcode : features.mma) {
    const isa::OpcodeInfo& info = isa::opcode_info(opcode);
    if (info.mma_input == input && info.mma_sum == sum && !info.sparse && info.mma_step.count <= 1)
      opcodes.push_back(opcode);
  }
  std::ranges::stable_sort(opcodes, std::ranges::greater(), isa::warp_macs);
  return opcodes;
}

/// True if `mma` can multiply packed weights.
bool takes_weights(Opcode mma) {
  const isa::OpcodeInfo& info = isa::opcode_info(mma);
  return info.m == 16 && info.n == 8 && WeightOrder::kBlockK % info.k == 0;
}

/// Gives `recipe`, whose family is known, the largest MMA that the family's tiles hold, or the
/// largest of all if they hold none.
void take_mma(const GemmProblem& problem, const Features& features, Recipe& recipe) {
  if (recipe.math != MathKind::kLdsm && recipe.math != MathKind::kWeights) return;
  std::vector<Opcode> mmas = mma_opcodes(problem, features);
  if (recipe.math == MathKind::kWeights) std::erase_if(mmas, std::not_fn(takes_weights));
  const KernelFamily& family = *recipe.family;
  const auto held = std::ranges::find_if(mmas, [&](Opcode mma) {
    return std::ranges::any_of(family.tiles, [&](const MenuTile& row) {
      return why_not_held(mma, family.in_elements(row.tile, problem.input), problem).empty();
    });
  });
  recipe.mma = held == mmas.end() ? mmas.front() : *held;
}

/// The sparse instruction with the longer k for the types of `problem`.
std::optional<Opcode> sparse_opcode(const GemmProblem& problem) {
  const bool single = problem.accumulate == Element::kFp32;
  switch (problem.input) {
    case Element::kFp16:
      return single ? Opcode::kHmmaSp16832F32 : Opcode::kHmmaSp16832F16;
    case Element::kBf16:
      return Opcode::kHmmaSp16832F32Bf16;
    case Element::kTf32:
      return Opcode::kHmmaSp16816F32Tf32;
    case Element::kInt8:
      return Opcode::kImmaSp16864S8;
    default:
      return std::nullopt;
  }
}

/// True if the accumulator and output types are supported.
bool types_fit(const GemmProblem& problem, const Features& features) {
  if (problem.input == Element::kInt8)
    return problem.accumulate == Element::kInt32 &&
           (problem.output == Element::kInt32 || problem.output == Element::kInt8 ||
            problem.output == Element::kFp32 || problem.output == Element::kFp16);
  if (problem.accumulate == Element::kFp16)
    return problem.input == Element::kFp16 && problem.output == Element::kFp16;
  if (problem.input == Element::kFp64)
    return problem.accumulate == Element::kFp64 && problem.output == Element::kFp64;
  if (problem.accumulate != Element::kFp32) return false;
  if (problem.output == Element::kBf16) return features.packed_conversion;
  return problem.output == Element::kFp32 || problem.output == Element::kFp16;
}

/// Turns a dense `recipe` into one for a sparse A.
std::optional<Recipe> sparse_recipe(const GemmProblem& problem, Recipe recipe,
                                    std::string& reason) {
  const std::optional<Opcode> mma = sparse_opcode(problem);
  if (!mma) {
    reason = "2:4 sparse operands are fp16, bf16, tf32 or int8";
    return std::nullopt;
  }
  if (const int step = MetadataOrder::step_k(problem.input); problem.k % step != 0) {
    reason = "k = " + std::to_string(problem.k) + " is not a multiple of " + std::to_string(step) +
             ", the k of one " + std::string(isa::opcode_info(*mma).mnemonic);
    return std::nullopt;
  }
  recipe.math = MathKind::kSparse;
  recipe.mma = *mma;
  return recipe;
}

/// Turns a dense `recipe` into one for packed weights.
std::optional<Recipe> weight_recipe(const GemmProblem& problem, const Features& features,
                                    Recipe recipe, std::string& reason) {
  if (element_bytes(problem.input) != 2 ||
      std::ranges::none_of(mma_opcodes(problem, features), takes_weights)) {
    reason = "packed weights become fp16 or bf16, for HMMA of m16n8k8 or m16n8k16";
    return std::nullopt;
  }
  recipe.math = MathKind::kWeights;
  recipe.vector_elements_b = kChunkBytes;  // of bytes
  return recipe;
}

std::optional<Recipe> tensor_recipe(const GemmProblem& problem, KernelUse use, const Target& target,
                                    Recipe recipe, std::string& reason) {
  const Features& features = target.features;
  if (features.mma.empty()) {
    reason = "the machine has no tensor cores";
    return std::nullopt;
  }
  if (problem.input == Element::kFp64 && features.has(Opcode::kDmma884)) {
    if (problem.sparse) {
      reason = "2:4 sparse operands are fp16, bf16, tf32 or int8";
      return std::nullopt;
    }
    recipe.math = MathKind::kDouble;
    recipe.mma = Opcode::kDmma884;
    recipe.vector_elements_a = recipe.vector_elements_b = 1;
    return recipe;
  }
  if (features.has_quad_pairs()) {
    recipe.math = MathKind::kQuadPair;
    if (problem.weights.are_packed()) {
      reason = "packed weights need HMMA of m16n8k8 or m16n8k16 (Turing and later), which " +
               target.architecture + " lacks";
      return std::nullopt;
    }
    if (problem.input == Element::kFp16) return recipe;
    reason = "Volta tensor cores take FP16 only";
    return std::nullopt;
  }
  if (mma_opcodes(problem, features).empty()) {
    reason = "no tensor-core instruction of " + target.architecture +
             " has these operand and accumulator types";
    return std::nullopt;
  }
  recipe.math = MathKind::kLdsm;
  const bool along_k = a_lies_along_k(problem) && b_lies_along_k(problem);
  const bool is_word = problem.input == Element::kTf32 && !problem.sparse;  // fragments by LDS.32
  if (element_bytes(problem.input) != 2 && !is_word && !along_k) {
    reason =
        "LDSM transposes 16-bit elements only: 8-bit and sparse 32-bit operands must lie along k";
    if (use == KernelUse::kProduct) reason += " (layout nt)";
    return std::nullopt;
  }
  if (problem.sparse) return sparse_recipe(problem, recipe, reason);
  if (problem.weights.are_packed()) return weight_recipe(problem, features, recipe, reason);
  return recipe;
}

/// True for FP16 with FP16 sums and INT8 on CUDA cores: 32 bits hold several elements along k.
bool is_of_words(const GemmProblem& problem) {
  return problem.input == Element::kInt8 ||
         (problem.input == Element::kFp16 && problem.accumulate == Element::kFp16);
}

std::optional<Recipe> word_recipe(const GemmProblem& problem, const Features& features,
                                  Recipe recipe, std::string& reason) {
  const bool is_int8 = problem.input == Element::kInt8;
  if (!is_int8 && !features.packed_half) {
    reason = "kernels with packed FP16 are generated for Volta and later";
    return std::nullopt;
  }
  recipe.math = MathKind::kSimt;
  recipe.multiply = is_int8 ? Opcode::kDp4a : Opcode::kHfma2;
  recipe.word_elements = is_int8 ? 4 : 2;
  const auto vector = [&](bool along_k) { return along_k ? 1 : recipe.word_elements; };
  recipe.vector_elements_a = vector(a_lies_along_k(problem));
  recipe.vector_elements_b = vector(b_lies_along_k(problem));
  const bool along_k = a_lies_along_k(problem) && b_lies_along_k(problem);
  const std::string words = std::to_string(recipe.word_elements);
  if (problem.k % recipe.word_elements != 0)
    reason = "the CUDA-core kernels of packed elements need a k that is a multiple of " + words;
  else if (!is_int8 && !along_k)
    reason = "the CUDA-core kernels of packed FP16 need operands along k (layout nt)";
  else if ((!a_lies_along_k(problem) && problem.m % recipe.word_elements != 0) ||
           (!b_lies_along_k(problem) && problem.n % recipe.word_elements != 0))
    reason = "bytes across k are read " + words + " at once: m or n is not a multiple of " + words;
  else
    return recipe;
  return std::nullopt;
}

/// Finds the family of `recipe`. False if no library has one.
bool take_family(const GemmProblem& problem, KernelUse use, const Target& target, Recipe& recipe) {
  const auto families =
      families_for(target.libraries, {.use = use,
                                      .math = recipe.math,
                                      .mover = recipe.mover,
                                      .operands = problem.input,
                                      .results = problem.output,
                                      .batch = problem.batch,
                                      .sm_shared_bytes = target.shared_bytes_per_sm,
                                      .weight_bits = problem.weights.bits});
  if (families.empty()) return false;
  recipe.family = families.front();
  if (recipe.family->lends_names && families.size() > 1) recipe.by_name = families[1];
  return true;
}

/// What no kernel here supports of `problem`, whichever its library; null if everything is
/// supported.
const char* why_no_recipe(const GemmProblem& problem, const Features& features) {
  if (const char* const why = why_no_factors(problem)) return why;
  if (problem.block_scales) return "factors of blocks need products of warpgroups";
  if (problem.is_grouped()) return "groups of rows need products of warpgroups";
  if (!types_fit(problem, features)) return "no kernel accumulates and stores in these formats";
  if (problem.epilogue.changes_values() && problem.accumulate == Element::kFp64)
    return "scale, bias, residual and activation compute in FP32: they cannot follow FP64 sums";
  if (problem.epilogue.changes_values() && problem.output == Element::kInt32)
    return "scale, bias, residual and activation compute in FP32: they cannot produce INT32 (use "
           "out=fp16, fp32 or int8)";
  if (problem.output == Element::kInt8 && problem.n % 2 != 0)
    return "bytes of D are stored two at once: n is odd";
  const bool is_of_tensor_cores = problem.unit == Unit::kTensor;
  if (problem.sparse && !(features.has_sparse_mma() && is_of_tensor_cores))
    return "2:4 sparse operands need the tensor cores of Ampere or later";
  if (problem.weights.are_packed() && (problem.sparse || !is_of_tensor_cores))
    return "packed weights need dense products on tensor cores";
  return nullptr;
}

}  // namespace

const char* why_no_factors(const GemmProblem& problem) {
  if (!problem.block_scales || (is_fp8(problem.input) && problem.accumulate == Element::kFp32))
    return nullptr;
  return "factors of blocks need FP8 operands and FP32 sums";
}

Contiguous contiguous_elements(const GemmProblem& problem) {
  return {a_lies_along_k(problem) ? problem.stored_k() : problem.m,
          b_lies_along_k(problem) ? problem.k : problem.n};
}

std::optional<Recipe> find_recipe(const GemmProblem& problem, const Contiguous& contiguous,
                                  KernelUse use, const Target& target, std::string& reason) {
  const Features& features = target.features;
  if (const char* const why = why_no_recipe(problem, features)) {
    reason = why;
    return std::nullopt;
  }
  const int bytes = element_bytes(problem.input);
  Recipe recipe;
  recipe.has_uniform_datapath = features.uniform_datapath;
  recipe.has_packing = features.packed_conversion;
  recipe.vector_elements_a = widest_vector(contiguous.a, bytes);
  recipe.vector_elements_b = widest_vector(contiguous.b, bytes);
  if (problem.unit == Unit::kTensor) {
    const std::optional<Recipe> tensor = tensor_recipe(problem, use, target, recipe, reason);
    if (!tensor) return std::nullopt;
    recipe = *tensor;
  } else if (is_of_words(problem)) {
    const std::optional<Recipe> words = word_recipe(problem, features, recipe, reason);
    if (!words) return std::nullopt;
    recipe = *words;
  } else {
    if (problem.input != problem.accumulate) {
      reason = "the CUDA-core kernels multiply FP32, FP64, FP16 with FP16 sums and INT8";
      return std::nullopt;
    }
    recipe.math = MathKind::kSimt;
    if (problem.input == Element::kFp64) recipe.multiply = Opcode::kDfma;
    // Operands along k are transposed on the way into shared memory, element by element (kernels.md
    // 2.3).
    if (a_lies_along_k(problem)) recipe.vector_elements_a = 1;
    if (b_lies_along_k(problem)) recipe.vector_elements_b = 1;
  }
  const int narrowest =
      bytes * recipe.word_elements * std::min(recipe.vector_elements_a, recipe.vector_elements_b);
  if (narrowest < 2) {
    reason = "rows of an odd number of bytes cannot be loaded";
    return std::nullopt;
  }
  constexpr int kLeastCopyBytes = 4;  // LDGSTS, microarchitecture.md 5.4
  const bool is_turned =
      recipe.word_elements > 1 && !(a_lies_along_k(problem) && b_lies_along_k(problem));
  recipe.mover = features.async_copy && narrowest >= kLeastCopyBytes && !is_turned ? Mover::kCopy
                                                                                   : Mover::kStaged;
  if (problem.sparse && recipe.mover != Mover::kCopy) {
    reason =
        "kernels for sparse operands copy at least 4 bytes at once: rows of an odd number of "
        "elements are too narrow";
    return std::nullopt;
  }
  if (!take_family(problem, use, target, recipe)) {
    reason = why_no_family(target);
    return std::nullopt;
  }
  take_mma(problem, features, recipe);
  return recipe;
}

}  // namespace tcsim::kernels
