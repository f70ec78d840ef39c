// Draws the data of each timeline as a chart to zoom in. Without scripts the still picture above it remains.
(() => {
  "use strict";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function chart(holder, data) {
    const axis = () => ({ stroke: colour("--ink"), grid: { stroke: colour("--rule") }, ticks: { stroke: colour("--rule") } });
    const percent = (plot, value) => (value == null ? "-" : value.toFixed(1) + " %");
    const options = {
      width: Math.max(280, holder.clientWidth),
      height: 280,
      scales: { x: { time: false } },
      axes: [axis(), { ...axis(), values: (plot, ticks) => ticks.map((tick) => tick + " %") }],
      series: [{ label: "microseconds" }].concat(
        data.series.map((series, index) => ({
          label: series.label,
          stroke: colour("--c" + index),
          width: 1.5,
          value: percent,
        }))),
    };
    return new uPlot(options, [data.x].concat(data.series.map((series) => series.values)), holder);
  }

  for (const source of document.querySelectorAll("script.zoom-data")) {
    const holder = source.previousElementSibling;
    const data = JSON.parse(source.textContent);
    holder.hidden = false;
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Drag to zoom in, double-click to see all, click a name to hide it.";
    holder.before(hint);
    let plot = chart(holder, data);
    dark.addEventListener("change", () => {
      plot.destroy();
      plot = chart(holder, data);
    });
    addEventListener("resize", () => plot.setSize({ width: Math.max(280, holder.clientWidth), height: 280 }));
  }
})();
