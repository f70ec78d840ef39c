// Runs: asked for, under way, done; two side by side; reports.
import { find, get, make, pause, post, remove, shortNumber } from "./client.js";
import { showMistakes } from "./editor.js";
import { titleOf } from "./experiment.js";
import { showTimeline } from "./timeline.js";

const kPollMilliseconds = 400;
const kMostMilliseconds = 10000;  // between questions to a server that does not answer

function isUnderWay(run) {
  return run.state === "waiting" || run.state === "running";
}

/** `run` after the question for its state has failed with `error`. Whom the server does not know, or what it does not
    have, need not ask again. */
function withTrouble(run, error) {
  const kOver = [401, 404];
  return kOver.includes(error.status) ? { ...run, state: "failed", failure: error } : { ...run, trouble: `${error.message}; asking again` };
}

/** Of one GPU as results have it, times the GPUs of a network that is divided among several. */
function ofAllGpus(result, figure) {
  return figure === undefined || figure === null ? null : (result.gpus ?? 1) * figure;
}

/** Of integers, operations are no FLOP. */
function rateUnit(result) {
  return /^(u?int|b1)/.test(result.dtype) ? "TOPS" : "TFLOPS";
}

/** What two results are compared by: label, where it is in a result, which is better (1 more, -1 less), and whether it
    grows with the GPUs. */
const kRows = [
  ["time, us", (result) => result.time_us, -1],
  ["TFLOPS or TOPS", (result) => ofAllGpus(result, result.tflops), 1, true],
  ["% of peak", (result) => (result.peak_fraction === undefined || result.peak_fraction === null ? null : 100 * result.peak_fraction), 1],
  ["cycles", (result) => result.cycles, -1],
  ["DRAM GB/s", (result) => result.memory?.dram_gb_per_s, 0],
  ["L2 hits, %", (result) => (result.memory?.l2_hit_rate === undefined || result.memory.l2_hit_rate === null ? null : 100 * result.memory.l2_hit_rate), 0],
  ["operations per byte of DRAM", (result) => result.memory?.arithmetic_intensity, 0],
  ["energy, mJ", (result) => ofAllGpus(result, result.energy?.energy_j === undefined ? null : 1000 * result.energy.energy_j), -1, true],
  ["power, W", (result) => ofAllGpus(result, result.energy?.power_w), 0, true],
];

export class Runs extends EventTarget {
  constructor(store, about) {
    super();
    this.store = store;
    this.about = about;
    this.runs = [];  // the latest first: { id, state, experiment, result, ... }
    this.rows = new Map();
    this.followed = new Map();  // runs that are asked for: whether they were requested since the page was opened
    this.leaving = new Set();  // runs that the server is being asked to drop
    this.pair = { a: undefined, b: undefined };
  }

  async start() {
    find("run").addEventListener("click", () => this.submit());
    if (this.about.read_only) find("run").textContent = "Show stored result";
    for (const run of await get("/api/runs")) this.runs.push(run);
    this.show();
    for (const run of this.runs) this.follow(run, /* isNew= */ false);
  }

  dots() {
    return this.runs.filter((run) => run.result).map((run) => ({
      title: titleOf(run.experiment), tflops: run.result.tflops, unit: rateUnit(run.result), intensity: run.result.memory?.arithmetic_intensity,
    }));
  }

  async submit() {
    const note = find("run-note");
    note.textContent = "";
    try {
      const run = await post("/api/runs", this.store.experiment);
      note.textContent = run.state === "done" ? "This result was already stored." : "";
      this.runs = [run, ...this.runs.filter((each) => each.id !== run.id)];
      this.show();
      this.follow(run, /* isNew= */ true);
    } catch (error) {
      showMistakes(note, error);
    }
  }

  replace(run) {
    const index = this.runs.findIndex((each) => each.id === run.id);
    if (index >= 0) this.runs[index] = run;
    this.showRow(run);
  }

  isListed(id) {
    return this.runs.some((each) => each.id === id);
  }

