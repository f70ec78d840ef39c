#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/errors/errors.hpp"
#include "sim/timeline/record.hpp"
#include "sim/values/distribution.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::run {

/// An invalid field of a request, or two that contradict each other. The message names fields by
/// their words on the command line, and does not name a command.
class RequestError : public UsageError {
 public:
  using UsageError::UsageError;
};

/// What the request asks about the values of a run.
struct ValueRequest {
  bool wanted = false;  ///< the kernels are executed for their values too
  values::Distribution inputs = values::Distribution::kUniform;
  std::uint64_t seed = 1;
  std::string a;         ///< .npy file; empty: drawn
  std::string b;         ///< the same
  std::string quantize;  ///< words of parse_quantize; empty: operands are integers already
};

/// The clock at which the SMs run.
enum class ClockPolicy : std::uint8_t {
  kBoost,  ///< that of the machine
  kLoad,   ///< lower, if the board does not sustain it under the load of tensor cores
  kPower,  ///< the same, and lower if the power limit requires it
};
inline constexpr std::array kClockPolicies{"boost", "load", "power"};  ///< by number
inline const char* name(ClockPolicy policy) {
  return kClockPolicies[static_cast<std::size_t>(policy)];
}

/// What to run, on which machines and how; not where the results go. The command line, request
/// files and C++ fill the same struct; `request_fields` is the one table of its fields.
struct RunRequest {
  std::string workload;                ///< gemm:..., csv:FILE, trace:FILE, net:NAME
  std::vector<std::string> machines;   ///< preset names or files, at least one
  std::vector<std::string> overrides;  ///< key.path=value
  std::vector<std::string> libraries;  ///< searched for kernels before those of the machine
  std::string tile;                    ///< empty: the library chooses
  std::string unit;  ///< tensor, cuda-core; empty: tensor cores, or CUDA cores for what they lack
  bool rtl_tensor_core = false;  ///< a unit in RTL instead of the tensor cores
  ClockPolicy clock = ClockPolicy::kBoost;
  bool constant_data = false;  ///< operands do not toggle
  bool cold_l2 = false;        ///< states the default
  bool warm_l2 = false;        ///< the second of two runs is reported
  bool cold_code = false;
  bool overwrite_l2 = false;      ///< a program that wrote to other memory ran before
  bool rotate_weights = false;    ///< copies of B take turns
  bool ignores_capacity = false;  ///< runs even if the board lacks the memory
  /// Requested half-width of the 95 % interval of the time, relative; 0: every cycle is simulated.
  double sampling_error = 0;
  bool samples_if_long = false;  ///< simulates every cycle of runs that are predicted to be short
  Cycle quantum = 0;             ///< 0: the largest legal one
  Cycle max_cycles = 0;          ///< 0: no limit
  double timeout_s = 0.0;        ///< 0: no limit; of a list: each row
  int jobs = 0;                  ///< rows or threads at once; 0: the processors of this host
  int limit = 0;                 ///< rows of a list to run; 0: all
  std::optional<timeline::Window> timeline;  ///< what to record for pipeline viewers
  bool counts_source = false;                ///< issues and stalls of every instruction
  bool follows_path = false;  ///< the chain of waits that leads to the end of each kernel
  int streams = 1;            ///< instances of a network that share the machine
  int gpus = 1;               ///< that share a network
  std::int64_t batch = 1;     ///< samples of a network
  networks::Precision precision = networks::Precision::kFp16;
  networks::WeightIntegers weights = networks::WeightIntegers::kNone;
  std::int64_t group = 0;  ///< elements along k that share a scale of `weights`; 0: all
  networks::Pass pass = networks::Pass::kForward;
  std::int64_t tokens = 0;   ///< of a sample of a network; 0: as its file says
  bool paged_cache = false;  ///< keys and values of a network are in pages
  bool no_reuse = false;     ///< simulate every step of a network, known or not
  ValueRequest values;
};

/// True for "net:NAME".
bool is_network(const std::string& workload);

/// request.jobs, or the processors of this host.
int jobs_of(const RunRequest& request);

}  // namespace tcsim::run
