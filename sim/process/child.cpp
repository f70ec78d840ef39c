#include "sim/process/child.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/process/args.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/start_dir.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sim/errors/errors.hpp"
#include "sim/process/confiner.hpp"

namespace tcsim::process {
namespace {

namespace bp = boost::process;

/// Runs between fork and exec, where only async-signal-safe calls are allowed. False: the child
/// must not start, and errno says why.
bool prepare_child(std::int64_t memory_mib, const Confiner* confiner) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Ctrl-C reaches only the parent, which passes it on once.
  if (confiner == nullptr)
    ::setpgid(0, 0);
  else
    ::setsid();
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);  // which tcsim ignores
  if (memory_mib > 0) {
    const rlim_t bytes = static_cast<rlim_t>(memory_mib) << 20;
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  return confiner == nullptr || confiner->confine_this_process();
}

bp::environment kept_environment(const std::optional<Confinement>& confinement) {
  if (!confinement) return boost::this_process::environment();
  bp::environment kept;
  // Boost's own search reads beyond variables that are shorter than the name.
  for (const std::string& name : confinement->environment)
    if (const char* const value = std::getenv(name.c_str())) kept[name] = value;
  return kept;
}

bp::child started(const std::vector<std::string>& command, const PoolOptions& options,
                  std::FILE* input, std::FILE* output, std::FILE* errors) {
  const std::filesystem::path& directory = options.directory;
  std::optional<Confiner> confiner;
  if (options.confinement) confiner.emplace(*options.confinement, command.front(), options);
  const Confiner* const confining = confiner ? &*confiner : nullptr;
  std::error_code error;
  errno = 0;
  bp::child child(
      bp::exe = command.front(),
      bp::args = std::vector<std::string>(command.begin() + 1, command.end()),
      bp::start_dir = directory.empty() ? std::string(".") : directory.string(),
      bp::std_in<input, bp::std_out> output, bp::std_err > errors,
      kept_environment(options.confinement),
      bp::extend::on_exec_setup =
          [memory_mib = options.limits.memory_mib, confining](auto&) {
            // The status with which shells report what cannot be run.
            constexpr int kNotConfined = 126;
            if (!prepare_child(memory_mib, confining)) ::_exit(kNotConfined);
          },
      error);
  // Without a descriptor for its own pipe, Boost returns an empty child and no error.
  if (!error && !child.valid()) error.assign(errno, std::generic_category());
  if (error || !child.valid())
    throw IoError(command.front() + ": cannot start: " + error.message());
  return child;
}

}  // namespace

MemoryFile::MemoryFile(std::string_view text) : file_(nullptr, std::fclose) {
  const int descriptor = ::memfd_create("text", MFD_CLOEXEC);
  if (descriptor >= 0) file_.reset(::fdopen(descriptor, "w+"));
  if (file_ == nullptr)
    throw IoError(std::string("no memory for what a child reads and writes: ") +
                  std::strerror(errno));
  const bool is_written =
      text.empty() || std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
  if (!is_written || std::fflush(file_.get()) != 0)
    throw IoError(std::string("no memory for what a child reads: ") + std::strerror(errno));
  std::rewind(file_.get());
}

std::string MemoryFile::text() const {
  const int descriptor = ::fileno(file_.get());
  struct stat status {};
  const bool is_known = ::fstat(descriptor, &status) == 0;
  std::string text(is_known ? static_cast<std::size_t>(status.st_size) : 0, '\0');
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

Child::Child(std::size_t index, const Command& command, const PoolOptions& options)
    : index_(index),
      time_limit_s_(options.limits.time_s),
      confined_(options.confinement.has_value()),
      input_(command.input),
      handle_(started(command.words, options, input_.get(), output_.get(), errors_.get())) {}

Child::~Child() {
  if (!running()) return;
  kill_group(SIGKILL);
  std::error_code unheard;
  handle_.wait(unheard);
}

bool Child::running() {
  std::error_code unheard;
  if (handle_.running(unheard)) return true;
  // Processes that the child may have left behind.
  if (std::exchange(confined_, false)) kill_group(SIGKILL);
  return false;
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
