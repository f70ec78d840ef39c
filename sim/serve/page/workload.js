// The workload: words with completion, options of the run, and what the run would take.
import { debounced, find, get, latest, make, question, shortNumber } from "./client.js";
import { indexOf, showMistakes } from "./editor.js";

const kTypingMilliseconds = 400;
const kMostOffered = 40;

/** What may stand at the end of `text`: { from, words }, `from` where they begin. */
export function completions(text, known) {
  const colon = text.indexOf(":");
  const offered = (from, words) => {
    const start = text.slice(from).toLowerCase();
    return { from, words: words.filter((word) => word.startsWith(start) && word !== start).slice(0, kMostOffered) };
  };
  if (colon < 0) return offered(0, [...known.operations.map((operation) => operation.name + ":"), "net:"]);
  const kind = text.slice(0, colon);
  if (kind === "net") return offered(colon + 1, known.networks);
  const operation = known.operations.find((each) => each.name === kind);
  if (!operation) return { from: text.length, words: [] };
  const from = Math.max(colon, text.lastIndexOf(",")) + 1;
  const part = text.slice(from);
  const equals = part.indexOf("=");
  if (equals >= 0) {
    const key = part.slice(0, equals);
    return ["dtype", "acc", "out"].includes(key) ? offered(from + equals + 1, known.types) : { from: text.length, words: [] };
  }
  const given = text.slice(colon + 1).split(",").map((each) => each.split("=")[0]);
  return offered(from, operation.keys.filter((key) => !given.includes(key) || key === part).map((key) => key + "="));
}

export class Workload {
  /** `limits` of a run, as the server tells them. */
  constructor(store, limits) {
    this.store = store;
    this.limits = limits;
    this.offered = [];
    this.chosen = -1;
    this.askForecast = latest((signal) => question("/api/forecast", this.store.experiment, signal));
    this.forecastSoon = debounced(() => this.forecast(), kTypingMilliseconds);
  }

  async start() {
    this.known = await get("/api/words");
    this.input = find("workload");
    this.list = find("workload-list");
    this.input.addEventListener("input", () => {
      this.take(this.input.value);
      this.offer();
    });
    this.input.addEventListener("focus", () => this.offer());
    this.input.addEventListener("blur", () => this.close());
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.makeOptions();
    this.store.addEventListener("change", (event) => {
      if (event.detail === "all") this.show();
    });
    this.show();
  }

  show() {
    this.input.value = this.store.experiment.workload;
    for (const [name, input] of this.optionInputs) {
      const value = this.store.experiment.options[name];
      if (input.type === "checkbox") input.checked = value === true;
      else input.value = Array.isArray(value) ? value.join(" ") : value ?? "";
    }
    this.showNetworkOptions();
    this.forecastSoon();
  }

  take(text) {
    this.store.experiment.workload = text;
    this.store.changed("workload");
    this.showNetworkOptions();
    this.forecastSoon();
  }

  // The list of completions, as the ARIA pattern of a combobox has it.
  offer() {
    const { from, words } = completions(this.input.value, this.known);
    this.from = from;
    this.offered = words;
    this.chosen = -1;
    this.list.replaceChildren(...words.map((word, index) => make("li", {
      role: "option", id: `completion-${index}`, "aria-selected": "false",
      onmousedown: (event) => {
        event.preventDefault();
        this.accept(index);
      },
    }, word)));
    this.list.hidden = words.length === 0;
    this.input.setAttribute("aria-expanded", String(words.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    this.offered = [];
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  choose(index) {
    this.chosen = (index + this.offered.length) % this.offered.length;
    [...this.list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === this.chosen)));
    this.list.children[this.chosen].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `completion-${this.chosen}`);
  }

  accept(index) {
    this.input.value = this.input.value.slice(0, this.from) + this.offered[index];
    this.take(this.input.value);
    this.offer();
  }

