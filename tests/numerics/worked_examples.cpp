#include "tests/numerics/worked_examples.hpp"

namespace tcsim::numerics {

namespace {

using enum ElementType;
using Patterns = std::vector<std::uint64_t>;

constexpr auto kNothing = std::nullopt;

Patterns repeat(std::uint64_t pattern, std::size_t count) { return Patterns(count, pattern); }

Patterns join(Patterns head, const Patterns& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

std::vector<WorkedExample> cancelling_half_into_fp32() {
  return {
      {"1",
       kFp16,
       kFp32,
       {0xf000, 0xb800, 0xb400, 0xb000},
       {0x6400, 0x3c00, 0x3c00, 0x3c00},
       0x4b000000,
       0x00000000,
       0xbf000000,
       0xbf400000},
      {"2",
       kFp16,
       kFp32,
       {0x4000, 0xc000},
       {0x4000, 0x4000},
       0x3f800001,
       0x3f800000,
       0x3f800000,
       0x3f800001},
      {"3",
       kFp16,
       kFp32,
       {0x4080, 0xc080},
       {0x3c00, 0x3c00},
       0x33800000,
       0x00000000,
       0x00000000,
       0x33800000},
      {"4",
       kFp16,
       kFp32,
       {0x3e00, 0xbe00},
       {0x3e00, 0x3e00},
       0x33800000,
       0x00000000,
       0x33800000,
       0x33800000},
      {"5",
       kFp16,
       kFp32,
       {0x0001, 0x8001},
       {0x7800, 0x7800},
       0x3f800001,
       0x3f800000,
       0x3f800001,
       0x3f800001},
      {"5 with c at 1/2",
       kFp16,
       kFp32,
       {0x0001, 0x8001},
       {0x7800, 0x7800},
       0x3f000001,
       kNothing,
       0x3f000000,
       0x3f000001},
      {"6",
       kFp16,
       kFp32,
       {0x1800, 0x9800},
       {0x3c00, 0x3c00},
       0x3f800001,
       0x3f800001,
       0x3f800001,
       0x3f800001},
  };
}

std::vector<WorkedExample> half_into_fp32() {
  const Patterns tail_21 = join({0x5800}, repeat(0x1800, 15));
  return {
      {"7", kFp16, kFp32, {0x3a00}, {0x0002}, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000},
      {"8",
       kFp16,
       kFp32,
       {0x3800, 0x3800},
       {0x0002, 0x0002},
       0x3f800000,
       0x3f800000,
       0x3f800001,
       0x3f800001},
      {"9", kFp16, kFp32, repeat(0x0c00, 4), repeat(0x0c00, 4), 0x3f7fffff, 0x3f800001, 0x3f800001,
       0x3f800001},
      {"10", kFp16, kFp32, repeat(0x0c00, 4), repeat(0x0c00, 4), 0x3f800000, 0x3f800000, 0x3f800002,
       0x3f800002},
      {"11", kFp16, kFp32, {0x0001}, {0x0001}, 0, 0x27800000, 0x27800000, 0x27800000},
      {"12", kFp16, kFp32, {0x7c00}, {0x0000}, 0x3f800000, 0x7fffffff, 0x7fffffff, 0x7fffffff},
      {"13", kFp16, kFp32, {0x3c00}, {0x3c00}, 0xffc12345, 0x7fffffff, 0x7fffffff, 0x7fffffff},
      {"14", kFp16, kFp32, {0xfc00}, {0x4000}, 0x3f800000, 0xff800000, 0xff800000, 0xff800000},
      {"15", kFp16, kFp32, repeat(0x8000, 4), repeat(0x3c00, 4), 0x80000000, 0, 0, 0},
      {"21", kFp16, kFp32, tail_21, tail_21, 0xc6800000, kNothing, 0x38000000, 0x00000000},
      {"note", kFp16, kFp32, join(join({0x3c00, 0, 0, 0}, repeat(0x0c00, 4)), {0xbc00}),
       join(join({0x3c00, 0, 0, 0}, repeat(0x0c00, 4)), {0x3c00}), 0, 0x00000000, 0x34800000,
       0x34800000},
  };
}

std::vector<WorkedExample> half_into_fp16() {
  const Patterns seven = repeat(0x5640, 7);
  return {
      {"16", kFp16, kFp16, {0x3800}, {0x3c00}, 0x6401, 0x6402, 0x6402, 0x6402},
      {"16 with even c", kFp16, kFp16, {0x3800}, {0x3c00}, 0x6400, 0x6400, 0x6400, 0x6400},
      {"17", kFp16, kFp16, {0x3800, 0x0c00}, {0x3c00, 0x3400}, 0x6400, 0x6400, 0x6401, 0x6401},
      {"18", kFp16, kFp16, {0x3800}, {0x5000}, 0x7bff, 0x7c00, 0x7c00, 0x7c00},
      {"19", kFp16, kFp16, {0x3400}, {0x5000}, 0x7bff, 0x7bff, 0x7bff, 0x7bff},
      {"20", kFp16, kFp16, join(join(seven, {0}), {0xd640, 0xd640}),
       join(join(seven, {0}), {0x5640, 0x5640}), 0, kNothing, 0x7c00, 0x7a1a},
      {"note", kFp16, kFp16, join(join({0x3c00, 0, 0, 0}, repeat(0x0c00, 4)), {0xbc00}),
       join(join({0x3c00, 0, 0, 0}, repeat(0x0c00, 4)), {0x3c00}), 0, 0x0000, 0x0000, 0x0004},
  };
}

std::vector<WorkedExample> other_inputs() {
  return {
      {"22", kBf16, kFp32, {0x7f00}, {0x3380}, 0x7f7fffff, kNothing, 0x7f7fffff, 0x7f7fffff},
      {"23", kBf16, kFp32, {0x7f00, 0x7f00}, {0x3f80, 0x3f80}, 0, kNothing, 0x7f800000, 0x7f800000},
      {"24", kBf16, kFp32, {0x7f00, 0xff00}, {0x7f00, 0x7f00}, 0x3f800000, kNothing, 0, 0},
      {"25", kBf16, kFp32, {0x0001, 0x0001}, {0x3700, 0x3700}, 0, kNothing, 1, 1},
      {"25 with one term", kBf16, kFp32, {0x0001}, {0x3700}, 0, kNothing, 0, 0},
      {"26",
       kBf16,
       kFp32,
       repeat(0x0d80, 5),
       {0x26fc, 0x237e, 0x237e, 0x237e, 0x237e},
       0,
       kNothing,
       0,
       1},
      {"27", kTf32, kFp32, {0x3f801fff}, {0x3f800000}, 0, kNothing, 0x3f800000, 0x3f800000},
      {"28", kTf32, kFp32, {0x7f800001}, {0x3f800000}, 0, kNothing, 0x7f800000, 0x7f800000},
      {"28 with a kept payload",
       kTf32,
       kFp32,
       {0x7f802000},
       {0x3f800000},
       0,
       kNothing,
       0x7fffffff,
       0x7fffffff},
      {"29", kTf32, kFp32, {0x00002000}, {0x7f000000}, 0, kNothing, 0x3b000000, 0x3b000000},
      {"30", kE4m3, kFp32, repeat(0, 32), repeat(0, 32), 0x3f801fff, kNothing, kNothing,
       0x3f801c00},
      {"31",
       kE4m3,
       kFp32,
       {0x38, 1, 1, 1, 1},
       {0x38, 8, 8, 8, 8},
       0,
       kNothing,
       kNothing,
       0x3f800000},
      {"32", kInt8, kInt32, {1}, {1}, 0x7fffffff, kNothing, 0x80000000, 0x80000000},
      {"33", kFp64, kFp64, repeat(0x3ff0000000000000, 2), repeat(0x3ca0000000000000, 2),
       0x3ff0000000000000, kNothing, 0x3ff0000000000000, 0x3ff0000000000000},
      {"34",
       kFp64,
       kFp64,
       {0x4340000000000000, 0x3ff0000000000000, 0xc340000000000000},
       repeat(0x3ff0000000000000, 3),
       0,
       kNothing,
       0,
       0},
  };
}

}  // namespace

const std::vector<WorkedExample>& worked_examples() {
  static const std::vector<WorkedExample> examples = [] {
    std::vector<WorkedExample> all = cancelling_half_into_fp32();
    for (auto&& group : {half_into_fp32(), half_into_fp16(), other_inputs()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  return examples;
}

}  // namespace tcsim::numerics
