#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/memory/address_map.hpp"
#include "models/memory/calendar.hpp"
#include "models/memory/channel_hash.hpp"
#include "models/memory/clock_ratio.hpp"
#include "models/memory/divider.hpp"
#include "models/memory/network.hpp"
#include "models/memory/port.hpp"
#include "models/memory/slice_tags.hpp"
#include "tests/support/ampere_params.hpp"

namespace tcsim::memory::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

TEST(Port, SendsItsWidthPerCycle) {
  Port port(64);
  EXPECT_EQ(port.reserve(10, 64), 11);
  EXPECT_EQ(port.reserve(10, 64), 12);
  EXPECT_EQ(port.reserve(10, 128), 14);
}

TEST(Port, TransfersBelowItsWidthShareACycle) {
  Port port(64);
  EXPECT_EQ(port.reserve(10, 32), 11);
  EXPECT_EQ(port.reserve(10, 32), 11);
  EXPECT_EQ(port.reserve(10, 32), 12);
  EXPECT_EQ(port.reserve(10, 8), 12);
  EXPECT_EQ(port.reserve(10, 25), 13);  // one byte too many for the rest of cycle 11
}

TEST(Port, DoesNotSendBeforeItIsTold) {
  Port port(64);
  EXPECT_EQ(port.reserve(10, 8), 11);
  EXPECT_EQ(port.reserve(20, 8), 21);
}

TEST(Calendar, GivesTheItemsOfACycleInTheOrderTheyCame) {
  Calendar<int> calendar;
  calendar.push(5, 1);
  calendar.push(3, 2);
  calendar.push(5, 3);
  std::vector<int> items;
  calendar.take(0, items);
  EXPECT_TRUE(items.empty());
  calendar.take(3, items);
  EXPECT_EQ(items, std::vector<int>{2});
  calendar.take(5, items);
  EXPECT_EQ(items, (std::vector<int>{1, 3}));
  EXPECT_TRUE(calendar.empty());
}

TEST(Calendar, KeepsItemsFarAheadAndTheirOrder) {
  constexpr Cycle kFar = 10'000;
  Calendar<int> calendar;
  calendar.push(kFar, 1);
  calendar.push(kFar + 4096, 2);
  calendar.push(kFar, 3);
  std::vector<int> items;
  for (Cycle now = 0; now < kFar - 10; ++now) {
    calendar.take(now, items);
    ASSERT_TRUE(items.empty()) << now;
  }
  calendar.push(kFar, 4);  // near by now, but after the others
  for (Cycle now = kFar - 10; now < kFar; ++now) calendar.take(now, items);
  calendar.take(kFar, items);
  EXPECT_EQ(items, (std::vector<int>{1, 3, 4}));
  EXPECT_FALSE(calendar.empty());
  for (Cycle now = kFar + 1; now < kFar + 4096; ++now) calendar.take(now, items);
  calendar.take(kFar + 4096, items);
  EXPECT_EQ(items, std::vector<int>{2});
}

TEST(Calendar, SkipsWhenEmpty) {
  Calendar<int> calendar;
  calendar.skip_to(1'000'000);
  calendar.push(1'000'007, 1);
  std::vector<int> items;
  for (Cycle now = 1'000'000; now < 1'000'007; ++now) {
    calendar.take(now, items);
    EXPECT_TRUE(items.empty());
  }
  calendar.take(1'000'007, items);
  EXPECT_EQ(items, std::vector<int>{1});
}

