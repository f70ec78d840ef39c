#include "sim/cli/interrupt.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <mutex>
#include <system_error>
#include <vector>

#include "sim/errors/errors.hpp"
#include "sim/files/atomic_file.hpp"

namespace tcsim::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// In which work that asks for the cause comes to do so: several windows of a simulation of the
/// largest machine. It is time of the processor, so that a busy host takes nobody's results; work
/// that waits has the other.
constexpr auto kGrace = std::chrono::milliseconds(600);
constexpr auto kWaitingGrace = std::chrono::milliseconds(2000);
/// For work that has not asked yet, as in its preparation: it has hardly anything to keep.
constexpr auto kGraceBefore = std::chrono::milliseconds(200);
constexpr auto kGracePoll = std::chrono::milliseconds(10);

/// What the signal handler, the watching thread and the work share. The handler touches nothing but
/// the lock-free atomics and the semaphore.
struct Shared {
  sem_t wake{};
  std::atomic<int> signal{0};
  std::atomic<int> guards{0};
  std::atomic<bool> asked{false};    ///< the work of the latest guard has asked for the cause
  std::atomic<bool> heard{false};    ///< the work has asked and ends by itself
  std::atomic<bool> watched{false};  ///< a thread waits at `wake`
  std::atomic<bool> finished{false};
  clockid_t work_clock = CLOCK_MONOTONIC;  ///< processor time of the thread that made the watch
  std::atomic<Clock::rep> limit{Clock::time_point::max().time_since_epoch().count()};
  std::mutex mutex;  ///< held while guards come and go, and while the process is ended
  std::vector<const InterruptGuard*> stack;
};

// A signal handler can reach nothing but static storage.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
Shared shared;
const Clock::time_point process_start = Clock::now();

Clock::time_point time_limit() { return Clock::time_point(Clock::duration(shared.limit.load())); }

StopCause cause_now() {
  if (shared.signal != 0) return StopCause::kSignal;
  return Clock::now() >= time_limit() ? StopCause::kLimit : StopCause::kNone;
}

void take_signal(int signal) {
  const int error = errno;
  const bool nobody_acts = !shared.watched && shared.guards == 0;
  const bool is_second = shared.signal.exchange(signal) != 0;
  // Who cannot wait presses Ctrl-C. Other signals come twice by themselves: from `timeout`, which
  // signals its child and then its group, and from a terminal that closes and the shell in it.
  if ((is_second && signal == SIGINT) || nobody_acts) {
    files::abandon_files();
    ::_exit(kInterrupted);
  }
  ::sem_post(&shared.wake);
  errno = error;
}

/// Waits until somebody posts or `end` has come.
void wait_until(Clock::time_point end) {
  const auto since = end.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  const timespec moment{static_cast<std::time_t>(seconds.count()),
                        static_cast<long>(std::chrono::nanoseconds(since - seconds).count())};
  // libstdc++'s steady_clock is this clock.
  ::sem_clockwait(&shared.wake, CLOCK_MONOTONIC, &moment);
}

std::chrono::nanoseconds work_time() {
  timespec now{};
  ::clock_gettime(shared.work_clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Until the work has asked or the process has nothing more to do, at most as long as it may take.
void wait_for_work() {
  auto longest = kGraceBefore;
  if (shared.asked) longest = shared.guards > 0 ? kWaitingGrace : kGrace;
  const Clock::time_point end = Clock::now() + longest;
  const auto work_end = work_time() + kGrace;
  while (!shared.finished && !shared.heard && Clock::now() < end && work_time() < work_end)
    wait_until(Clock::now() + kGracePoll);
}

constexpr int kHandledSignals[] = {SIGINT, SIGTERM, SIGHUP};

void handle_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kHandledSignals) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    const bool outlives_terminal = signal == SIGHUP && before.sa_handler == SIG_IGN;  // by nohup
    if (!outlives_terminal) ::sigaction(signal, &action, nullptr);
  }
}

