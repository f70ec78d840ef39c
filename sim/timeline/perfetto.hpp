#pragma once

#include <string>

#include "sim/timeline/record.hpp"

namespace tcsim::timeline {

/// The window as trace-event JSON, which Perfetto and chrome://tracing open; one cycle is one
/// nanosecond. A sub-core is a process, its units and warps are its threads; what a unit works on
/// at the same time lies on several tracks of the unit, so that slices of a track never overlap.
/// Counters: instructions issued per 32 cycles and MMAs in flight.
std::string perfetto_json(const Timeline& timeline);

/// Bytes that perfetto_json will have, roughly.
std::size_t perfetto_bytes(const Timeline& timeline);

}  // namespace tcsim::timeline
