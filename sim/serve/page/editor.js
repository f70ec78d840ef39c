// Mistakes of a text: a list whose entries lead to their places.
import { make } from "./client.js";

/** Where the column of a mistake, which counts bytes of UTF-8 from 1, is in `line`. */
export function indexOf(line, column) {
  const before = new TextEncoder().encode(line).subarray(0, Math.max(0, column - 1));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(before).length;
}

/** Puts the cursor of `area` at the line, from 1, and the column of a mistake. */
export function goTo(area, line, column) {
  const lines = area.value.split("\n");
  let at = 0;
  for (let i = 0; i < line - 1 && i < lines.length; ++i) at += lines[i].length + 1;
  at += indexOf(lines[line - 1] ?? "", column);
  area.focus();
  area.setSelectionRange(at, at + 1);
  const height = area.scrollHeight / Math.max(1, lines.length);
  area.scrollTop = Math.max(0, (line - 5) * height);
}

/** Shows `error` in `holder`; `lead` gets a mistake with a place when it is chosen. Nothing: no mistakes. */
export function showMistakes(holder, error, lead) {
  holder.replaceChildren();
  if (!error) return;
  const mistakes = error.mistakes && error.mistakes.length > 0 ? error.mistakes : [{ reason: error.message }];
  const kMost = 20;
  holder.append(make("ul", {}, mistakes.slice(0, kMost).map((mistake) => {
    const place = mistake.line > 0 ? `line ${mistake.line}, column ${mistake.column}: `
      : mistake.column > 0 ? `column ${mistake.column}: ` : "";
    const words = place + (mistake.key ? mistake.key + ": " : "") + mistake.reason;
    const leads = lead && (mistake.line > 0 || mistake.column > 0 || mistake.key);
    return make("li", {}, leads ? make("button", { type: "button", class: "link", onclick: () => lead(mistake) }, words) : words);
  })));
  if (mistakes.length > kMost) holder.append(`and ${mistakes.length - kMost} more`);
}
