#include "sim/sweep/process_pool.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/start_dir.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <list>
#include <sstream>
#include <thread>
#include <utility>

#include "sim/files/io_error.hpp"

namespace tcsim::sweep {
namespace {

namespace fs = std::filesystem;
namespace process = boost::process;
using Clock = std::chrono::steady_clock;

constexpr auto kPollInterval = std::chrono::milliseconds(5);

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A running child and the files that take what it prints; they go when it goes.
struct Child {
  std::size_t index;
  fs::path output;
  fs::path errors;
  process::child handle;
  Clock::time_point start = Clock::now();
  bool timed_out = false;

  Child(std::size_t which, fs::path out, fs::path err, process::child started)
      : index(which), output(std::move(out)), errors(std::move(err)), handle(std::move(started)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    std::error_code ignored;
    std::error_code unheard;
    if (handle.running(unheard)) {
      handle.terminate(unheard);
      handle.wait(unheard);
    }
    fs::remove(output, ignored);
    fs::remove(errors, ignored);
  }

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
};

/// Runs between fork and exec, where only async-signal-safe calls are allowed.
void prepare_child(std::int64_t memory_mib) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);  // Ctrl-C reaches the parent alone
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (memory_mib <= 0) return;
  const rlim_t bytes = static_cast<rlim_t>(memory_mib) << 20;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

Ending ending_of(const Child& child) {
  Ending ending;
  const int state = child.handle.native_exit_code();
  ending.status = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
  ending.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  ending.timed_out = child.timed_out;
  ending.wall_s = child.seconds();
  ending.output = text_of(child.output);
  ending.errors = text_of(child.errors);
  return ending;
}

}  // namespace

ProcessPool::ProcessPool(int jobs, fs::path directory, fs::path scratch, Limits limits)
    : jobs_(jobs),
      directory_(std::move(directory)),
      scratch_(std::move(scratch)),
      limits_(limits) {}

void ProcessPool::run(const std::vector<Command>& commands,
                      const std::function<void(std::size_t, const Ending&)>& finished,
                      const std::function<int()>& pending_signal) const {
  std::list<Child> running;
  std::size_t next = 0;
  const std::int64_t memory_mib = limits_.memory_mib;
  const auto start = [&](std::size_t index) {
    const Command& command = commands[index];
    const std::string stem = command.name + "." + std::to_string(::getpid());
    const fs::path output = scratch_ / (stem + ".out");
    const fs::path errors = scratch_ / (stem + ".err");
    std::error_code error;
    process::child started(
        process::exe = command.words.front(),
        process::args = std::vector<std::string>(command.words.begin() + 1, command.words.end()),
        process::start_dir = directory_.string(),
        process::std_in<process::null, process::std_out> output.string(),
        process::std_err > errors.string(),
        process::extend::on_exec_setup = [memory_mib](auto&) { prepare_child(memory_mib); }, error);
    if (error) throw files::IoError(command.words.front() + ": cannot start: " + error.message());
    running.emplace_back(index, output, errors, std::move(started));
  };
  while ((!running.empty() || next < commands.size()) && pending_signal() == 0) {
    while (next < commands.size() && running.size() < static_cast<std::size_t>(jobs_))
      start(next++);
    for (auto child = running.begin(); child != running.end();) {
      std::error_code ignored;
      if (child->handle.running(ignored)) {
        if (limits_.time_s > 0 && child->seconds() > limits_.time_s && !child->timed_out) {
          child->timed_out = true;
          ::kill(child->handle.id(), SIGKILL);
        }
        ++child;
        continue;
      }
      const std::size_t index = child->index;
      const Ending ending = ending_of(*child);
      child = running.erase(child);
      finished(index, ending);
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace tcsim::sweep
