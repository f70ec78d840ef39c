// The experiment under way: a machine, what is changed in it, a workload and options. It lives in the address, so that
// a link is the whole of it.

const kDefault = { machine: "a100", set: [], workload: "gemm:1024", options: {} };

const kPrefix = "#x=";

function isTexts(value) {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** `value` as an experiment, or nothing if it is none. */
export function checked(value) {
  if (typeof value !== "object" || value === null) return undefined;
  const result = { set: [], workload: "", options: {} };
  if (typeof value.machine_text === "string") result.machine_text = value.machine_text;
  else if (typeof value.machine === "string") result.machine = value.machine;
  else return undefined;
  const { set = [], workload = "", options = {} } = value;
  if (!isTexts(set) || typeof workload !== "string" || typeof options !== "object" || options === null) return undefined;
  result.set = [...set];
  result.workload = workload;
  for (const [name, option] of Object.entries(options)) {
    if (!["string", "boolean", "number"].includes(typeof option) && !isTexts(option)) return undefined;
    result.options[name] = option === "true" ? true : option === "false" ? false : option;
  }
  return result;
}

async function through(stream, bytes) {
  const body = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

export async function fragmentOf(experiment) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(experiment)));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return kPrefix + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The experiment of a fragment, or nothing. */
export async function experimentIn(fragment) {
  if (!fragment.startsWith(kPrefix)) return undefined;
  try {
    const binary = atob(fragment.slice(kPrefix.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes))));
  } catch {
    return undefined;
  }
}

/** Holds the experiment and tells who listens when it changes ("change"), and when an address holds none that is whole
    ("damaged"). */
export class Store extends EventTarget {
  constructor() {
    super();
    this.experiment = structuredClone(kDefault);
  }

  async load() {
    const given = await this.given();
    if (given) this.experiment = given;
    // The token has done its work: it is no part of what is copied or bookmarked.
    history.replaceState(null, "", location.pathname + location.hash);
    addEventListener("hashchange", async () => {
      const next = await this.given();
      if (next) this.replace(next);
    });
  }

  /** The experiment of the address, or nothing. */
  async given() {
    const fragment = location.hash;
    const experiment = await experimentIn(fragment);
    if (!experiment && fragment.startsWith(kPrefix)) this.dispatchEvent(new Event("damaged"));
    return experiment;
  }

  /** `part` is what changed: "machine", "workload" or "all". */
  changed(part) {
    this.dispatchEvent(new CustomEvent("change", { detail: part }));
    fragmentOf(this.experiment).then((fragment) => history.replaceState(null, "", location.pathname + fragment));
  }

  replace(experiment) {
    this.experiment = structuredClone(experiment);
    this.changed("all");
  }

  /** The machine part of a request. */
  machine() {
    const { machine, machine_text, set } = this.experiment;
    return machine_text === undefined ? { machine, set } : { machine_text, set };
  }

  /** The value that `key` is changed to, or nothing. */
  change(key) {
    const found = this.experiment.set.find((word) => word.startsWith(key + "="));
    return found === undefined ? undefined : found.slice(key.length + 1);
  }

  /** Changes `key`; to nothing: as it was. */
  setKey(key, value) {
    const set = this.experiment.set.filter((word) => !word.startsWith(key + "="));
    if (value !== undefined) set.push(`${key}=${value}`);
    this.experiment.set = set;
    this.changed("machine");
  }
}

function quoted(word) {
  return /^[A-Za-z0-9_.,:=@%+/-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

/** Lines of a shell that write `text` as machine.yaml. */
function fileCommand(text) {
  let end = "END_OF_MACHINE";
  while (text.split("\n").includes(end)) end += "_";
  return `cat > machine.yaml <<'${end}'\n${text}${text.endsWith("\n") ? "" : "\n"}${end}\n`;
}

/** The command that runs the same, behind the machine file if there is one. */
export function commandOf(experiment) {
  const words = ["tcsim", "run", experiment.workload, "-m", experiment.machine ?? "machine.yaml"];
  for (const change of experiment.set) words.push("--set", change);
  for (const [name, value] of Object.entries(experiment.options)) {
    const option = "--" + name.replaceAll("_", "-");
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === false || each === "") continue;
      words.push(option);
      if (each !== true) words.push(String(each));
    }
  }
  return (experiment.machine_text === undefined ? "" : fileCommand(experiment.machine_text)) + words.map(quoted).join(" ");
}

/** One line that tells experiments apart. */
export function titleOf(experiment) {
  const parts = [experiment.workload, "on", experiment.machine ?? "a machine file", ...experiment.set];
  for (const [name, value] of Object.entries(experiment.options))
    if (value !== false && value !== "") parts.push(value === true ? name : `${name}=${value}`);
  return parts.join(" ");
}
