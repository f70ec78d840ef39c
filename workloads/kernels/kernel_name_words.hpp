#pragma once

#include <string_view>

#include "workloads/kernels/kernel_name.hpp"

namespace tcsim::kernels {

/// How the names of a library are composed (kernel_name_words.cpp).
enum class NameForm : std::uint8_t {
  kPlain,     ///< "fp16_s16816gemm_fp16_128x64_64x3": results, operands, tile, k and stages
  kXmma,      ///< "f16f16_f16f32_f32": operands and results, then what is multiplied and added
  kNvjet,     ///< "hsh_128x64_64x3_2x1": types by letters, the cluster last
  kCutlass3,  ///< "f16_f16_f32_f16_f16_128x128x64_2x1x1_0": A, B, sums, C, D, tile, cluster, stages
};

/// Reads the words of a name, which "_" separates, into `name`. On entry `name` has the family and,
/// if the family determines it, the version of its instructions. True if a word ends with a known
/// operation: "gemm", "fprop".
bool read_name_words(std::string_view text, NameForm form, KernelName& name);

}  // namespace tcsim::kernels
