#include "sim/run/hooks.hpp"

#include "sim/report/run_record.hpp"

namespace tcsim::run {

std::string_view name(StopCause cause) {
  return cause == StopCause::kLimit ? "time limit" : "interrupted";
}

std::string reason_of_stop(const Hooks& hooks, gpu::StopReason stop) {
  const StopCause cause = hooks.stop_cause();
  return std::string(cause == StopCause::kNone ? report::stop_text(stop) : name(cause));
}

}  // namespace tcsim::run
