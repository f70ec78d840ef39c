#include "tests/fuzz/watch.hpp"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>

// GCC 12 brings the library but not its <sanitizer/allocator_interface.h>.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* block);
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_allocation)(const volatile void*,
                                                                               std::size_t),
                                                         void (*on_release)(const volatile void*));
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
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

#ifdef __SANITIZE_ADDRESS__
// The size of the process says little under AddressSanitizer, which keeps freed blocks and never
// joins their neighbours. What was allocated and not yet freed is the reader's.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::int64_t> live_bytes{0};
std::atomic<std::int64_t> most_live_bytes{0};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void on_allocation(const volatile void*, std::size_t bytes) {
  const std::int64_t live = live_bytes += static_cast<std::int64_t>(bytes);
  if (live > most_live_bytes) most_live_bytes = live;
}

void on_release(const volatile void* block) {
  if (block) live_bytes -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(block));
}

void start_counting() {
  static const bool counts =
      __sanitizer_install_malloc_and_free_hooks(on_allocation, on_release) != 0;
  if (!counts) std::abort();
  live_bytes = static_cast<std::int64_t>(__sanitizer_get_current_allocated_bytes());
  most_live_bytes = live_bytes.load();
}

std::int64_t peak_bytes() { return most_live_bytes; }
#else
void start_counting() {}

std::int64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}
#endif

}  // namespace

Watch::Watch(std::string_view reader) {
  start_counting();
  peak_at_start_ = peak_bytes();
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
