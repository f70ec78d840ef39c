#include "sim/cli/child_pool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <list>

#include "sim/files/atomic_file.hpp"

namespace tcsim::cli {
namespace {

/// A running child with the read ends of its two pipes; -1 once closed.
struct Child {
  std::size_t index = 0;
  pid_t process = 0;
  std::array<int, 2> pipes{-1, -1};
};

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw files::IoError(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
  }
};

/// Runs in the child between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become(const std::vector<char*>& arguments, int output, int errors) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a child never outlives a parent that was killed
  ::setpgid(0, 0);                     // Ctrl-C reaches the parent alone, which passes it on once
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execv(arguments.front(), arguments.data());
  constexpr int kCannotExecute = 127;  // as shells report it
  ::_exit(kCannotExecute);
}

Child start(std::size_t index, const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Pipe output;
  const Pipe errors;
  const pid_t process = ::fork();
  if (process == 0) become(arguments, output.ends[1], errors.ends[1]);
  if (process > 0)
    ::setpgid(process, process);  // here too, so that the group exists before anything signals it
  ::close(output.ends[1]);
  ::close(errors.ends[1]);
  if (process < 0)
    throw files::IoError(std::string("cannot start a process: ") + std::strerror(errno));
  return {index, process, {output.ends[0], errors.ends[0]}};
}

/// Moves what is there from `pipe` to `text`; closes the pipe at its end.
void drain(int& pipe, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t length = ::read(pipe, buffer.data(), buffer.size());
  if (length > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(length));
  } else if (length == 0 || errno != EINTR) {
    ::close(pipe);
    pipe = -1;
  }
}

void wait_for_output(std::list<Child>& children, std::vector<ChildResult>& results) {
  std::vector<pollfd> polled;
  for (const Child& child : children) {
    for (const int pipe : child.pipes) polled.push_back({pipe, POLLIN, 0});  // poll skips -1
  }
  constexpr int kSignalLatencyMs = 100;
  if (::poll(polled.data(), polled.size(), kSignalLatencyMs) <= 0) return;
  auto ready = polled.begin();
  for (Child& child : children) {
    ChildResult& result = results[child.index];
    if ((ready++)->revents != 0) drain(child.pipes[0], result.output);
    if ((ready++)->revents != 0) drain(child.pipes[1], result.errors);
  }
}

void reap(const Child& child, ChildResult& result) {
  int state = 0;
  while (::waitpid(child.process, &state, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
  result.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

}  // namespace

std::vector<ChildResult> ChildPool::run(
    const std::vector<std::vector<std::string>>& commands,
    const std::function<void(std::size_t, const ChildResult&)>& finished,
    const std::function<int()>& pending_signal) const {
  std::vector<ChildResult> results(commands.size());
  std::list<Child> running;
  std::size_t next = 0;
  bool stopping = false;
  while (!running.empty() || (next < commands.size() && !stopping)) {
    if (const int signal = pending_signal(); signal != 0 && !stopping) {
      stopping = true;
      for (const Child& child : running) ::kill(-child.process, signal);
    }
    while (!stopping && next < commands.size() &&
           running.size() < static_cast<std::size_t>(jobs_)) {
      running.push_back(start(next, commands[next]));
      results[next++].started = true;
    }
    wait_for_output(running, results);
    for (auto child = running.begin(); child != running.end();) {
      if (child->pipes[0] >= 0 || child->pipes[1] >= 0) {
        ++child;
        continue;
      }
      reap(*child, results[child->index]);
      finished(child->index, results[child->index]);
      child = running.erase(child);
    }
  }
  return results;
}

}  // namespace tcsim::cli
