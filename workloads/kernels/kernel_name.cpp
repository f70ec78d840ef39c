#include "workloads/kernels/kernel_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tcsim::kernels {
namespace {

constexpr int kLargestSide = 1024;

using Words = std::vector<std::string_view>;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_of_name(char letter) {
  return is_digit(letter) || letter == '_' || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z');
}

/// What every name of a family has in front.
struct Family {
  std::string_view prefix;
  std::string_view name;
  int sm_version;
};

constexpr std::array kFamilies = {Family{"cutlass_70_", "cutlass_70", 70},
                                  Family{"cutlass_75_", "cutlass_75", 75},
                                  Family{"cutlass_80_", "cutlass_80", 80},
                                  Family{"cutlass_90_", "cutlass_90", 90},
                                  Family{"cutlass3x_sm90_", "cutlass3x_sm90", 90},
                                  Family{"cutlass_tensorop_", "cutlass", 0},
                                  Family{"cutlass_simt_", "cutlass", 0},
                                  Family{"cutlass_wmma_", "cutlass", 0},
                                  Family{"sm70_xmma_", "sm70_xmma", 70},
                                  Family{"sm72_xmma_", "sm72_xmma", 72},
                                  Family{"sm75_xmma_", "sm75_xmma", 75},
                                  Family{"sm80_xmma_", "sm80_xmma", 80},
                                  Family{"sm86_xmma_", "sm86_xmma", 86},
                                  Family{"sm89_xmma_", "sm89_xmma", 89},
                                  Family{"sm90_xmma_", "sm90_xmma", 90},
                                  Family{"maxwell_", "maxwell", 50},
                                  Family{"volta_", "volta", 70},
                                  Family{"turing_", "turing", 75},
                                  Family{"ampere_", "ampere", 80},
                                  Family{"nvjet_", "nvjet", 90},
                                  Family{"cublasLt_", "cublasLt", 0},
                                  Family{"fmha_cutlassF_", "fmha_cutlassF", 0}};

std::string family_list() {
  std::string list;
  for (const std::string_view family : kernel_families())
    list += (list.empty() ? "" : ", ") + std::string(family);
  return list;
}

/// The word of `text` that begins as a family does, behind namespaces or inside template brackets.
std::string_view core_of(std::string_view text, const Family*& family) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && is_of_name(text[at - 1])) continue;
    const std::string_view rest = text.substr(at);
    const auto found = std::ranges::find_if(
        kFamilies, [&](const Family& one) { return rest.starts_with(one.prefix); });
    if (found == kFamilies.end()) continue;
    family = &*found;
    const auto end = std::ranges::find_if_not(rest, is_of_name);
    return {rest.begin(), end};
  }
  return {};
}

