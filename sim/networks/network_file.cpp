#include "sim/networks/network_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/config/load.hpp"
#include "sim/config/named_files.hpp"
#include "sim/config/strict_map.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/networks/layer_reader.hpp"
#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {
namespace {

using config::Mistakes;
using config::StrictMap;
using config::TreeEntry;
using config::TreeNode;

constexpr std::size_t kMostLayers = 100'000;
constexpr int kDeepestBlock = 16;
/// Entries of lists of layers, each as often as it is read: every layer may stand in a block of its
/// own at every depth.
constexpr std::size_t kMostEntries = kMostLayers * (kDeepestBlock + 1);

/// Replaces a layer with a reported mistake: what reads it is checked as far as that
/// goes without its shape.
constexpr int kUnsound = -2;

constexpr const char* kFrom = "from";

/// What a block is given: a text, and the layer of this name where the block is used, if any.
struct Parameter {
  std::string text;
  std::optional<int> layer{};
};

/// By name: what "$name" stands for in the layers of a block.
using Parameters = std::map<std::string, Parameter, std::less<>>;

/// Puts the values of parameters into `node`, a value of `key`.
void put_in(TreeNode& node, const std::string& key, const Parameters& parameters,
            Mistakes& mistakes) {
  for (TreeNode& item : node.items) put_in(item, key, parameters, mistakes);
  for (TreeEntry& entry : node.entries) put_in(entry.value, entry.name.text, parameters, mistakes);
  if (node.kind != TreeNode::Kind::kText || !node.text.starts_with('$')) return;
  const auto parameter = parameters.find(std::string_view(node.text).substr(1));
  if (parameter == parameters.end())
    mistakes.add(node.place, key, files::shown(node.text) + " is not a parameter of this block");
  else if (key != kFrom)
    node.text = parameter->second.text;
}

/// Names that layers of one block, or of the network, may read from.
struct Scope {
  std::string prefix;  ///< "layer1.0."
  int input = kNetworkInput;
  int previous = kNetworkInput;
  const Parameters* parameters = nullptr;
  const Scope* outer = nullptr;  ///< where the block stands
  std::map<std::string, int> names{};

  /// The layer called `name` here.
  [[nodiscard]] std::optional<int> find(const std::string& name) const {
    if (name == "input") return input;
    const auto found = names.find(name);
    return found != names.end() ? std::optional(found->second) : std::nullopt;
  }

  /// The parameter that `text`, "$name", stands for; null if it stands for itself.
  [[nodiscard]] const Parameter* parameter(std::string_view text) const {
    if (!text.starts_with('$')) return nullptr;
    const auto found = parameters->find(text.substr(1));
    return found != parameters->end() ? &found->second : nullptr;
  }

  /// What `written`, the value of `key` of a block that is used here, gives the block; `text` is
  /// what it says.
  [[nodiscard]] Parameter given(const TreeNode& written, const std::string& key,
                                const std::string& text) const {
    for (const TreeEntry& entry : written.entries)
      if (entry.name.text == key)
        if (const Parameter* passed_on = parameter(entry.value.text)) return *passed_on;
    return {text, find(text)};
  }

  /// Calls layer `index` `name`, unless that is empty; the next layer reads it.
  void define(const std::string& name, int index) {
    previous = index;
    if (!name.empty()) names[name] = index;
  }
};

class NetworkReader {
 public:
  explicit NetworkReader(Mistakes& mistakes) : mistakes_(mistakes) {}

  Network read(const TreeNode& root) {
    StrictMap map(root, "", mistakes_);
    network_.name = map.text("name");
    network_.source = map.text("source", /*required=*/false);
    const std::size_t mistakes_before = mistakes_.count();
    if (const auto section = map.section("input")) read_input(*section);
    const int input = mistakes_.count() > mistakes_before ? kUnsound : kNetworkInput;
    if (const TreeNode* blocks = map.find("blocks")) read_blocks(*blocks);
    if (map.find("skipped") != nullptr) read_skipped(map);
    const TreeNode* layers = map.find("layers", /*required=*/true);
    map.finish();
    if (layers == nullptr) return {};
    const Parameters none;
    Scope scope{"", input, input, &none, nullptr};
    read_layers(*layers, scope, 0);
    return std::move(network_);
  }

