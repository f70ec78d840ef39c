#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/process/child_pool.hpp"
#include "tests/support/temporary_directory.hpp"

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

/// The text of a file; empty if it cannot be read.
std::string text_of(const std::filesystem::path& path);

using TemporaryHome = test::TemporaryHome;

}  // namespace tcsim::cli
