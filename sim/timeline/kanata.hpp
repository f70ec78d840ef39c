#pragma once

#include <string>

#include "sim/timeline/record.hpp"

namespace tcsim::timeline {

/// The window in the text form that the Konata viewer reads, version 0004: one line per event, in
/// order of cycles. Lane 0 holds the stages, lane 1 the reasons of waits; an arrow leads from the
/// writer of a register to who reads it. Execution stages end in X ("tcX"), which Konata needs to
/// draw arrows.
std::string kanata_text(const Timeline& timeline);

/// Bytes that kanata_text will have, roughly.
std::size_t kanata_bytes(const Timeline& timeline);

}  // namespace tcsim::timeline
