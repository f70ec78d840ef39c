#include "workloads/kernels/kernel_name_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

namespace tcsim::kernels {
namespace {

using Words = std::vector<std::string>;
using Numbers = std::vector<int>;

constexpr int kHopper = 90;
constexpr int kBlackwell = 100;
constexpr int kAmpere = 80;

/// Words that names write in two: "split_k", "stages_64x3".
bool is_one_word(std::string_view first, std::string_view second) {
  return (second == "k" && (first == "split" || first == "stream")) || first == "stages";
}

Words words_of(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('_'), text.size());
    const std::string_view word = text.substr(0, end);
    if (!words.empty() && is_one_word(words.back(), word))
      words.back() += word;
    else if (end > 0)
      words.emplace_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The numbers of "128x64x32" after `prefix`, those beyond an int as the largest one; nothing if
/// the word is a different one.
Numbers extents(std::string_view word, std::string_view prefix = "") {
  if (!word.starts_with(prefix)) return {};
  word.remove_prefix(prefix.size());
  Numbers numbers;
  while (!word.empty()) {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range) value = std::numeric_limits<int>::max();
    if (error == std::errc::invalid_argument) return {};
    numbers.push_back(value);
    word.remove_prefix(static_cast<std::size_t>(end - word.data()));
    if (word.empty()) return numbers;
    if (word.front() != 'x') return {};
    word.remove_prefix(1);
  }
  return {};
}

/// The entry of `pairs` for `word`; "" if it has none.
std::string_view looked_up(
    std::string_view word,
    std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  for (const auto& [first, second] : pairs)
    if (first == word) return second;
  return "";
}

std::string_view type_word(std::string_view word) {
  return looked_up(
      word,
      {{"f16", "fp16"},    {"fp16", "fp16"},   {"bf16", "bf16"}, {"tf32", "tf32"}, {"f32", "fp32"},
       {"fp32", "fp32"},   {"f64", "fp64"},    {"fp64", "fp64"}, {"e4m3", "e4m3"}, {"e5m2", "e5m2"},
       {"i8", "int8"},     {"s8", "int8"},     {"u8", "uint8"},  {"int8", "int8"}, {"b1", "b1"},
       {"int8x4", "int8"}, {"s4", "int4"},     {"u4", "uint4"},  {"i4", "int4"},   {"i32", "int32"},
       {"s32", "int32"},   {"int32", "int32"}, {"void", "none"}});
}

/// The two types that xmma writes without a gap: "tf32f32". Nothing if the word is a different one.
std::pair<std::string, std::string> type_pair(std::string_view word) {
  for (std::size_t cut = 1; cut < word.size(); ++cut) {
    std::pair<std::string, std::string> types{type_word(word.substr(0, cut)),
                                              type_word(word.substr(cut))};
    if (!types.first.empty() && !types.second.empty()) return types;
  }
  return {};
}

/// The sum type that the letter before an instruction names: "s16816gemm".
std::string_view type_of_sums(std::string_view letter) {
  return looked_up(letter, {{"h", "fp16"}, {"s", "fp32"}, {"i", "int32"}, {"d", "fp64"}});
}

std::string_view type_of_nvjet(std::string_view letter) {
  return looked_up(letter, {{"h", "fp16"}, {"t", "bf16"}, {"q", "e4m3"}, {"s", "fp32"}});
}

/// The operand type that the instruction implies if the name does not state one.
std::string_view operands_of(const KernelName& name) {
  const std::string_view types =
      looked_up(name.accumulate + " " + name.instruction, {{"fp32 884", "fp16"},
                                                           {"fp32 1684", "tf32"},
                                                           {"fp32 1688", "tf32"},
                                                           {"int32 8832", "int4"},
                                                           {"int32 16864", "int4"},
                                                           {"int32 88128", "b1"},
                                                           {"int32 168256", "b1"}});
  if (name.accumulate == "int32") return types.empty() ? "int8" : types;
  const bool before_tf32 = name.sm_version > 0 && name.sm_version < kAmpere;
  if (types == "tf32" && before_tf32) return "fp16";
  const bool are_those_of_sums =
      name.instruction == "cuda_cores" || name.accumulate == "fp16" || name.accumulate == "fp64";
  return are_those_of_sums ? std::string_view(name.accumulate) : types;
}

/// An operation at the end of a word, and what it computes.
struct Operation {
  std::string_view word;
  NamedUse use;
  std::string_view pass;
  bool sparse = false;
};

constexpr std::array kOperations = {
    Operation{"spgemm", NamedUse::kProduct, "", true},
    Operation{"gemm", NamedUse::kProduct, ""},
    Operation{"cudnn", NamedUse::kConvolution, ""},
    Operation{"fprop", NamedUse::kConvolution, "fwd"},
    Operation{"dgrad", NamedUse::kConvolution, "dgrad"},
    Operation{"deconv", NamedUse::kConvolution, "dgrad"},
    Operation{"wgrad", NamedUse::kConvolution, "wgrad"},
};

/// A word made of `prefix` and `count` numbers, and where they go.
struct NumberWord {
  std::string_view prefix;
  std::size_t count;
  void (*take)(KernelName& name, const Numbers& numbers);
};

void take_tile(KernelName& name, const Numbers& numbers) {
  name.first = numbers[0];
  name.second = numbers[1];
  if (numbers.size() > 2) name.k = numbers[2];
}
void take_depth(KernelName& name, const Numbers& numbers) {
  name.k = numbers[0];
  name.stages = numbers[1];
}
void take_stages(KernelName& name, const Numbers& numbers) { name.stages = numbers[0]; }
void take_cluster(KernelName& name, const Numbers& numbers) {
  name.cluster_first = numbers[0];
  name.cluster_second = numbers[1];
}
void take_warps(KernelName& name, const Numbers& numbers) {
  name.warps_first = numbers[0];
  name.warps_second = numbers[1];
  name.sliced_k = numbers[2];
}
void take_groups(KernelName& name, const Numbers& numbers) {
  take_warps(name, numbers);
  name.is_warpgroups = true;
  name.instruction = "wgmma";
}
void take_instruction(KernelName& name, const Numbers& numbers) {
  for (const int side : numbers) name.instruction += std::to_string(side);
}
void take_sparse_instruction(KernelName& name, const Numbers& numbers) {
  take_instruction(name, numbers);
  name.sparse = true;
}
void take_warp_slices(KernelName& name, const Numbers& numbers) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  name.sliced_k = static_cast<int>(std::min(kMost, std::int64_t{numbers[0]} * numbers[1]));
}
void take_align(KernelName& name, const Numbers& numbers) { name.align = numbers[0]; }
void take_slices(KernelName& name, const Numbers& numbers) {
  name.split_k = numbers[0];
  name.splits_k = numbers[0] > 1;
}

