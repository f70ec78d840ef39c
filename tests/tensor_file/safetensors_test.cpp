#include "sim/tensor_file/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/errors/errors.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tensor_file/bytes.hpp"

namespace tcsim::tensor_file {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Patterns = std::vector<std::uint64_t>;

std::string file_of(const std::string& header, const std::string& data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}

TensorMap parse_map(const std::string& file) { return parse_safetensors(as_bytes(file), "x.st"); }

void expect_map_refused(const std::string& header, const std::string& data,
                        const std::string& reason) {
  EXPECT_EQ(test::refusal([&] { (void)parse_map(file_of(header, data)); }), "x.st: " + reason);
}

TEST(Safetensors, ReadsTheExampleOfTheFormat) {
  const TensorMap map = parse_map(file_of(
      R"({"t":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},"__metadata__":{"by":"me"}}   )",
      std::string("\x00\x3c\x00\xc0", 4)));
  EXPECT_EQ(map.tensors.at("t").shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(to_patterns(map.tensors.at("t")), (Patterns{0x3c00, 0xc000}));
  EXPECT_EQ(map.metadata.at("by"), "me");
}

TEST(Safetensors, ReadsBackWhatItWritesInEveryType) {
  TensorMap map{{}, {{"machine", "a100"}}};
  for (const StoredTypeInfo& row : kStoredTypes)
    map.tensors[std::string(row.name)] =
        from_patterns(row.type, {3, 1}, Patterns{1, 0xffff'ffff'ffff'ffff, 0x8080'8080'8080'8080});
  map.tensors["scalar"] = from_patterns(StoredType::kFp32, {}, Patterns{0x3f800000});
  map.tensors["none"] = from_patterns(StoredType::kBf16, {0, 4}, {});
  EXPECT_EQ(parse_map(safetensors_bytes(map)), map);
  EXPECT_EQ(parse_map(safetensors_bytes({})), TensorMap{});
}

TEST(Safetensors, WritesEveryTensorAligned) {
  const TensorMap map{{{"a", from_patterns(StoredType::kInt8, {3}, Patterns{1, 2, 3})},
                       {"b", from_patterns(StoredType::kFp32, {1}, Patterns{4})}},
                      {}};
  const std::string file = safetensors_bytes(map);
  EXPECT_EQ((file.size() - 7) % 8, 0u);
  EXPECT_THAT(file, HasSubstr(R"("b":{"data_offsets":[0,4])"));
  EXPECT_THAT(file, HasSubstr(R"("a":{"data_offsets":[4,7])"));
}

TEST(Safetensors, RefusesDataThatTheTensorsDoNotCover) {
  const std::string a = R"("a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
  expect_map_refused("{" + a + "}", "xxx", "1 bytes of data belong to no tensor");
  expect_map_refused("{" + a + "}", "x",
                     "'a': data_offsets: ends at 2, the file has 1 bytes of data");
  expect_map_refused("{" + a + R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})", "xxxx",
                     "'b': data_offsets: begins at 3, the data before it ends at 2");
  expect_map_refused("{" + a + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", "xxx",
                     "'b': data_offsets: begins at 1, the data before it ends at 2");
  expect_map_refused("{}", "x", "1 bytes of data belong to no tensor");
}

TEST(Safetensors, RefusesWrongEntries) {
  const auto entry = [](const std::string& text) { return "{\"a\":{" + text + "}}"; };
  expect_map_refused(R"({"a":3})", "", "'a': expected dtype, shape and data_offsets");
  expect_map_refused(entry(R"("size":1)"), "",
                     "'a': 'size': unknown key (allowed: dtype, shape, data_offsets)");
  expect_map_refused(entry(""), "", "'a': dtype: expected a word");
  expect_map_refused(entry(R"("dtype":"F99")"), "",
                     "'a': dtype: 'F99' is not supported (allowed: F16, BF16, F32, F64, F8_E4M3, "
                     "F8_E5M2, I8, U8, I16, U16, I32, U32, I64)");
  expect_map_refused(entry(R"("dtype":"U8")"), "", "'a': shape: expected a list of integers");
  for (const std::string extent : {"-1", "1.5", "9223372036854775808", "\"1\"", "1e3"})
    expect_map_refused(entry(R"("dtype":"U8","shape":[)" + extent + "]"), "",
                       "'a': shape: expected integers from 0 to 2^63 - 1");
  expect_map_refused(entry(R"("dtype":"U8","shape":[1],"data_offsets":[1])"), "",
                     "'a': data_offsets: expected [begin, end] with begin <= end");
  expect_map_refused(entry(R"("dtype":"U8","shape":[1],"data_offsets":[2,1])"), "",
                     "'a': data_offsets: expected [begin, end] with begin <= end");
  expect_map_refused(entry(R"("dtype":"U8","shape":[3],"data_offsets":[0,2])"), "xx",
                     "'a': the shape needs 3 bytes, data_offsets span 2");
  expect_map_refused(entry(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0])"),
                     "", "'a': shape: the tensor exceeds 2^63 - 1 bytes");
}

TEST(Safetensors, RefusesWrongHeaders) {
  EXPECT_EQ(test::refusal([] { (void)parse_map("1234567"); }),
            "x.st: ends before the header's length");
  EXPECT_THAT(test::refusal([] { (void)parse_map("12345678{}"); }),
              HasSubstr("at most 100000000 are allowed (not a safetensors file?)"));
  EXPECT_EQ(test::refusal([] { (void)parse_map(file_of("{}", "").substr(0, 9)); }),
            "x.st: header of 2 bytes reaches beyond the file, which has 1 more");
  expect_map_refused("[]", "", "header: expected a JSON object");
  EXPECT_THAT(test::refusal([] { (void)parse_map(file_of("{", "")); }),
              StartsWith("x.st: header:1:2: is no JSON document"));
  expect_map_refused(R"({"a":1,"a":1})", "", "header: a: given twice");
  expect_map_refused(std::string(100000, '['), "", "header: nested deeper than 4 levels");
  expect_map_refused(R"({"__metadata__":{"a":1}})", "", "'__metadata__': 'a': expected a word");
  expect_map_refused(R"({"__metadata__":1})", "", "'__metadata__': expected an object of words");
}

TEST(SafetensorsFile, IsWrittenAndReadAndAMissingOneIsTroubleWithTheFile) {
  const test::TemporaryDirectory directory;
  const TensorMap map{{{"a", from_patterns(StoredType::kBf16, {1}, Patterns{0x3f80})}}, {}};
  write_safetensors(directory.path() / "a.safetensors", map);
  EXPECT_EQ(read_safetensors(directory.path() / "a.safetensors"), map);
  EXPECT_THROW((void)read_safetensors(directory.path() / "b"), IoError);
}

}  // namespace
}  // namespace tcsim::tensor_file