 private:
  struct Block {
    std::vector<std::string> parameters;
    const TreeNode* layers;  ///< null if it is not known what the block takes or holds
    bool is_unsound = false;
  };

  void read_input(StrictMap map) {
    network_.is_sequence = map.find("tokens") != nullptr;
    network_.takes_tokens = map.find("tokens") != nullptr && map.find("c") == nullptr;
    if (map.find("tokens") != nullptr) {
      network_.input.h = map.integer("tokens", 1, kMostFeatures);
    } else {
      network_.input.h = map.integer("h", 1, kMostFeatures, 1);
      network_.input.w = map.integer("w", 1, kMostFeatures, 1);
    }
    network_.input.c =
        map.integer("c", 1, kMostFeatures,
                    network_.takes_tokens ? std::optional<std::int64_t>(1) : std::nullopt);
    map.finish();
  }

  void read_blocks(const TreeNode& node) {
    if (node.kind != TreeNode::Kind::kMapping)
      return mistakes_.add(node.place, "blocks", "expected a mapping of names to blocks");
    for (const TreeEntry& entry : node.entries) {
      StrictMap map(entry.value, "blocks." + entry.name.text, mistakes_);
      Block block{map.texts("parameters"), map.find("layers", /*required=*/true)};
      map.finish();
      // An unknown key may be the misspelt `parameters`.
      if (!map.is_sound() && block.parameters.empty()) block.layers = nullptr;
      blocks_[entry.name.text] = block;
    }
  }

  void read_skipped(StrictMap& network) {
    for (const TreeNode& item : network.list("skipped")) {
      StrictMap map(item, "skipped", mistakes_);
      Skipped skipped{map.text("name", /*required=*/false), map.text("op", /*required=*/false), {}};
      if (map.find("macs") != nullptr)
        skipped.macs = static_cast<double>(map.integer("macs", 0, std::int64_t{1} << 53));
      map.finish();
      network_.skipped.push_back(skipped);
    }
  }

  void read_layers(const TreeNode& list, Scope& scope, int depth) {
    if (list.kind != TreeNode::Kind::kList)
      return mistakes_.add(list.place, "layers", "expected a list of layers");
    if (list.items.empty()) return mistakes_.add(list.place, "layers", "the list is empty");
    if (depth > kDeepestBlock)
      return mistakes_.add(list.place, "layers", "blocks are nested too deeply");
    for (const TreeNode& item : list.items) {
      if (network_.layers.size() >= kMostLayers || ++entries_read_ > kMostEntries)
        return mistakes_.add(item.place, "layers", "more than 100000 layers");
      TreeNode layer = item;
      const std::size_t mistakes_before = mistakes_.count();
      put_in(layer, "layers", *scope.parameters, mistakes_);
      const bool is_readable =
          mistakes_.count() == mistakes_before && layer.kind == TreeNode::Kind::kMapping;
      StrictMap map(layer, "layers", mistakes_);
      if (!is_readable)
        scope.define(read_name(map, scope), kUnsound);
      else if (map.find("block") != nullptr)
        read_block(map, item, scope, depth);
      else
        read_layer(map, scope);
    }
  }

  std::string read_name(StrictMap& map, Scope& scope) {
    std::string name = map.text("name");
    if (scope.names.contains(name))
      map.mistake(map.place_of("name"), "name", fmt::format("'{}' is given twice", name));
    if (name == "input") map.mistake(map.place_of("name"), "name", "'input' is the input's name");
    return name;
  }

  std::vector<int> read_inputs(StrictMap& map, Scope& scope) {
    std::vector<int> inputs;
    for (const std::string& word : map.texts(kFrom)) {
      const Parameter* parameter = scope.parameter(word);
      const std::string& name = parameter != nullptr ? parameter->text : word;
      if (const auto found = parameter != nullptr ? parameter->layer : scope.find(name)) {
        inputs.push_back(*found);
      } else {
        const Scope& place = parameter != nullptr ? *scope.outer : scope;
        std::vector<std::string_view> known{"input"};
        for (const auto& [other, index] : place.names) known.push_back(other);
        map.mistake(map.place_of(kFrom), kFrom,
                    fmt::format("no layer '{}' is defined above{}", name,
                                files::did_you_mean(name, known)));
        inputs.push_back(kUnsound);
      }
    }
    if (inputs.empty()) inputs.push_back(scope.previous);
    return inputs;
  }

