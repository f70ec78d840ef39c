#include "sim/tensor_file/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/files/atomic_file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tensors.hpp"
#include "tests/support/text_of.hpp"
#include "tests/tensor_file/bytes.hpp"

namespace tcsim::tensor_file {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using ::testing::HasSubstr;
using Patterns = std::vector<std::uint64_t>;
using test::from_patterns;
using test::TemporaryDirectory;
using test::write_npy;

/// A file with the given version, whose header is not padded.
std::string npy_file(int major, const std::string& header, const std::string& data) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}

std::string header_of(const std::string& order, const std::string& shape) {
  return "{'descr': '|u1', 'fortran_order': " + order + ", 'shape': (" + shape + "), }\n";
}

Tensor parse_array(const std::string& file) { return parse_npy(as_bytes(file), "x.npy"); }

void expect_array_refused(const std::string& file, const std::string& reason) {
  EXPECT_EQ(test::refusal([&] { (void)parse_array(file); }), "x.npy: " + reason);
}

TEST(Npy, ReadsAFileThatNumpyWrote) {  // numpy.save(f, numpy.array([[1, -2]], dtype="<f2"))
  const std::string header =
      "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }"s + std::string(58, ' ') + "\n";
  const std::string file = "\x93NUMPY\x01\x00\x76\x00"s + header + "\x00\x3c\x00\xc0"s;
  const Tensor tensor = parse_array(file);
  EXPECT_EQ(tensor.type, StoredType::kFp16);
  EXPECT_EQ(tensor.shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(to_patterns(tensor), (Patterns{0x3c00, 0xc000}));
  EXPECT_EQ(npy_bytes(tensor), file);
}

TEST(Npy, ReadsAllThreeFormatVersions) {
  for (const int major : {1, 2, 3})
    EXPECT_EQ(to_patterns(parse_array(npy_file(major, header_of("False", "2,"), "ab"))),
              (Patterns{'a', 'b'}));
}

TEST(Npy, FortranOrderBecomesCOrder) {
  EXPECT_EQ(to_patterns(parse_array(npy_file(1, header_of("True", "2, 3"), "adbecf"))),
            (Patterns{'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(to_patterns(parse_array(npy_file(1, header_of("True", "2, 2, 2"), "aecgbfdh"))),
            (Patterns{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}));
  EXPECT_EQ(parse_array(npy_file(1, header_of("True", ""), "a")).bytes.size(), 1u);
  EXPECT_TRUE(parse_array(npy_file(1, header_of("True", "0, 3"), "")).bytes.empty());
}

TEST(Npy, ReadsBackWhatItWritesInEveryTypeAndRank) {
  for (const StoredTypeInfo& row : kStoredTypes)
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{}, {6}, {2, 3}, {1, 3, 2}, {0, 4}}) {
      const auto bytes = static_cast<std::size_t>(*byte_count(shape, row.type));
      Tensor tensor{row.type, shape, std::vector<std::uint8_t>(bytes)};
      for (std::size_t i = 0; i < bytes; ++i)
        tensor.bytes[i] = static_cast<std::uint8_t>(i * 37 + 1);
      const std::string file = npy_bytes(tensor);
      EXPECT_EQ((file.size() - bytes) % 64, 0u);
      tensor.type = npy_storage(row.type);
      EXPECT_EQ(parse_array(file), tensor) << row.name;
    }
}

TEST(Npy, RefusesDataThatDoesNotFitTheShape) {
  expect_array_refused(npy_file(1, header_of("False", "3,"), "ab"),
                       "the shape needs 3 bytes of data, the file has 2");
  expect_array_refused(npy_file(1, header_of("False", "3,"), "abcd"),
                       "the shape needs 3 bytes of data, the file has 4");
  expect_array_refused(npy_file(1, header_of("False", "4294967296, 4294967296"), "a"),
                       "header: shape: the array exceeds 2^63 - 1 bytes");
}

TEST(Npy, RefusesFilesThatEndEarlyAndOtherFormats) {
  expect_array_refused("", "not a .npy file (no \\x93NUMPY at its start)");
  expect_array_refused("PK\x03\x04", "not a .npy file (no \\x93NUMPY at its start)");
  expect_array_refused("\x93NUMPY\x01", "ends before the format version");
  expect_array_refused("\x93NUMPY\x01\x00\x05"s, "ends before the header's length");
  expect_array_refused("\x93NUMPY\x02\x00\x05\x00\x00"s, "ends before the header's length");
  expect_array_refused("\x93NUMPY\x01\x00\x05\x00{"s,
                       "header of 5 bytes reaches beyond the file, which has 1 more");
  expect_array_refused("\x93NUMPY\x03\x00\xff\xff\xff\xff{"s,
                       "header of 4294967295 bytes reaches beyond the file, which has 1 more");
  expect_array_refused("\x93NUMPY\x04\x00"s,
                       "format 4.0 is not supported (allowed: 1.0, 2.0, 3.0)");
  expect_array_refused("\x93NUMPY\x01\x01"s,
                       "format 1.1 is not supported (allowed: 1.0, 2.0, 3.0)");
}

TEST(NpyFile, Bf16GoesToUint16WithASideFileAndComesBack) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.npy";
  const Tensor tensor = from_patterns(StoredType::kBf16, {2}, Patterns{0x3f80, 0xff80});
  write_npy(path, tensor);
  EXPECT_EQ(test::text_of(path.string() + ".json"),
            "{\"dtype\":\"bfloat16\",\"storage\":\"uint16\"}\n");
  EXPECT_THAT(test::text_of(path), HasSubstr("'<u2'"));
  EXPECT_EQ(read_npy(path), tensor);
}

TEST(NpyFile, RefusesASideFileThatDoesNotFit) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "a.npy";
  const std::string side = path.string() + ".json";
  write_npy(path, from_patterns(StoredType::kFp16, {1}, Patterns{1}));
  const auto refused = [&](const std::string& text) {
    files::write_atomically(side, text);
    return test::refusal([&] { (void)read_npy(path); });
  };
  EXPECT_EQ(refused("not json"), side + ":1:2: is no JSON document");
  EXPECT_EQ(refused("{\"dtype\":\"bfloat16\"}"), side + ": storage: missing");
  EXPECT_EQ(refused("{\"dtype\":\"bfloat16\",\"storage\":\"uint16\"}"),
            side + ": storage: 'uint16', but the .npy file holds float16");
  EXPECT_EQ(refused("{\"dtype\":\"bfloat16\",\"storage\":\"float16\"}"),
            side +
                ": dtype: 'bfloat16' is not stored as float16 (bfloat16 as uint16, "
                "float8_e4m3fn and float8_e5m2 as uint8)");
}

TEST(NpyFile, AMissingFileIsTroubleWithTheFile) {
  const TemporaryDirectory directory;
  EXPECT_THROW((void)read_npy(directory.path() / "missing.npy"), IoError);
}

}  // namespace
}  // namespace tcsim::tensor_file