TEST(Divider, DividesAsTheProcessorDoes) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 40;
  std::uint64_t number = 1;
  for (const std::uint64_t divisor : {1, 2, 3, 5, 32, 40, 80, 96, 127, 128, 4096, 16'777'215}) {
    const Divider divider(divisor);
    for (const std::uint64_t edge : {std::uint64_t{0}, divisor, kEnd - 1, kEnd / divisor * divisor})
      for (std::uint64_t near = edge > 1 ? edge - 2 : 0; near < std::min(edge + 2, kEnd); ++near)
        ASSERT_EQ(divider.quotient(near), near / divisor) << near << " / " << divisor;
    for (int i = 0; i < 10'000; ++i) {
      number = number * 6364136223846793005 + 1442695040888963407;
      ASSERT_EQ(divider.quotient(number >> 24), (number >> 24) / divisor) << divisor;
      ASSERT_EQ(divider.remainder(number >> 24), (number >> 24) % divisor) << divisor;
    }
  }
}

TEST(ClockRatio, RoundsToTheEdgeBeforeOrAfter) {
  const ClockRatio ratio(1590, 1410);
  EXPECT_EQ(ratio.up(0), 0);
  EXPECT_EQ(ratio.up(159), 141);
  EXPECT_EQ(ratio.down(159), 141);
  EXPECT_EQ(ratio.up(1), 1);  // 0.887
  EXPECT_EQ(ratio.down(1), 0);
  EXPECT_EQ(ratio.up(160), 142);  // 141.887
  EXPECT_EQ(ratio.down(160), 141);
}

TEST(ClockRatio, KeepsOrderAndComesBackNotEarlier) {
  const ClockRatio there(1590, 1215);
  const ClockRatio back(1215, 1590);
  for (Cycle cycle = 0; cycle < 5000; ++cycle) {
    EXPECT_LE(there.up(cycle), there.up(cycle + 1));
    EXPECT_GE(back.up(there.up(cycle)), cycle);
    EXPECT_LE(back.down(there.down(cycle)), cycle);
    EXPECT_LE(there.up(cycle) - there.down(cycle), 1);
  }
}

L2Params slices(int count, const std::string& hash) {
  L2Params params = ampere_l2();
  params.slices = count;
  params.slice_hash = hash;
  return params;
}

TEST(AddressMap, IsOneToOne) {
  for (const int count : {1, 8, 64, 80, 96}) {
    for (const std::string hash : {"modulo", "xor_fold", "polynomial"}) {
      if (hash == "polynomial" && !std::has_single_bit(static_cast<unsigned>(count))) continue;
      const AddressMap map(slices(count, hash));
      std::set<std::pair<int, std::uint64_t>> homes;
      constexpr std::uint64_t kLines = 20'000;
      for (std::uint64_t line = 0; line < kLines; ++line) {
        const HomeAddress home = map.home(line * 128);
        EXPECT_GE(home.slice, 0);
        EXPECT_LT(home.slice, count);
        homes.emplace(home.slice, home.local);
      }
      EXPECT_EQ(homes.size(), kLines) << count << " slices, " << hash;
    }
  }
}

TEST(AddressMap, LocalAddressesAreDense) {
  const AddressMap map(slices(80, "xor_fold"));
  std::vector<std::vector<std::uint64_t>> locals(80);
  for (std::uint64_t block = 0; block < std::uint64_t{80} * 50; ++block) {
    const HomeAddress home = map.home(block * 256);
    locals[static_cast<std::size_t>(home.slice)].push_back(home.local);
  }
  for (auto& of_slice : locals) {
    std::sort(of_slice.begin(), of_slice.end());
    ASSERT_EQ(of_slice.size(), 50u);
    for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(of_slice[i], i * 256);
  }
}

TEST(AddressMap, KeepsBytesOfABlockTogether) {
  const AddressMap map(slices(80, "xor_fold"));
  constexpr std::uint64_t kBlock = std::uint64_t{256} * 12345;
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(map.home(kBlock + byte).slice, map.home(kBlock).slice);
    EXPECT_EQ(map.home(kBlock + byte).local, map.home(kBlock).local + byte);
  }
}

