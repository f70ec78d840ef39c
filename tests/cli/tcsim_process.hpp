#pragma once

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

/// The path of the program under test.
std::string program();

using test::text_of;
using TemporaryHome = test::TemporaryHome;

}  // namespace tcsim::cli
