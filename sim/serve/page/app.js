// The page: one experiment, what it would take, its runs.
import { find, get, make } from "./client.js";
import { Store, commandOf } from "./experiment.js";
import { Machine } from "./machine.js";
import { Roofline } from "./roofline.js";
import { Runs } from "./runs.js";
import { showSweeps } from "./sweeps.js";
import { Workload } from "./workload.js";

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    find("run-note").textContent = said;
  } catch {  // not a secure origin, or not allowed: it is there to be copied by hand
    find("run-note").replaceChildren(make("textarea", { readonly: true, rows: "3", "aria-label": said }, text));
    find("run-note").firstChild.select();
  }
}

async function start() {
  const store = new Store();
  store.addEventListener("damaged", () => {
    find("run-note").textContent = "The link is damaged or cut off: this is not the experiment that it held.";
  });
  await store.load();
  const about = await get("/api/about");
  find("about").textContent = `${about.revision}; a run may take ${about.limits.run_s} s and ${about.limits.memory_mib} MiB`
    + (about.read_only ? "; stored results only" : "");
  const machine = new Machine(store);
  const workload = new Workload(store, about.limits);
  const runs = new Runs(store, about);
  const roofline = new Roofline(store, () => runs.dots());
  machine.whenSound(() => {
    roofline.refresh();
    workload.forecastSoon();
  });
  runs.addEventListener("finished", () => roofline.draw());
  find("copy-link").addEventListener("click", () => copy(location.href, "The link is on the clipboard; it contains this experiment, not the token."));
  find("copy-command").addEventListener("click", () => copy(commandOf(store.experiment),
    "The command is on the clipboard." + (store.experiment.machine_text === undefined ? "" : " It first writes machine.yaml, the machine as edited.")));
  await Promise.all([machine.start(), workload.start(), runs.start()]);
  showSweeps(about.sweeps);
  document.body.dataset.ready = "true";
}

start().catch((error) => {
  find("about").textContent = error.message;
});
