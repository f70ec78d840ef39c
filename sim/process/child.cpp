#include "sim/process/child.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/process/args.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/start_dir.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sim/files/io_error.hpp"

namespace tcsim::process {
namespace {

namespace bp = boost::process;

/// Runs between fork and exec, where only async-signal-safe calls are allowed.
void prepare_child(std::int64_t memory_mib) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);  // Ctrl-C reaches the parent alone, which passes it on once
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);  // which tcsim ignores
  if (memory_mib <= 0) return;
  const rlim_t bytes = static_cast<rlim_t>(memory_mib) << 20;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

bp::child started(const std::vector<std::string>& command, const std::filesystem::path& directory,
                  std::int64_t memory_mib, std::FILE* output, std::FILE* errors) {
  std::error_code error;
  bp::child child(
      bp::exe = command.front(),
      bp::args = std::vector<std::string>(command.begin() + 1, command.end()),
      bp::start_dir = directory.empty() ? std::string(".") : directory.string(),
      bp::std_in<bp::null, bp::std_out> output, bp::std_err > errors,
      bp::extend::on_exec_setup = [memory_mib](auto&) { prepare_child(memory_mib); }, error);
  if (error) throw files::IoError(command.front() + ": cannot start: " + error.message());
  return child;
}

}  // namespace

MemoryFile::MemoryFile() : file_(nullptr, std::fclose) {
  const int descriptor = ::memfd_create("text", MFD_CLOEXEC);
  if (descriptor >= 0) file_.reset(::fdopen(descriptor, "w+"));
  if (file_ == nullptr)
    throw files::IoError(std::string("no memory for a child's output: ") + std::strerror(errno));
}

std::string MemoryFile::text() const {
  const int descriptor = ::fileno(file_.get());
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t length =
        ::pread(descriptor, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (length <= 0) break;
    done += static_cast<std::size_t>(length);
  }
  text.resize(done);
  return text;
}

Child::Child(std::size_t index, const std::vector<std::string>& command,
             const std::filesystem::path& directory, const Limits& limits)
    : index_(index),
      time_limit_s_(limits.time_s),
      handle_(started(command, directory, limits.memory_mib, output_.get(), errors_.get())) {}

Child::~Child() {
  if (!running()) return;
  kill_group(SIGKILL);
  std::error_code unheard;
  handle_.wait(unheard);
}

bool Child::running() {
  std::error_code unheard;
  return handle_.running(unheard);
}

void Child::kill_group(int signal) { ::kill(-handle_.id(), signal); }

void Child::stop(int signal) {
  stopped_ = true;
  kill_group(signal);
}

void Child::keep_limit() {
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - start_;
  if (time_limit_s_ <= 0 || timed_out_ || age.count() <= time_limit_s_) return;
  timed_out_ = true;
  kill_group(SIGKILL);
}

ChildResult Child::result() const {
  ChildResult result;
  const int state = handle_.native_exit_code();
  result.status = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
  result.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  result.timed_out = timed_out_;
  result.stopped = stopped_;
  result.output = output_.text();
  result.errors = errors_.text();
  result.started = true;
  return result;
}

}  // namespace tcsim::process
