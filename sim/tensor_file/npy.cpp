#include "sim/tensor_file/npy.hpp"

#include <fmt/format.h>

#include <cassert>
#include <nlohmann/json.hpp>
#include <system_error>

#include "sim/config/error.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/json/parse.hpp"
#include "sim/tensor_file/fortran_order.hpp"
#include "sim/tensor_file/npy_header.hpp"

namespace tcsim::tensor_file {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = kMagic.size() + 2;
constexpr std::size_t kNpyAlignment = 64;  // alignment of the data, as NumPy writes it

config::ConfigError mistake(std::string_view name, const std::string& reason) {
  return config::ConfigError({fmt::format("{}: {}", name, reason)});
}

/// Little-endian integer of all bytes given.
std::size_t little_endian(std::span<const std::uint8_t> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

/// The header's text; `data` becomes the rest of the file.
std::string_view header_text(std::span<const std::uint8_t> file, std::string_view name,
                             std::span<const std::uint8_t>& data) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic))
    throw mistake(name, "not a .npy file (no \\x93NUMPY at its start)");
  if (file.size() < kVersionEnd) throw mistake(name, "ends before the format version");
  const int major = file[kMagic.size()];
  const int minor = file[kMagic.size() + 1];
  if (major < 1 || major > 3 || minor != 0)
    throw mistake(
        name, fmt::format("format {}.{} is not supported (allowed: 1.0, 2.0, 3.0)", major, minor));
  const std::size_t begin = kVersionEnd + (major == 1 ? 2 : 4);
  if (file.size() < begin) throw mistake(name, "ends before the header's length");
  const std::size_t length = little_endian(file.subspan(kVersionEnd, begin - kVersionEnd));
  if (length > file.size() - begin)
    throw mistake(name, fmt::format("header of {} bytes reaches beyond the file, which has {} more",
                                    length, file.size() - begin));
  data = file.subspan(begin + length);
  return text.substr(begin, length);
}

fs::path side_file(const fs::path& path) { return path.string() + ".json"; }

/// The type that the side file names for elements stored as `storage`.
StoredType parse_side_file(const fs::path& path, StoredType storage) {
  const json::View side = json::read(path);
  const auto word = [&](const char* key) { return side.at(key).get<std::string>(); };
  const std::string type = word("dtype");
  if (word("storage") != info(storage).name)
    throw mistake(path.string(), fmt::format("storage: {}, but the .npy file holds {}",
                                             files::shown(word("storage")), info(storage).name));
  for (const StoredTypeInfo& row : kStoredTypes)
    if (row.npy.empty() && row.name == type && npy_storage(row.type) == storage) return row.type;
  throw mistake(path.string(),
                fmt::format("dtype: {} is not stored as {} (bfloat16 as uint16, float8_e4m3fn "
                            "and float8_e5m2 as uint8)",
                            files::shown(type), info(storage).name));
}

}  // namespace

Tensor parse_npy(std::span<const std::uint8_t> file, std::string_view name) {
  std::span<const std::uint8_t> data;
  NpyHeader header = parse_npy_header(header_text(file, name, data), name);
  const auto bytes = byte_count(header.shape, header.type);
  if (!bytes) throw mistake(name, "header: shape: the array exceeds 2^63 - 1 bytes");
  if (*bytes != std::ssize(data))
    throw mistake(name, fmt::format("the shape needs {} bytes of data, the file has {}", *bytes,
                                    data.size()));
  Tensor tensor{header.type, std::move(header.shape), {}};
  if (header.fortran_order)
    tensor.bytes = c_order_of_fortran_order(data, tensor.shape, info(tensor.type).bytes);
  else
    tensor.bytes.assign(data.begin(), data.end());
  return tensor;
}

std::string npy_bytes(const Tensor& tensor) {
  assert(byte_count(tensor.shape, tensor.type) == std::ssize(tensor.bytes));
  const std::string header = npy_header_text(npy_storage(tensor.type), tensor.shape);
  constexpr std::size_t kShortEnd = kVersionEnd + 2;
  const auto padded = [&](std::size_t begin) {
    return (begin + header.size() + 1 + kNpyAlignment - 1) / kNpyAlignment * kNpyAlignment - begin;
  };
  const bool is_short = padded(kShortEnd) <= 0xffff;
  const std::size_t begin = is_short ? kShortEnd : kVersionEnd + 4;
  const std::size_t length = padded(begin);
  std::string text(kMagic);
  text += is_short ? '\1' : '\2';
  text += '\0';
  for (std::size_t i = kVersionEnd; i < begin; ++i)
    text += static_cast<char>(length >> (8 * (i - kVersionEnd)) & 0xff);
  text += header;
  text.append(length - header.size() - 1, ' ');
  text += '\n';
  text.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return text;
}

std::optional<std::string> npy_note(const Tensor& tensor) {
  const StoredType storage = npy_storage(tensor.type);
  if (storage == tensor.type) return std::nullopt;
  const nlohmann::json note{{"dtype", info(tensor.type).name}, {"storage", info(storage).name}};
  return note.dump() + "\n";
}

Tensor read_npy(const fs::path& path) {
  Tensor tensor = parse_npy(files::read_bytes(path, files::FileKind::kTensor), path.string());
  std::error_code error;
  if (fs::exists(side_file(path), error))
    tensor.type = parse_side_file(side_file(path), tensor.type);
  return tensor;
}

}  // namespace tcsim::tensor_file
