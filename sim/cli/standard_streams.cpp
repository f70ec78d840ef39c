#include "sim/cli/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <utility>

#include "sim/errors/errors.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::cli {
namespace {

constexpr std::size_t kHeldBytes = std::size_t{1} << 16;

/// Opens what is closed of 0 to 2, as something that can be neither read nor written.
void fill_closed_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is the one that is wanted, since those below are open by now.
    if (::open("/", O_PATH) != descriptor) return;  // no descriptor left: nothing of ours opens
  }
}

/// Ignores `signal`. True if its default action was in force.
bool ignore(int signal) {
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  struct sigaction before {};
  ::sigaction(signal, &ignored, &before);
  return before.sa_handler == SIG_DFL;
}

}  // namespace

DescriptorBuffer::DescriptorBuffer(int descriptor)
    : descriptor_(descriptor), terminal_(::isatty(descriptor) == 1) {}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char character = traits_type::to_char_type(c);
  put({&character, 1});
  return c;
}

std::streamsize DescriptorBuffer::xsputn(const char* text, std::streamsize size) {
  put({text, static_cast<std::size_t>(size)});
  return size;
}

void DescriptorBuffer::put(std::string_view text) {
  begun_ += text;
  const std::size_t whole = text::whole_characters(begun_);
  held_ += text::visible(std::string_view(begun_).substr(0, whole));
  begun_.erase(0, whole);
  if (terminal_ || held_.size() >= kHeldBytes) write_held();
}

void DescriptorBuffer::steer(std::string_view sequence) {
  finish();
  held_ += sequence;
  write_held();
}

void DescriptorBuffer::finish() {
  held_ += text::visible(std::exchange(begun_, {}));
  write_held();
}

int DescriptorBuffer::sync() {
  write_held();
  return 0;  // an error is asked for at the end
}

void DescriptorBuffer::write_held() {
  std::string_view text = held_;
  while (!text.empty() && error_ == 0) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    if (written >= 0 || errno == EINTR) continue;
    pollfd wanted{descriptor_, POLLOUT, 0};
    if (errno != EAGAIN || ::poll(&wanted, 1, /*timeout=*/-1) < 0) error_ = errno;
  }
  held_.clear();
}

void steer(std::ostream& stream, std::string_view sequence) {
  if (auto* const buffer = dynamic_cast<DescriptorBuffer*>(stream.rdbuf()))
    buffer->steer(sequence);
  else
    stream << sequence;
}

StandardStreams::StandardStreams()
    : pipe_ends_process_(ignore(SIGPIPE)),
      output_(STDOUT_FILENO),
      errors_(STDERR_FILENO),
      output_before_(std::cout.rdbuf(&output_)),
      errors_before_(std::cerr.rdbuf(&errors_)) {
  fill_closed_descriptors();
  ignore(SIGXFSZ);
}

StandardStreams::~StandardStreams() {
  std::cout.rdbuf(output_before_);
  std::cerr.rdbuf(errors_before_);
}

bool StandardStreams::reader_has_gone() const {
  return pipe_ends_process_ && (output_.error() == EPIPE || errors_.error() == EPIPE);
}

int StandardStreams::finish(int status) {
  output_.finish();
  errors_.finish();
  if (output_.error() == 0 && errors_.error() == 0) return status;
  const bool is_done = status == kDone || status == kCheckFailed;
  if (reader_has_gone() && is_done) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  if (output_.error() != 0)
    std::cerr << "tcsim: standard output: cannot write: " << std::strerror(output_.error()) << "\n"
              << std::flush;
  return is_done ? static_cast<int>(kFileTrouble) : status;
}

}  // namespace tcsim::cli
