#include "sim/config/number.hpp"

#include <gtest/gtest.h>

namespace tcsim::config {
namespace {

TEST(Numbers, IntegersAreDecimal) {
  EXPECT_EQ(read_integer("0", "").value, 0);
  EXPECT_EQ(read_integer("-12", "").value, -12);
  EXPECT_EQ(read_integer("9007199254740991", "").value, 9007199254740991);
  for (const char* text : {"", "-", "+1", "1.0", "1e2", "one", "1 2", "0b11", "1,", "１"})
    EXPECT_FALSE(read_integer(text, "").value) << text;
}

TEST(Numbers, AnEqualUnitMayFollow) {
  EXPECT_EQ(read_integer("1530 MHz", "MHz").value, 1530);
  EXPECT_EQ(read_integer("1.53 GHz", "MHz").value, 1530);
  EXPECT_EQ(read_integer("1.005 GHz", "MHz").value, 1005);
  EXPECT_FALSE(read_integer("1.00500001 GHz", "MHz").value);
  EXPECT_FALSE(read_integer("1.41e3 MHz", "MHz").value) << "as without the unit";
  EXPECT_EQ(read_integer("40 MiB", "bytes").value, 41943040);
  EXPECT_EQ(read_integer("1.5 KiB", "bytes").value, 1536);
  EXPECT_EQ(read_number("3.9 us", "ns").value, 3900);
  EXPECT_EQ(read_integer("4MiB", "bytes").value, 4194304);
  EXPECT_EQ(read_integer("1.5KiB", "bytes").value, 1536);
  EXPECT_EQ(read_integer("33cycles", "cycles").value, 33);
}

TEST(Numbers, AUnitThatDoesNotFitIsRefused) {
  EXPECT_EQ(read_number("3 MHz", "ns").reason, "3 MHz is not a number of ns; units are ns, us");
  EXPECT_EQ(read_number("3 ns", "").reason, "expected a number, got '3 ns'");
  EXPECT_EQ(read_integer("1.3 B", "bytes").reason, "expected an integer, got '1.3 B'");
}

TEST(Numbers, DecimalByteUnitsAreAnsweredWithBinaryOnes) {
  EXPECT_EQ(read_integer("48KB", "bytes").reason,
            "48KB is not a number of bytes; write 48 KiB or 49152");
  EXPECT_EQ(read_integer("1 G", "bytes").reason,
            "1 G is not a number of bytes; write 1 GiB or 1073741824");
}

TEST(Numbers, TrapsOfOtherReadersAreNamed) {
  EXPECT_EQ(read_number("014.2", "ns").reason, "expected a number, got '014.2'");
  EXPECT_EQ(read_integer("010", "").reason,
            "010 has a leading zero, which some readers take for octal; write 10");
  EXPECT_EQ(read_integer("0x50", "").reason, "hexadecimal 0x50 is not accepted; write 80");
  EXPECT_EQ(read_integer("1_530", "MHz").reason, "1_530 has a separator; write 1530");
  EXPECT_EQ(read_integer("1,530", "MHz").reason, "1,530 has a separator; write 1530");
  EXPECT_EQ(read_integer("1,530,000", "MHz").reason, "1,530,000 has a separator; write 1530000");
  EXPECT_EQ(read_number("1,5", "ns").reason, "1,5 has a decimal comma; write 1.5");
  EXPECT_EQ(read_number("0,125", "ns").reason, "0,125 has a decimal comma; write 0.125");
}

TEST(Numbers, AreNeverInfiniteNorSoSmallThatDigitsAreLost) {
  EXPECT_EQ(read_number("1.7e308", "").value, 1.7e308);
  EXPECT_EQ(read_number("0", "").value, 0);
  for (const char* const text : {"inf", "nan", "-inf", "infinity", "1e309", "1e400"})
    EXPECT_EQ(read_number(text, "").reason, "expected a number, got '" + std::string(text) + "'");
  EXPECT_EQ(read_number("1e-320", "").reason,
            "expected a number from 2.3e-308 to 1.7e308, got '1e-320'");
  EXPECT_EQ(read_number("1e307 GHz", "MHz").reason,
            "expected a number from 2.3e-308 to 1.7e308, got '1e307 GHz'");
}

TEST(Numbers, RepeatSixtyCharactersOfALongText) {
  const std::string nines(1'000'000, '9');
  for (const char* const unit : {"", "bytes", "MHz"})
    for (const char* const tail : {"", "x", " XiB", "_0"}) {
      EXPECT_LT(read_number(nines + tail, unit).reason.size(), 200U) << unit << tail;
      EXPECT_LT(read_integer("0" + nines + tail, unit).reason.size(), 200U) << unit << tail;
    }
}

TEST(Numbers, PrintInTheShortestFormThatReadsBack) {
  EXPECT_EQ(number_text(14.2), "14.2");
  EXPECT_EQ(number_text(3900), "3900");
  EXPECT_EQ(number_text(100000), "100000");
  EXPECT_EQ(number_text(-0.0), "-0");
}

}  // namespace
}  // namespace tcsim::config
