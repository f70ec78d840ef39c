#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workloads/traceg/fields.hpp"
#include "workloads/traceg/header.hpp"
#include "workloads/traceg/spooled_recording.hpp"

namespace tcsim::traceg {

/// Reads the instruction lines of one trace into a recording. Lines of instructions that have been
/// read before are compared as text, so that only changes are parsed.
class InstructionReader {
 public:
  InstructionReader(const Header& header, SpooledRecording& recording)
      : header_(header), recording_(recording) {}

  /// One line. Throws trace::Mistake.
  void read(std::string_view line);
  void begin_warp() { previous_ = kNone; }

  [[nodiscard]] std::int64_t unknown_count() const { return unknown_count_; }
  /// Operations that the models lack, by name, in the order of their first use.
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }
  /// Column of the operation that `read` found last.
  [[nodiscard]] int opcode_column() const { return opcode_column_; }
  /// Number of source registers that did not fit into the operands of the models.
  [[nodiscard]] std::int64_t dropped_sources() const { return dropped_sources_; }
  /// Number of generic operations executed although the header has no window of shared memory.
  [[nodiscard]] std::int64_t without_window() const { return without_window_; }

 private:
  static constexpr int kNone = -1;
  static constexpr int kUnknown = -2;
  static constexpr int kMarker = -3;

  /// What has been read at one address.
  struct Known {
    std::uint64_t pc;
    int destinations = 0;
    std::string text{};  ///< registers, operation, width; without addresses the immediates too
    bool has_addresses = false;  ///< or is a copy of TMA
    bool goes_on = false;        ///< more follows `text`
    bool is_generic = false;
    bool number_in_register = false;  ///< BAR: the number of its barrier is in a register
    int kind = 0;                     ///< if there are variants: which one it is
    int code = 0;                     ///< in the recording, kUnknown or kMarker
    int next = kNone;                 ///< the entry that followed last
    int other = kNone;                ///< another entry with the same address
  };

  static bool matches(const Known& known, std::uint64_t pc, std::string_view rest);
  [[nodiscard]] int find(std::uint64_t pc, std::string_view rest) const;
  int parse(std::uint64_t pc, std::string_view line, std::size_t start);
  void note_unknown(const std::string& mnemonic);
  void take_immediates(Fields& fields, bool is_known, CodeLine& code, Known& known) const;
  void set_sources(CodeLine& line, const std::vector<NamedRegister>& sources);
  int add(Known known, const CodeLine& line);
  int variant(int entry, int kind);
  void follow(int entry);
  void record(int entry, Fields& fields, std::uint32_t lanes);
  void read_addresses(Fields& fields, std::uint32_t lanes);
  static ExecutedBox read_box(Fields& fields, int width);
  std::int64_t read_value(Fields& fields, const Known& known, const CodeLine& line, int lane) const;
  std::uint32_t take_out_shared_base(std::uint32_t lanes);

  const Header& header_;
  SpooledRecording& recording_;
  std::vector<Known> known_;
  std::vector<CodeLine> lines_;  ///< indexed by entry
  std::unordered_map<std::uint64_t, int> first_at_;
  int previous_ = kNone;
  std::array<std::int64_t, 32> addresses_{};
  std::int64_t unknown_count_ = 0;
  std::vector<std::string> unknown_;
  int opcode_column_ = 0;
  std::int64_t dropped_sources_ = 0;
  std::int64_t without_window_ = 0;
};

}  // namespace tcsim::traceg
