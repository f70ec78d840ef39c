#include "workloads/networks/tensor_parallel.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "workloads/networks/counts.hpp"
#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {
namespace {

/// True for layers that compute each column, or each head, separately.
bool keeps_columns(LayerKind kind) {
  switch (kind) {
    case LayerKind::kAttention:
    case LayerKind::kLatentAttention:
    case LayerKind::kRelu:
    case LayerKind::kGelu:
    case LayerKind::kSilu:
    case LayerKind::kTanh:
    case LayerKind::kSigmoid:
    case LayerKind::kMultiply:
    case LayerKind::kSiluAndMultiply:
    case LayerKind::kIdentity:
      return true;
    default:
      return false;
  }
}

/// Determines which results are divided by columns among the GPUs.
class Division {
 public:
  explicit Division(const Network& network)
      : network_(network), scores_(scores_of(network)), readers_(readers(network)) {
    const std::size_t count = network.layers.size();
    is_divided_.assign(count, false);
    for (std::size_t i = 0; i < count; ++i)
      is_divided_[i] = kind_of(i) == LayerKind::kLinear || keeps_columns(kind_of(i));
    // Linear layers last: one falls if it reads something divided, which must then stay divided.
    remove([&](std::size_t layer) { return kind_of(layer) != LayerKind::kLinear; });
    remove([](std::size_t) { return true; });
  }

  [[nodiscard]] bool is_divided(int layer) const {
    return layer != kNetworkInput && is_divided_[static_cast<std::size_t>(layer)];
  }

 private:
  [[nodiscard]] LayerKind kind_of(std::size_t layer) const { return network_.layers[layer].kind; }

  /// Removes divisions of layers for which `may_fall` holds until nothing changes: of results that
  /// some reader needs whole, of layers that read something whole.
  template <typename MayFall>
  void remove(const MayFall& may_fall) {
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t i = 0; i < is_divided_.size(); ++i) {
        if (!is_divided_[i] || !may_fall(i) || (is_read_in_parts(i) && can_stand_divided(i)))
          continue;
        is_divided_[i] = false;
        changes = true;
      }
    }
  }

  /// True if every layer that reads `layer` is linear and sums over columns, or divided itself.
  [[nodiscard]] bool is_read_in_parts(std::size_t layer) const {
    for (const int reader : readers_[layer]) {
      const auto i = static_cast<std::size_t>(reader);
      if (&network_.layers[i] == scores_) return false;  // divided by words
      if (kind_of(i) != LayerKind::kLinear && !is_divided_[i]) return false;
      // A layer that sums over columns then has all of them, so it is not cut itself.
    }
    return !readers_[layer].empty();
  }

  /// A linear layer must read something whole. Layers that keep columns must read only divided
  /// inputs, except for the latent vectors, which all heads share.
  [[nodiscard]] bool can_stand_divided(std::size_t layer) const {
    const std::vector<int>& inputs = network_.layers[layer].inputs;
    if (kind_of(layer) == LayerKind::kLatentAttention)
      return is_divided(inputs[0]) && !is_divided(inputs[1]);
    const bool is_linear = kind_of(layer) == LayerKind::kLinear;
    return std::ranges::all_of(inputs, [&](int input) { return is_divided(input) != is_linear; });
  }

  const Network& network_;
  const Layer* scores_;
  const std::vector<std::vector<int>> readers_;
  std::vector<bool> is_divided_;
};

std::int64_t divided(std::int64_t number, int gpus, const Layer& layer, const char* what) {
  if (number % gpus == 0) return number / gpus;
  throw std::invalid_argument(layer.name + ": " + std::to_string(number) + " " + what +
                              " do not divide among " + std::to_string(gpus) + " GPUs");
}

/// Builds the network of one GPU.
class Divider {
 public:
  Divider(const Network& network, int gpus)
      : network_(network),
        gpus_(gpus),
        division_(network),
        scores_(scores_of(network)),
        readers_(readers(network)),
        places_(network.layers.size()) {
    result_ = network;
    result_.layers.clear();
  }

  Network run() {
    for (std::size_t i = 0; i < network_.layers.size(); ++i) add(static_cast<int>(i));
    if (result_.layers.size() == network_.layers.size())
      throw std::invalid_argument(network_.name +
                                  " has no linear layers that follow each other, so nothing of it "
                                  "is divided among GPUs");
    return std::move(result_);
  }

