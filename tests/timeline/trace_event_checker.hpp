#pragma once

#include <string>

namespace tcsim::timeline::test {

/// The first rule of the trace-event format that the JSON `text` breaks, or "": known phases, named
/// processes and threads, numbers where required, and nested slices of a thread.
std::string trace_event_mistake(const std::string& text);

}  // namespace tcsim::timeline::test