/// For the rest of a process whose work ends by itself, or that has no limit.
constexpr auto kLong = std::chrono::hours(1);

[[noreturn]] void end_process(StopCause cause, const InterruptGuard::LastWords& last_words) {
  const std::string line = cause == StopCause::kLimit
                               ? std::string("tcsim: stopped by time limit\n")
                               : std::string("tcsim: interrupted\n");
  // Not by stdio, whose lock the work may hold.
  [[maybe_unused]] const ssize_t unheard = ::write(STDERR_FILENO, line.data(), line.size());
  try {
    if (last_words) last_words(cause);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the process ends with the same status
  }
  while (!files::abandon_files()) std::this_thread::yield();
  ::_exit(cause == StopCause::kLimit ? kStopped : kInterrupted);
}

}  // namespace

StopWatch::StopWatch() {
  ::sem_init(&shared.wake, 0, 0);
  ::pthread_getcpuclockid(::pthread_self(), &shared.work_clock);
  try {
    thread_ = std::thread(watch);
    shared.watched = true;
  } catch (const std::system_error&) {
    // No room for a thread: signals end what does not ask, and time limits act where it does.
  }
  handle_signals(take_signal);
}

StopWatch::~StopWatch() {
  shared.finished = true;
  ::sem_post(&shared.wake);
  if (thread_.joinable()) thread_.join();
}

void StopWatch::watch() {
  sigset_t signals{};
  ::sigemptyset(&signals);
  for (const int signal : kHandledSignals) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // they interrupt the work, not the watch
  while (!shared.finished) {
    const StopCause cause = cause_now();
    if (cause == StopCause::kNone || shared.heard) {
      const Clock::time_point limit = shared.heard ? Clock::time_point::max() : time_limit();
      wait_until(std::min(limit, Clock::now() + kLong));
      continue;
    }
    if (cause == StopCause::kLimit || shared.guards > 0) wait_for_work();
    const std::lock_guard<std::mutex> lock(shared.mutex);
    if (shared.finished || shared.heard) continue;
    const auto guard = std::find_if(
        shared.stack.rbegin(), shared.stack.rend(),
        [](const InterruptGuard* each) { return static_cast<bool>(each->last_words_); });
    end_process(cause,
                guard == shared.stack.rend() ? InterruptGuard::LastWords{} : (*guard)->last_words_);
  }
}

void StopWatch::limit(double seconds) {
  // Beyond a century nothing is a limit, and no clock has the digits.
  constexpr double kCentury = 3.2e9;
  const Clock::time_point end = seconds > 0 && seconds < kCentury
                                    ? process_start + std::chrono::duration_cast<Clock::duration>(
                                                          std::chrono::duration<double>(seconds))
                                    : Clock::time_point::max();
  shared.limit = end.time_since_epoch().count();
  ::sem_post(&shared.wake);
}

InterruptGuard::InterruptGuard(LastWords last_words) : last_words_(std::move(last_words)) {
  const std::lock_guard<std::mutex> lock(shared.mutex);
  shared.stack.push_back(this);
  ++shared.guards;
  shared.asked = false;  // of another guard's work
}

InterruptGuard::~InterruptGuard() {
  const std::lock_guard<std::mutex> lock(shared.mutex);
  std::erase(shared.stack, this);
  --shared.guards;
}

int InterruptGuard::pending_signal() {
  shared.asked = true;
  const int signal = shared.signal;
  if (signal != 0) shared.heard = true;
  return signal;
}

StopCause InterruptGuard::stop_cause() {
  shared.asked = true;
  const StopCause cause = cause_now();
  if (cause != StopCause::kNone) shared.heard = true;
  return cause;
}

int InterruptGuard::signal_for_children() {
  switch (stop_cause()) {
    case StopCause::kNone:
      return 0;
    case StopCause::kSignal:
      return shared.signal;
    case StopCause::kLimit:
      return SIGTERM;
  }
  return 0;
}

}  // namespace tcsim::cli
