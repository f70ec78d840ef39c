#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/errors/errors.hpp"

// The installed library, libtcsim: what a program outside the tree may use (docs/library.md). Its
// interface uses only standard types.

namespace tcsim {

/// What is to be run: fields of `tcsim run --request` by their names.
///
///     tcsim::simulate(tcsim::Request("gemm:1024", "a100").set("warm_l2", "true"))
class TCSIM_API Request {
 public:
  /// `workload` as `tcsim run` accepts it; `machine` is a preset or a file.
  Request(const std::string& workload, const std::string& machine);

  /// Adds `value` to the field called `field`: "tile", "max_cycles", "set" ("key.path=value"), ...
  /// simulate reports mistakes in it.
  Request& set(const std::string& field, const std::string& value);

  using Fields = std::map<std::string, std::vector<std::string>, std::less<>>;
  [[nodiscard]] const Fields& fields() const { return fields_; }

 private:
  Fields fields_;
};

/// How far a simulation has advanced. For a network, only the steps are counted, because each is
/// short; otherwise they are zero.
struct Progress {
  std::int64_t cycle = 0;  ///< SM cycles
  std::int64_t ctas_done = 0;
  std::int64_t ctas_total = 0;
  std::int64_t steps_done = 0;
  std::int64_t steps_total = 0;  ///< zero until the first step is done
};

/// What a caller may learn about a run, and how it may end it. Each function may be empty.
struct Listener {
  std::function<void(const std::string& note)> note{};  ///< what the user should know
  /// Called many times a second, also while values are computed, when `progress` stays as it is. If
  /// it returns false the work ends and its result is partial, without values.
  std::function<bool(const Progress& progress)> keep_going{};
};

/// A computed array.
struct Tensor {
  std::string name;   ///< as in the workload: "D", "O", "y", ...
  std::string dtype;  ///< "float16", "bfloat16", ...
  /// A whole .npy file. BF16 and FP8, which NumPy lacks, are stored in it as unsigned integers.
  std::string npy;
};

/// The outcome of a run.
struct TCSIM_API Result {
  bool complete = false;
  std::string stopped_by;  ///< "finished", "interrupted", "cycle limit", ...
  /// The ones that apply, by their names in `tcsim metrics`.
  std::map<std::string, double> metrics;
  std::string text;             ///< the report that fits one screen
  std::string json;             ///< as `tcsim run -f json` prints it
  std::string stats_json;       ///< content of stats.json, with every counter; empty for a network
  std::vector<Tensor> tensors;  ///< with the field "values": what was computed

  /// The metric called `name`, or nothing if it does not apply.
  [[nodiscard]] std::optional<double> metric(const std::string& name) const;
};

/// Runs one workload or network on one machine, in this process and on as many threads as "jobs"
/// states. Calls of several threads take turns; "timeout" counts from the turn. A child that is
/// forked while another thread has the turn can call it at once. Throws UsageError (errors for
/// mistakes in files derive from it too), also for a call by a listener, NotCovered or IoError;
/// InternalError for a defect of tcsim.
TCSIM_API Result simulate(const Request& request, const Listener& listener = {});

/// One of the mistakes that a UsageError reports.
struct Mistake {
  std::string place;        ///< a file, or the wrong word of the request; may be empty
  std::int64_t line = 0;    ///< from 1; 0: unknown
  std::int64_t column = 0;  ///< from 1; 0: unknown
  std::string key;          ///< "sm.tensor.core"; empty where no key is to blame
  std::string reason;
};

/// The mistakes of `error`, in order; at least one.
TCSIM_API std::vector<Mistake> mistakes_of(const UsageError& error);

/// The machines that come with tcsim, sorted.
TCSIM_API std::vector<std::string> machines();

/// The names of the fields that a Request has.
TCSIM_API std::vector<std::string> request_fields();

/// Peak rates, bandwidths and ridge points of a machine, as `tcsim peak -f json` prints them;
/// `overrides` are "key.path=value". Throws UsageError.
TCSIM_API std::string peak_json(const std::string& machine,
                                const std::vector<std::string>& overrides = {});

/// "0.1.0 (revision)".
TCSIM_API std::string version();

}  // namespace tcsim
