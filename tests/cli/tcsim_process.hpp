#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/process/child_pool.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::cli {

using process::ChildResult;

/// The outcome of `tcsim` with `arguments`. `pending_signal` is polled while it runs; a signal it
/// returns is sent.
ChildResult tcsim(
    std::vector<std::string> arguments,
    const std::function<int()>& pending_signal = [] { return 0; });

/// The outcome of any command; the first word is a path.
ChildResult command(const std::vector<std::string>& words);

/// How long the program needs at most to get going, which takes seconds under a sanitizer on a busy
/// host: a signal before that ends it like any other program. Measured once.
std::chrono::milliseconds time_to_start();

/// The path of the program under test.
std::string program();

using test::text_of;
using TemporaryHome = test::TemporaryHome;

}  // namespace tcsim::cli
