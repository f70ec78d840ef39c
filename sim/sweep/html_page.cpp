#include "sim/sweep/html_page.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::sweep {

namespace {

constexpr const char* kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem;
  color: #1a1a1a; background: #fff; }
svg { max-width: 100%; height: auto; border-radius: 4px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #ccc; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; }
pre { overflow-x: auto; }
#parallel svg { touch-action: none; cursor: crosshair; }
.off { display: none; }
.range { fill: #0072b2; fill-opacity: .25; stroke: #0072b2; }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #15181c; }
  th, td { border-color: #444; } }
@media print { body { max-width: none; } }
)";

// A range is kept in positions from 0 to 1 of its axis, as data-at of the lines.
constexpr const char* kScript = R"(
const svg = document.querySelector('#parallel svg');
if (svg) {
  const axes = [...svg.querySelectorAll('.axis')];
  const lines = [...svg.querySelectorAll('.line')];
  const ends = axes[0].querySelector('path').getAttribute('d').match(/[\d.]+/g).map(Number);
  const [top, bottom] = [ends[1], ends[2]];
  const ranges = axes.map(() => null);
  const boxes = axes.map(axis => {
    const box = document.createElementNS(svg.namespaceURI, 'rect');
    box.setAttribute('class', 'range off');
    box.setAttribute('x', axis.dataset.x - 6);
    box.setAttribute('width', 12);
    return svg.appendChild(box);
  });
  const show = () => {
    const kept = new Set();
    for (const line of lines) {
      const at = line.dataset.at.split(' ').map(Number);
      const passes = ranges.every((r, i) => !r || (at[i] >= r[0] && at[i] <= r[1]));
      line.classList.toggle('off', !passes);
      if (passes) kept.add(line.dataset.row);
    }
    for (const row of document.querySelectorAll('tr[data-row]'))
      row.classList.toggle('off', ranges.some(r => r) && !kept.has(row.dataset.row));
    ranges.forEach((r, i) => {
      boxes[i].classList.toggle('off', !r);
      if (!r) return;
      boxes[i].setAttribute('y', bottom - r[1] * (bottom - top));
      boxes[i].setAttribute('height', (r[1] - r[0]) * (bottom - top));
    });
    document.querySelector('#kept').textContent = `${kept.size} of ${lines.length} kept.`;
  };
  const place = event => {
    const point = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, Math.min(1, Math.max(0, (bottom - point.y) / (bottom - top)))];
  };
  let axis = -1;
  let from = 0;
  svg.addEventListener('pointerdown', event => {
    const [x, at] = place(event);
    const distance = axes.map(a => Math.abs(a.dataset.x - x));
    axis = distance.indexOf(Math.min(...distance));
    from = at;
    ranges[axis] = null;
    svg.setPointerCapture(event.pointerId);
    show();
  });
  svg.addEventListener('pointermove', event => {
    if (axis < 0) return;
    const at = place(event)[1];
    ranges[axis] = Math.abs(at - from) < 0.01 ? null : [Math.min(at, from), Math.max(at, from)];
    show();
  });
  svg.addEventListener('pointerup', () => { axis = -1; });
  show();
}
)";

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  return text::html_page(title, kStyle, body + "<script>" + kScript + "</script>\n");
}

}  // namespace tcsim::sweep
