#pragma once

#include <boost/process/child.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "sim/process/child_pool.hpp"

namespace tcsim::process {

/// A text in memory that a child reads or writes. It needs no disk, and a long text blocks nobody.
class MemoryFile {
 public:
  /// Holds `text`, to be read from its start. Throws IoError.
  explicit MemoryFile(std::string_view text = {});
  [[nodiscard]] std::FILE* get() const { return file_.get(); }
  /// Everything written so far, by any writer; does not change anyone's position in it.
  [[nodiscard]] std::string text() const;

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// A running child process; killed with its own children if it still runs when the object is
/// destroyed.
class Child {
 public:
  /// Throws IoError.
  Child(std::size_t index, const Command& command, const PoolOptions& options);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] std::size_t index() const { return index_; }
  bool running();
  /// Passes `signal` on and records that the child was told to stop.
  void stop(int signal);
  /// Kills the child if it has run longer than its limit.
  void keep_limit();
  /// What the child has written to its standard error so far.
  [[nodiscard]] std::string errors_so_far() const { return errors_.text(); }
  /// Requires that the child has ended.
  [[nodiscard]] ChildResult result() const;

 private:
  void kill_group(int signal);

  std::size_t index_;
  double time_limit_s_;
  bool confined_;
  MemoryFile input_;
  MemoryFile output_;
  MemoryFile errors_;
  boost::process::child handle_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool timed_out_ = false;
  bool stopped_ = false;
};

}  // namespace tcsim::process
