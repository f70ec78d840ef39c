// The machine: preset, form made from the schema, file as text, mistakes as one types.
import { debounced, find, get, getText, latest, make, question } from "./client.js";
import { goTo, showMistakes } from "./editor.js";

const kTypingMilliseconds = 350;

/** Leaves of the JSON Schema by key path, in its order. */
function flattened(schema, path = "", result = new Map()) {
  for (const [name, node] of Object.entries(schema.properties || {})) {
    const child = path === "" ? name : `${path}.${name}`;
    if (node.properties) flattened(node, child, result);
    else result.set(child, node);
  }
  return result;
}

function rangeOf(node) {
  const plain = node.anyOf ? node.anyOf[0] : node.items ? node.items.anyOf?.[0] ?? node.items : node;
  if (plain.minimum === undefined) return "";
  return `${plain.minimum.toLocaleString("en")} to ${plain.maximum.toLocaleString("en")}`;
}

/** A value as one writes it behind --set. */
function written(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export class Machine {
  constructor(store) {
    this.store = store;
    this.fields = new Map();  // by keys: { row, input, note, base }
    this.listeners = [];
    this.machineNumber = 0;
    this.askCheck = latest((signal) => question("/api/machine", store.machine(), signal));
    this.checkSoon = debounced(() => this.check(), kTypingMilliseconds);
  }

  /** `listener` hears of each machine that has no mistakes. */
  whenSound(listener) {
    this.listeners.push(listener);
  }

  async start() {
    const [machines, schema] = await Promise.all([get("/api/machines"), get("/api/schema")]);
    this.machines = machines;
    this.schema = flattened(schema);
    const preset = find("preset");
    preset.append(...machines.map((machine) => make("option", { value: machine.machine }, machine.machine)));
    preset.addEventListener("change", () => {
      const { experiment } = this.store;
      delete experiment.machine_text;
      experiment.machine = preset.value;
      experiment.set = [];
      this.store.changed("machine");
      this.show();
    });
    find("as-file").addEventListener("click", () => this.toggleFile());
    const text = find("machine-text");
    text.addEventListener("input", () => {
      this.store.experiment.machine_text = text.value;
      delete this.store.experiment.machine;
      this.forgetBase();
      this.store.changed("machine");
      this.checkSoon();
    });
    // Tab leaves the text, as everywhere on the page; YAML is indented by blanks.
    find("key-search").addEventListener("input", () => this.filter());
    find("form-view").addEventListener("toggle", () => this.buildForm());
    this.store.addEventListener("change", (event) => {
      if (event.detail === "all") this.show();
      else if (event.detail === "machine") this.showChanges();
    });
    this.show();
  }

  /** Everything anew, after another machine has taken the place. */
  show() {
    const { experiment } = this.store;
    const isFile = experiment.machine_text !== undefined;
    if (!isFile) find("preset").value = experiment.machine;
    const known = this.machines.find((machine) => machine.machine === experiment.machine);
    find("machine-description").textContent = isFile ? "A machine file of your own." : known?.description ?? "";
    find("machine-text").value = experiment.machine_text ?? "";
    this.setFileShown(isFile);
    this.forgetBase();
    this.showChanges();
    this.check();
  }

  /** Another machine has taken the place: answers about the one before, which may still come, are no base of it. */
  forgetBase() {
    this.base = undefined;
    ++this.machineNumber;
  }

  setFileShown(isShown) {
    find("file-view").hidden = !isShown;
    find("as-file").setAttribute("aria-expanded", String(isShown));
    find("as-file").textContent = isShown ? "Back to the preset" : "Edit as a file";
  }

  async toggleFile() {
    const { experiment } = this.store;
    if (experiment.machine_text !== undefined) {
      delete experiment.machine_text;
      experiment.machine = find("preset").value;
      experiment.set = [];
      this.store.changed("all");
      return;
    }
    try {
      experiment.machine_text = await getText(`/api/machines/${experiment.machine}`);
    } catch (error) {
      showMistakes(find("machine-mistakes"), error);
      return;
    }
    delete experiment.machine;
    this.store.changed("all");
    find("machine-text").focus();
  }

  showChanges() {
    const { set } = this.store.experiment;
    find("changes").replaceChildren(...set.map((change) => {
      const key = change.slice(0, change.indexOf("="));
      return make("button", {
        type: "button", "aria-label": `${change}: change back`, title: "Change back",
        onclick: () => {
          this.store.setKey(key, undefined);
          this.checkSoon();
        },
      }, `${change} ×`);
    }));
    for (const [key, field] of this.fields) this.showField(key, field);
  }

  /** Asks for the machine as it is; its mistakes go to their fields. */
  async check() {
    const number = this.machineNumber;
    const isUnchanged = this.store.experiment.set.length === 0;
    const { answer, error } = await this.askCheck();
    if (answer) {
      this.settings = new Map(answer.settings.map((setting) => [setting.key, setting]));
      if (!this.base && isUnchanged && number === this.machineNumber) this.base = this.settings;
      this.buildForm();
    }
    if (!answer && !error) return;
    const text = find("machine-text");
    showMistakes(find("machine-mistakes"), error, (mistake) => this.lead(mistake, text));
    const wrong = new Map((error?.mistakes ?? []).map((mistake) => [mistake.key, mistake.reason]));
    text.setAttribute("aria-invalid", String(wrong.size > 0 && !find("file-view").hidden));
    for (const [key, field] of this.fields) this.setWrong(key, field, wrong.get(key));
    if (!error) for (const listener of this.listeners) listener();
  }

  lead(mistake, text) {
    if (!find("file-view").hidden && mistake.line > 0) return goTo(text, mistake.line, mistake.column);
    find("form-view").open = true;
    this.buildForm();
    const field = this.fields.get(mistake.key);
    if (!field) return undefined;
    for (let group = field.row.closest("details"); group; group = group.parentElement.closest("details")) group.open = true;
    return field.input.focus();
  }

  /** The values without changes, to which a field goes back. */
  async loadBase() {
    if (this.base) return this.base;
    const number = this.machineNumber;
    const { machine, machine_text } = this.store.experiment;
    try {
      const answer = await question("/api/machine", machine_text === undefined ? { machine } : { machine_text });
      if (number === this.machineNumber) this.base = new Map(answer.settings.map((setting) => [setting.key, setting]));
    } catch {
      // Its mistakes are told by the check.
    }
    return this.base;
  }

  /** Fields are made when the form is opened first, and renewed with each other machine. */
  async buildForm() {
    if (!find("form-view").open) return;
    const base = await this.loadBase();
    if (!base || this.builtOf === base) return;
    this.builtOf = base;
    const opened = new Set([...document.querySelectorAll("#form details[open]")].map((group) => group.dataset.path));
    this.fields.clear();
    const groups = new Map();
    const form = find("form");
    form.replaceChildren();
    for (const [key, setting] of base) {
      const node = this.nodeOf(key);
      const top = key.includes(".") ? key.slice(0, key.lastIndexOf(".")) : "name and kind";
      if (!groups.has(top)) {
        const group = make("details", { "data-path": top, class: "group", open: opened.has(top) }, make("summary", {}, top));
        groups.set(top, group);
        form.append(group);
      }
      groups.get(top).append(this.makeField(key, setting, node));
    }
    for (const [key, field] of this.fields) this.showField(key, field);
    this.filter();
  }

  /** The schema of `key`; those of an instruction stand once for all instructions. */
  nodeOf(key) {
    const kInstructions = "sm.tensor.instructions";
    const known = this.schema.get(key);
    if (known || !key.startsWith(kInstructions + ".")) return known ?? {};
    return this.schema.get(kInstructions)?.additionalProperties?.properties?.[key.slice(key.lastIndexOf(".") + 1)] ?? {};
  }

  makeField(key, setting, node) {
    const id = "key-" + key.replaceAll(".", "-");
    const input = node.enum
      ? make("select", { id, "aria-describedby": id + "-help" }, node.enum.map((word) => make("option", { value: word }, word)))
      : make("input", { id, type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": id + "-help" });
    input.addEventListener(node.enum ? "change" : "input", () => {
      const isBase = input.value.trim() === written(setting.value) || input.value.trim() === "";
      this.store.setKey(key, isBase ? undefined : input.value.trim());
      this.checkSoon();
    });
    const range = rangeOf(node);
    const help = make("p", { id: id + "-help" },
      [node.description ?? "", range, setting.source ? `source: ${setting.source}` : "", setting.descriptive ? "no model reads it" : ""]
        .filter((part) => part !== "").join(" · "));
    const note = make("p", { class: "wrong", hidden: true });
    const row = make("div", { class: "field", "data-key": key },
      make("label", { for: id }, key.slice(key.lastIndexOf(".") + 1), " ", make("span", { class: "unit" }, setting.unit)),
      input, help, note);
    this.fields.set(key, { row, input, note, base: setting, words: `${key} ${node.description ?? ""}`.toLowerCase() });
    return row;
  }

  showField(key, field) {
    const change = this.store.change(key);
    field.row.classList.toggle("changed", change !== undefined);
    if (document.activeElement !== field.input) field.input.value = change ?? written(field.base.value);
  }

  setWrong(key, field, reason) {
    field.note.hidden = reason === undefined;
    field.note.textContent = reason ?? "";
    field.input.setAttribute("aria-invalid", String(reason !== undefined));
  }

  filter() {
    const wanted = find("key-search").value.trim().toLowerCase();
    for (const field of this.fields.values()) field.row.hidden = !field.words.includes(wanted);
    for (const group of document.querySelectorAll("#form details.group")) {
      const hasMatch = group.querySelector(".field:not([hidden])") !== null;
      group.hidden = !hasMatch;
      if (wanted !== "") group.open = hasMatch;
    }
  }
}