/// The fullest slice, relative to an even spread, in percent, of 64 accesses per slice with
/// `stride`.
std::uint64_t fullest_percent(const AddressMap& map, int count, std::uint64_t stride) {
  constexpr std::uint64_t kEach = 64;
  std::vector<std::uint64_t> hits(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < kEach * static_cast<std::uint64_t>(count); ++i)
    ++hits[static_cast<std::size_t>(map.home(i * stride).slice)];
  return *std::max_element(hits.begin(), hits.end()) * 100 / kEach;
}

TEST(AddressMap, SpreadsPowerOfTwoStridesWhenHashed) {
  // Random placement of 64 per slice would put about 64 + 3 * 8 on the fullest of 96.
  for (const int count : {64, 80, 96})
    for (int bits = 8; bits <= 24; ++bits)
      EXPECT_LE(
          fullest_percent(AddressMap(slices(count, "xor_fold")), count, std::uint64_t{1} << bits),
          150u)
          << count << " slices, stride 2^" << bits;
}

TEST(AddressMap, PolynomialsSpreadPowerOfTwoStridesPerfectly) {
  for (const int count : {8, 64})
    for (int bits = 8; bits <= 24; ++bits)
      EXPECT_EQ(
          fullest_percent(AddressMap(slices(count, "polynomial")), count, std::uint64_t{1} << bits),
          100u)
          << count << " slices, stride 2^" << bits;
}

TEST(AddressMap, PolynomialsKeepPairsOfGroupsTogether) {
  const AddressMap map(slices(64, "polynomial"));
  const auto slice_at = [&](std::uint64_t group) { return map.home(group * 64 * 256).slice; };
  for (std::uint64_t group = 0; group < 256; group += 2) {
    EXPECT_EQ(slice_at(group), slice_at(group + 1)) << group;
    EXPECT_NE(slice_at(group), slice_at(group + 2)) << group;
  }
}

TEST(AddressMap, PolynomialsNeedAPowerOfTwo) {
  EXPECT_THROW(AddressMap(slices(80, "polynomial")), std::invalid_argument);
}

/// Of the channels of all slices, two each, that with the most of `rows` strips of a matrix whose
/// rows are `pitch` bytes apart, in percent of the mean; 0 if one has none.
std::uint64_t fullest_channel_percent(int count, std::uint64_t pitch, std::uint64_t rows) {
  const AddressMap map(slices(count, "xor_fold"));
  std::vector<std::uint64_t> strips(static_cast<std::size_t>(count) * 2);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const HomeAddress home = map.home(row * pitch);
    const std::uint64_t channel = channel_of(home.local / 256, Divider(2));
    ++strips[static_cast<std::size_t>(home.slice) * 2 + static_cast<std::size_t>(channel)];
  }
  if (std::ranges::min(strips) == 0) return 0;
  return 100 * std::ranges::max(strips) * strips.size() / rows;
}

TEST(ChannelOf, SpreadsStripsOfPowersOfTwoOverAllChannels) {
  for (const int count : {80, 96})
    for (const std::uint64_t pitch : {2048, 8192, 32768}) {
      const std::uint64_t percent = fullest_channel_percent(count, pitch, 32768);
      EXPECT_GT(percent, 0U) << count << ' ' << pitch;
      EXPECT_LT(percent, 140U) << count << ' ' << pitch;
    }
}

TEST(ChannelOf, GivesEveryChannelOneBlockOfAGroup) {
  for (const std::uint64_t owned : {1, 2, 3, 4})
    for (std::uint64_t group = 0; group < 100; ++group) {
      std::set<std::uint64_t> channels;
      for (std::uint64_t block = 0; block < owned; ++block)
        channels.insert(channel_of(group * owned + block, Divider(owned)));
      EXPECT_EQ(channels.size(), owned);
    }
}

TEST(AddressMap, ModuloCampsOnOneSlice) {
  EXPECT_EQ(fullest_percent(AddressMap(slices(64, "modulo")), 64, std::uint64_t{64} * 256), 6400u);
}

