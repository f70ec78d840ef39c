#include "sim/run/request_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/run/tile_search.hpp"
#include "sim/run/timeline_window.hpp"
#include "sim/text/number.hpp"
#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::run {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::int64_t kMostCount = 1'000'000;

/// The place of `text` in `words`.
std::size_t chosen(const std::string& text, const Words& words) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end())
    throw RequestError(fmt::format("{} is not one of {}{}", files::shown(text),
                                   fmt::join(words, ", "), files::did_you_mean(text, words)));
  return static_cast<std::size_t>(found - words.begin());
}

/// Texts of a field that is reached by `access` and read back by `shown`.
template <typename Access, typename Shown>
auto texts_unless_default(Access access, Shown shown) {
  return [access, shown](const RunRequest& request) -> std::vector<std::string> {
    const RunRequest defaults;
    if (access(request) == access(defaults)) return {};
    return {shown(access(request))};
  };
}

template <typename Access>
Field flag(std::string name, std::string help, Access access) {
  return {std::move(name),
          "",
          FieldKind::kFlag,
          std::move(help),
          [access](RunRequest& request, const std::string& text) {
            access(request) = chosen(text, {"false", "true"}) == 1;
          },
          texts_unless_default(access, [](bool) { return "true"; }),
          {"false", "true"}};
}

template <typename Access>
Field text(std::string name, std::string help, Access access) {
  return {std::move(name),
          "",
          FieldKind::kText,
          std::move(help),
          [access](RunRequest& request, const std::string& given) { access(request) = given; },
          texts_unless_default(access, [](const std::string& value) { return value; })};
}

template <typename Access>
Field texts(std::string name, std::string letter, std::string help, Access access) {
  return {
      std::move(name),
      std::move(letter),
      FieldKind::kTexts,
      std::move(help),
      [access](RunRequest& request, const std::string& given) { access(request).push_back(given); },
      access};
}

/// One of `words`, kept as a number, an enumerator or a bool.
template <typename Access>
Field choice(std::string name, std::string help, Words words, Access access) {
  using Value = std::remove_cvref_t<decltype(access(std::declval<RunRequest&>()))>;
  return {std::move(name),
          "",
          FieldKind::kText,
          std::move(help),
          [access, words](RunRequest& request, const std::string& given) {
            access(request) = static_cast<Value>(chosen(given, words));
          },
          texts_unless_default(access,
                               [words](Value value) {
                                 return std::string(words.at(static_cast<std::size_t>(value)));
                               }),
          words};
}

/// A whole number of [1, most].
template <typename Access>
Field count(std::string name, std::string letter, std::string help, std::int64_t most,
            Access access) {
  using Value = std::remove_cvref_t<decltype(access(std::declval<RunRequest&>()))>;
  return {std::move(name),
          std::move(letter),
          FieldKind::kWhole,
          std::move(help),
          [access, most](RunRequest& request, const std::string& given) {
            const auto value = text::number_of<std::int64_t>(given);
            if (!value || *value < 1 || *value > most)
              throw RequestError(
                  fmt::format("{} is not a whole number from 1 to {}", files::shown(given), most));
            access(request) = static_cast<Value>(*value);
          },
          texts_unless_default(access, [](Value value) { return std::to_string(value); })};
}

Field seconds() {
  const auto access = [](auto& request) -> auto& { return request.timeout_s; };
  return {"timeout",
          "",
          FieldKind::kReal,
          "Stop after this many seconds, with status 4; in a list, each row",
          [](RunRequest& request, const std::string& given) {
            constexpr double kLeast = 1e-6;
            constexpr double kMost = 1e9;  // thirty years
            const auto value = text::number_of<double>(given);
            if (!value || !(*value >= kLeast) || *value > kMost)
              throw RequestError(fmt::format("{} is not a number of seconds from 1e-6 to 1e9",
                                             files::shown(given)));
            request.timeout_s = *value;
          },
          texts_unless_default(access, [](double value) { return fmt::format("{}", value); })};
}

Field window() {
  return {
      "timeline",
      "",
      FieldKind::kText,
      "sm=0,sub-core=1,cycles=5000:5200: also write this window for Konata and Perfetto",
      [](RunRequest& request, const std::string& given) { request.timeline = parse_window(given); },
      [](const RunRequest& request) -> std::vector<std::string> {
        if (!request.timeline) return {};
        return {window_text(*request.timeline)};
      }};
}

