#!/usr/bin/env python3
"""Opens the reports of small runs in headless Chromium.

usage: page_test.py TCSIM [FOLDER FOR SCREENSHOTS]

Checks that every section is there in its order, that scripts end without an error, that every figure marked with a
metric equals stats.json, that nothing is fetched from elsewhere and that a phone needs no scrolling sideways. Ends with
status 77 where Chromium is missing (scripts/install_packages --browser).
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECTIONS = ["verdict", "machine", "roofline", "speed-of-light", "cycles", "sensitivity", "critical-path",
            "memory", "occupancy", "timeline", "kernels", "source", "values", "energy", "validated",
            "assumptions", "provenance", "glossary"]
NETWORK_SECTIONS = ["verdict", "machine", "timeline", "layers", "roofline", "cycles", "sensitivity", "memory", "energy",
                    "steps", "provenance", "glossary"]
PHONE_WIDTH = 390


class Page(html.parser.HTMLParser):
    """What the checks need of a page."""

    def __init__(self, text):
        super().__init__()
        self.sections, self.figures, self.metrics, self.sources = [], [], [], []
        self.words = {}
        self.zoom_charts = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "section":
            self.sections.append(values.get("id"))
        if tag == "svg" and values.get("role") == "img":
            self.figures.append([])
        if tag in ("title", "desc") and self.figures:
            self.figures[-1].append(tag)
        if "data-metric" in values:
            self.metrics.append((values["data-metric"], values.get("data-value")))
        if "uplot" in values.get("class", "").split():
            self.zoom_charts += 1
        for name in ("src", "href"):
            if re.match(r"(https?:)?//", values.get(name, "")):
                self.sources.append(values[name])

    def handle_data(self, text):
        if self.sections:
            section = self.sections[-1]
            self.words[section] = self.words.get(section, 0) + len(text.split())


def chromium(program, url, *options):
    """The DOM after scripts have run, and the errors on the console."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
             "--allow-file-access-from-files", "--virtual-time-budget=3000", f"--user-data-dir={profile}", *options, url],
            capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def metric_errors(page, stats):
    """Figures of the page that differ from stats.json."""
    numbers = {name: entry["value"] for group in ("facts", "metrics") for name, entry in stats[group].items()}
    errors = []
    for name, value in page.metrics:
        expected = numbers.get(name, "missing")
        shown = None if value is None else float(value)
        if shown != expected:
            errors.append(f"{name}: the page says {shown}, stats.json {expected}")
    return errors


def page_errors(text, console, stats, has_zoom):
    page = Page(text)
    errors = [f"console: {line}" for line in console]
    if page.sections != SECTIONS:
        errors.append(f"sections are {page.sections}")
    errors += [f"section {section} is empty" for section in page.sections if page.words.get(section, 0) < 4]
    errors += [f"a figure has no title or description: {words}" for words in page.figures
               if words[:2] != ["title", "desc"]]
    if len(page.figures) < 5:
        errors.append(f"only {len(page.figures)} figures")
    if len(page.metrics) < 25:
        errors.append(f"only {len(page.metrics)} figures carry a metric")
    if has_zoom and page.zoom_charts != 1:
        errors.append(f"{page.zoom_charts} charts to zoom in")
    errors += [f"fetches {source}" for source in page.sources]
    return errors + metric_errors(page, stats)


def phone_overflow(program, report, folder):
    """Pixels by which the page is wider than a phone."""
    copy = folder / "phone.html"
    copy.write_text(report.read_text().replace(
        "</body>", "<script>parent.postMessage(document.documentElement.scrollWidth - innerWidth, '*')</script></body>"))
    frame = folder / "frame.html"
    frame.write_text("<body><script>addEventListener('message', (e) => { document.body.dataset.overflow = e.data; });"
                     f"</script><iframe src='phone.html' style='border:0;width:{PHONE_WIDTH}px;height:3000px'></iframe>")
    dom, _ = chromium(program, frame.as_uri(), "--dump-dom")
    return int(re.search(r'data-overflow="(-?\d+)"', dom).group(1))


