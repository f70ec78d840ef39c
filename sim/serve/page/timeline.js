// The timeline of a run that recorded one: rows of warps and units, zoom, search. The data are those of its Perfetto file.
import { find, make, reach } from "./client.js";

const kRow = 18;
const kLabels = 150;
const kColours = ["--c0", "--c1", "--c2", "--c3"];

async function load(id) {
  const response = await reach(`/runs/${id}/timeline.perfetto.json.gz`);
  if (!response.ok) throw new Error("this run has no timeline");
  const text = await new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).text();
  return JSON.parse(text);
}

/** Tracks with their slices: [{ name, slices: [{ name, from, until, args }] }], times in cycles. */
export function tracksOf(file) {
  const kCyclesPerMicrosecond = 1000;
  const events = Array.isArray(file) ? file : file.traceEvents;
  const processes = new Map();
  const tracks = new Map();
  for (const event of events) {
    if (event.ph === "M" && event.name === "process_name") processes.set(event.pid, event.args.name);
    if (event.ph === "M" && event.name === "thread_name")
      tracks.set(`${event.pid}/${event.tid}`, { pid: event.pid, name: event.args.name, slices: [] });
  }
  for (const event of events) {
    if (event.ph !== "X") continue;
    tracks.get(`${event.pid}/${event.tid}`)?.slices.push({
      name: event.name, from: Math.round(event.ts * kCyclesPerMicrosecond),
      until: Math.round((event.ts + event.dur) * kCyclesPerMicrosecond), args: event.args,
    });
  }
  return [...tracks.values()].map((track) => ({ ...track, process: processes.get(track.pid) ?? "" }));
}