Field seed() {
  const auto access = [](auto& request) -> auto& { return request.values.seed; };
  return {"seed",
          "",
          FieldKind::kWhole,
          "Seed of drawn operands (default: 1)",
          [](RunRequest& request, const std::string& given) {
            const auto value = text::number_of<std::uint64_t>(given);
            if (!value)
              throw RequestError(fmt::format("{} is not a whole number from 0 to {}",
                                             files::shown(given),
                                             std::numeric_limits<std::uint64_t>::max()));
            request.values.seed = *value;
          },
          texts_unless_default(access, [](std::uint64_t value) { return std::to_string(value); })};
}

Field unit() {
  const auto access = [](auto& request) -> auto& { return request.unit; };
  return {
      "unit",
      "",
      FieldKind::kText,
      "tensor or cuda-core (default: tensor, or cuda-core for types that only CUDA cores multiply)",
      [](RunRequest& request, const std::string& given) {
        chosen(given, {"tensor", "cuda-core"});
        request.unit = given;
      },
      texts_unless_default(access, [](const std::string& value) { return value; }),
      {"tensor", "cuda-core"}};
}

/// The E of "sampled:E%" or "auto:E%", relative; without it, what stands for it.
double error_of(std::string_view given, std::string_view word) {
  constexpr double kDefault = 0.02;
  constexpr double kLeastPercent = 0.1;
  constexpr double kMostPercent = 10;
  if (given == word) return kDefault;
  const std::string_view rest =
      given.starts_with(word) ? given.substr(word.size()) : std::string_view();
  std::optional<double> percent;
  if (rest.starts_with(':') && rest.ends_with('%'))
    percent = text::number_of<double>(rest.substr(1, rest.size() - 2));
  if (!percent)
    throw RequestError(fmt::format(
        "{} is not one of cycle, sampled, sampled:2%, auto, auto:2%{}",
        files::shown(std::string(given)),
        files::did_you_mean(given.substr(0, given.find(':')), {"cycle", "sampled", "auto"})));
  if (!(*percent >= kLeastPercent && *percent <= kMostPercent))
    throw RequestError(fmt::format("{} is not in {} to {} %", files::shown(std::string(given)),
                                   kLeastPercent, kMostPercent));
  return *percent / 100;
}

Field fidelity() {
  return {
      "fidelity",
      "",
      FieldKind::kText,
      "cycle (default); sampled:E%: skip iterations of long loops and know the time within E % (95 "
      "%; without E: 2 %); or auto:E%: sampled if simulating every cycle would take more than ten "
      "seconds",
      [](RunRequest& request, const std::string& given) {
        request.samples_if_long = given.starts_with("auto");
        request.sampling_error =
            given == "cycle" ? 0 : error_of(given, request.samples_if_long ? "auto" : "sampled");
      },
      [](const RunRequest& request) -> std::vector<std::string> {
        if (request.sampling_error == 0) return {};
        return {fmt::format("{}:{:g}%", request.samples_if_long ? "auto" : "sampled",
                            100 * request.sampling_error)};
      }};
}

Field tile() {
  const auto access = [](auto& request) -> auto& { return request.tile; };
  return {"tile",
          "",
          FieldKind::kText,
          "CTA tile, for example 128x128x32, 128x128x32_s4_w2x2 or 64x64_splitk4, or the name of a "
          "kernel that has it; best:N: the fastest of the N that rank first; default: chosen",
          [](RunRequest& request, const std::string& given) {
            std::string tile = given;
            (void)kernels::take_algorithm(tile);
            const bool is_open = tile.empty() || tiles_to_try(given);
            const std::string mistake = is_open ? "" : kernels::tile_text_mistake(tile);
            if (!mistake.empty()) throw RequestError(mistake);
            request.tile = given;
          },
          texts_unless_default(access, [](const std::string& value) { return value; })};
}

Field of_networks(Field field) {
  field.is_of_networks = true;
  return field;
}

Field swept(Field field) {
  field.is_swept = true;
  return field;
}