  onKey(event) {
    const isOpen = this.offered.length > 0;
    if (event.key === "ArrowDown" && isOpen) this.choose(this.chosen + 1);
    else if (event.key === "ArrowUp" && isOpen) this.choose(this.chosen < 0 ? -1 : this.chosen - 1);
    else if (event.key === "Enter" && isOpen && this.chosen >= 0) this.accept(this.chosen);
    else if (event.key === "Escape" && isOpen) this.close();
    else return;
    event.preventDefault();
  }

  makeOptions() {
    this.optionInputs = new Map();
    this.networkRows = [];
    find("options").replaceChildren(...this.known.options.map((option) => {
      const id = "option-" + option.name;
      const described = { id, "aria-describedby": id + "-help" };
      const input = option.is_flag ? make("input", { ...described, type: "checkbox" })
        : option.words.length > 0
          ? make("select", described, make("option", { value: "" }, "default"), option.words.map((word) => make("option", { value: word }, word)))
          : make("input", { ...described, type: "text", autocomplete: "off", spellcheck: "false" });
      input.addEventListener(input.type === "text" ? "input" : "change", () => this.takeOption(option, input));
      this.optionInputs.set(option.name, input);
      const row = make("div", { class: "field", "data-option": option.name }, make("label", { for: id }, option.name.replaceAll("_", " ")), input,
        make("p", { id: id + "-help" }, option.help));
      if (option.of_networks) this.networkRows.push(row);
      return row;
    }));
  }

  takeOption(option, input) {
    const { options } = this.store.experiment;
    const value = option.is_flag ? input.checked
      : option.is_list ? input.value.split(/\s+/).filter((word) => word !== "") : input.value.trim();
    if (value === false || value.length === 0) delete options[option.name];
    else options[option.name] = value;
    this.store.changed("workload");
    this.forecastSoon();
  }

  showNetworkOptions() {
    const { workload, options } = this.store.experiment;
    const isNetwork = workload.startsWith("net:");
    for (const row of this.networkRows) row.hidden = !isNetwork && options[row.dataset.option] === undefined;
  }

  async forecast() {
    const { answer, error } = await this.askForecast();
    if (!answer && !error) return;
    // A mistake of the machine is shown next to the machine.
    const isOfMachine = error?.mistakes?.some((mistake) => mistake.place === "machine.yaml" || mistake.place.startsWith("--set"));
    this.input.setAttribute("aria-invalid", String(Boolean(error) && !isOfMachine));
    showMistakes(find("workload-mistakes"), isOfMachine ? undefined : error, (mistake) => {
      this.input.focus();
      if (mistake.column === 0) return;
      const at = indexOf(this.input.value, mistake.column);
      this.input.setSelectionRange(at, at + 1);
    });
    find("forecast").replaceChildren(...(answer ? [this.wordsOf(answer), ...this.warningsOf(answer)] : []));
  }

  /** What of a run would be beyond the limits. */
  warningsOf({ expected_wall_s: seconds, expected_memory_mib: mib }) {
    const { run_s, memory_mib } = this.limits;
    const words = [seconds > run_s ? `A run ends after ${run_s} s here: make the workload smaller, or try fidelity sampled.` : "",
      mib > memory_mib ? `A run may use ${memory_mib} MiB here.` : ""].filter((each) => each !== "");
    return words.map((each) => make("strong", { class: "mistakes" }, " " + each));
  }

  wordsOf(forecast) {
    const refused = forecast.runs.find((run) => run.refused);
    if (refused) return `not run: ${refused.refused}`;
    const kernels = forecast.runs.reduce((sum, run) => sum + run.kernels, 0);
    const ctas = forecast.runs.reduce((sum, run) => sum + run.ctas, 0);
    return `${shortNumber(kernels)} kernel${kernels === 1 ? "" : "s"}, ${shortNumber(ctas)} CTA${ctas === 1 ? "" : "s"}; about `
      + `${shortNumber(forecast.expected_wall_s, 2)} s and ${shortNumber(forecast.expected_memory_mib, 3)} MiB to simulate`;
  }
}