TEST(SliceTags, ReplacesAnEmptyPlaceThenTheLeastRecentlyUsed) {
  SliceTags tags("lru", 2, 2, 0);
  const std::uint32_t set = tags.set_of(7);
  EXPECT_EQ(set, 1u);
  EXPECT_EQ(tags.find(7, set), SliceTags::kNone);
  const int first = tags.victim(set);
  tags.assign(first, 7);
  const int second = tags.victim(set);
  EXPECT_NE(first, second);
  tags.assign(second, 9);
  EXPECT_EQ(tags.find(7, set), first);
  EXPECT_EQ(tags.victim(set), first);
  tags.line(first).pending = 1;  // under way: the other goes
  EXPECT_EQ(tags.pending_lines(set), 1);
  EXPECT_EQ(tags.victim(set), second);
  tags.line(second).pending = 1;
  EXPECT_EQ(tags.victim(set), SliceTags::kNone);
}

TEST(SliceTags, NameTheDirtyLineThatGoesFirst) {
  SliceTags tags("lru", 2, 4, 0);
  for (std::uint32_t number : {1, 3, 5, 7}) tags.assign(tags.victim(1), number);
  EXPECT_EQ(tags.dirty_lines(1), 0);
  EXPECT_EQ(tags.stalest_dirty(1), SliceTags::kNone);
  for (std::uint32_t number : {3, 7}) tags.line(tags.find(number, 1)).dirty = 1;
  EXPECT_EQ(tags.dirty_lines(1), 2);
  EXPECT_EQ(tags.dirty_lines(0), 0);
  EXPECT_EQ(tags.number(tags.stalest_dirty(1)), 3u);
  tags.use(tags.find(3, 1));
  EXPECT_EQ(tags.number(tags.stalest_dirty(1)), 7u);
}