std::vector<Field> machine_fields() {
  return {
      text(
          "workload",
          "gemm:4096, gemm:m=..,n=..,k=..,dtype=..,acc=.., conv:.., attn:.., csv:FILE, trace:FILE, "
          "net:NAME",
          [](auto& r) -> auto& { return r.workload; }),
      texts(
          "machine", "m", "Preset or machine file; repeat to run on several",
          [](auto& r) -> auto& { return r.machines; }),
      texts(
          "set", "", "key.path=value: change a key of the machine; repeatable",
          [](auto& r) -> auto& { return r.overrides; }),
      texts(
          "library", "",
          "Library or library file to search for kernels before the machine's; repeatable",
          [](auto& r) -> auto& { return r.libraries; }),
      swept(tile()),
      swept(unit()),
      choice(
          "tensor_core",
          "model (default), or rtl: a Verilated unit executes the MMAs; any difference gives "
          "status 1",
          {"model", "rtl"}, [](auto& r) -> auto& { return r.rtl_tensor_core; }),
      swept(choice(
          "clock",
          "boost (default); load: the clock that the board sustains under the load of its tensor "
          "cores, for any data; power: the clock at which it also keeps to its power limit",
          {kClockPolicies.begin(), kClockPolicies.end()},
          [](auto& r) -> auto& { return r.clock; })),
      swept(choice(
          "data", "random or constant: how operands toggle, for the energy (default: random)",
          {"random", "constant"}, [](auto& r) -> auto& { return r.constant_data; })),
      flag(
          "cold_l2", "Start with an empty L2 (default)",
          [](auto& r) -> auto& { return r.cold_l2; }),
      flag(
          "cold_code", "The code comes from DRAM, as at the first launch ever",
          [](auto& r) -> auto& { return r.cold_code; }),
      swept(flag(
          "warm_l2", "Run the workload twice and report the second run, which finds its data in L2",
          [](auto& r) -> auto& { return r.warm_l2; })),
      swept(flag(
          "overwrite_l2",
          "The L2 holds what a program left after it wrote to other memory, as benchmarks do to "
          "empty it: dirty lines and no code",
          [](auto& r) -> auto& { return r.overwrite_l2; })),
      swept(flag(
          "rotate_weights",
          "The L2 holds what earlier runs with other copies of operand B left; six copies take "
          "turns",
          [](auto& r) -> auto& { return r.rotate_weights; })),
      swept(flag(
          "ignore_capacity",
          "Run even if it needs more memory than the board has (descriptive.memory_gb)",
          [](auto& r) -> auto& { return r.ignores_capacity; })),
  };
}

