#pragma once

#include <array>
#include <cstdint>

#include "models/isa/program.hpp"
#include "models/sm/kernel.hpp"

namespace tcsim::sm {

/// Register-file cache of a sub-core (HUE25). It keeps, per bank and operand position, the value
/// that the last instruction read there if its reuse bit asked for that. A read that finds its
/// register in the cache needs no port.
class RegisterCache {
 public:
  explicit RegisterCache(const RegisterFileParams& params)
      : banks_(static_cast<std::size_t>(params.banks)), exists_(params.reuse_entries > 0) {}

  bool is_empty() const { return held_ == 0; }

  /// Read-port slots per bank that `instruction` of warp `warp` needs.
  std::array<std::uint8_t, kMaxRegisterBanks> reads(const DecodedInstruction& instruction,
                                                    int warp) const {
    std::array<std::uint8_t, kMaxRegisterBanks> reads = instruction.bank_reads;
    for_each_read(instruction, [&](std::size_t operand, std::size_t bank, isa::Register number) {
      const Entry& entry = entries_[operand][bank];
      if (entry.is_valid && entry.warp == warp && entry.number == number) --reads[bank];
    });
    return reads;
  }

  /// `instruction` of warp `warp` reads its sources.
  void pass(const DecodedInstruction& instruction, int warp) {
    if (!exists_) return;
    for_each_read(instruction, [&](std::size_t operand, std::size_t bank, isa::Register number) {
      Entry& entry = entries_[operand][bank];
      const bool keeps = (instruction.reuse_mask >> operand & 1) != 0;
      held_ += static_cast<int>(keeps) - static_cast<int>(entry.is_valid);
      entry = {keeps, number, static_cast<std::uint16_t>(warp)};
    });
  }

 private:
  struct Entry {
    bool is_valid = false;
    isa::Register number = 0;
    std::uint16_t warp = 0;
  };

  /// Operands wider than one register per bank bypass the cache: they do not fit.
  template <typename Action>
  void for_each_read(const DecodedInstruction& instruction, Action action) const {
    const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
    for (std::size_t operand = 0; operand < instruction.src.size(); ++operand) {
      const std::size_t width = info.src_registers[operand];
      if (instruction.src[operand] == isa::kZeroRegister || width > banks_) continue;
      for (std::size_t i = 0; i < width; ++i) {
        const auto number = static_cast<isa::Register>(instruction.src[operand] + i);
        action(operand, number % banks_, number);
      }
    }
  }

  std::size_t banks_;
  bool exists_;
  int held_ = 0;
  std::array<std::array<Entry, kMaxRegisterBanks>, isa::kSourceOperands> entries_{};
};

}  // namespace tcsim::sm