  /** Asks for the state of a run until it has ended; a run requested just now is then shown next to the one before. */
  async follow(run, isNew) {
    const isFollowed = this.followed.has(run.id);
    this.followed.set(run.id, isNew || this.followed.get(run.id) === true);
    if (isFollowed) return;
    const state = await this.ended(run);
    const isPaired = this.followed.get(run.id);
    this.followed.delete(run.id);
    if (state.state !== "done" || !this.isListed(run.id)) return;
    if (isPaired) this.pairUp(run.id);
    this.showCompare();
    this.dispatchEvent(new Event("finished"));
  }

  /** The state of `run` once it has ended, with its result, or once it is no longer listed. */
  async ended(run) {
    let state = run;
    let milliseconds = isUnderWay(run) ? kPollMilliseconds : 0;
    while (isUnderWay(state) || (state.state === "done" && !state.result)) {
      await pause(milliseconds);
      if (!this.isListed(run.id)) break;
      if (this.leaving.has(run.id)) {  // the server may know it no more
        milliseconds = kPollMilliseconds;
        continue;
      }
      try {
        state = await get(`/api/runs/${run.id}`);
        milliseconds = kPollMilliseconds;
      } catch (error) {
        state = withTrouble(state, error);
        milliseconds = Math.min(kMostMilliseconds, 2 * Math.max(milliseconds, kPollMilliseconds));
      }
      this.replace(state);
    }
    return state;
  }

  /** A new result is shown next to the one before it, unless the other side was chosen. */
  pairUp(id) {
    if (this.pair.b !== undefined && this.pair.b !== id && !this.isPinned) this.pair.a = this.pair.b;
    this.pair.b = id;
    for (const run of this.runs) this.showRow(run);
  }

  show() {
    find("no-runs").hidden = this.runs.length > 0;
    const list = find("runs");
    this.rows.clear();
    list.replaceChildren(...this.runs.map((run) => {
      const row = make("li", { "data-id": run.id });
      this.rows.set(run.id, row);
      this.showRow(run);
      return row;
    }));
  }

  showRow(run) {
    const row = this.rows.get(run.id);
    if (!row) return;
    // Progress changes many times: what has the keyboard stays the element it is.
    if (row.dataset.state === run.state && isUnderWay(run)) {
      row.querySelector("progress")?.replaceWith(this.progressOf(run));
      row.querySelector(".progress-text").textContent = this.wordsOf(run);
      return;
    }
    const hadFocus = row.contains(document.activeElement) ? document.activeElement.dataset.act : undefined;
    row.dataset.state = run.state;
    row.replaceChildren(make("div", { class: "title" }, titleOf(run.experiment)), ...this.partsOf(run));
    if (hadFocus) row.querySelector(`[data-act="${hadFocus}"]`)?.focus();
  }

  progressOf(run) {
    const progress = make("progress", { max: "1", "aria-label": `Progress of ${titleOf(run.experiment)}` });
    if (run.share !== undefined) progress.value = run.share;
    else if (run.state === "waiting") progress.value = 0;
    return progress;
  }

  wordsOf(run) {
    if (run.trouble) return run.trouble;
    if (run.state === "waiting") return run.ahead > 0 ? `waiting, ${run.ahead} ahead` : "about to start";
    return run.progress ?? "started";
  }

  button(act, words, onclick, attributes = {}) {
    return make("button", { type: "button", "data-act": act, onclick, ...attributes }, words);
  }

  partsOf(run) {
    const cancel = () => this.button("cancel", "Cancel", () => this.cancel(run));
    if (isUnderWay(run))
      return [this.progressOf(run), make("div", { class: "soft progress-text" }, this.wordsOf(run)), make("div", { class: "row" }, cancel())];
    const load = this.button("load", "Change it", () => {
      this.store.replace(run.experiment);
      find("workload").focus();
    });
    const forget = this.button("forget", "Remove", () => this.cancel(run), { "aria-label": `Remove ${titleOf(run.experiment)}` });
    if (run.state === "failed") {
      const mistakes = make("div", { class: "mistakes" });
      showMistakes(mistakes, run.failure);
      return [mistakes, make("div", { class: "row" }, load, forget)];
    }
    const result = run.result ?? {};
    const time = kRows[0][1](result);
    const rate = kRows[1][1](result);
    const words = [
      run.trouble ?? "",
      time === undefined || time === null ? "" : `${shortNumber(time)} us`,
      rate === null ? "" : `${shortNumber(rate)} ${rateUnit(result)}${result.gpus > 1 ? ` on ${result.gpus} GPUs` : ""}`,
      result.peak_fraction ? `${shortNumber(100 * result.peak_fraction, 3)} % of peak` : "",
      result.bound_by ? `bound by ${result.bound_by}` : "",
      result.simulation?.stopped_by === "cycle limit" ? "stopped at max_cycles: partial" : "",
    ].filter((word) => word !== "").join(", ");
    const side = (name) => this.button(name, name.toUpperCase(), () => this.choose(name, run.id), {
      "aria-pressed": String(this.pair[name] === run.id), "aria-label": `Compare as ${name.toUpperCase()}: ${titleOf(run.experiment)}`,
    });
    const parts = [this.button("report", "Report", () => this.showReport(run)), load, side("a"), side("b"), forget];
    if (run.experiment.options.timeline) parts.splice(1, 0, this.button("timeline", "Timeline", () => showTimeline(run)));
    return [make("div", { class: "soft" }, words), make("div", { class: "row" }, parts)];
  }

