#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/isa/launch.hpp"
#include "models/isa/recording.hpp"
#include "workloads/traceg/sass_opcode.hpp"
#include "workloads/traceg/temporary_file.hpp"

namespace tcsim::traceg {

/// An instruction of the traced code. Two instructions at the same address are different ones:
/// functions that the kernel calls count their addresses from 0 too.
struct CodeLine {
  std::uint64_t pc = 0;
  isa::Instruction instruction{};
  SassOpcode sass{};  ///< memory operations: what lanes move

  [[nodiscard]] isa::Effect effect() const { return isa::opcode_info(instruction.opcode).effect; }
  [[nodiscard]] bool is_memory() const { return isa::is_memory(instruction.opcode); }
  [[nodiscard]] bool copies_box() const { return isa::copies_tile(effect()); }
  /// True for a SYNCS: each lane has an mbarrier.
  [[nodiscard]] bool is_on_mbarrier() const {
    return isa::is_asynchronous(effect()) && !copies_box() && effect() != isa::Effect::kGroupMma;
  }
  [[nodiscard]] bool has_addresses() const { return is_memory() || is_on_mbarrier(); }
};

/// A copy of TMA that a warp executed; the other members as in isa::RecordedStep.
struct ExecutedBox {
  std::int64_t address = 0;
  std::int64_t barrier = 0;
  std::int64_t ranks = 0;
  isa::RecordedBox box{};
};

/// Numbered patterns, each stored once, as long as there are not too many.
template <typename Pattern, typename Hash>
class PatternTable {
 public:
  /// The number of `pattern`, or isa::RecordedStep::kOwnPattern.
  int number_of(const Pattern& pattern) {
    const auto known = numbers_.find(pattern);
    if (known != numbers_.end()) return known->second;
    if (patterns_.size() == kMost) return isa::RecordedStep::kOwnPattern;
    const int number = static_cast<int>(patterns_.size());
    patterns_.push_back(pattern);
    numbers_.emplace(pattern, number);
    return number;
  }
  /// No further patterns follow.
  void close() { numbers_.clear(); }
  [[nodiscard]] const std::vector<Pattern>& all() const { return patterns_; }

 private:
  static constexpr std::size_t kMost = 4096;  // a GEMM has tens; gathers have arbitrarily many

  std::vector<Pattern> patterns_;
  std::unordered_map<Pattern, int, Hash> numbers_;
};

/// Writes what warps executed, in any order, to the end of a temporary file with about ten bytes
/// per instruction. Afterwards it is the recording that reads from that file, a few KiB per warp at
/// a time; the next recording may be written behind it. Memory holds the code, the patterns, and
/// eight bytes for each warp of the grid.
class SpooledRecording : public isa::Recording {
 public:
  /// For `launch`, which has grid, warps and so on, with code for sm_`sm_version`. `file` may
  /// contain recordings that are finished, and those that were given up.
  SpooledRecording(const isa::KernelLaunch& launch, int sm_version,
                   std::shared_ptr<TemporaryFile> file);

  // While it is written:
  /// A new instruction. Returns its number.
  int add_code(const CodeLine& line);
  /// False if the CTA has been recorded before. Requires a place within the grid.
  bool begin_cta(const std::array<std::int64_t, 3>& cta);
  /// False if the warp has been recorded before in this CTA.
  bool begin_warp(int warp);
  /// The warp executed the instruction numbered `code` with `lanes`. For instructions with
  /// addresses: lane i at addresses[i]; for a SYNCS also `value` (isa::RecordedStep).
  void add_step(int code, std::uint32_t lanes, const std::array<std::int64_t, 32>& addresses,
                std::int64_t value = 0);
  /// The same for a copy of TMA.
  void add_box(int code, std::uint32_t lanes, const ExecutedBox& executed);
  /// Ends the warp with an EXIT, the last step if that was one. Returns false if an EXIT had to be
  /// added.
  bool end_warp();
  /// Ends the CTA. Returns the number of warps that did nothing.
  int end_cta();
  [[nodiscard]] std::int64_t cta_count() const {
    return static_cast<std::int64_t>(first_warp_of_cta_.size());
  }
  /// Ends the recording: sets the program of `launch`. Requires all CTAs.
  void finish(isa::KernelLaunch& launch);

  // From then on:
  [[nodiscard]] int sm_version() const override { return sm_version_; }
  [[nodiscard]] std::unique_ptr<isa::RecordedWarp> open(const std::array<std::int64_t, 3>& cta,
                                                        int warp) const override;
  [[nodiscard]] const std::vector<isa::LanePattern>& patterns() const override {
    return patterns_.all();
  }
  [[nodiscard]] const std::vector<isa::RecordedBox>& boxes() const override { return boxes_.all(); }
  [[nodiscard]] const std::vector<std::pair<int, int>>& jumps() const override { return jumps_; }
  [[nodiscard]] const std::vector<std::uint64_t>& addresses() const override { return addresses_; }
  [[nodiscard]] const std::vector<std::int64_t>& executions() const override { return executions_; }
  [[nodiscard]] const std::vector<std::int64_t>& box_bytes() const override { return box_bytes_; }

 private:
  class Warp;
  struct PatternHash {
    std::size_t operator()(const isa::LanePattern& pattern) const;
    std::size_t operator()(const isa::RecordedBox& box) const;
  };
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

  [[nodiscard]] std::int64_t index_of(const std::array<std::int64_t, 3>& cta) const;
  int exit_code();
  void write_step(int code, std::uint32_t lanes);
  bool begin_step(int code, std::uint32_t lanes);
  void follow(int code);

  const std::array<std::int64_t, 3> grid_;
  const int warps_per_cta_;
  const int sm_version_;
  const std::shared_ptr<TemporaryFile> file_;
  std::vector<CodeLine> code_;
  /// indexed by instruction: what some warp executed next
  std::vector<std::vector<int>> followers_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::int64_t> executions_;
  std::vector<std::int64_t> box_bytes_;
  /// By number of the instruction, once finished: position in the program.
  std::vector<int> position_;
  std::vector<std::pair<int, int>> jumps_;
  PatternTable<isa::LanePattern, PatternHash> patterns_;
  PatternTable<isa::RecordedBox, PatternHash> boxes_;
  std::vector<int> last_pattern_;                                    ///< indexed by instruction
  std::unordered_map<std::int64_t, std::size_t> first_warp_of_cta_;  ///< index into warp_offsets_
  std::vector<std::uint64_t> warp_offsets_;                          ///< into the file
  std::uint64_t empty_warp_ = kNothing;
  int exit_code_ = isa::kNoIndex;
  int previous_ = isa::kNoIndex;  ///< instruction of the warp being written
  bool pending_exit_ = false;     ///< an EXIT is not written yet, because it may be the last step
};

}  // namespace tcsim::traceg
