#include "sim/cli/completion.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "models/numerics/generation.hpp"
#include "sim/cli/command_tree.hpp"
#include "sim/cli/plot_command.hpp"
#include "sim/cli/timeline_command.hpp"
#include "sim/config/load.hpp"
#include "sim/config/schema.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/labs/lab.hpp"
#include "sim/library/load.hpp"
#include "sim/microbench/published_table.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/results/sections.hpp"
#include "sim/run/request_fields.hpp"
#include "workloads/import/operation_words.hpp"

namespace tcsim::cli {
namespace {

using Words = std::vector<std::string>;
/// Of the word that is begun.
using Source = std::function<Words(const std::string&)>;

Words words_of(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }

Words machines(const std::string&) { return config::machine_names(); }
Words libraries(const std::string&) { return library::library_names(); }

Words lab_numbers(const std::string&) {
  Words words;
  for (const labs::Lab& lab : labs::read_labs(files::data_folder("docs/labs")))
    words.push_back(std::to_string(lab.number));
  return words;
}

Words machine_keys(const std::string&) {
  Words words;
  for (const config::Key& key : config::keys()) words.emplace_back(key.path);
  return words;
}

Words keys_to_set(const std::string&) {
  Words words = machine_keys({});
  for (std::string& word : words) word += '=';
  return words;
}

Words generations(const std::string&) {
  Words words;
  for (const numerics::GenerationInfo& row : numerics::kGenerations) words.emplace_back(row.name);
  return words;
}

/// Kinds of workloads and networks; behind "gemm:m=16," the keys of a product.
Words workloads(const std::string& last) {
  Words words{"csv:", "trace:"};
  for (const std::string& name : networks::network_names()) words.push_back("net:" + name);
  const std::string begun = last.substr(0, last.find_last_of(":,") + 1);
  for (const workload::OperationWords& operation : workload::operation_words()) {
    words.push_back(operation.name + ":");
    if (!begun.starts_with(words.back())) continue;
    for (const std::string& key : operation.keys) words.push_back(begun + key + "=");
  }
  return words;
}

/// By the long name of an option; the same in every command.
const std::map<std::string, Source, std::less<>>& values_of_options() {
  static const std::map<std::string, Source, std::less<>> sources{
      {"machine", machines},
      {"from", machines},
      {"library", libraries},
      {"fidelity",
       [](const std::string&) {
         return Words{"cycle", "sampled", "auto"};
       }},
      {"set", keys_to_set},
      {"arch", generations},
      {"kind", [](const std::string&) { return words_of(plot_kinds()); }},
      {"to", [](const std::string&) { return words_of(timeline_forms()); }},
      {"suite", [](const std::string&) { return words_of(microbench::suites()); }},
      {"section", [](const std::string&) { return words_of(results::section_ids()); }},
      {"format", [](const std::string&) {
         return Words{"text", "json", "csv", "md"};
       }}};
  return sources;
}

/// By the path of a command, of its first argument.
const std::map<std::string, Source, std::less<>>& arguments_of_commands() {
  static const std::map<std::string, Source, std::less<>> sources{
      {"tcsim run", workloads},
      {"tcsim trace emit", workloads},
      {"tcsim library explain", workloads},
      {"tcsim peak", machines},
      {"tcsim microbench", machines},
      {"tcsim machine show", machines},
      {"tcsim machine explain", machine_keys},
      {"tcsim machine area", machines},
      {"tcsim machine diff", machines},
      {"tcsim library show", libraries},
      {"tcsim lab start", lab_numbers},
      {"tcsim completion", [](const std::string&) { return words_of(completing_shells()); }}};
  return sources;
}

/// The option of `command` that is spelled `word`, or null.
const CLI::Option* option_called(const CLI::App& command, const std::string& word) {
  for (const CLI::Option* option : command.get_options()) {
    const Words names = spellings(*option);
    if (is_shown(*option) && std::ranges::find(names, word) != names.end()) return option;
  }
  return nullptr;
}

Words values_of(const CLI::Option& option, const std::string& last) {
  for (const std::string& name : option.get_lnames()) {
    const auto source = values_of_options().find(name);
    if (source != values_of_options().end()) return source->second(last);
    std::string field = name;
    std::ranges::replace(field, '-', '_');
    if (const run::Field* found = run::find_field(field)) return words_of(found->words);
  }
  return {};
}

Words commands_and_options(const CLI::App& command, const std::string& last) {
  Words words;
  if (!last.starts_with('-')) {
    for (const CLI::App* below : commands_of(command))
      if (!below->get_group().empty()) words.push_back(below->get_name());
    const auto source = arguments_of_commands().find(path_of(command));
    if (source != arguments_of_commands().end()) {
      const Words values = source->second(last);
      words.insert(words.end(), values.begin(), values.end());
    }
    return words;
  }
  for (const CLI::Option* option : command.get_options()) {
    if (!is_shown(*option)) continue;
    const Words names = spellings(*option);
    words.insert(words.end(), names.begin(), names.end());
  }
  return words;
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  const CLI::Option* waiting = nullptr;  // for its value
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (std::exchange(waiting, nullptr) != nullptr) continue;
    if (const CLI::Option* option = option_called(*command, words[i]))
      waiting = option->get_items_expected_max() > 0 ? option : nullptr;
    for (const CLI::App* below : commands_of(*command))
      if (below->get_name() == words[i]) command = below;
  }
  const std::string last = words.empty() ? "" : words.back();
  Words found =
      waiting != nullptr ? values_of(*waiting, last) : commands_and_options(*command, last);
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(last); });
  return found;
}

const std::vector<std::string_view>& completing_shells() {
  static const std::vector<std::string_view> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(std::string_view shell) {
  // Bash cuts words at ':' and '=', and wants what follows the last of them.
  if (shell == "bash")
    return R"(# bash completion of tcsim; load it with: source <(tcsim completion bash)
_tcsim() {
  local line=${COMP_LINE:0:COMP_POINT} words last
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  last=${words[-1]}
  mapfile -t COMPREPLY < <(tcsim complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace
  COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*[:=]}"}"}")
}
complete -o default -F _tcsim tcsim
)";
  if (shell == "zsh")
    return R"(#compdef tcsim
# zsh completion of tcsim; load it with: source <(tcsim completion zsh)
_tcsim() {
  local -a found begun
  found=("${(@f)$(tcsim complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  begun=(${(M)found:#*[:=]})
  found=(${found:#*[:=]})
  (( $#begun )) && compadd -S '' -- $begun
  (( $#found )) && compadd -- $found
  (( $#begun + $#found )) || _files
}
compdef _tcsim tcsim
)";
  return R"(# fish completion of tcsim; load it with: tcsim completion fish | source
complete -c tcsim -a '(tcsim complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
)";
}

}  // namespace tcsim::cli
