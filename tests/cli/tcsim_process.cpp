#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {

ChildResult tcsim(std::vector<std::string> arguments, const std::function<int()>& pending_signal) {
  arguments.insert(arguments.begin(), TCSIM_BINARY);
  process::PoolEvents events;
  events.finished = [](std::size_t /*index*/, const ChildResult& /*result*/) {};
  events.pending_signal = pending_signal;
  return process::ChildPool({}).run({{arguments}}, events).front();
}

ChildResult command(const std::vector<std::string>& words) {
  process::PoolEvents events;
  events.finished = [](std::size_t /*index*/, const ChildResult& /*result*/) {};
  events.pending_signal = [] { return 0; };
  return process::ChildPool({}).run({{words}}, events).front();
}

std::string program() { return TCSIM_BINARY; }

}  // namespace tcsim::cli
