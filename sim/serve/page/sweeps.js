// How far the sweeps are that the server was started with.
import { find, get, make, pause, shortNumber } from "./client.js";

const kPollMilliseconds = 2000;

async function show(holder, name, number) {
  try {
    const counts = await get(`/api/sweep?number=${number}`);
    const progress = make("progress", { max: String(counts.points), "aria-label": `Sweep ${name}` });
    progress.value = counts.done + counts.failed + counts.crashed;
    const left = counts.open > 0 ? `, about ${shortNumber(counts.seconds_left, 2)} s left in one process` : "";
    holder.replaceChildren(make("strong", {}, counts.name), progress, make("p", { class: "soft" },
      `${counts.done} of ${counts.points} points done, ${counts.running.length} running, ${counts.failed} failed, ${counts.crashed} crashed${left}`));
    return counts.open > 0;
  } catch (error) {
    holder.replaceChildren(make("strong", {}, name), make("p", { class: "mistakes" }, error.message));
    return true;
  }
}

export function showSweeps(names) {
  find("sweeps-section").hidden = names.length === 0;
  names.forEach(async (name, number) => {
    const holder = make("div");
    find("sweeps").append(holder);
    for (;;) {
      if (!document.hidden && !(await show(holder, name, number))) return;
      await pause(kPollMilliseconds);
    }
  });
}
