#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::traceg {

/// The `-key = value` lines of a .traceg file.
class Header {
 public:
  /// Reads one such line. Throws trace::Mistake.
  void read(std::string_view line);
  /// The first of the keys that a trace needs and that has not been read, or "".
  [[nodiscard]] std::string_view missing() const;

  /// Shape and resources, without a recording.
  [[nodiscard]] const isa::KernelLaunch& launch() const { return launch_; }
  [[nodiscard]] int sm_version() const { return sm_version_; }
  [[nodiscard]] int tracer_version() const { return tracer_version_; }
  /// True if lines have a second immediate, and the values of registers or a word that states that
  /// there are none.
  [[nodiscard]] bool has_values() const { return tracer_version_ >= 6; }
  /// The CUDA stream of the launch as the tracer names it; "" if it does not.
  [[nodiscard]] const std::string& cuda_stream() const { return cuda_stream_; }
  [[nodiscard]] bool has_source_lines() const { return has_source_lines_; }
  /// Generic addresses in [shared_base, shared_end) are those of shared memory; an empty range if
  /// the header does not say where that is.
  [[nodiscard]] std::uint64_t shared_base() const { return shared_base_; }
  [[nodiscard]] std::uint64_t shared_end() const;

 private:
  isa::KernelLaunch launch_;
  int sm_version_ = 0;
  int tracer_version_ = 0;
  bool has_source_lines_ = false;
  std::uint64_t shared_base_ = 0;
  std::uint64_t local_base_ = 0;
  std::string cuda_stream_;
  std::vector<std::string_view> seen_;
};

/// GPUs since Pascal have 49 bits of virtual address (Pascal Tuning Guide, Unified Memory), so a
/// larger address is damage.
inline constexpr std::uint64_t kLargestAddress = (std::uint64_t{1} << 49) - 1;

/// "(x,y,z)" or "x,y,z" at the end of `line` from `position` on. Throws trace::Mistake.
std::array<std::int64_t, 3> parse_triple(std::string_view line, std::size_t position,
                                         std::string_view what);

}  // namespace tcsim::traceg
