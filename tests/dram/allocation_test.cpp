// A program of its own, because it replaces the allocation functions.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tests/dram/machines.hpp"
#include "tests/dram/traffic.hpp"

namespace {

std::uint64_t& allocations() {
  static std::uint64_t count = 0;
  return count;
}

}  // namespace

// Not inlined, so that the compiler does not compare malloc with delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations();
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tcsim::dram::test {
namespace {

class ChannelAllocation : public ::testing::TestWithParam<std::string_view> {};

TEST_P(ChannelAllocation, HappensOnlyDuringConstruction) {
  stats::Group root("test");
  DramParams params = v100_channel;
  params.scheduling = GetParam();
  const std::uint64_t before = allocations();
  Channel channel(resolve(params, kV100MemoryMhz), params, root, "channel");
  const std::uint64_t constructed = allocations();
  EXPECT_GT(constructed, before) << "or the count sees nothing";

  Traffic traffic = random_bursts(32, 1, 40);
  std::vector<Completion> done;
  done.reserve(1000);
  const std::uint64_t ready = allocations();
  Cycle now = 0;
  for (std::uint64_t pushed = 0; pushed < 10'000;) {
    while (channel.can_accept()) channel.push(now, traffic(pushed++));
    now = channel.next_event() + 1;
    done.clear();
    channel.advance(now, done);
  }
  EXPECT_EQ(allocations(), ready);
}

INSTANTIATE_TEST_SUITE_P(Schedulings, ChannelAllocation, ::testing::ValuesIn(Schedulings::names()),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace tcsim::dram::test
