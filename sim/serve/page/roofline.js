// Peak rates as a table and a roofline, from the parameters of the machine alone.
import { find, latest, make, makeSvg, question, shortNumber } from "./client.js";

const kNarrowest = 300;
const kWidest = 640;
const kHeight = 330;
const kBox = { left: 64, right: 20, top: 14, bottom: 44 };

function scale(from, to, start, end) {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  return (value) => start + ((Math.log10(value) - low) / (high - low)) * (end - start);
}

function powersOfTen(from, to) {
  const result = [];
  for (let power = Math.ceil(Math.log10(from)); power <= Math.floor(Math.log10(to)); ++power) result.push(10 ** power);
  return result;
}

/** Rates worth a line: the highest supported dense one of each unit and of FP16 sums in FP32. */
function ceilingsOf(peak) {
  const rates = peak.rates.filter((rate) => rate.supported && !rate.sparse);
  const best = (test) => rates.filter(test).sort((a, b) => b.tera_ops_per_s - a.tera_ops_per_s)[0];
  const wanted = [
    best((rate) => rate.unit === "tensor" && rate.dtype === "fp16"),
    best((rate) => rate.unit === "tensor" && rate.dtype === "int8"),
    best((rate) => rate.unit === "cuda-core" && rate.dtype === "fp32"),
  ];
  return wanted.filter((rate) => rate !== undefined);
}

/** `width` is that of its place, so that letters keep their size. */
export function rooflineOf(peak, dots, width) {
  const kWidth = Math.min(kWidest, Math.max(kNarrowest, width));
  const ceilings = ceilingsOf(peak);
  if (ceilings.length === 0) return undefined;
  const highest = Math.max(...ceilings.map((rate) => rate.tera_ops_per_s));
  const [xFrom, xTo, yFrom, yTo] = [0.1, 10000, highest / 20000, highest * 2];
  const x = scale(xFrom, xTo, kBox.left, kWidth - kBox.right);
  const y = scale(yFrom, yTo, kHeight - kBox.bottom, kBox.top);
  const clampY = (value) => y(Math.min(yTo, Math.max(yFrom, value)));
  const svg = makeSvg("svg", { viewBox: `0 0 ${kWidth} ${kHeight}`, role: "img", "aria-label": `Roofline of ${peak.machine}` });
  for (const tick of powersOfTen(xFrom, xTo))
    svg.append(makeSvg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: kBox.top, y2: kHeight - kBox.bottom }),
      makeSvg("text", { x: x(tick), y: kHeight - kBox.bottom + 16, "text-anchor": "middle" }, String(tick)));
  for (const tick of powersOfTen(yFrom, yTo))
    svg.append(makeSvg("line", { class: "grid", x1: kBox.left, x2: kWidth - kBox.right, y1: y(tick), y2: y(tick) }),
      makeSvg("text", { x: kBox.left - 6, y: y(tick) + 4, "text-anchor": "end" }, String(Number(tick.toPrecision(3)))));
  svg.append(makeSvg("text", { x: (kBox.left + kWidth) / 2, y: kHeight - 8, "text-anchor": "middle" }, "operations per byte of DRAM"),
    makeSvg("text", { x: 14, y: kHeight / 2, transform: `rotate(-90 14 ${kHeight / 2})`, "text-anchor": "middle" }, "TFLOPS or TOPS"));
  const slope = peak.dram_gb_per_s / 1000;
  ceilings.forEach((rate, index) => {
    const ridge = rate.tera_ops_per_s / slope;
    const start = Math.max(xFrom, yFrom / slope);
    svg.append(makeSvg("path", {
      class: `ceiling s${index}`,
      d: `M${x(start)},${clampY(start * slope)} L${x(ridge)},${y(rate.tera_ops_per_s)} L${x(xTo)},${y(rate.tera_ops_per_s)}`,
    }), makeSvg("text", { class: "halo", x: kWidth - kBox.right - 4, y: y(rate.tera_ops_per_s) - 5, "text-anchor": "end" },
      `${rate.unit} ${rate.dtype} ${shortNumber(rate.tera_ops_per_s)}`));
  });
  svg.append(makeSvg("text", { class: "halo", x: x(0.16), y: clampY(0.16 * slope) - 12 }, `DRAM ${shortNumber(peak.dram_gb_per_s)} GB/s`));
  for (const dot of dots) {
    if (!(dot.intensity > 0) || !(dot.tflops > 0)) continue;
    const at = Math.min(xTo, Math.max(xFrom, dot.intensity));
    svg.append(makeSvg("circle", { class: "dot", cx: x(at), cy: clampY(dot.tflops), r: 5 },
      makeSvg("title", {}, `${dot.title}: ${shortNumber(dot.tflops)} ${dot.unit} at ${shortNumber(dot.intensity)} per byte`)));
  }
  return svg;
}

function tableOf(peak) {
  const rows = peak.rates.filter((rate) => rate.supported).map((rate) => make("tr", {},
    make("th", { scope: "row" }, `${rate.unit} ${rate.dtype}${rate.sparse ? " 2:4" : ""}`), make("td", {}, rate.acc),
    make("td", { class: "number" }, `${shortNumber(rate.tera_ops_per_s)} ${rate.measure}`), make("td", {}, rate.formula)));
  for (const level of ["dram", "l2", "network", "shared"])
    if (peak[`${level}_gb_per_s`] !== undefined)
      rows.push(make("tr", {}, make("th", { scope: "row" }, level), make("td", {}),
        make("td", { class: "number" }, `${shortNumber(peak[`${level}_gb_per_s`])} GB/s`), make("td", {}, peak[`${level}_formula`])));
  return make("table", {}, make("thead", {}, make("tr", {}, ["what", "sums in", "peak", "arithmetic"].map((word, index) =>
    make("th", { scope: "col", class: index === 2 ? "number" : undefined }, word)))), make("tbody", {}, rows));
}

export class Roofline {
  constructor(store, dots) {
    this.dots = dots;
    new ResizeObserver(() => this.draw()).observe(find("roofline"));
    this.askPeak = latest((signal) => question("/api/peak", store.machine(), signal));
  }

  async refresh() {
    const { answer } = await this.askPeak();
    if (!answer) return;
    this.peak = answer;
    find("peak").replaceChildren(tableOf(answer));
    this.draw();
  }

  draw() {
    if (!this.peak) return;
    const picture = rooflineOf(this.peak, this.dots(), find("roofline").clientWidth);
    find("roofline").replaceChildren(...(picture ? [picture] : []));
  }
}