Words words_of(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('_'), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool read_number(std::string_view& text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || !is_digit(text.front()) || error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// The numbers of "128x64x32" behind `prefix`; nothing if the word is another.
std::vector<int> extents(std::string_view word, std::string_view prefix = "") {
  if (!word.starts_with(prefix)) return {};
  word.remove_prefix(prefix.size());
  std::vector<int> numbers;
  for (int value = 0; read_number(word, value);) {
    numbers.push_back(value);
    if (word.empty()) return numbers;
    if (word.front() != 'x') return {};
    word.remove_prefix(1);
  }
  return {};
}

std::string type_word(std::string_view word) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array kTypes = {
      Pair{"f16", "fp16"},  Pair{"fp16", "fp16"},  Pair{"bf16", "bf16"}, Pair{"tf32", "tf32"},
      Pair{"f32", "fp32"},  Pair{"fp32", "fp32"},  Pair{"f64", "fp64"},  Pair{"fp64", "fp64"},
      Pair{"i8", "int8"},   Pair{"s8", "int8"},    Pair{"int8", "int8"}, Pair{"int8x4", "int8"},
      Pair{"i32", "int32"}, Pair{"int32", "int32"}};
  const auto found = std::ranges::find(kTypes, word, [](const Pair& pair) { return pair.first; });
  return found == kTypes.end() ? std::string() : std::string(found->second);
}

/// The two types that xmma writes without a gap: "tf32f32". Nothing if the word is another.
std::pair<std::string, std::string> type_pair(std::string_view word) {
  for (std::size_t cut = 1; cut < word.size(); ++cut) {
    std::pair<std::string, std::string> types{type_word(word.substr(0, cut)),
                                              type_word(word.substr(cut))};
    if (!types.first.empty() && !types.second.empty()) return types;
  }
  return {};
}

/// The accumulator that a letter in front of the instruction names: "s16816gemm".
std::string accumulator_of(char letter) {
  switch (letter) {
    case 'h':
      return "fp16";
    case 's':
      return "fp32";
    case 'i':
      return "int32";
    case 'd':
      return "fp64";
    default:
      return "";
  }
}

/// "s16816gemm", "h884cudnn", "i8816fprop", "sgemm", "scudnn": accumulator, instruction, operation.
bool read_operation(std::string_view word, KernelName& name) {
  using Pair = std::pair<std::string_view, NamedUse>;
  constexpr std::array kOperations = {
      Pair{"gemm", NamedUse::kProduct}, Pair{"cudnn", NamedUse::kConvolution},
      Pair{"fprop", NamedUse::kConvolution}, Pair{"dgrad", NamedUse::kConvolution},
      Pair{"wgrad", NamedUse::kConvolution}};
  for (const auto& [operation, use] : kOperations) {
    if (!word.ends_with(operation)) continue;
    std::string_view front = word.substr(0, word.size() - operation.size());
    std::string accumulate;
    if (!front.empty() && !is_digit(front.front())) {
      accumulate = accumulator_of(front.front());
      if (accumulate.empty()) return false;
      front.remove_prefix(1);
    }
    if (!std::ranges::all_of(front, is_digit)) return false;
    name.use = use;
    if (accumulate.empty()) return true;
    name.accumulate = accumulate;
    name.instruction = !front.empty() ? std::string(front) : "cuda_cores";
    return true;
  }
  return false;
}

bool is_layout(std::string_view word) {
  const auto is_letter = [](char one) {
    return one == 'n' || one == 't' || one == 'N' || one == 'T';
  };
  return (word.size() == 2 || word.size() == 3) && std::ranges::all_of(word, is_letter);
}

/// The letters that nvjet names begin with: operands, sums, results.
void read_jet_types(std::string_view letters, KernelName& name) {
  const auto type_of = [](char letter) -> std::string {
    switch (letter) {
      case 'h':
        return "fp16";
      case 't':
        return "bf16";
      case 'q':
        return "e4m3";
      case 's':
        return "fp32";
      default:
        return "";
    }
  };
  constexpr std::size_t kEach = 5;  // both operands, C, sums, D
  if (letters.size() != 3 && letters.size() != kEach) return;
  name.operands = type_of(letters.front());
  name.accumulate = type_of(letters[letters.size() - 2]);
  name.results = type_of(letters.back());
}

/// Reads the words of a name one after the other.
class NameReader {
 public:
  NameReader(const Words& words, KernelName& name) : words_(words), name_(name) {}

  void read() {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      const std::string_view word = words_[at];
      if (word == "stages" && at + 1 < words_.size() && extents(words_[at + 1]).size() == 2) {
        take_depth(extents(words_[++at]));
        continue;
      }
      if (!read_extents(word) && !read_mark(word) && !read_types(word))
        (void)read_operation(word, name_);
    }
    read_roles();
  }

 private:
  void take_depth(const std::vector<int>& numbers) {
    name_.k = numbers[0];
    name_.stages = numbers[1];
  }
  /// "128x64", "64x3" behind it, and "2x1" of a cluster behind that.
  bool read_extents(std::string_view word) {
    const std::vector<int> numbers = extents(word);
    if (numbers.size() == 3 && name_.family == "cutlass3x_sm90" && name_.first == 0) {
      name_.first = numbers[0];
      name_.second = numbers[1];
      name_.k = numbers[2];
      return true;
    }
    if (numbers.size() != 2) return false;
    if (name_.first == 0) {
      name_.first = numbers[0];
      name_.second = numbers[1];
    } else if (name_.k == 0) {
      take_depth(numbers);
    } else if (name_.cluster_first == 0) {
      name_.cluster_first = numbers[0];
      name_.cluster_second = numbers[1];
    }
    return true;
  }
  bool read_xmma(std::string_view word) {
    if (const auto tile = extents(word, "tilesize"); tile.size() == 3) {
      name_.first = tile[0];
      name_.second = tile[1];
      name_.k = tile[2];
      return true;
    }
    if (const auto stage = extents(word, "stage"); stage.size() == 1) {
      name_.stages = stage[0];
      return true;
    }
    for (const std::string_view prefix : {"warpsize", "warpgroupsize"})
      if (const auto warps = extents(word, prefix); warps.size() == 3) {
        name_.warps_first = warps[0];
        name_.warps_second = warps[1];
        name_.sliced_k = warps[2];
        name_.is_warpgroups = prefix == "warpgroupsize";
        if (name_.is_warpgroups) name_.instruction = "wgmma";
        return true;
      }
    if (const auto instruction = extents(word, "tensor"); instruction.size() == 3) {
      for (const int side : instruction) name_.instruction += std::to_string(side);
      return true;
    }
    if (word != "ffma" && word != "simt") return false;
    name_.instruction = "cuda_cores";
    return true;
  }
  bool read_mark(std::string_view word) {
    if (read_xmma(word)) return true;
    if (const auto slices = extents(word, "sliced"); slices.size() == 2) {
      name_.sliced_k = slices[0] * slices[1];
      return true;
    }
    if (const auto tile = extents(word, "tile"); tile.size() == 2) {  // cublasLt_algo21_tile128x64
      name_.first = tile[0];
      name_.second = tile[1];
      return true;
    }
    for (const std::string_view prefix : {"align", "ldg"})
      if (const auto align = extents(word, prefix); align.size() == 1) {
        name_.align = align[0];
        return true;
      }
    if (word.starts_with("splitK") || word.starts_with("splitk")) {
      const auto slices = extents(word.substr(6));
      if (!slices.empty()) name_.split_k = slices[0];
      name_.splits_k = slices.empty() || slices[0] > 1;
      return true;
    }
    if (word.starts_with("coop") || word == "pingpong") {
      is_cooperative_ = word != "pingpong";
      return true;
    }
    if (word == "streamK" || word == "streamk") return name_.stream_k = true;
    if (!is_layout(word) || !name_.layout.empty()) return false;
    for (const char letter : word.substr(0, 2))
      name_.layout += letter == 'N' || letter == 'n' ? 'n' : 't';
    name_.swapped = name_.family == "nvjet" && word.ends_with("T") && word.size() > 2;
    return true;
  }
  /// xmma: operands and results, then what is multiplied and added. Others: one by one.
  bool read_types(std::string_view word) {
    if (const auto [left, right] = type_pair(word); !left.empty()) {
      if (name_.results.empty()) {
        name_.results = right;
        return true;
      }
      name_.operands = left;
      name_.accumulate = right;
      return true;
    }
    const std::string type = type_word(word);
    if (type.empty()) return false;
    if (name_.family.ends_with("_xmma")) return true;  // of the scale
    // "fp16_s16816gemm_fp16": results behind operands; "fp16_i8816cudnn_int8": the other way round.
    if (name_.operands.empty()) {
      name_.operands = type;
    } else if (type == "int8") {
      name_.results = std::exchange(name_.operands, type);
    } else {
      name_.results = type;
    }
    return true;
  }

  /// Two warpgroups beside each other in a tile cooperate; one has a tile of its own in turn with
  /// another: all have 384 threads.
  void read_roles() {
    if (name_.instruction != "wgmma" || name_.use != NamedUse::kProduct) return;
    const bool is_cooperative =
        name_.is_warpgroups ? name_.warps_first * name_.warps_second > 1 : is_cooperative_;
    name_.roles = is_cooperative ? WarpRoles::kCooperative : WarpRoles::kPingPong;
  }

  const Words& words_;
  KernelName& name_;
  bool is_cooperative_ = false;
};