std::vector<Field> extent_fields() {
  constexpr std::int64_t kMostCycles = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMostSamples = 65535;
  constexpr std::int64_t kMostStreams = 8;
  constexpr std::int64_t kMostGpus = 1024;
  constexpr std::int64_t kMostTokens = 1 << 20;
  constexpr std::int64_t kLargestGroup = 1 << 24;  // as k of a product
  return {
      swept(fidelity()),
      count(
          "quantum", "",
          "SM cycles between exchanges with memory; results do not depend on it (default: as many "
          "as the machine allows)",
          kMostCycles, [](auto& r) -> auto& { return r.quantum; }),
      swept(count(
          "max_cycles", "", "Stop after this many SM cycles, with status 4", kMostCycles,
          [](auto& r) -> auto& { return r.max_cycles; })),
      seconds(),
      count(
          "jobs", "j",
          "Rows of a list to run at once, or threads that share the SMs of one run; default: "
          "the processors of this host",
          kMostCount, [](auto& r) -> auto& { return r.jobs; }),
      count(
          "limit", "", "Run only the first rows of a list", kMostCount,
          [](auto& r) -> auto& { return r.limit; }),
      window(),
      flag(
          "source", "Count issues and stalls of every instruction: tcsim show RUN --section source",
          [](auto& r) -> auto& { return r.counts_source; }),
      flag(
          "critical_path",
          "Follow the chain of waits that ends with the last CTA: tcsim show RUN --section "
          "critical-path",
          [](auto& r) -> auto& { return r.follows_path; }),
      of_networks(count(
          "streams", "",
          "Instances of a network that share the machine, each in its own stream (default: 1)",
          kMostStreams, [](auto& r) -> auto& { return r.streams; })),
      of_networks(swept(count(
          "gpus", "",
          "Equal GPUs joined by NVLink among which the tensors of a network are divided (default: "
          "1)",
          kMostGpus, [](auto& r) -> auto& { return r.gpus; }))),
      of_networks(swept(count(
          "batch", "", "Samples of a network (default: 1)", kMostSamples,
          [](auto& r) -> auto& { return r.batch; }))),
      of_networks(swept(count(
          "tokens", "",
          "Tokens of a sample of a network; with --pass decode, the tokens that its attention "
          "reads",
          kMostTokens, [](auto& r) -> auto& { return r.tokens; }))),
      of_networks(swept(choice(
          "precision", "For a network: fp32, tf32, fp16, bf16, amp, int8 or fp8 (default: fp16)",
          networks::precision_words(), [](auto& r) -> auto& { return r.precision; }))),
      of_networks(swept(choice(
          "weights",
          "For a network: int4 or int8 integers replace the weights of its products, as in GPTQ "
          "and AWQ (default: none)",
          networks::weight_integer_words(), [](auto& r) -> auto& { return r.weights; }))),
      of_networks(swept(count(
          "group", "",
          "Elements along k that share a scale of --weights: 32, 64, 128... (default: all)",
          kLargestGroup, [](auto& r) -> auto& { return r.group; }))),
      of_networks(swept(choice(
          "pass",
          "For a network: forward, training, or decode: one more token of each sample (default: "
          "forward)",
          networks::pass_words(), [](auto& r) -> auto& { return r.pass; }))),
      of_networks(swept(choice(
          "kv_cache",
          "For a network: whole, or paged: causal attention copies its keys and values into pages "
          "and reads them there, as servers do (default: whole)",
          {"whole", "paged"}, [](auto& r) -> auto& { return r.paged_cache; }))),
      of_networks(flag(
          "no_reuse",
          "Simulate every step of a network; exact results do not depend on it, and sampled ones "
          "estimate no step from another",
          [](auto& r) -> auto& { return r.no_reuse; })),
  };
}

std::vector<Field> value_fields() {
  return {
      swept(flag(
          "values", "Also execute the kernel for its values and print its errors",
          [](auto& r) -> auto& { return r.values.wanted; })),
      swept(choice(
          "inputs", "Operands drawn as uniform, normal, integers, zeros or wide (default: uniform)",
          {values::kDistributionNames.begin(), values::kDistributionNames.end()},
          [](auto& r) -> auto& { return r.values.inputs; })),
      swept(seed()),
      text(
          "a", "Operand A from a .npy file, m x k", [](auto& r) -> auto& { return r.values.a; }),
      text(
          "b", "Operand B from a .npy file, k x n", [](auto& r) -> auto& { return r.values.b; }),
      text(
          "quantize",
          "INT8 from reals: per-tensor or per-channel, then min-max or entropy, symmetric or "
          "asymmetric, requantize, scale-a=, scale-b= (number or .npy)",
          [](auto& r) -> auto& { return r.values.quantize; }),
  };
}

std::vector<Field> all_fields() {
  std::vector<Field> fields = machine_fields();
  std::ranges::move(extent_fields(), std::back_inserter(fields));
  std::ranges::move(value_fields(), std::back_inserter(fields));
  return fields;
}

}  // namespace

std::span<const Field> request_fields() {
  static const std::vector<Field> fields = all_fields();
  return fields;
}

const Field* find_field(std::string_view name) {
  const auto fields = request_fields();
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

std::string word_of(std::string_view name) {
  if (find_field(name) == nullptr)
    throw InternalError(fmt::format("a request has no field '{}'", name));
  std::string word = "--" + std::string(name);
  std::ranges::replace(word, '_', '-');
  return word;
}

void take_field(RunRequest& request, std::string_view name, const std::string& text) {
  try {
    find_field(name)->take(request, text);
  } catch (const RequestError& error) {
    throw mistake_in(name, error.what());
  }
}

RequestError mistake_in(std::string_view name, std::string_view reason) {
  return RequestError(fmt::format("{}: {}", word_of(name), reason));
}

bool is_network(const std::string& workload) { return workload.starts_with("net:"); }

int jobs_of(const RunRequest& request) {
  return request.jobs > 0 ? request.jobs
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace tcsim::run
