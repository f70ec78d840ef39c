#pragma once

namespace tcsim::dram {

// Scheduling policies of real GPU memory controllers are not public. All figures here are
// assumptions.

/// How often younger row hits may overtake the oldest request of their bank and direction. A row of
/// 1 KB holds 32 bursts of 32 B, so a few rows' worth may pass, and the wait of the overtaken is
/// bounded.
inline constexpr int kBypassCap = 128;

/// A write turn falls due when writes take this part of the queue,
inline constexpr int kHighWatermarkPercent = 75;
/// and may end when as many bursts were written as had been waiting beyond this part of the queue.
inline constexpr int kLowWatermarkPercent = 12;

/// Reads served beyond the quota of their turn after which even a few waiting writes get a turn.
inline constexpr int kReadsPerTurn = 1024;

/// Consecutive turns that may end without serving the oldest request of their direction.
inline constexpr int kMissedTurnsCap = 4;

}  // namespace tcsim::dram
