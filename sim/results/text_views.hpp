#pragma once

#include <string>

#include "sim/results/section.hpp"

namespace tcsim::results {

/// Sections for a terminal, pictures in characters.
std::string section_text(const Section& section);
std::string document_text(const Document& document);

/// The same as Markdown; pictures in code blocks.
std::string section_markdown(const Section& section);
std::string document_markdown(const Document& document);

/// {"title", "run", "sections": [{"id", "title", "text": [], "tables": [{"caption", "columns",
/// "rows"}]}]}; cells are numbers where there is one behind the text.
Json document_json(const Document& document);

/// Tidy rows `run,section,table,row,column,value`: one per cell, the first cell of a row names it.
std::string document_csv(const Document& document);

}  // namespace tcsim::results
