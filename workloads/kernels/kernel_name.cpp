#include "workloads/kernels/kernel_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "workloads/kernels/kernel_name_words.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kLargestNumber = 1024;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_of_name(char letter) {
  return is_digit(letter) || letter == '_' || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z');
}

/// The prefix of every name of a family.
struct Family {
  std::string_view prefix;
  std::string_view name;
  int sm_version;
  NameForm form = NameForm::kPlain;
};

constexpr std::array kFamilies = {
    Family{"cutlass_70_", "cutlass_70", 70},
    Family{"cutlass_75_", "cutlass_75", 75},
    Family{"cutlass_80_", "cutlass_80", 80},
    Family{"cutlass_90_", "cutlass_90", 90},
    Family{"cutlass3x_sm90_", "cutlass3x_sm90", 90, NameForm::kCutlass3},
    Family{"cutlass3x_sm100_", "cutlass3x_sm100", 100, NameForm::kCutlass3},
    Family{"cutlass_tensorop_", "cutlass", 0},
    Family{"cutlass_simt_", "cutlass", 0},
    Family{"cutlass_wmma_", "cutlass", 0},
    Family{"sm70_xmma_", "sm70_xmma", 70, NameForm::kXmma},
    Family{"sm72_xmma_", "sm72_xmma", 72, NameForm::kXmma},
    Family{"sm75_xmma_", "sm75_xmma", 75, NameForm::kXmma},
    Family{"sm80_xmma_", "sm80_xmma", 80, NameForm::kXmma},
    Family{"sm86_xmma_", "sm86_xmma", 86, NameForm::kXmma},
    Family{"sm89_xmma_", "sm89_xmma", 89, NameForm::kXmma},
    Family{"sm90_xmma_", "sm90_xmma", 90, NameForm::kXmma},
    Family{"maxwell_", "maxwell", 50},
    Family{"volta_", "volta", 70},
    Family{"turing_", "turing", 75},
    Family{"ampere_", "ampere", 80},
    Family{"nvjet_", "nvjet", 90, NameForm::kNvjet},
    Family{"cublasLt_", "cublasLt", 0},
    Family{"fmha_cutlassF_", "fmha_cutlassF", 0}};

/// Templates whose names are looked for before those of the families.
constexpr const char* kFlash = "flash_fwd";  ///< the family of theirs that is attention
constexpr std::string_view kFlashTraits = "Flash_fwd_kernel_traits<";
constexpr std::string_view kRowGemv = "gemvx::kernel<";
constexpr std::string_view kColumnGemv = "gemv2T_kernel_val<";

std::string family_list() {
  std::string list;
  for (const std::string_view family : kernel_families()) list += std::string(family) + ", ";
  return list + std::string(kRowGemv) + "...>, " + std::string(kColumnGemv) + "...>, " +
         std::string(kFlashTraits) + "...>";
}

/// The word of `text` that begins like a family's names, after namespaces or inside template
/// brackets.
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

bool read_number(std::string_view& text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || !is_digit(text.front()) || error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// "Flash_fwd_kernel_traits<128, 128, 64, 4, ...": head size, rows, keys, warps.
bool read_flash_traits(std::string_view text, KernelName& name) {
  const std::size_t at = text.find(kFlashTraits);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + kFlashTraits.size());
  std::array<int, 4> numbers{};
  for (int& number : numbers) {
    if (!read_number(text, number)) return false;
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  name.family = kFlash;
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

/// cuBLAS's matrix-vector kernels, whose names state no tile. Outputs of a CTA come from grids that
/// profiles show, the reads in flight from their registers (docs/generated-kernels.md).
bool read_gemv(std::string_view text, KernelName& name) {
  const bool is_row = text.find(kRowGemv) != std::string_view::npos;
  if (!is_row && text.find(kColumnGemv) == std::string_view::npos) return false;
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

/// True if the numbers of `name` can be those of a kernel; 0 is allowed where it means unstated.
bool has_fitting_numbers(const KernelName& name) {
  return std::min({name.first, name.second, name.sliced_k}) >= 1 &&
         (name.cluster_first > 0) == (name.cluster_second > 0) &&
         ((name.warps_first > 0) == (name.warps_second > 0) || name.family == kFlash) &&
         std::max({name.first, name.second, name.sliced_k, name.k, name.stages, name.warps_first,
                   name.warps_second, name.cluster_first, name.cluster_second}) <= kLargestNumber;
}

/// True if one of the words of `core` is the operation of complex numbers: "cgemm", "gzgemm",
/// "z884gemm" (g: by the three products of Gauss).
bool is_complex(std::string_view core) {
  constexpr std::string_view kOperation = "gemm";
  while (!core.empty()) {
    const std::size_t end = std::min(core.find('_'), core.size());
    std::string_view word = core.substr(0, end);
    core.remove_prefix(std::min(end + 1, core.size()));
    if (!word.ends_with(kOperation)) continue;
    word.remove_suffix(kOperation.size());
    if (word.starts_with('g')) word.remove_prefix(1);
    if ((word.starts_with('c') || word.starts_with('z')) &&
        word.find_first_not_of("0123456789x", 1) == std::string_view::npos)
      return true;
  }
  return false;
}

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
  const auto checked = [&]() -> std::optional<KernelName> {
    if (has_fitting_numbers(name)) return name;
    reason = "'" + shown + "' has sides, stages, warps or a cluster that are not 1 to " +
             std::to_string(kLargestNumber);
    return std::nullopt;
  };
  if (read_flash_traits(text, name) || read_gemv(text, name)) return checked();
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
  if (name.family == "fmha_cutlassF") name.use = NamedUse::kAttention;
  if (is_complex(core)) {
    reason = "'" + shown + "' multiplies complex numbers, which no kernel of the model does";
    return std::nullopt;
  }
  const bool knows_operation =
      read_name_words(core.substr(family->prefix.size()), family->form, name);
  if (!knows_operation && name.family.starts_with("cutlass")) {
    reason = "'" + shown + "' states none of the operations gemm, spgemm, fprop, dgrad and wgrad";
    return std::nullopt;
  }
  if (name.first == 0) {
    reason = "'" + shown + "' names no CTA tile";
    return std::nullopt;
  }
  return checked();
}

}  // namespace tcsim::kernels
