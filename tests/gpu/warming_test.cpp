#include "sim/gpu/warming.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::gpu::test {
namespace {

constexpr std::int64_t kTrips = 256;
constexpr int kTripsOfL2 = 8;
constexpr std::uint8_t kWholeLine = 0xf;
constexpr int kSectors = 4;  // of a line

/// An L2, and trips of which each reads an eighth of it anew.
class Trips {
 public:
  Trips()
      : root_("test"),
        memory_(setup_.noc, setup_.l2, setup_.tlb, setup_.dram, setup_.clocks, setup_.topology,
                root_),
        warming_(memory_, [] { return true; }) {}

  void read(std::int64_t trip) {
    for (std::int64_t line = trip * lines(); line < (trip + 1) * lines(); ++line) {
      sm::LineSectors whole{};
      whole.line = static_cast<std::uint64_t>(line * setup_.l2.line_bytes);
      whole.sectors = kWholeLine;
      listener_({whole});
    }
    ++read_;
  }

  /// The sectors that DRAM reads.
  double read_as_in_a_gap(std::int64_t trips) {
    return warming_.read_trips(trips, [this](std::int64_t trip) { read(trip); });
  }

  /// Of a trip.
  [[nodiscard]] std::int64_t lines() const { return memory_.l2_lines() / kTripsOfL2; }

  [[nodiscard]] std::int64_t trips_read() const { return read_; }

  [[nodiscard]] std::set<std::uint64_t> held() const {
    std::set<std::uint64_t> addresses;
    for (const memory::CachedLine& line : memory_.lines()) addresses.insert(line.address);
    return addresses;
  }

 private:
  memory::test::MemorySetup setup_;
  stats::Group root_;
  memory::MemorySystem memory_;
  L2Warming warming_;
  sm::AccessListener listener_ = warming_.reads_of(0);
  std::int64_t read_ = 0;
};

TEST(L2Warming, OfManyTripsTheLastOnesFillTheL2) {
  Trips all;
  for (std::int64_t trip = 0; trip < kTrips; ++trip) all.read(trip);
  Trips last;
  last.read_as_in_a_gap(kTrips);
  EXPECT_LT(last.trips_read(), kTrips / 4);
  EXPECT_EQ(last.held(), all.held());
}

TEST(L2Warming, TellsWhatDramReads) {
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{20}, kTrips}) {
    Trips trips;
    EXPECT_EQ(trips.read_as_in_a_gap(count), static_cast<double>(count * trips.lines() * kSectors));
  }
  Trips again;
  constexpr auto kHalf = kTripsOfL2 / 2;
  again.read_as_in_a_gap(kHalf);
  EXPECT_EQ(again.read_as_in_a_gap(kTripsOfL2),
            static_cast<double>(kHalf * again.lines() * kSectors))
      << "the L2 holds the others";
}

}  // namespace
}  // namespace tcsim::gpu::test
