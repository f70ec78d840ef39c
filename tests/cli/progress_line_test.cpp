#include "sim/cli/progress_line.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace tcsim::cli {
namespace {

TEST(ProgressText, ExtrapolatesFromTheCtasThatAreDone) {
  EXPECT_EQ(progress_text({/*now=*/123456, /*ctas_done=*/64, /*ctas_total=*/256,
                           /*warp_instructions=*/8000000},
                          2.0),
            "25.0 %  64 of 256 CTAs  cycle 123,456  4.0 M warp instructions/s  ETA 6 s");
}

TEST(ProgressText, ExtrapolatesFromTheInstructionsThatAreForetold) {
  EXPECT_EQ(progress_text({123456, 0, 256, 8000000, 80000000}, 2.0),
            "10.0 %  0 of 256 CTAs  cycle 123,456  4.0 M warp instructions/s  ETA 18 s");
  EXPECT_EQ(progress_text({123456, 0, 256, 8000000, 7000000}, 2.0),
            "100.0 %  0 of 256 CTAs  cycle 123,456  4.0 M warp instructions/s  ETA 0 s");
}

TEST(ProgressText, HasNoEtaBeforeTheFirstCtaIsDone) {
  EXPECT_EQ(progress_text({1000, 0, 256, 0}, 2.0),
            "0.0 %  0 of 256 CTAs  cycle 1,000  0.0 M warp instructions/s");
}

std::string shown_by(ProgressLine& line) {
  ::testing::internal::CaptureStderr();
  line.show({1, 0, 256, 0});
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  line.show({2, 0, 256, 0});
  return ::testing::internal::GetCapturedStderr();
}

TEST(ProgressLine, WritesAPlainLineAfterEachInterval) {
  ProgressLine often(/*enabled=*/true, /*terminal=*/false, /*every_s=*/0.05);
  EXPECT_NE(shown_by(often).find("cycle 2 "), std::string::npos);
  ProgressLine seldom(/*enabled=*/true, /*terminal=*/false, /*every_s=*/3600);
  const std::string text = shown_by(seldom);
  EXPECT_NE(text.find("cycle 1 "), std::string::npos) << text;
  EXPECT_EQ(text.find("cycle 2 "), std::string::npos) << text;
}

}  // namespace
}  // namespace tcsim::cli