constexpr std::array kNumberWords = {
    NumberWord{"tilesize", 3, take_tile},
    NumberWord{"tile", 2, take_tile},  // cublasLt_algo21_tile128x64
    NumberWord{"stages", 2, take_depth},
    NumberWord{"stage", 1, take_stages},
    NumberWord{"warpsize", 3, take_warps},
    NumberWord{"warpgroupsize", 3, take_groups},
    NumberWord{"cgasize", 3, take_cluster},
    NumberWord{"tensor", 3, take_instruction},
    NumberWord{"sptensor", 3, take_sparse_instruction},
    NumberWord{"sliced", 2, take_warp_slices},
    NumberWord{"align", 1, take_align},
    NumberWord{"ldg", 1, take_align},
    NumberWord{"splitK", 1, take_slices},
    NumberWord{"splitk", 1, take_slices},
};

/// A word without numbers and its meaning.
struct Mark {
  std::string_view word;
  void (*take)(KernelName& name);
};

void take_cuda_cores(KernelName& name) { name.instruction = "cuda_cores"; }
void take_split(KernelName& name) { name.splits_k = true; }
void take_stream_k(KernelName& name) { name.stream_k = true; }
void take_sparse(KernelName& name) { name.sparse = true; }
void take_cooperative(KernelName& name) { name.schedule = "cooperative"; }
void take_ping_pong(KernelName& name) { name.schedule = "pingpong"; }
void take_specialised(KernelName& name) { name.schedule = "warpspecialized"; }
void take_fast_sums(KernelName& name) { name.fast_accumulation = true; }
void take_pair(KernelName& name) { name.sm_version = std::max(name.sm_version, kBlackwell); }

/// Words, or beginnings of words, with a fixed meaning. The schedule is the last of its words:
/// "warpspecialized_pingpong".
constexpr std::array kMarks = {
    Mark{"ffma", take_cuda_cores},
    Mark{"simt", take_cuda_cores},
    Mark{"splitK", take_split},
    Mark{"splitk", take_split},
    Mark{"streamK", take_stream_k},
    Mark{"streamk", take_stream_k},
    Mark{"sparse", take_sparse},
    Mark{"sptensorop", take_sparse},
    Mark{"coop", take_cooperative},
    Mark{"pingpong", take_ping_pong},
    Mark{"warpspec", take_specialised},
    Mark{"fastaccum", take_fast_sums},
    Mark{"2cta", take_pair},  // two CTAs of tcgen05
};

