#include "sim/cli/run_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <thread>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/timeline_window.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::cli {
namespace {

/// The whole number `text`, at least 1; an option that was not given (empty text) keeps `absent`.
std::int64_t whole_number(const char* option, const std::string& text, std::int64_t absent) {
  if (text.empty()) return absent;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
    throw UsageError(std::string("tcsim run: ") + option + ": '" + text +
                     "' is not a whole number of at least 1");
  }
  return value;
}

/// As whole_number, for a value that must fit an int.
int small_number(const char* option, const std::string& text, int absent) {
  constexpr std::int64_t kMost = 1'000'000;
  const std::int64_t value = whole_number(option, text, absent);
  if (value > kMost)
    throw UsageError(std::string("tcsim run: ") + option + ": " + text + " is more than 1000000");
  return static_cast<int>(value);
}

double seconds(const std::string& text) {
  if (text.empty()) return 0.0;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double kLeast = 1e-6;
  constexpr double kMost = 1e9;  // thirty years
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= kLeast) ||
      value > kMost) {
    throw UsageError("tcsim run: --timeout: " + files::shown(text) +
                     " is not a number of seconds from 1e-6 to 1e9");
  }
  return value;
}

}  // namespace

RunOptionTexts::RunOptionTexts(CLI::App& command) : values_(command) {
  // Options that may be repeated take one value each time; otherwise CLI11 lets them swallow the
  // workload.
  const auto repeatable = [&](const char* names, std::vector<std::string>& values,
                              const char* sentence) {
    command.add_option(names, values, sentence)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  command.add_option(
      "workload", workload_,
      "gemm:4096, gemm:m=..,n=..,k=..,dtype=..,acc=.., csv:FILE, trace:FILE, net:NAME");
  repeatable("-m,--machine", machines_, "Preset or machine file; repeat to run on several");
  repeatable("--set", overrides_, "key.path=value: change a key of the machine; repeatable");
  repeatable("--library", libraries_,
             "Library or library file that is asked for kernels before the machine's; repeatable");
  command.add_option(
      "--tile", tile_,
      "CTA tile, for example 128x128x32, 128x128x32_s4_w2x2 or 64x64_splitk4; default: chosen");
  command.add_option("--unit", unit_, "tensor or cuda-core (default: tensor)");
  command.add_option("--tensor-core", tensor_core_,
                     "model, or rtl: a Verilated unit takes the MMAs; any difference is status 1");
  command.add_option("--clock", clock_,
                     "boost, or power: the clock at which the board keeps to its power limit");
  command.add_option("--data", data_,
                     "random or constant: how operands toggle, for the energy (default: random)");
  command.add_flag("--cold-l2", cold_l2_, "Start with an empty L2 (default)");
  command.add_flag("--cold-code", cold_code_,
                   "The code comes from DRAM, as at the first launch ever");
  command.add_flag("--warm-l2", warm_l2_,
                   "Run the workload twice and report the second run, which finds its data in L2");
  command.add_flag("--rotate-weights", rotate_weights_,
                   "The L2 holds what runs with other copies of operand B left, six in turn");
  command.add_flag("--ignore-capacity", ignore_capacity_,
                   "Run what needs more memory than the board has (descriptive.memory_gb)");
  command.add_option("--quantum", quantum_,
                     "SM cycles between exchanges with memory; results do not depend on it");
  command.add_option("--max-cycles", max_cycles_, "Stop after so many SM cycles, status 4");
  command.add_option("--timeout", timeout_,
                     "Stop so many seconds after the start, status 4; of a list: each row");
  command.add_option("-o,--out", out_, "Run directory; default: the next run-NNNN");
  command.add_flag("--force", force_, "Replace an earlier run in the directory");
  command.add_flag("--no-files", no_files_, "Write no run directory");
  command.add_option("-f,--format", format_, "text, json, csv or md (default: text)");
  command.add_option("--plot", plot_, "ascii: roofline and timeline below the text of a run");
  command.add_option(
      "-j,--jobs", jobs_,
      "Rows of a list to run at once, or threads that share the SMs of one run; default: "
      "the processors of this host");
  command.add_option("--limit", limit_, "Run only the first rows of a list");
  command.add_option("--timeline", timeline_,
                     "sm=0,sub-core=1,cycles=5000:5200: also write this window for Konata and "
                     "Perfetto");
  command.add_option("--streams", streams_,
                     "Instances of a network that share the machine, each a stream (default: 1)");
  command.add_option("--batch", batch_, "Samples of a network (default: 1)");
  command.add_option("--precision", precision_,
                     "Of a network: fp32, tf32, fp16, bf16, amp or int8 (default: fp16)");
  command.add_option("--pass", pass_, "Of a network: forward or training (default: forward)");
  command.add_flag("--no-reuse", no_reuse_,
                   "Simulate every step of a network; results do not depend on it");
  command.add_flag("-q,--quiet", quiet_, "No progress, no notes");
  command.add_flag("-v,--verbose", verbose_,
                   "Progress also where standard error is not a terminal");
}

void RunOptionTexts::check_network_words(RunOptions& options) const {
  constexpr std::int64_t kMostSamples = 65535;
  options.batch = whole_number("--batch", batch_, 1);
  if (options.batch > kMostSamples)
    throw UsageError("tcsim run: --batch: " + batch_ + " is more than 65535");
  const auto& words = networks::precision_words();
  const auto word = std::ranges::find(words, precision_.empty() ? "fp16" : precision_);
  if (word == words.end())
    throw UsageError("tcsim run: --precision: '" + precision_ +
                     "' is not one of fp32, tf32, fp16, bf16, amp, int8");
  options.precision = static_cast<networks::Precision>(word - words.begin());
  if (!pass_.empty() && pass_ != "forward" && pass_ != "training")
    throw UsageError("tcsim run: --pass: '" + pass_ + "' is not one of forward, training");
  options.is_training = pass_ == "training";
  options.no_reuse = no_reuse_;
  options.streams = small_number("--streams", streams_, 1);
  constexpr int kMostStreams = 8;
  if (options.streams < 1 || options.streams > kMostStreams)
    throw UsageError("tcsim run: --streams: " + streams_ + " is not between 1 and 8");
  options.has_network_words =
      !batch_.empty() || !streams_.empty() || !precision_.empty() || !pass_.empty() || no_reuse_;
}

RunOptions RunOptionTexts::checked() const {
  if (workload_.empty()) {
    throw UsageError("tcsim run: which workload? For example: tcsim run gemm:4096 -m a100");
  }
  if (machines_.empty()) {
    throw UsageError(
        "tcsim run: which machine? Add -m NAME or -m FILE; presets: tcsim machine list");
  }
  if (unit_ != "tensor" && unit_ != "cuda-core") {
    throw UsageError("tcsim run: --unit: '" + unit_ + "' is not one of tensor, cuda-core");
  }
  if (no_files_ && !out_.empty())
    throw UsageError("tcsim run: --no-files and -o contradict each other");
  if (no_files_ && force_)
    throw UsageError("tcsim run: --no-files and --force contradict each other");
  if (quiet_ && verbose_) throw UsageError("tcsim run: -q and -v contradict each other");
  if (tensor_core_ != "model" && tensor_core_ != "rtl")
    throw UsageError("tcsim run: --tensor-core: '" + tensor_core_ + "' is not one of model, rtl");
  if (tensor_core_ == "rtl" && clock_ == "power")
    throw UsageError("tcsim run: --tensor-core rtl and --clock power contradict each other");
  if (clock_ != "boost" && clock_ != "power")
    throw UsageError("tcsim run: --clock: '" + clock_ + "' is not one of boost, power");
  if (data_ != "random" && data_ != "constant")
    throw UsageError("tcsim run: --data: '" + data_ + "' is not one of random, constant");
  if (!timeline_.empty() && (tensor_core_ == "rtl" || clock_ == "power" || no_files_))
    throw UsageError(
        "tcsim run: --timeline records the one run of a run directory; it does not go with "
        "--tensor-core rtl, --clock power or --no-files");
  if (!plot_.empty() && plot_ != "ascii")
    throw UsageError("tcsim run: --plot: '" + plot_ + "' is not ascii; pictures: tcsim plot");
  if (plot_ == "ascii" && format_ != "text")
    throw UsageError("tcsim run: --plot ascii and -f " + format_ + " contradict each other");
  if (cold_l2_ && warm_l2_)
    throw UsageError("tcsim run: --cold-l2 and --warm-l2 contradict each other");
  RunOptions options;
  options.workload = workload_;
  options.machines = machines_;
  options.overrides = overrides_;
  options.libraries = libraries_;
  options.tile = tile_;
  options.unit = unit_;
  options.rtl_tensor_core = tensor_core_ == "rtl";
  options.power_clock = clock_ == "power";
  options.constant_data = data_ == "constant";
  options.warm_l2 = warm_l2_;
  options.cold_code = cold_code_;
  options.rotate_weights = rotate_weights_;
  options.ignores_capacity = ignore_capacity_;
  options.quantum = whole_number("--quantum", quantum_, 0);
  options.max_cycles = whole_number("--max-cycles", max_cycles_, 0);
  options.timeout_s = seconds(timeout_);
  if (!out_.empty()) options.out = out_;
  options.force = force_;
  options.no_files = no_files_;
  options.format = parse_format(format_);
  options.jobs = small_number("--jobs", jobs_,
                              static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  options.limit = small_number("--limit", limit_, 0);
  options.quiet = quiet_;
  options.verbose = verbose_;
  if (!timeline_.empty()) options.timeline = parse_window("tcsim run: --timeline", timeline_);
  options.ascii_plots = plot_ == "ascii";
  options.values = values_.checked();
  check_network_words(options);
  return options;
}

}  // namespace tcsim::cli
