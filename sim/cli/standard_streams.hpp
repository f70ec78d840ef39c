#pragma once

#include <iosfwd>
#include <streambuf>
#include <string>
#include <string_view>

namespace tcsim::cli {

/// The buffer of std::cout or std::cerr. It remembers the first error of its descriptor and drops
/// everything after it, so a full or closed stream never ends work in progress. Names and files
/// from elsewhere may hold anything, so text is written as sim/text shows it: a terminal executes
/// none of it, and JSON keeps its meaning.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);

  /// errno of the first write that failed, or 0.
  [[nodiscard]] int error() const { return error_; }

  /// Writes `sequence`, by which tcsim itself moves the cursor, unchanged.
  void steer(std::string_view sequence);
  /// Writes everything that is held, including an incomplete character.
  void finish();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  void put(std::string_view text);
  void write_held();

  const int descriptor_;
  const bool terminal_;
  std::string begun_;  ///< the first bytes of a character whose others may still come
  std::string held_;   ///< to write, as it is shown
  int error_ = 0;
};

/// Moves the cursor of a terminal behind `stream` by a control sequence of ours.
void steer(std::ostream& stream, std::string_view sequence);

/// Standard output and standard error of a command, from the first line of main to its end. They
/// are checked once, at the end; everything on them goes through std::cout and std::cerr.
class StandardStreams {
 public:
  /// A descriptor from 0 to 2 that is closed is taken, so that no file of ours gets its number;
  /// reading and writing it fail as before. A pipe without a reader and a file beyond its limit
  /// make writes fail instead of ending the process.
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  /// The status of a command that ends with `status`: kFileTrouble instead of kDone or kCheckFailed
  /// if a stream did not take all, with a message on standard error. A reader who has gone (`|
  /// head`) ends the process by SIGPIPE, as programs do that do not catch it.
  int finish(int status);

 private:
  [[nodiscard]] bool reader_has_gone() const;

  bool pipe_ends_process_;
  DescriptorBuffer output_;
  DescriptorBuffer errors_;
  std::streambuf* output_before_;
  std::streambuf* errors_before_;
};

}  // namespace tcsim::cli