TEST(Topology, NumbersSmsGpcByGpc) {
  const Topology topology = make_topology(2, {4, 2});
  EXPECT_EQ(topology.sms(), 6);
  EXPECT_EQ(topology.gpcs, 2);
  EXPECT_EQ(topology.tpcs, 3);
  EXPECT_EQ(topology.gpc_of_sm, (std::vector<int>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(topology.tpc_of_sm, (std::vector<int>{0, 0, 1, 1, 2, 2}));
}

SliceRequest request(int sm, LineAccess access, int sectors, int slice = 0) {
  SliceRequest made;
  made.line.sm = static_cast<std::uint16_t>(sm);
  made.line.access = access;
  made.line.sectors = static_cast<std::uint8_t>(sectors);
  made.slice = static_cast<std::uint16_t>(slice);
  return made;
}

/// Sends requests and collects when those of each SM arrive.
struct Way {
  void send(const SliceRequest& request, Cycle leave) { send(request, leave, leave); }
  void send(const SliceRequest& request, Cycle leave, Cycle translated) {
    network.send(request, leave, translated, 0,
                 [this](const auto& sent, Cycle at) { take(sent, at); });
  }
  /// The arrivals of `sm` up to now, in order.
  std::vector<Cycle> arrivals(int sm) {
    network.pass_until(100000, [this](const auto& sent, Cycle at) { take(sent, at); });
    EXPECT_TRUE(network.is_empty());
    return of_sm[sm];
  }
  void take(const SliceRequest& sent, Cycle at) { of_sm[sent.line.sm].push_back(at); }

  Network network;
  std::map<int, std::vector<Cycle>> of_sm{};
};

TEST(Network, AnUnloadedRequestTakesTheLatency) {
  Way way{Network(ampere_noc(), make_topology(2, {4, 4}), 8, 32)};
  way.send(request(0, LineAccess::kRead, 0b1111), 100);
  EXPECT_EQ(way.arrivals(0), std::vector<Cycle>{145});
  EXPECT_EQ(way.network.deliver_response(0, 32, 200), 245);
}

TEST(Network, WritesTakeThePortForTheirData) {
  // 8 + 128 bytes over 32 bytes per cycle: the last byte passes in the fifth cycle.
  Way way{Network(ampere_noc(), make_topology(2, {4, 4}), 8, 32)};
  way.send(request(0, LineAccess::kWrite, 0b1111), 100);
  // 34 cycles of a quarter: 136 bytes each.
  way.send(request(0, LineAccess::kRead, 0b0001), 100);
  EXPECT_EQ(way.arrivals(0), (std::vector<Cycle>{145 + 4 + 2, 145 + 4 + 2}));
}

TEST(Network, TheBacklogOfAnSmDelaysOnlyThatSm) {
  Way way{Network(ampere_noc(), make_topology(2, {4, 4}), 8, 32)};
  for (int i = 0; i < 100; ++i) way.send(request(0, LineAccess::kWrite, 0b1111), 100);
  way.send(request(2, LineAccess::kRead, 0b0001), 101);  // of another TPC
  way.send(request(0, LineAccess::kRead, 0b0001), 101);
  EXPECT_EQ(way.arrivals(2), std::vector<Cycle>{146});
  EXPECT_GT(way.arrivals(0).back(), 145 + 100 * 136 / 32);
}

TEST(Network, ALaterRequestToAPageUnderWayStaysBehindTheFirst) {
  Way way{Network(ampere_noc(), make_topology(2, {4, 4}), 8, 32)};
  way.send(request(0, LineAccess::kWrite, 0b1111), 100, 109);
  way.send(request(0, LineAccess::kRead, 0b0001), 102, 109);
  EXPECT_EQ(way.arrivals(0), (std::vector<Cycle>{145 + 9, 145 + 9}));
}

TEST(Network, SharedPortsServeInTheOrderOfTime) {
  NocParams params = ampere_noc();
  params.tpc_write_bytes_per_cycle = 16;  // half of what an SM sends
  Way way{Network(params, make_topology(2, {4, 4}), 8, 32)};
  for (int i = 0; i < 10; ++i) way.send(request(0, LineAccess::kWrite, 0b1111), 100);
  way.send(request(1, LineAccess::kRead, 0b0001), 110);  // behind two or three writes at its TPC
  way.send(request(2, LineAccess::kRead, 0b0001), 110);
  EXPECT_EQ(way.arrivals(2), std::vector<Cycle>{155});
  EXPECT_GT(way.arrivals(1).front(), 155 + 5);
  EXPECT_LT(way.arrivals(1).front(), way.arrivals(0).at(4));
}

TEST(Network, WhatComesForBothSmsOfATpcTakesItsPortOnce) {
  NocParams params = ampere_noc();
  params.tpc_read_bytes_per_cycle = 8;
  Network alone(params, make_topology(2, {4, 4}), 8, 32);
  Network shared(params, make_topology(2, {4, 4}), 8, 32);
  const Cycle first = alone.deliver_response(0, 128, 200);
  EXPECT_EQ(shared.deliver_response(0, 128, 200), first);
  EXPECT_EQ(alone.deliver_response(1, 128, 200, Shared::kToGpc), first + 128 / 8);
  EXPECT_EQ(shared.deliver_response(1, 128, 200, Shared::kToTpc), first);
}

TEST(Network, TheWayGrowsWithTheDistance) {
  NocParams params = ampere_noc();
  params.distance_spread_cycles = 60;
  const auto way = [&params](int gpc, int slice) {
    Way one{Network(params, make_topology(1, {1, 1, 1}), 7, 32)};
    one.send(request(gpc, LineAccess::kRead, 1, slice), 1000);
    return one.arrivals(gpc).front() - 1000;
  };
  EXPECT_EQ(way(0, 0), 45);
  EXPECT_EQ(way(0, 6), 45 + 60);
  EXPECT_EQ(way(2, 6), 45);
  EXPECT_EQ(way(2, 0), 45 + 60);
  EXPECT_EQ(way(1, 3), 45);
  EXPECT_EQ(way(1, 0), 45 + 30);
}

}  // namespace
}  // namespace tcsim::memory::test