/// What the letters of the instruction say of types that the name does not spell out.
void complete_types(KernelName& name) {
  if (name.operands.empty() && !name.accumulate.empty() && name.instruction == "cuda_cores")
    name.operands = name.accumulate == "int32" ? "int8" : name.accumulate;
  if (name.operands.empty() && name.accumulate == "fp16") name.operands = "fp16";
  if (name.accumulate == "int32") {
    if (name.results.empty() && name.operands != "int8") name.results = name.operands;
    name.operands = "int8";
  }
  if (name.operands == "fp32" && name.accumulate == "fp32" && name.instruction.starts_with("16"))
    name.operands = "tf32";
  if (name.results.empty() && name.operands == name.accumulate) name.results = name.operands;
}

/// "Flash_fwd_kernel_traits<128, 128, 64, 4, ...": head size, rows, keys, warps.
bool read_flash_traits(std::string_view text, KernelName& name) {
  constexpr std::string_view kTraits = "Flash_fwd_kernel_traits<";
  const std::size_t at = text.find(kTraits);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + kTraits.size());
  std::array<int, 4> numbers{};
  for (int& number : numbers) {
    if (!read_number(text, number)) return false;
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  name.family = "flash_fwd";
  name.sm_version = 80;
  name.use = NamedUse::kAttention;
  name.k = numbers[0];
  name.first = numbers[1];
  name.second = numbers[2];
  name.warps_first = numbers[3];
  name.warps_second = 1;
  name.operands = text.find("bfloat16_t") != std::string_view::npos ? "bf16" : "fp16";
  return true;
}