  async cancel(run) {
    this.leaving.add(run.id);
    try {
      await remove(`/api/runs/${run.id}`);
    } catch (error) {
      if (error.status !== 404) return showMistakes(find("run-note"), error);  // it may still be under way
    } finally {
      this.leaving.delete(run.id);
    }
    this.runs = this.runs.filter((each) => each.id !== run.id);
    for (const side of ["a", "b"]) if (this.pair[side] === run.id) this.pair[side] = undefined;
    this.show();
    this.showCompare();
    this.dispatchEvent(new Event("finished"));
  }

  choose(side, id) {
    this.pair[side] = this.pair[side] === id ? undefined : id;
    this.isPinned = this.pair.a !== undefined;
    for (const run of this.runs) {
      const row = this.rows.get(run.id);
      if (row) row.dataset.state = "";  // pressed buttons are part of a row
      this.showRow(run);
    }
    this.showCompare();
  }

  frame(path, title) {
    return make("iframe", { src: path, title, sandbox: "allow-scripts" });
  }

  showReport(run) {
    find("report-section").hidden = false;
    find("report-title").textContent = `Report: ${titleOf(run.experiment)}`;
    find("report").replaceChildren(this.frame(`/runs/${run.id}/report.html`, `Report of ${titleOf(run.experiment)}`));
    find("report-title").focus();
  }

  showCompare() {
    const [a, b] = ["a", "b"].map((side) => this.runs.find((run) => run.id === this.pair[side] && run.result));
    const section = find("compare-section");
    section.hidden = !(a && b && a !== b);
    if (section.hidden) return;
    const areSeveral = a.result.gpus > 1 || b.result.gpus > 1;
    const rows = kRows.map(([label, value, better, growsWithGpus]) => {
      const [left, right] = [value(a.result) ?? null, value(b.result) ?? null];
      if (left === null && right === null) return undefined;
      const change = left && right ? 100 * (right / left - 1) : null;
      const isBetter = change !== null && change * better > 0;
      return make("tr", {}, make("th", { scope: "row" }, areSeveral && growsWithGpus ? `${label}, of all GPUs` : label),
        make("td", { class: "number" }, shortNumber(left)),
        make("td", { class: "number" }, shortNumber(right)),
        make("td", { class: isBetter ? "number better" : "number" }, change === null ? "-" : `${change > 0 ? "+" : ""}${change.toFixed(1)} %`));
    });
    for (const [label, value] of [["bound by", (run) => run.result.bound_by ?? "-"]])
      rows.push(make("tr", {}, make("th", { scope: "row" }, label), make("td", {}, value(a)), make("td", {}, value(b)), make("td", {})));
    find("compare").replaceChildren(make("table", {},
      make("thead", {}, make("tr", {}, make("td", {}), make("th", { scope: "col" }, `A: ${titleOf(a.experiment)}`),
        make("th", { scope: "col" }, `B: ${titleOf(b.experiment)}`), make("th", { scope: "col", class: "number" }, "B against A"))),
      make("tbody", {}, rows)));
    const details = find("compare-details");
    const load = () => {
      if (details.open) find("compare-frame").replaceChildren(this.frame(`/compare?a=${a.id}&b=${b.id}`, "Comparison of A and B"));
    };
    details.ontoggle = load;
    load();
  }
}
