#include "sim/cli/leftovers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/cli/command_tree.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::cli {
namespace {

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

/// The long names, without dashes, which would make short names look alike.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

/// "; did you mean "--x"?", or `otherwise` if no word is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& words,
                       const std::string& otherwise) {
  const std::string meant = files::did_you_mean(word, {words.begin(), words.end()});
  return meant.empty() ? otherwise : meant;
}

[[noreturn]] void refuse_option(const CLI::App& app, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  const std::vector<std::string> names = option_names(app);
  const std::size_t dashes = std::min(option.find_first_not_of('-'), option.size());
  const std::string_view meant =
      files::nearest(option.substr(dashes), {names.begin(), names.end()});
  throw UsageError(path_of(app) + ": unknown option " + files::shown(option) +
                   (meant.empty() ? "; see '" + path_of(app) + " --help'"
                                  : "; did you mean \"--" + std::string(meant) + "\"?"));
}

[[noreturn]] void refuse_word(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = names_of(commands_of(app));
  if (names.empty()) throw UsageError(path_of(app) + ": unexpected argument '" + word + "'");
  throw UsageError(path_of(app) + ": unknown command " + files::shown(word) +
                   suggestion(word, names, fmt::format(" (commands: {})", fmt::join(names, ", "))));
}

}  // namespace

void keep_leftovers(CLI::App& app) {
  app.allow_extras();
  app.require_subcommand(0, 1);  // a word behind a command is never another command of its parent
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    keep_leftovers(*command);
}

void refuse_leftovers(const CLI::App& app) {
  std::vector<std::string> words = app.remaining();
  std::erase(words, "--");  // the mark before words that are no options
  // A misspelt option explains the words behind it, so it is reported before them.
  for (const std::string& word : words) {
    if (word.size() > 1 && word.front() == '-') refuse_option(app, word);
  }
  if (!words.empty()) refuse_word(app, words.front());
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  for (const CLI::App* command : chosen) refuse_leftovers(*command);
  const std::vector<std::string> names = names_of(commands_of(app));
  if (chosen.empty() && !names.empty()) {
    throw UsageError(fmt::format("{0}: which command? ({1}); see '{0} --help'", path_of(app),
                                 fmt::join(names, ", ")));
  }
}

void refuse_unknown_command(const CLI::App& app) {
  for (const std::string& word : app.remaining())
    if (!word.starts_with('-') && !names_of(commands_of(app)).empty()) refuse_word(app, word);
  for (const CLI::App* command : app.get_subcommands()) refuse_unknown_command(*command);
}

void refuse_empty_out(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    const CLI::Option* const out = command->get_option_no_throw("--out");
    if (out != nullptr && std::ranges::find(out->results(), "") != out->results().end())
      throw UsageError(path_of(*command) + ": -o: the name is empty");
    refuse_empty_out(*command);
  }
}

}  // namespace tcsim::cli
