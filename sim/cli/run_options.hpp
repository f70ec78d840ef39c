#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/cli/table.hpp"
#include "sim/cli/value_options.hpp"
#include "sim/timeline/record.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::cli {

/// The options of `tcsim run`, checked.
struct RunOptions {
  std::string workload;                ///< gemm:..., csv:FILE, trace:FILE
  std::vector<std::string> machines;   ///< preset names or files, at least one
  std::vector<std::string> overrides;  ///< key.path=value
  std::vector<std::string> libraries;  ///< asked for kernels before those of the machine
  std::string tile;                    ///< empty: chosen by the cost model
  std::string unit;                    ///< tensor, cuda-core
  bool rtl_tensor_core = false;        ///< a unit in RTL in the place of the tensor cores
  bool power_clock = false;            ///< the SM clock falls to where the power limit is kept
  bool constant_data = false;          ///< operands do not toggle
  bool warm_l2 = false;
  bool cold_code = false;
  bool rotate_weights = false;     ///< copies of B take turns
  bool ignores_capacity = false;   ///< runs what the board has no memory for
  Cycle quantum = 0;               ///< 0: the largest legal one
  Cycle max_cycles = 0;            ///< 0: no limit
  double timeout_s = 0.0;          ///< 0: no limit
  std::optional<std::string> out;  ///< nothing: the next run-NNNN
  bool force = false;
  bool no_files = false;
  Format format = Format::kText;
  int jobs = 1;
  int limit = 0;           ///< rows of a list to run; 0: all
  std::int64_t batch = 1;  ///< samples of a network
  int streams = 1;         ///< instances of a network that share the machine
  networks::Precision precision = networks::Precision::kFp16;
  bool is_training = false;
  bool no_reuse = false;           ///< simulate every step of a network, known or not
  bool has_network_words = false;  ///< one of these four was given
  bool quiet = false;
  bool verbose = false;
  std::optional<timeline::Window> timeline;  ///< what to record for pipeline viewers
  bool ascii_plots = false;                  ///< roofline and timeline below the screen
  ValueOptions values;
};

/// The options of `tcsim run` as text, bound to a CLI11 command. Nothing is checked by CLI11, whose
/// messages neither repeat the bad word nor name the allowed ones.
class RunOptionTexts {
 public:
  /// Adds every option to `command`; this object must outlive it.
  explicit RunOptionTexts(CLI::App& command);

  /// Throws UsageError for the first value that is missing or wrong.
  [[nodiscard]] RunOptions checked() const;

 private:
  void check_network_words(RunOptions& options) const;

  std::string workload_;
  std::vector<std::string> machines_;
  std::vector<std::string> overrides_;
  std::vector<std::string> libraries_;
  std::string tile_;
  std::string unit_ = "tensor";
  std::string quantum_;
  std::string max_cycles_;
  std::string timeout_;
  std::string out_;
  std::string format_ = "text";
  std::string jobs_;
  std::string limit_;
  std::string batch_;
  std::string streams_;
  std::string precision_;
  std::string pass_;
  bool no_reuse_ = false;
  std::string tensor_core_ = "model";
  std::string clock_ = "boost";
  std::string data_ = "random";
  std::string plot_;
  bool cold_l2_ = false;
  bool warm_l2_ = false;
  bool cold_code_ = false;
  bool rotate_weights_ = false;
  bool ignore_capacity_ = false;
  bool force_ = false;
  bool no_files_ = false;
  bool quiet_ = false;
  bool verbose_ = false;
  std::string timeline_;
  ValueOptionTexts values_;
};

}  // namespace tcsim::cli
