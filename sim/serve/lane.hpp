#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "sim/process/child_pool.hpp"
#include "sim/serve/fair_queue.hpp"

namespace tcsim::process {
class Child;
}

namespace tcsim::serve {

/// A child process to be started.
struct Launch {
  process::Command command;
  process::PoolOptions options;
};

/// How a child ended; `trouble` says why there was none.
struct Ending {
  process::ChildResult result;
  std::string trouble;
};

/// Runs child processes for clients, a few at a time; the others wait in a fair queue. One thread,
/// that of the context.
class Lane {
 public:
  struct Limits {
    std::size_t at_once = 1;     ///< children
    std::size_t per_client = 8;  ///< waiting and running
    std::size_t waiting = 4096;  ///< of all clients
  };
  using Number = FairQueue::Number;
  /// Called when its turn has come; an exception ends only this work.
  using Start = std::function<Launch()>;
  using End = std::function<void(const Ending&)>;

  Lane(boost::asio::io_context& context, const Limits& limits);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Nothing if there is no room for more work of this client, or of any. `end` is called once, and
  /// never from here, unless nobody wants the work any more.
  std::optional<Number> submit(const std::string& client, Start start, End end);
  /// `client` wants it too: it counts for this client as well, and waits in its line. False if
  /// there is no room for more work of this client. `number` must not have ended.
  bool join(const std::string& client, Number number);
  /// `client` no longer wants it. What nobody wants is taken out of the queue, or its child is
  /// killed; its `end` is not called. Nothing happens if it has ended.
  void withdraw(const std::string& client, Number number);
  /// Kills all children and starts no more.
  void stop();

  /// How many come before it; nothing once it runs.
  [[nodiscard]] std::optional<std::size_t> ahead_of(Number number) const;
  /// What its child has written to its standard error by now; empty unless it runs.
  [[nodiscard]] std::string errors_of(Number number) const;
  [[nodiscard]] std::size_t running() const { return running_.size(); }
  [[nodiscard]] std::size_t waiting() const { return work_.size() - running_.size(); }
  /// True while as much work waits as may, so that nobody's is taken.
  [[nodiscard]] bool is_full() const { return waiting() >= limits_.waiting; }

 private:
  struct Work {
    std::set<std::string> clients;  ///< who want it
    Start start;
    End end;
  };

  [[nodiscard]] bool has_room(const std::string& client) const;
  void enter(const std::string& client, Number number);
  void uncount(const std::string& client);
  /// Ends it for all of its clients.
  void cancel(Number number);
  void schedule();
  void poll();
  void start_next();
  void finish(Number number, const Ending& ending);

  boost::asio::steady_timer timer_;
  Limits limits_;
  FairQueue queue_;
  std::map<Number, Work> work_;  ///< waiting and running
  std::map<Number, std::unique_ptr<process::Child>> running_;
  std::map<std::string, std::size_t> counts_;  ///< of each client
  Number last_ = 0;
  bool is_scheduled_ = false;
  bool is_stopped_ = false;
};

}  // namespace tcsim::serve