/// Bare numbers in the order in which each form has them.
constexpr std::array kPlainNumbers = {NumberWord{"", 2, take_tile}, NumberWord{"", 2, take_depth},
                                      NumberWord{"", 2, take_cluster}};
constexpr std::array kCutlass3Numbers = {
    NumberWord{"", 3, take_tile}, NumberWord{"", 3, take_cluster}, NumberWord{"", 1, take_stages}};

bool is_layout(std::string_view word) {
  return (word.size() == 2 || word.size() == 3) &&
         word.find_first_not_of("ntNT") == std::string_view::npos;
}

/// Reads the words of a name one after another.
class NameReader {
 public:
  NameReader(NameForm form, KernelName& name) : form_(form), name_(name) {}

  void read(Words words) {
    if (form_ == NameForm::kNvjet) read_nvjet(words);
    for (const std::string& word : words)
      (void)(read_numbers(word) || read_mark(word) || read_layout(word) || read_types(word) ||
             read_operation(word));
    complete_instruction();
    complete_types();
    read_roles();
  }
  [[nodiscard]] bool knows_operation() const { return knows_operation_; }

 private:
  /// "sm90", from CUDA 13 on, and the letters of the types.
  void read_nvjet(Words& words) {
    if (!words.empty() && extents(words.front(), "sm").size() == 1) {
      name_.sm_version = extents(words.front(), "sm").front();
      words.erase(words.begin());
    }
    if (words.empty()) return;
    const std::string letters = words.front();
    words.erase(words.begin());
    constexpr std::size_t kEach = 5;  // both operands, C, sums, D
    if (letters.size() != 3 && letters.size() != kEach) return;
    const auto type_at = [&](std::size_t at) { return type_of_nvjet(letters.substr(at, 1)); };
    name_.operands = type_at(0);
    name_.accumulate = type_at(letters.size() - 2);
    name_.results = type_at(letters.size() - 1);
    if (letters.size() == kEach) name_.c = type_at(2);
  }
  bool take(std::string_view word, const NumberWord& form) {
    const Numbers numbers = extents(word, form.prefix);
    if (numbers.size() != form.count) return false;
    form.take(name_, numbers);
    return true;
  }
  bool read_numbers(std::string_view word) {
    if (std::ranges::any_of(kNumberWords, [&](const NumberWord& form) { return take(word, form); }))
      return true;
    const auto& bare = form_ == NameForm::kCutlass3 ? kCutlass3Numbers : kPlainNumbers;
    while (bare_ < bare.size() && bare[bare_].take == take_depth && name_.k > 0) ++bare_;
    if (bare_ == bare.size() || !take(word, bare[bare_])) return false;
    ++bare_;
    return true;
  }
  bool read_mark(std::string_view word) {
    const auto* const mark =
        std::ranges::find_if(kMarks, [&](const Mark& one) { return word.starts_with(one.word); });
    if (mark == kMarks.end()) return false;
    mark->take(name_);
    return true;
  }
  bool read_layout(std::string_view word) {
    if (!is_layout(word) || !name_.layout.empty()) return false;
    for (const char letter : word.substr(0, 2))
      name_.layout += letter == 'N' || letter == 'n' ? 'n' : 't';
    const bool is_turned = word.size() > 2 && (word[2] == 'T' || word[2] == 't');
    name_.swapped = form_ == NameForm::kNvjet && is_turned;
    name_.row_major = form_ == NameForm::kCutlass3 && is_turned;
    return true;
  }

  bool read_types(std::string_view word) {
    if (form_ == NameForm::kXmma) return read_pair(word);
    const std::string type(type_word(word));
    if (type.empty()) return false;
    // A, B, sums, C and D; or results before the operation and operands after it.
    const std::array<std::string*, 5> cutlass3 = {&name_.operands, &name_.operands,
                                                  &name_.accumulate, &name_.c, &name_.results};
    std::string* const part = form_ == NameForm::kCutlass3
                                  ? (types_ < cutlass3.size() ? cutlass3[types_] : nullptr)
                                  : (has_operation_ ? &name_.operands : &name_.results);
    ++types_;
    if (part == nullptr) return true;
    if (part != &name_.operands || part->empty())
      *part = type;
    else if (*part != type)
      *part += "," + type;
    return true;
  }
  bool read_pair(std::string_view word) {
    const auto [left, right] = type_pair(word);
    if (left.empty()) return !type_word(word).empty();  // of the scale
    if (name_.results.empty()) {
      name_.results = right;
    } else {
      name_.operands = left;
      name_.accumulate = right;
    }
    return true;
  }

