#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/sm/kernel.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::timeline {

/// Why a warp did not issue, under the names that Nsight Compute has for it (its stall reasons).
enum class Stall : std::uint8_t {
  kWait,              ///< a fixed latency
  kShortScoreboard,   ///< a result of shared memory, or of a pipe of variable latency
  kLongScoreboard,    ///< a result of global memory, or a copy from it
  kMathPipeThrottle,  ///< a pipe that computes takes no more: the tensor cores' above all
  kGmma,              ///< the sums of its warpgroup's products are not written
  kMioThrottle,       ///< the memory queue is full, before shared memory
  kLgThrottle,        ///< the same, before global memory
  kDispatch,          ///< register ports
  kBarrier,
  kNoCode,       ///< its code has not arrived
  kImcMiss,      ///< a constant has not arrived
  kNotSelected,  ///< it could have; another warp had the slot
  kCount,
};
inline constexpr std::size_t kStallCount = static_cast<std::size_t>(Stall::kCount);

/// "math_pipe_throttle".
std::string_view stall_name(Stall stall);

/// What happened at one instruction of a program, in all warps that run it.
struct SourceLine {
  int program = 0;      ///< of the kernel: warps with another role have another one
  int instruction = 0;  ///< its number there
  std::string text;
  std::uint64_t issued = 0;     ///< warp instructions
  std::uint64_t lanes = 0;      ///< that had not exited, summed over these
  std::uint64_t sectors = 0;    ///< of global memory that it touched
  std::uint64_t conflicts = 0;  ///< passes over the banks of shared memory beyond those needed
  std::array<std::uint64_t, kStallCount> stalls{};  ///< cycles of warps stalled before it

  [[nodiscard]] std::uint64_t stalled() const;
};

/// All launches of a run that have this name and this code.
struct SourceKernel {
  std::string name;
  std::vector<SourceLine> lines;  ///< by program and instruction
};

/// The text of every instruction of a launch, by program.
using InstructionTexts = std::vector<std::vector<std::string>>;

/// Counts issues and stalls of every instruction on all SMs during one run, which keeps its kernels
/// to its end. Each cycle has one reason, from the one in which an instruction becomes the next of
/// its warp until it issues.
class SourceProfile {
 public:
  /// `texts_of` writes the instructions of a launch.
  explicit SourceProfile(std::function<InstructionTexts(const isa::KernelLaunch&)> texts_of);
  ~SourceProfile();
  SourceProfile(const SourceProfile&) = delete;
  SourceProfile& operator=(const SourceProfile&) = delete;

  /// The counter of SM `sm`; SMs with observers run on one host thread.
  sm::Observer* observer(int sm);

  /// The sums over all SMs, kernels in the order of their start.
  [[nodiscard]] std::vector<SourceKernel> take();

 private:
  class OfSm;
  /// The place in `kernels_` of the name and the code of `kernel`.
  std::size_t place_of(const sm::Kernel& kernel);

  std::function<InstructionTexts(const isa::KernelLaunch&)> texts_of_;
  std::vector<SourceKernel> kernels_;
  std::map<const sm::Kernel*, std::size_t> places_;  ///< in `kernels_`
  std::map<int, std::unique_ptr<OfSm>> sms_;
};

}  // namespace tcsim::timeline
