#include "sim/networks/onnx_bytes.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace tcsim::networks {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Numbers that decide on shapes are few; onnx_shapes reads 64 of them.
constexpr std::uint32_t kMostNumberBytes = 4096;
constexpr std::uint32_t kLargestText = std::uint32_t{64} << 20;  // of anything but weights

/// A ByteSource as protobuf reads it.
class SourceStream : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit SourceStream(files::ByteSource& source) : source_(source), chunk_(kChunk) {}

  bool Next(const void** data, int* size) override {
    if (at_ == end_) {
      at_ = 0;
      end_ = source_.read(chunk_);
      if (end_ == 0) return false;
    }
    *data = chunk_.data() + at_;
    *size = static_cast<int>(end_ - at_);
    given_ += *size;
    at_ = end_;
    return true;
  }
  void BackUp(int count) override {
    at_ -= static_cast<std::size_t>(count);
    given_ -= count;
  }
  bool Skip(int count) override {
    const void* data = nullptr;
    for (int size = 0; count > 0; count -= size) {
      if (!Next(&data, &size)) return false;
      if (size <= count) continue;
      BackUp(size - count);
      return true;
    }
    return true;
  }
  [[nodiscard]] std::int64_t ByteCount() const override { return given_; }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 18;

  files::ByteSource& source_;
  std::vector<char> chunk_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::int64_t given_ = 0;
};

/// Messages on the way from a model to its tensors.
enum class Message : std::uint8_t { kModel, kGraph, kNode, kAttribute, kTensor, kOther };

/// What field `number` of `message` holds, if it may hold tensors.
Message content_of(Message message, int number) {
  switch (message) {
    case Message::kModel:
      return number == onnx::ModelProto::kGraphFieldNumber ? Message::kGraph : Message::kOther;
    case Message::kGraph:
      if (number == onnx::GraphProto::kInitializerFieldNumber) return Message::kTensor;
      return number == onnx::GraphProto::kNodeFieldNumber ? Message::kNode : Message::kOther;
    case Message::kNode:
      return number == onnx::NodeProto::kAttributeFieldNumber ? Message::kAttribute
                                                              : Message::kOther;
    case Message::kAttribute:
      if (number == onnx::AttributeProto::kTFieldNumber) return Message::kTensor;
      return number == onnx::AttributeProto::kGFieldNumber ||
                     number == onnx::AttributeProto::kGraphsFieldNumber
                 ? Message::kGraph
                 : Message::kOther;
    default:
      return Message::kOther;
  }
}

/// Whether `message` has a field `number`. Those of later forms of ONNX, or of no form at all, are
/// passed over: the library would keep each with many times its bytes.
bool is_known(Message message, int number) {
  const google::protobuf::Descriptor* form = nullptr;
  switch (message) {
    case Message::kModel:
      form = onnx::ModelProto::descriptor();
      break;
    case Message::kGraph:
      form = onnx::GraphProto::descriptor();
      break;
    case Message::kNode:
      form = onnx::NodeProto::descriptor();
      break;
    case Message::kAttribute:
      form = onnx::AttributeProto::descriptor();
      break;
    case Message::kTensor:
      form = onnx::TensorProto::descriptor();
      break;
    case Message::kOther:
      return true;
  }
  return form->FindFieldByNumber(number) != nullptr;
}

/// Whether field `number` of a tensor holds its numbers.
bool holds_numbers(int number) {
  using Tensor = onnx::TensorProto;
  for (const int field :
       {Tensor::kRawDataFieldNumber, Tensor::kFloatDataFieldNumber, Tensor::kInt32DataFieldNumber,
        Tensor::kInt64DataFieldNumber, Tensor::kDoubleDataFieldNumber,
        Tensor::kUint64DataFieldNumber, Tensor::kStringDataFieldNumber})
    if (number == field) return true;
  return false;
}

void append_varint(std::string& text, std::uint64_t value) {
  constexpr std::uint64_t kMore = 0x80;
  for (; value >= kMore; value >>= 7) text += static_cast<char>(value | kMore);
  text += static_cast<char>(value);
}

/// Copies a message up to the limit of `in` to `out`; false where it is malformed.
bool copy(CodedInputStream& in, Message message, std::string& out) {
  while (const std::uint32_t tag = in.ReadTag()) {
    const int number = WireFormatLite::GetTagFieldNumber(tag);
    if (!is_known(message, number)) {
      if (!WireFormatLite::SkipField(&in, tag)) return false;
      continue;
    }
    std::uint64_t value = 0;
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT:
        if (!in.ReadVarint64(&value)) return false;
        append_varint(out, tag);
        append_varint(out, value);
        break;
      case WireFormatLite::WIRETYPE_FIXED64:
      case WireFormatLite::WIRETYPE_FIXED32: {
        const bool is_long =
            WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_FIXED64;
        std::string bytes;
        if (!in.ReadString(&bytes, is_long ? 8 : 4)) return false;
        append_varint(out, tag);
        out += bytes;
        break;
      }
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED: {
        std::uint32_t size = 0;
        constexpr auto kMost = static_cast<std::uint32_t>(std::numeric_limits<int>::max());
        if (!in.ReadVarint32(&size) || size > kMost) return false;
        if (message == Message::kTensor && holds_numbers(number) && size > kMostNumberBytes) {
          if (!in.Skip(static_cast<int>(size))) return false;
          break;
        }
        const Message content = content_of(message, number);
        if (content == Message::kOther && size > kLargestText) return false;
        std::string bytes;
        if (content == Message::kOther) {
          if (!in.ReadString(&bytes, static_cast<int>(size))) return false;
        } else {
          const int left = in.BytesUntilLimit();  // -1: no message is around this one
          if (left >= 0 && static_cast<std::int64_t>(size) > left) return false;
          const auto [limit, depth] =
              in.IncrementRecursionDepthAndPushLimit(static_cast<int>(size));
          if (depth < 0 || !copy(in, content, bytes) || in.BytesUntilLimit() != 0) return false;
          in.DecrementRecursionDepthAndPopLimit(limit);
        }
        append_varint(out, tag);
        append_varint(out, bytes.size());
        out += bytes;
        break;
      }
      default:
        return false;  // groups, which ONNX does not have
    }
  }
  return true;
}

}  // namespace

std::string onnx_without_weights(files::ByteSource& source) {
  SourceStream stream(source);
  CodedInputStream in(&stream);
  in.SetTotalBytesLimit(std::numeric_limits<int>::max());
  std::string model;
  if (!copy(in, Message::kModel, model) || !in.ConsumedEntireMessage()) model += '\0';
  return model;
}

}  // namespace tcsim::networks