  /// "s16816gemm", "h884cudnn", "s64x128x16gemm", "s1688tf32gemm", "sgemm", "scudnn": sums,
  /// instruction, what FP32 operands are rounded to, operation; "fprop3d": with its dimensions.
  bool read_operation(std::string_view word) {
    if (word.ends_with("1d") || word.ends_with("2d") || word.ends_with("3d")) word.remove_suffix(2);
    const auto* const operation = std::ranges::find_if(
        kOperations, [&](const Operation& one) { return word.ends_with(one.word); });
    if (operation == kOperations.end()) return false;
    knows_operation_ = true;
    word.remove_suffix(operation->word.size());
    if (word.empty()) {  // "implicit_gemm" stands for a convolution
      if (operation->use == NamedUse::kConvolution) take_use(*operation);
      return true;
    }
    const std::string_view sums = type_of_sums(word.substr(0, 1));
    word.remove_prefix(1);
    const std::size_t end = std::min(word.find_first_not_of("0123456789x"), word.size());
    const std::string_view rounded = type_word(word.substr(end));
    if (sums.empty() || (end < word.size() && rounded.empty())) return false;
    take_use(*operation);
    if (form_ != NameForm::kCutlass3) name_.accumulate = sums;
    name_.instruction = end > 0 ? word.substr(0, end) : "cuda_cores";
    rounded_ = rounded;
    has_operation_ = true;
    return true;
  }
  void take_use(const Operation& operation) {
    name_.use = operation.use;
    name_.pass = operation.pass;
    name_.sparse = name_.sparse || operation.sparse;
  }

  /// Warpgroup products have their own names, with the shape if the name states it.
  void complete_instruction() {
    const bool are_groups = form_ == NameForm::kNvjet ||
                            (form_ == NameForm::kCutlass3 && name_.instruction != "cuda_cores");
    if (!are_groups || name_.sm_version < kHopper) return;
    constexpr int kAfterTcgen05 = 120;
    const std::string_view product = name_.sm_version < kBlackwell      ? "wgmma"
                                     : name_.sm_version < kAfterTcgen05 ? "tcgen05"
                                                                        : "";
    name_.instruction = std::string(product) +
                        (product.empty() || name_.instruction.empty() ? "" : "_") +
                        name_.instruction;
  }
  /// Types that the letters of the instruction determine and the name does not spell out.
  void complete_types() {
    if (!rounded_.empty()) name_.operands = rounded_;
    if (name_.operands.empty() && !name_.accumulate.empty()) name_.operands = operands_of(name_);
    if (name_.operands.empty()) name_.operands = name_.results;
    if (name_.operands == "fp32" && name_.accumulate == "fp32" &&
        name_.instruction.starts_with("16"))
      name_.operands = "tf32";
    if (name_.results.empty()) name_.results = name_.accumulate;
  }
  /// Two warpgroups side by side in a tile cooperate; a single one has its own tile and takes turns
  /// with another: all have 384 threads.
  void read_roles() {
    if (!name_.instruction.starts_with("wgmma") || name_.use != NamedUse::kProduct) return;
    if (name_.is_warpgroups)
      name_.schedule = name_.warps_first * name_.warps_second > 1 ? "cooperative" : "pingpong";
    if (form_ == NameForm::kNvjet && name_.schedule.empty()) name_.schedule = "pingpong";
    if (name_.schedule == "cooperative") name_.roles = WarpRoles::kCooperative;
    if (name_.schedule == "pingpong") name_.roles = WarpRoles::kPingPong;
  }

  NameForm form_;
  KernelName& name_;
  std::size_t bare_ = 0;          ///< bare numbers that have been read
  std::size_t types_ = 0;         ///< types that have been read
  bool has_operation_ = false;    ///< with an instruction, after which types are of the operands
  bool knows_operation_ = false;  ///< any
  std::string_view rounded_;
};

}  // namespace

bool read_name_words(std::string_view text, NameForm form, KernelName& name) {
  NameReader reader(form, name);
  reader.read(words_of(text));
  return reader.knows_operation();
}

}  // namespace tcsim::kernels
