#include "tests/fuzz/watch.hpp"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstring>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>

/// What AddressSanitizer holds back of freed memory (256 MiB unless told) is not the reader's.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=8"; }  // NOLINT
#endif

namespace tcsim::fuzz {
namespace {

constexpr time_t kMostSeconds = 5;

// What a signal handler may read, which is global.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::array<char, 64> reader_name{};
std::atomic<std::uint32_t> current{0};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void say(const char* text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

/// Calls only what a signal handler may call.
void name_input() {
  std::array<char, 16> digits{};
  std::to_chars(digits.data(), digits.data() + digits.size() - 1, current.load());
  say("\nfuzz: this input ends the process; repeat it with --reader ");
  say(reader_name.data());
  say(" --inputs 1 --first ");
  say(digits.data());
  say("\n");
}

void on_signal(int signal) {
  if (signal == SIGVTALRM) say("\nfuzz: more than 5 s of processor time");
  name_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// The handlers run on a stack of their own, because one of the troubles is the end of the stack.
void install_handlers() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_set_death_callback(name_input);
  std::signal(SIGVTALRM, on_signal);
#else
  static std::array<char, 1 << 16> stack;
  const stack_t alternate{stack.data(), 0, stack.size()};
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM})
    ::sigaction(signal, &action, nullptr);
#endif
}

void set_timer(time_t seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  ::setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

std::int64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace

Watch::Watch(std::string_view reader) : peak_at_start_(peak_bytes()) {
  reader_name.fill('\0');
  std::copy_n(reader.begin(), std::min(reader.size(), reader_name.size() - 1), reader_name.begin());
  install_handlers();
}

Watch::~Watch() { set_timer(0); }

void Watch::next(std::uint32_t index) {
  current = index;
  set_timer(kMostSeconds);
}

std::int64_t Watch::grown_bytes() const { return peak_bytes() - peak_at_start_; }

}  // namespace tcsim::fuzz
