#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace tcsim::cli {

/// Standard output of `tcsim` with `words`, run in this process. `add(app, status)` adds the
/// commands that they may name. What a command throws is passed on; its status must be 0.
template <typename Add>
std::string output_of(std::vector<std::string> words, Add add) {
  CLI::App app;
  int status = -1;
  add(app, status);
  std::ranges::reverse(words);  // CLI11 takes the last first
  testing::internal::CaptureStdout();
  try {
    app.parse(words);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  EXPECT_EQ(status, 0);
  return testing::internal::GetCapturedStdout();
}

}  // namespace tcsim::cli
