#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {

/// `tcsim run` on lab-tiny, in its own home directory.
class TinyRun : public testing::Test {
 protected:
  using Json = nlohmann::ordered_json;

  static ChildResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"-m", "lab-tiny", "-q"});
    return tcsim(std::move(words));
  }
  /// What a run that must succeed prints, without files.
  static Json json_of(std::vector<std::string> words) {
    words.insert(words.end(), {"--no-files", "-f", "json"});
    const ChildResult result = run(std::move(words));
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output);
  }
  /// Expects that the run ends with `status` and prints only `reason`.
  static void expect_refused(std::vector<std::string> words, int status, const char* reason) {
    const ChildResult result = run(std::move(words));
    EXPECT_EQ(result.status, status) << result.output;
    EXPECT_THAT(result.errors, testing::HasSubstr(reason));
    EXPECT_EQ(result.output, "");
  }

  TemporaryHome home_;
};

}  // namespace tcsim::cli