/// cuBLAS's kernels of a matrix and a vector, whose names tell no tile: outputs of a CTA by grids
/// that profiles show, reads under way by their registers (docs/generated-kernels.md).
bool read_gemv(std::string_view text, KernelName& name) {
  const bool is_row = text.find("gemvx::kernel<") != std::string_view::npos;
  if (!is_row && text.find("gemv2T_kernel_val<") == std::string_view::npos) return false;
  name.family = is_row ? "gemvx" : "gemv2T";
  name.instruction = "cuda_cores";
  name.roles = WarpRoles::kGemv;
  name.first = is_row ? 4 : 1;
  name.second = is_row ? 1 : 8;
  name.k = is_row ? 1024 : 512;
  name.stages = 1;
  name.warps_first = is_row ? 4 : 1;
  name.warps_second = is_row ? 1 : 4;
  name.layout = "tn";
  name.accumulate = "fp32";
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  name.operands = has("bfloat16") ? "bf16" : has("half") ? "fp16" : "fp32";
  name.results = name.operands;
  return true;
}

bool is_side(int side) { return side >= 1 && side <= kLargestSide; }

}  // namespace

std::vector<std::string_view> kernel_families() {
  std::vector<std::string_view> names;
  for (const Family& family : kFamilies)
    if (names.empty() || names.back() != family.name) names.push_back(family.name);
  return names;
}

std::optional<KernelName> parse_kernel_name(std::string_view text, std::string& reason) {
  const std::string shown(text.substr(0, 120));
  KernelName name;
  if (read_flash_traits(text, name) || read_gemv(text, name)) return name;
  const Family* family = nullptr;
  const std::string_view core = core_of(text, family);
  if (family == nullptr) {
    reason = "'" + shown +
             "' is not the name of a product, a convolution or attention: that begins as " +
             family_list();
    return std::nullopt;
  }
  name.family = family->name;
  name.sm_version = family->sm_version;
  Words words = words_of(core.substr(family->prefix.size()));
  if (name.family == "nvjet" && !words.empty()) {
    if (words.front().starts_with("sm")) words.erase(words.begin());  // from CUDA 13 on
    if (!words.empty()) read_jet_types(words.front(), name);
    if (!words.empty()) words.erase(words.begin());
    name.instruction = "wgmma";
  }
  if (name.family == "fmha_cutlassF") name.use = NamedUse::kAttention;
  NameReader(words, name).read();
  if (name.use == NamedUse::kProduct && core.find("_fprop") != std::string_view::npos) {
    name.use = NamedUse::kConvolution;
    name.roles = WarpRoles::kUniform;
  }
  complete_types(name);
  if (name.first == 0) {
    reason = "'" + shown + "' names no CTA tile";
    return std::nullopt;
  }
  if (!is_side(name.first) || !is_side(name.second) || name.k > kLargestSide ||
      name.stages > kLargestSide || name.sliced_k < 1 || name.sliced_k > kLargestSide) {
    reason = "'" + shown + "' has a tile whose sides are not 1 to " + std::to_string(kLargestSide);
    return std::nullopt;
  }
  return name;
}

}  // namespace tcsim::kernels
