#include "sim/run/hooks.hpp"

namespace tcsim::run {

std::string_view name(StopCause cause) {
  return cause == StopCause::kLimit ? "time limit" : "interrupted";
}

std::string reason_of_stop(const Hooks& hooks) {
  const StopCause cause = hooks.stop_cause();
  return cause == StopCause::kNone ? "cycle limit or deadlock" : std::string(name(cause));
}

}  // namespace tcsim::run