def take_screenshots(program, report, folder, shots):
    shots.mkdir(parents=True, exist_ok=True)
    frame = folder / "shot.html"
    dark = "--blink-settings=preferredColorScheme=0"
    for name, width, options in (("desktop", 1100, []), ("dark", 1100, [dark]), ("phone", PHONE_WIDTH, [])):
        frame.write_text(f"<body style='margin:0'><iframe src='{report.as_uri()}' "
                         f"style='border:0;width:{width}px;height:6000px'></iframe>")
        file = shots / f"{name}.png"
        chromium(program, frame.as_uri(), f"--window-size={max(width, 500)},6000", f"--screenshot={file}", *options)
        assert file.stat().st_size > 20000, f"{file} is empty"


def check_run(program, tcsim, folder, words):
    run = folder / f"run-{len(list(folder.iterdir()))}"
    subprocess.run([tcsim, "run", *words, "-q", "-o", str(run)], check=True, stdout=subprocess.DEVNULL)
    report = run / "report.html"
    stats = json.loads((run / "stats.json").read_text())
    dom, console = chromium(program, report.as_uri(), "--dump-dom")
    has_zoom = "uPlot" in report.read_text()
    errors = page_errors(dom, console, stats, has_zoom)
    # The check itself must notice a figure that is off and a script that fails.
    wrong = re.sub(r'(data-value=")([0-9.]+)(" data-metric="tflops")', r"\g<1>9\2\3", report.read_text())
    planted = folder / "planted.html"
    planted.write_text(wrong.replace("</body>", "<script>planted()</script></body>"))
    dom, console = chromium(program, planted.as_uri(), "--dump-dom")
    noticed = "\n".join(page_errors(dom, console, stats, has_zoom))
    if "tflops: the page says" not in noticed or "planted is not defined" not in noticed:
        errors.append("planted errors go unnoticed")
    overflow = phone_overflow(program, report, folder)
    if overflow > 0:
        errors.append(f"{overflow} pixels wider than a phone")
    return report, [f"{' '.join(words)}: {error}" for error in errors]


def check_network(program, tcsim, folder):
    """The page of a network: its sections, figures equal to network.json, nothing sideways on a phone."""
    run = folder / "network"
    subprocess.run([tcsim, "run", "net:lenet", "-m", "lab-tiny", "-q", "-o", str(run)], check=True, stdout=subprocess.DEVNULL)
    report = run / "report.html"
    dom, console = chromium(program, report.as_uri(), "--dump-dom")
    page = Page(dom)
    errors = [f"console: {line}" for line in console] + [f"fetches {source}" for source in page.sources]
    if page.sections != NETWORK_SECTIONS:
        errors.append(f"sections are {page.sections}")
    errors += [f"section {section} is empty" for section in page.sections if page.words.get(section, 0) < 4]
    if len(page.figures) != 3 or any(words[:2] != ["title", "desc"] for words in page.figures):
        errors.append(f"figures are {page.figures}")
    network = json.loads((run / "network.json").read_text())
    errors += metric_errors(page, {"facts": {}, "metrics": network["metrics"]})
    if len(page.metrics) < 4:
        errors.append(f"only {len(page.metrics)} figures carry a metric")
    overflow = phone_overflow(program, report, folder)
    if overflow > 0:
        errors.append(f"{overflow} pixels wider than a phone")
    return report, [f"net:lenet: {error}" for error in errors]


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        print("no chromium: scripts/install_packages --browser installs it")
        return 77
    errors = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chdir(folder)
        report, found = check_run(program, sys.argv[1], folder, ["gemm:128", "-m", "lab-tiny", "--values"])
        errors += found
        _, found = check_run(program, sys.argv[1], folder,
                             ["attn:heads=1,n=128,d=64,algo=unfused", "-m", "a100", "--set", "sm.l1.ways=32"])
        errors += found
        network, found = check_network(program, sys.argv[1], folder)
        errors += found
        if len(sys.argv) > 2:
            take_screenshots(program, report, folder, pathlib.Path(sys.argv[2]))
            take_screenshots(program, network, folder, pathlib.Path(sys.argv[2]) / "network")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
