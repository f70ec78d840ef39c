#include "sim/files/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <utility>

namespace tcsim::files {
namespace {

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

TEST(Descriptor, ClosesItselfOnceWhoeverHasIt) {
  int number = -1;
  {
    Descriptor first(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    number = first.number();
    const Descriptor second(std::move(first));
    EXPECT_EQ(second.number(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, ClosesWhatItHeldBeforeAnAssignment) {
  Descriptor one(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const int number = one.number();
  one = Descriptor();
  EXPECT_FALSE(one.is_open());
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, IsClosedEarlierOnDemand) {
  Descriptor one(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const int number = one.number();
  EXPECT_TRUE(write_all(number, "text"));
  EXPECT_TRUE(one.close());
  EXPECT_FALSE(one.is_open());
  EXPECT_FALSE(is_open(number));
}

TEST(WriteAll, LeavesTheReasonInErrno) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(write_all(full.number(), "text"));
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace tcsim::files
