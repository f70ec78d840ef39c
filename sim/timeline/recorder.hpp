#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "models/isa/operands.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/warp.hpp"
#include "sim/timeline/record.hpp"

namespace tcsim::timeline {

/// "HMMA.16816.F32 R16, R8, R12, R16": the opcode and the first register of each operand.
std::string instruction_text(const isa::Instruction& instruction);

/// The program of `warp`, by its number in the launch of `kernel`, which runs it.
int program_number_of(const sm::Kernel& kernel, const sm::Warp& warp);

/// Keeps the instructions of one SM that touch a window of its cycles. The memory for everything
/// else does not grow with the run.
class Recorder : public sm::Observer {
 public:
  explicit Recorder(const Window& window) : window_(window) {}

  /// Cycles that the observer hears count from `origin`, those of the window from 0.
  void set_origin(Cycle origin) { origin_ = origin; }

  void begin_kernel(const sm::Kernel& kernel) override { kernel_ = &kernel; }
  void started(const sm::Warp& warp, Cycle at) override;
  void issued(const sm::Warp& warp, const sm::IssueWait& wait, Cycle now) override;
  void entered_memory(sm::IssueId instruction, const sm::MemoryEntry& entry) override;
  void completed(sm::IssueId instruction, Cycle at) override;
  void started_product(const sm::Warp& first, const sm::ProductTurn& turn) override;
  void stopped(const sm::Warp& warp, const sm::IssueWait& wait, Cycle end) override;

  /// True if everything that touches the window is known at `now`, in cycles of the window.
  [[nodiscard]] bool is_complete(Cycle now) const;

  /// What was seen, with `title`, `machine` and the SM's number of sub-cores. The recorder is empty
  /// afterwards.
  Timeline take(const std::string& title, const std::string& machine, int sub_cores);

 private:
  static constexpr int kRegisters = 256;
  static constexpr std::size_t kKeptPerWarp = 512;

  /// What is known of one hardware warp: its latest instructions, and who wrote its registers last.
  struct WarpState {
    bool active = false;
    Cycle next_since = 0;
    std::deque<InstructionRecord> recent;
    std::array<std::int64_t, kRegisters + isa::kScalars> writers;  ///< ids
  };

  WarpState& state_of(const sm::Warp& warp);
  InstructionRecord record_of(const WarpState& state, const sm::Warp& warp,
                              const sm::IssueWait& wait, Cycle since, Cycle issue);
  InstructionRecord* find(sm::IssueId instruction);
  void note_registers(WarpState& state, InstructionRecord& record,
                      const isa::Instruction& instruction) const;
  void add_waits(const WarpState& state, InstructionRecord& record, const sm::IssueWait& wait,
                 Cycle ready, Cycle pipe_free, Cycle queue_free) const;
  static void name_producer(const WarpState& state, const InstructionRecord& record, Wait& wait);
  void keep_if_inside(InstructionRecord& record);

  const Window window_;
  Cycle origin_ = 0;
  const sm::Kernel* kernel_ = nullptr;
  std::int64_t next_id_ = 0;
  std::vector<WarpState> warps_;  ///< by hardware warp
  std::vector<InstructionRecord> kept_;
};

}  // namespace tcsim::timeline