  void read_layer(StrictMap& map, Scope& scope) {
    const std::string name = read_name(map, scope);
    const std::optional<LayerKind> kind = read_kind(map);
    Layer layer;
    layer.inputs = read_inputs(map, scope);
    layer.name = scope.prefix + name;
    scope.define(name, kUnsound);  // unless all goes well
    if (!kind) return;
    layer.kind = *kind;
    const bool has_shapes = std::ranges::find(layer.inputs, kUnsound) == layer.inputs.end();
    read_parameters(map, has_shapes ? network_.shape_of(layer.inputs.front()).c : 1, layer);
    map.finish();
    if (!map.is_sound() || !has_shapes) return;
    std::vector<Shape> shapes;
    for (const int input : layer.inputs) shapes.push_back(network_.shape_of(input));
    const InferredShape inferred = infer_shape(layer, shapes);
    if (!inferred.shape) return mistakes_.add(map.place(), layer.name, inferred.reason);
    layer.shape = *inferred.shape;
    network_.layers.push_back(std::move(layer));
    scope.define(name, static_cast<int>(network_.layers.size()) - 1);
  }

  void read_block(StrictMap& map, const TreeNode& written, Scope& scope, int depth) {
    const std::string name = read_name(map, scope);
    const std::string block_name = map.text("block");
    const std::int64_t repeat = map.integer("repeat", 1, kMostPixels, 1);
    const std::int64_t first = map.integer("first", 0, kMostPixels, 0);
    const std::vector<int> inputs = read_inputs(map, scope);
    int previous = inputs.front();
    scope.define(name, kUnsound);  // unless all goes well
    const auto block = blocks_.find(block_name);
    if (block == blocks_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [other, value] : blocks_) known.push_back(other);
      return map.mistake(
          map.place_of("block"), "block",
          fmt::format("no block '{}'{}", block_name, files::did_you_mean(block_name, known)));
    }
    if (block->second.layers == nullptr) return;
    std::size_t mistakes_before = mistakes_.count();
    Parameters parameters;
    for (const std::string& key : block->second.parameters)
      parameters[key] = scope.given(written, key, map.text(key));
    const bool has_parameters = mistakes_.count() == mistakes_before;
    map.finish();
    if (inputs.size() != 1) map.mistake(map.place_of(kFrom), kFrom, "a block has one input");
    if (!has_parameters || block->second.is_unsound) return;
    if (!map.is_sound()) previous = kUnsound;  // what is wrong in the block is told all the same
    mistakes_before = mistakes_.count();
    const bool is_numbered = repeat > 1 || map.find("first") != nullptr;
    for (std::int64_t i = first; i < first + repeat; ++i) {
      const std::string prefix =
          scope.prefix + name + (is_numbered ? fmt::format(".{}.", i) : std::string("."));
      Scope inner{prefix, previous, previous, &parameters, &scope};
      read_layers(*block->second.layers, inner, depth + 1);
      previous = inner.previous;
      if (mistakes_.count() > mistakes_before) block->second.is_unsound = true;
      if (block->second.is_unsound || previous == kUnsound) return;  // once more tells nothing new
    }
    scope.define(name, previous);
  }

  Mistakes& mistakes_;
  Network network_;
  std::size_t entries_read_ = 0;
  std::map<std::string, Block> blocks_;
};

config::NamedFiles network_files() {
  return {config::configs_folder() / "networks", "network", "networks", "net:"};
}

}  // namespace

std::vector<std::string> network_names() { return network_files().names(); }

bool is_shipped(const std::string& name) {
  const std::vector<std::string> names = network_names();
  return std::ranges::find(names, name) != names.end();
}

Network read_network(const std::string& file, const std::string& text) {
  Mistakes mistakes(file);
  const config::TreeFile tree = config::parse_yaml(file, text, mistakes);
  Network network = NetworkReader(mistakes).read(tree.root);
  mistakes.finish();
  return network;
}

Network load_network(const std::string& name_or_path) {
  const std::string file = network_files().file_of(name_or_path).string();
  return read_network(file, files::read_file(file, files::FileKind::kNetwork));
}

}  // namespace tcsim::networks
