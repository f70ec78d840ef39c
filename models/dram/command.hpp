#pragma once

#include <cstdint>

namespace tcsim::dram {

/// The commands that a controller sends to one bank. READ and WRITE use the column command bus, the
/// others the row command bus (HBM has both; see README for GDDR6).
enum class Command : std::uint8_t {
  kActivate,
  kPrecharge,
  kRead,
  kWrite,
  kRefresh,  ///< single-bank refresh, REFsb
};

inline constexpr int kCommandCount = 5;

/// A set of commands, one bit each.
using CommandSet = std::uint8_t;

constexpr CommandSet command_set(Command command) {
  return static_cast<CommandSet>(1U << static_cast<unsigned>(command));
}

constexpr CommandSet operator|(Command left, Command right) {
  return static_cast<CommandSet>(command_set(left) | command_set(right));
}

constexpr bool contains(CommandSet set, Command command) {
  return (set & command_set(command)) != 0;
}

}  // namespace tcsim::dram
