#include "sim/tensor_file/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "sim/config/error.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/tensor_file/strict_json.hpp"

namespace tcsim::tensor_file {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // the limit of the format's own library
constexpr std::size_t kSafetensorsAlignment = 8;       // of the data
constexpr int kLevels = 4;                             // file > tensor > shape > extent
constexpr std::string_view kMetadata = "__metadata__";

/// Opens messages about the file or about one tensor of it.
class Place {
 public:
  explicit Place(std::string text) : text_(std::move(text)) {}
  Place at(std::string_view word) const { return Place(text_ + ": " + files::shown(word)); }
  config::ConfigError mistake(const std::string& reason) const {
    return config::ConfigError({text_ + ": " + reason});
  }

 private:
  std::string text_;
};

std::vector<std::int64_t> integers(const json& entry, const char* key, const Place& place) {
  const auto found = entry.find(key);
  const bool is_list = found != entry.end() && found->is_array();
  if (!is_list) throw place.mistake(fmt::format("{}: expected a list of integers", key));
  std::vector<std::int64_t> values;
  for (const json& value : *found) {
    const bool fits =
        value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX};
    if (!fits) throw place.mistake(fmt::format("{}: expected integers from 0 to 2^63 - 1", key));
    values.push_back(value.get<std::int64_t>());
  }
  return values;
}

StoredType type_of(const json& entry, const Place& place) {
  const auto found = entry.find("dtype");
  if (found == entry.end() || !found->is_string()) throw place.mistake("dtype: expected a word");
  const auto& word = found->get_ref<const std::string&>();
  std::string allowed;
  for (const StoredTypeInfo& row : kStoredTypes) {
    if (row.safetensors == word) return row.type;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", row.safetensors);
  }
  throw place.mistake(
      fmt::format("dtype: {} is not supported (allowed: {})", files::shown(word), allowed));
}

/// One entry of the header, checked by itself.
struct Entry {
  std::string name;
  Tensor tensor;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Entry parse_entry(const std::string& name, const json& json_entry, const Place& place) {
  if (!json_entry.is_object()) throw place.mistake("expected dtype, shape and data_offsets");
  for (const auto& [key, value] : json_entry.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      throw place.mistake(
          fmt::format("{}: unknown key (allowed: dtype, shape, data_offsets)", files::shown(key)));
  Entry entry{name, {type_of(json_entry, place), integers(json_entry, "shape", place), {}}};
  const std::vector<std::int64_t> offsets = integers(json_entry, "data_offsets", place);
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    throw place.mistake("data_offsets: expected [begin, end] with begin <= end");
  entry.begin = offsets[0];
  entry.end = offsets[1];
  const auto bytes = byte_count(entry.tensor.shape, entry.tensor.type);
  if (!bytes) throw place.mistake("shape: the tensor exceeds 2^63 - 1 bytes");
  if (*bytes != entry.end - entry.begin)
    throw place.mistake(fmt::format("the shape needs {} bytes, data_offsets span {}", *bytes,
                                    entry.end - entry.begin));
  return entry;
}

std::map<std::string, std::string> parse_metadata(const json& object, const Place& place) {
  if (!object.is_object()) throw place.mistake("expected an object of words");
  std::map<std::string, std::string> words;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) throw place.mistake(files::shown(key) + ": expected a word");
    words[key] = value.get<std::string>();
  }
  return words;
}

/// Cuts the data for the entries, which must cover it in order without gap and overlap.
void take_data(std::vector<Entry>& entries, std::span<const std::uint8_t> data,
               const Place& place) {
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  std::int64_t covered = 0;
  for (Entry& entry : entries) {
    const Place here = place.at(entry.name);
    if (entry.begin != covered)
      throw here.mistake(fmt::format("data_offsets: begins at {}, the data before it ends at {}",
                                     entry.begin, covered));
    if (entry.end > std::ssize(data))
      throw here.mistake(fmt::format("data_offsets: ends at {}, the file has {} bytes of data",
                                     entry.end, data.size()));
    const auto part = data.subspan(static_cast<std::size_t>(entry.begin),
                                   static_cast<std::size_t>(entry.end - entry.begin));
    entry.tensor.bytes.assign(part.begin(), part.end());
    covered = entry.end;
  }
  if (covered != std::ssize(data))
    throw place.mistake(
        fmt::format("{} bytes of data belong to no tensor", std::ssize(data) - covered));
}

std::string_view header_text(std::span<const std::uint8_t> file, const Place& place) {
  if (file.size() < kLengthBytes) throw place.mistake("ends before the header's length");
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | file[i];
  if (length > kLongestHeader)
    throw place.mistake(
        fmt::format("header of {} bytes; at most {} are allowed (not a safetensors "
                    "file?)",
                    length, kLongestHeader));
  if (length > file.size() - kLengthBytes)
    throw place.mistake(fmt::format("header of {} bytes reaches beyond the file, which has {} more",
                                    length, file.size() - kLengthBytes));
  return {reinterpret_cast<const char*>(file.data()) + kLengthBytes,
          static_cast<std::size_t>(length)};
}

}  // namespace

TensorMap parse_safetensors(std::span<const std::uint8_t> file, std::string_view name) {
  const Place place{std::string(name)};
  const std::string_view text = header_text(file, place);
  const json header = parse_strict_json(text, name, kLevels);
  TensorMap map;
  std::vector<Entry> entries;
  for (const auto& [key, value] : header.items()) {
    if (key == kMetadata)
      map.metadata = parse_metadata(value, place.at(key));
    else
      entries.push_back(parse_entry(key, value, place.at(key)));
  }
  take_data(entries, file.subspan(kLengthBytes + text.size()), place);
  for (Entry& entry : entries) map.tensors.emplace(std::move(entry.name), std::move(entry.tensor));
  return map;
}

std::string safetensors_bytes(const TensorMap& map) {
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& item : map.tensors) order.push_back(&item);
  std::ranges::stable_sort(order, std::greater{},
                           [](const auto* item) { return info(item->second.type).bytes; });
  json header = json::object();
  if (!map.metadata.empty()) header[kMetadata] = map.metadata;
  std::size_t offset = 0;
  for (const auto* item : order) {
    const auto& [name, tensor] = *item;
    assert(name != kMetadata && byte_count(tensor.shape, tensor.type) == std::ssize(tensor.bytes));
    header[name] = {{"dtype", info(tensor.type).safetensors},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.append((kSafetensorsAlignment - text.size() % kSafetensorsAlignment) % kSafetensorsAlignment,
              ' ');
  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    bytes += static_cast<char>(std::uint64_t{text.size()} >> (8 * i) & 0xff);
  bytes += text;
  for (const auto* item : order) bytes.append(item->second.bytes.begin(), item->second.bytes.end());
  return bytes;
}

TensorMap read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(files::read_bytes(path, files::FileKind::kTensor), path.string());
}

void write_safetensors(const std::filesystem::path& path, const TensorMap& map) {
  files::write_atomically(path, safetensors_bytes(map));
}

}  // namespace tcsim::tensor_file
