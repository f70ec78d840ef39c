#include "tests/cli/tcsim_process.hpp"

#include <gtest/gtest.h>

namespace tcsim::cli {
namespace {

ChildResult outcome(const std::vector<std::string>& words,
                    const std::function<int()>& pending_signal) {
  process::PoolEvents events;
  events.finished = [](std::size_t /*index*/, const ChildResult& /*result*/) {};
  events.pending_signal = pending_signal;
  return process::ChildPool({}).run({{words}}, events).front();
}

}  // namespace

ChildResult tcsim(std::vector<std::string> arguments, const std::function<int()>& pending_signal) {
  arguments.insert(arguments.begin(), TCSIM_BINARY);
  return outcome(arguments, pending_signal);
}

ChildResult command(const std::vector<std::string>& words) {
  return outcome(words, [] { return 0; });
}

std::string program() { return TCSIM_BINARY; }

std::chrono::milliseconds time_to_start() {
  using Clock = std::chrono::steady_clock;
  static const Clock::duration once = [] {
    const Clock::time_point start = Clock::now();
    EXPECT_EQ(tcsim({"--version"}).status, 0);
    return Clock::now() - start;
  }();
  return std::chrono::duration_cast<std::chrono::milliseconds>(3 * once);
}

}  // namespace tcsim::cli
