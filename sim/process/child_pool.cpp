#include "sim/process/child_pool.hpp"

#include <chrono>
#include <list>
#include <thread>

#include "sim/process/child.hpp"

namespace tcsim::process {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(5);

}  // namespace

std::vector<ChildResult> ChildPool::run(const std::vector<Command>& commands,
                                        const PoolEvents& events) const {
  std::vector<ChildResult> results(commands.size());
  std::list<Child> running;
  std::size_t next = 0;
  bool stopping = false;
  while (!running.empty() || (next < commands.size() && !stopping)) {
    if (const int signal = stopping ? 0 : events.pending_signal(); signal != 0) {
      stopping = true;
      for (Child& child : running) child.stop(signal);
    }
    while (!stopping && next < commands.size() &&
           running.size() < static_cast<std::size_t>(options_.jobs)) {
      if (!events.may_start || events.may_start(next))
        running.emplace_back(next, commands[next], options_);
      ++next;
    }
    for (auto child = running.begin(); child != running.end();) {
      if (child->running()) {
        (child++)->keep_limit();
        continue;
      }
      ChildResult& result = results[child->index()];
      result = child->result();
      const std::size_t index = child->index();
      child = running.erase(child);
      events.finished(index, result);
    }
    if (!running.empty()) std::this_thread::sleep_for(kPollInterval);
  }
  return results;
}

}  // namespace tcsim::process