class View {
  constructor(tracks) {
    this.tracks = tracks;
    const all = tracks.flatMap((track) => track.slices);
    this.first = all.reduce((least, slice) => Math.min(least, slice.from), Infinity);
    this.last = all.reduce((most, slice) => Math.max(most, slice.until), -Infinity);
    [this.from, this.until] = [this.first, this.last];
    this.found = [];
    this.at = -1;
    this.canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": "Timeline; arrows move, plus and minus zoom" });
    this.told = make("output", { "aria-live": "polite" });
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      if (event.ctrlKey) this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.cycleAt(event.offsetX));
      else this.move(event.deltaY > 0 ? 0.1 : -0.1);
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.onPointer(event));
    this.canvas.addEventListener("pointermove", (event) => this.onPointer(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  get labels() {
    return Math.min(kLabels, this.canvas.clientWidth / 3);
  }

  cycleAt(x) {
    return this.from + ((x - this.labels) / (this.canvas.clientWidth - this.labels)) * (this.until - this.from);
  }

  zoom(factor, around = (this.from + this.until) / 2) {
    const kLeast = 16;
    const span = Math.min(this.last - this.first, Math.max(kLeast, (this.until - this.from) * factor));
    const share = (around - this.from) / (this.until - this.from);
    this.show(around - share * span, span);
  }

  move(share) {
    const span = this.until - this.from;
    this.show(this.from + share * span, span);
  }

  show(from, span) {
    this.from = Math.max(this.first, Math.min(from, this.last - span));
    this.until = this.from + span;
    this.draw();
  }

  onKey(event) {
    const acts = {
      ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
      "-": () => this.zoom(2), Home: () => this.show(this.first, this.until - this.from), End: () => this.show(this.last, this.until - this.from),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  onPointer(event) {
    const track = this.tracks[Math.floor(event.offsetY / kRow)];
    const cycle = this.cycleAt(event.offsetX);
    const slice = track?.slices.find((each) => each.from <= cycle && cycle < each.until);
    this.told.textContent = slice ? this.wordsOf(track, slice) : track ? track.name : "";
  }

  wordsOf(track, slice) {
    return `${track.process} ${track.name}: ${slice.name}, cycles ${slice.from} to ${slice.until} (${slice.until - slice.from})`;
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    this.found = wanted === "" ? [] : this.tracks.flatMap((track) => track.slices.filter((slice) =>
      slice.name.toLowerCase().includes(wanted)).map((slice) => ({ track, slice }))).sort((a, b) => a.slice.from - b.slice.from);
    this.marked = new Set(this.found.map((each) => each.slice));
    this.at = -1;
    this.told.textContent = wanted === "" ? "" : `${this.found.length} found`;
    this.draw();
  }

  next(step) {
    if (this.found.length === 0) return;
    this.at = (this.at + step + this.found.length) % this.found.length;
    const { track, slice } = this.found[this.at];
    const span = this.until - this.from;
    if (slice.from < this.from || slice.until > this.until) this.show(slice.from - span / 3, span);
    this.told.textContent = `${this.at + 1} of ${this.found.length}: ${this.wordsOf(track, slice)}`;
    this.draw();
  }

  draw() {
    const width = this.canvas.clientWidth;
    const height = this.tracks.length * kRow + kRow;
    const ratio = devicePixelRatio || 1;
    if (width === 0) return;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const pen = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const scale = (width - this.labels) / (this.until - this.from);
    const current = this.at >= 0 ? this.found[this.at].slice : undefined;
    this.tracks.forEach((track, row) => {
      const y = row * kRow;
      pen.fillStyle = colour("--rule");
      pen.fillRect(0, y + kRow - 1, width, 1);
      for (const slice of track.slices) {
        if (slice.until <= this.from || slice.from >= this.until) continue;
        const x = Math.max(this.labels, this.labels + (slice.from - this.from) * scale);
        const end = Math.min(width, this.labels + (slice.until - this.from) * scale);
        const isWait = slice.name.startsWith("wait");
        pen.globalAlpha = this.found.length > 0 && !this.marked.has(slice) ? 0.25 : 1;
        pen.fillStyle = isWait ? colour("--rule") : colour(kColours[row % kColours.length]);
        pen.fillRect(x, y + 2, Math.max(1, end - x - 0.5), kRow - 5);
        if (slice === current) {
          pen.strokeStyle = colour("--ink");
          pen.lineWidth = 2;
          pen.strokeRect(x, y + 2, Math.max(2, end - x), kRow - 5);
        }
        const kLetter = 7;
        if (end - x > 4 * kLetter) {
          pen.fillStyle = isWait ? colour("--ink") : colour("--paper");
          pen.fillText(slice.name.slice(0, Math.floor((end - x) / kLetter)), x + 3, y + kRow / 2, end - x - 4);
        }
      }
      pen.globalAlpha = 1;
      pen.fillStyle = colour("--ink");
      pen.fillText(track.name, 2, y + kRow / 2, this.labels - 6);
    });
    pen.fillStyle = colour("--soft");
    pen.fillText(`cycle ${Math.round(this.from)}`, this.labels, height - kRow / 2);
    const end = String(Math.round(this.until));
    pen.fillText(end, width - pen.measureText(end).width - 2, height - kRow / 2);
  }
}

/** Shows the timeline of `run` in the place of the report. */
export async function showTimeline(run) {
  const holder = make("div", {}, "loading");  // of this timeline alone: it may come when another report is shown
  find("report").replaceChildren(holder);
  find("report-section").hidden = false;
  find("report-title").textContent = `Timeline: ${run.experiment.workload}`;
  find("report-title").focus();
  try {
    const tracks = tracksOf(await load(run.id)).filter((track) => track.slices.length > 0);
    if (tracks.length === 0) {
      holder.textContent = "No instruction is in this window.";
      return;
    }
    const groups = [...new Set(tracks.map((track) => track.process))];
    const pick = make("select", { id: "timeline-part" }, groups.map((group) => make("option", { value: group }, group)));
    const search = make("input", { id: "timeline-search", type: "search", placeholder: "HMMA, wait: ..." });
    const stage = make("div");
    let view;
    const open = () => {
      view = new View(tracks.filter((track) => track.process === pick.value));
      stage.replaceChildren(view.canvas, view.told);
      view.search(search.value);
    };
    const button = (words, act, label) => make("button", { type: "button", onclick: act, "aria-label": label }, words);
    pick.addEventListener("change", open);
    search.addEventListener("input", () => view.search(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") view.next(event.shiftKey ? -1 : 1);
    });
    holder.replaceChildren(make("div", { class: "row" }, make("label", { for: "timeline-part" }, "Part"), pick,
      make("label", { for: "timeline-search" }, "Search"), search, button("Next", () => view.next(1), "Next match"),
      button("+", () => view.zoom(0.5), "Zoom in"), button("−", () => view.zoom(2), "Zoom out"),
      button("←", () => view.move(-0.3), "Earlier"), button("→", () => view.move(0.3), "Later")), stage);
    open();
  } catch (error) {
    holder.replaceChildren(make("p", { class: "mistakes" }, error.message));
  }
}
