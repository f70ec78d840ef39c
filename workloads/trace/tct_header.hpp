#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/trace/tct_cursor.hpp"

namespace tcsim::trace {

/// Reads the lines above the first program into a launch.
class TctHeader {
 public:
  explicit TctHeader(isa::KernelLaunch& launch) : launch_(launch) {}

  /// True if `word` starts a header line.
  static bool is_key(std::string_view word);
  /// All words that start a line of a .tct file, except instructions.
  static const std::vector<std::string_view>& keys();

  /// Reads one header line. Throws Mistake.
  void read(Cursor& cursor);
  /// The required keys that this file lacks.
  [[nodiscard]] std::vector<std::string_view> missing() const;

 private:
  void read_value(Cursor& cursor, std::string_view key);
  void read_grid(Cursor& cursor);
  void read_buffer(Cursor& cursor);
  void read_tensor_map(Cursor& cursor);

  isa::KernelLaunch& launch_;
  std::vector<std::string> seen_;
};

/// Reads "0-3,6" or "none": the warps of a CTA of `warps` that run `program`. Every entry of
/// `program_of_warp` that is set must be isa::kNoIndex before. Throws Mistake.
void parse_warps(Cursor& cursor, int program, std::vector<int>& program_of_warp);

}  // namespace tcsim::trace
