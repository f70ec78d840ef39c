// What the server is asked, and small helpers for the page. Text goes into the page as text alone.

const kTooMany = 429;
const kBusyMilliseconds = 500;

/** The server's answer that was no result: mistakes, or a `status` of HTTP that is not 200; 0: there was no answer. */
export class Refusal extends Error {
  constructor(status, content) {
    super(content.message || `the server answers with status ${status}`);
    this.status = status;
    this.mistakes = content.mistakes || [];
  }
}

/** Like fetch. */
export async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, { message: "no connection to the server" });
  }
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function answerOf(response) {
  const text = await response.text();
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    content = { message: text };
  }
  if (!response.ok || content.mistakes) throw new Refusal(response.status, content);
  return content;
}

/** What `ask` answers. It is asked again while the server still works on too many questions of this browser. */
async function patiently(ask, signal) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error.status !== kTooMany) throw error;
    }
    await pause(kBusyMilliseconds);
    signal?.throwIfAborted();
  }
}

export function get(path) {
  return patiently(async () => answerOf(await reach(path)));
}

export async function getText(path) {
  const response = await reach(path);
  return response.ok ? response.text() : answerOf(response);
}

export async function post(path, body, signal) {
  return answerOf(await reach(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
  }));
}

/** Posts what changes nothing: a check, a peak, a forecast. */
export function question(path, body, signal) {
  return patiently(() => post(path, body, signal), signal);
}

export async function remove(path) {
  return answerOf(await reach(path, { method: "DELETE" }));
}

export const find = (id) => document.getElementById(id);

/** An element with attributes (functions are listeners: onclick) and children (strings are text). */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return element;
}

const kSvg = "http://www.w3.org/2000/svg";

export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat());
  return element;
}

/** Calls `act` when nobody has called for `milliseconds`. */
export function debounced(act, milliseconds) {
  let timer;
  return (...words) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...words), milliseconds);
  };
}

/** Asks one thing after the other: a newer question takes the place of the one under way. */
export function latest(ask) {
  let current;
  return async (...words) => {
    if (current) current.abort();
    const mine = new AbortController();
    current = mine;
    try {
      const answer = await ask(mine.signal, ...words);
      return mine === current ? { answer } : {};
    } catch (error) {
      if (error.name === "AbortError" || mine !== current) return {};
      return { error };
    }
  };
}

export function shortNumber(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "-";
  if (Math.abs(value) >= 1e6) return Number(value).toLocaleString("en", { maximumFractionDigits: 0 });
  return Number(value).toLocaleString("en", { maximumSignificantDigits: digits });
}
