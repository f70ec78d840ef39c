#include "sim/tensor_file/npy_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/tensor_file/bytes.hpp"

namespace tcsim::tensor_file {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NpyHeader parse_header(const std::string& text) { return parse_npy_header(text, "x.npy"); }

void expect_header_refused(const std::string& text, const std::string& reason) {
  EXPECT_EQ(test::refusal([&] { (void)parse_header(text); }), "x.npy: header: " + reason) << text;
}

TEST(NpyHeader, ReadsTheDictionaryThatNumpyWrites) {
  const NpyHeader header =
      parse_header("{'descr': '<f2', 'fortran_order': True, 'shape': (3, 4), }      \n");
  EXPECT_EQ(header.type, StoredType::kFp16);
  EXPECT_TRUE(header.fortran_order);
  EXPECT_THAT(header.shape, ElementsAre(3, 4));
}

TEST(NpyHeader, ReadsKeysInAnyOrderOtherQuotesAndOldLongIntegers) {
  const NpyHeader header = parse_header("{\"shape\":(3L,),'fortran_order':False,'descr':'|u1'}");
  EXPECT_EQ(header.type, StoredType::kUint8);
  EXPECT_THAT(header.shape, ElementsAre(3));
  EXPECT_THAT(parse_header("{'shape':(),'fortran_order':False,'descr':'<i8'}").shape, IsEmpty());
}

TEST(NpyHeader, ReadsEveryDescriptorOfTheTableAndNoOther) {
  for (const StoredTypeInfo& row : kStoredTypes)
    if (!row.npy.empty()) {
      EXPECT_EQ(parse_header(npy_header_text(row.type, {2, 5})).type, row.type);
    }
  EXPECT_EQ(parse_header("{'shape':(),'fortran_order':False,'descr':'<i1'}").type,
            StoredType::kInt8);
  const std::string allowed =
      " is not supported (allowed: <f2, <f4, <f8, |i1, |u1, <i2, <u2, <i4, <u4, <i8)";
  expect_header_refused("{'descr': '<c8'}", "descr: '<c8'" + allowed);
  expect_header_refused("{'descr': ''}", "descr: ''" + allowed);
  expect_header_refused("{'descr': '|f4'}", "descr: '|f4'" + allowed);
  expect_header_refused("{'descr': '>f4'}",
                        "descr: '>f4' is big-endian; only little-endian is supported");
  expect_header_refused("{'descr': [('x', '<f4')]}", "descr: records are not supported");
}

TEST(NpyHeader, RefusesWrongKeys) {
  expect_header_refused("{'fortran_order': False, 'shape': (1,)}", "descr: missing");
  expect_header_refused("{'descr': '<f4', 'shape': (1,)}", "fortran_order: missing");
  expect_header_refused("{'descr': '<f4', 'fortran_order': False}", "shape: missing");
  expect_header_refused("{'descr': '<f4', 'descr': '<f4'}", "descr: given twice");
  expect_header_refused("{'order': 1}",
                        "'order': unknown key (allowed: descr, fortran_order, shape)");
}

TEST(NpyHeader, RefusesWrongShapes) {
  expect_header_refused("{'shape': (-1,)}", "shape: expected an extent >= 0 at character 12");
  expect_header_refused("{'shape': (2.5,)}", "shape: expected a tuple; one extent is written (3,)");
  expect_header_refused("{'shape': (1, 2.5,)}", "expected ')' at character 16");
  expect_header_refused("{'shape': (3)}", "shape: expected a tuple; one extent is written (3,)");
  expect_header_refused("{'shape': 3}", "expected '(' at character 11");
  expect_header_refused("{'shape': (9223372036854775808,)}", "shape: an extent exceeds 2^63 - 1");
  std::string many = "{'shape': (";
  for (int i = 0; i < 65; ++i) many += "1,";
  expect_header_refused(many + ")}", "shape: more than 64 dimensions");
}

TEST(NpyHeader, RefusesBrokenText) {
  expect_header_refused("", "expected '{' at character 1");
  expect_header_refused("{'descr", "no quote closes that at 2");
  expect_header_refused("{descr", "expected a quoted word at character 2");
  expect_header_refused("{'fortran_order': 1}", "fortran_order: expected True or False");
  expect_header_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
                        "text after the dictionary");
}

TEST(NpyHeader, ShowsNoUnprintableOrEndlessWords) {
  expect_header_refused("{'\x01" + std::string(100, 'a') + "': 1}",
                        "'\\u0001" + std::string(59, 'a') +
                            "...': unknown key (allowed: descr, fortran_order, shape)");
}

}  // namespace
}  // namespace tcsim::tensor_file