 private:
  void add(int index) {
    const Layer& whole = network_.layers[static_cast<std::size_t>(index)];
    Layer layer = whole;
    for (int& input : layer.inputs)
      if (input != kNetworkInput) input = places_[static_cast<std::size_t>(input)];
    divide(index, layer);
    append(layer);
    if (has_words(index) && whole.kind == LayerKind::kEmbedding) collect(LayerKind::kAllReduce);
    if (whole.kind == LayerKind::kExperts) collect(LayerKind::kAllReduce);
    if (whole.kind == LayerKind::kLinear && division_.is_divided(whole.inputs.front()))
      collect(LayerKind::kAllReduce);
    else if (has_words(index) && whole.kind == LayerKind::kLinear)
      collect(LayerKind::kAllGather, whole.features);
    places_[static_cast<std::size_t>(index)] = static_cast<int>(result_.layers.size()) - 1;
  }

  void divide(int index, Layer& layer) const {
    if (has_words(index)) {  // the last GPU's part is padded
      std::int64_t& words = layer.kind == LayerKind::kLinear ? layer.features : layer.vocabulary;
      words = (words + gpus_ - 1) / gpus_;
    } else if (layer.kind == LayerKind::kExperts) {  // each expert, by columns and by rows
      layer.features = divided(layer.features, gpus_, layer, "columns of an expert");
    } else if (division_.is_divided(index) && layer.kind == LayerKind::kLinear) {
      layer.features = divided_columns(index, layer);
    } else if (division_.is_divided(index) && layer.kind == LayerKind::kLatentAttention) {
      layer.heads = divided(layer.heads, gpus_, layer, "heads");
    } else if (division_.is_divided(index) && layer.kind == LayerKind::kAttention) {
      layer.heads = divided(layer.heads, gpus_, layer, "heads");
      layer.kv_heads = heads_of_keys(layer, layer.kv_heads);
    }
  }

  /// Each GPU has at least one head of keys and values.
  [[nodiscard]] std::int64_t heads_of_keys(const Layer& layer, std::int64_t kv_heads) const {
    if (kv_heads < gpus_ && gpus_ % kv_heads == 0) return 1;
    return divided(kv_heads, gpus_, layer, "heads of keys and values");
  }

  /// For a linear layer: its share, or the share of the heads of the attention that reads it.
  [[nodiscard]] std::int64_t divided_columns(int index, const Layer& layer) const {
    for (const int which : readers_[static_cast<std::size_t>(index)]) {
      const Layer& reader = network_.layers[static_cast<std::size_t>(which)];
      if (reader.kind == LayerKind::kLatentAttention)
        return divided(reader.heads, gpus_, reader, "heads") * (reader.dim + reader.rope);
      if (reader.kind != LayerKind::kAttention) continue;
      const std::int64_t dim = head_dim(network_, reader);
      const std::int64_t queries = divided(reader.heads, gpus_, reader, "heads");
      const std::int64_t keys = heads_of_keys(reader, reader.kv_heads);
      if (reader.inputs.size() == 1) return (queries + 2 * keys) * dim;
      return (reader.inputs.front() == index ? queries : keys) * dim;
    }
    return divided(layer.features, gpus_, layer, "columns");
  }

  /// True for the scores of a language model and the embedding with the same number of words.
  [[nodiscard]] bool has_words(int index) const {
    if (scores_ == nullptr) return false;
    const Layer& layer = network_.layers[static_cast<std::size_t>(index)];
    return &layer == scores_ ||
           (layer.kind == LayerKind::kEmbedding && layer.vocabulary == scores_->features);
  }

  /// Adds a collective step after the last layer.
  void collect(LayerKind kind, std::int64_t columns = 0) {
    Layer layer;
    layer.name = result_.layers.back().name + "_" + std::string(word(kind));
    layer.kind = kind;
    layer.inputs = {static_cast<int>(result_.layers.size()) - 1};
    layer.features = columns;
    append(layer);
  }

  void append(Layer layer) {
    std::vector<Shape> shapes;
    for (const int input : layer.inputs) shapes.push_back(result_.shape_of(input));
    const InferredShape inferred = infer_shape(layer, shapes);
    if (!inferred.shape)
      throw std::invalid_argument(layer.name + " of one of " + std::to_string(gpus_) +
                                  " GPUs: " + inferred.reason);
    layer.shape = *inferred.shape;
    result_.layers.push_back(std::move(layer));
  }

  const Network& network_;
  const int gpus_;
  const Division division_;
  const Layer* scores_;
  const std::vector<std::vector<int>> readers_;
  std::vector<int> places_;  ///< position of each layer's result in the network of one GPU
  Network result_;
};

}  // namespace

Network tensor_parallel(const Network& network, int gpus) { return Divider(network, gpus).run(); }

}  // namespace tcsim::networks
