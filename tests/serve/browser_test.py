#!/usr/bin/env python3
"""Uses the playground in headless Chromium, as people do: with the keyboard, on a desktop and on a phone, light and dark.

usage: browser_test.py TCSIM [FOLDER FOR SCREENSHOTS]

Ends with status 77 where Chromium is missing (scripts/install_packages --browser brings it and axe-core).
"""
import contextlib
import json
import pathlib
import re
import subprocess
import sys

from chromium import Chromium, Tab, addresses_of, complaints_of, find_chromium

AXE = pathlib.Path(__file__).parent / "browser" / "node_modules" / "axe-core" / "axe.min.js"
DESKTOP, PHONE = (1280, 900), (390, 844)


class Checks:
    """What was found wrong, all of it."""

    def __init__(self, shots):
        self.errors, self.shots, self.name = [], shots, ""

    def expect(self, holds, words):
        if not holds:
            self.errors.append(f"{self.name}: {words}")

    def shot(self, tab, name):
        if self.shots:
            tab.screenshot(self.shots / f"{self.name}-{name}.png")


def opened(chromium, link, size, dark=False):
    tab = Tab(chromium, *size, dark=dark)
    tab.call("Page.navigate", url=link)
    tab.wait_for("document.body?.dataset.ready")
    return tab


def text_of(tab, selector):
    return tab.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")


def focus_on(tab, selector, checks):
    """Goes there with the Tab key, or with Shift where it lies before; frames on the way are passed through."""
    wanted = json.dumps(selector)
    is_before = tab.evaluate(f"""(() => {{
        const target = document.querySelector({wanted});
        addEventListener("focusin", window.isThere = (event) => {{ window.hasArrived = event.target === target; }});
        window.hasArrived = document.activeElement === target;
        return Boolean(document.activeElement.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING);
    }})()""")
    for _ in range(400):
        if tab.evaluate("window.hasArrived"):
            tab.evaluate("removeEventListener('focusin', window.isThere)")
            return True
        tab.press("Tab", shift=is_before)
    checks.expect(False, f"the Tab key never reaches {selector}")
    return False


def choose_preset(tab, name):
    tab.evaluate(f"""(() => {{ const preset = document.getElementById("preset"); preset.value = {json.dumps(name)};
                 preset.dispatchEvent(new Event("change", {{ bubbles: true }})); }})()""")


def done_runs(count):
    return f'document.querySelectorAll("#runs li[data-state=done]").length >= {count}'


def check_accessibility(tab, dark, checks, where):
    """In both colour schemes; the page is left in that of `dark`."""
    if not AXE.exists():
        return
    tab.evaluate(AXE.read_text() + "; true")
    for scheme in (not dark, dark):
        tab.prefer(scheme)
        found = tab.evaluate("""axe.run(document, { iframes: false }).then((result) => result.violations
            .filter((each) => ["serious", "critical"].includes(each.impact))
            .map((each) => each.id + ": " + each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")))""")
        for violation in found:
            checks.expect(False, f"axe-core, {where}, {'dark' if scheme else 'light'}: {violation}")


def check_width(tab, checks, where):
    over = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    checks.expect(over <= 0, f"{where}: {over} pixels wider than the window")


def write_workload(tab, checks):
    """With the keyboard alone: complete, correct, see what it would take."""
    focus_on(tab, "#workload", checks)
    tab.evaluate("document.activeElement.select()")
    tab.write("sof")
    tab.wait_for("!document.getElementById('workload-list').hidden")
    tab.press("ArrowDown")
    tab.press("Enter")
    checks.expect(tab.evaluate("document.getElementById('workload').value") == "softmax:", "the completion is not taken")
    tab.press("Escape")
    checks.expect(tab.evaluate("document.getElementById('workload-list').hidden"), "Escape does not close the list")
    tab.evaluate("document.activeElement.select()")
    tab.write("gemm:m=64,n=64,q=3")
    tab.wait_for("document.querySelector('#workload-mistakes li')")
    checks.expect("column" in text_of(tab, "#workload-mistakes"), "a mistake in the words has no column")
    checks.expect(tab.evaluate("document.getElementById('workload').getAttribute('aria-invalid')") == "true", "it is not marked")
    tab.evaluate("document.activeElement.select()")
    tab.write("gemm:64")
    tab.wait_for("document.getElementById('forecast').textContent.includes('CTA')")
    tab.press("Escape")


def run_by_keyboard(tab, checks, count):
    focus_on(tab, "#run", checks)
    tab.press("Enter")
    tab.wait_for(done_runs(count))


def change_by_form(tab, checks):
    """A value that cannot be, then one that can."""
    tab.evaluate("document.getElementById('form-view').open = true")
    tab.wait_for("document.querySelector('#form .field')")
    checks.expect(tab.evaluate("document.querySelectorAll('#form .field').length") > 100, "the form lacks keys")
    focus_on(tab, "#key-search", checks)
    tab.write("l2.hit_latency")
    tab.wait_for("document.querySelector('#key-l2-hit_latency_cycles').offsetParent")
    help_text = text_of(tab, "#key-l2-hit_latency_cycles-help")
    checks.expect("source:" in help_text and " to " in help_text, f"no range or source beside a field: {help_text}")
    focus_on(tab, "#key-l2-hit_latency_cycles", checks)
    tab.evaluate("document.activeElement.select()")
    tab.write("many")
    tab.wait_for("document.querySelector('#machine-mistakes li')")
    checks.expect(tab.evaluate("document.querySelector('#key-l2-hit_latency_cycles').getAttribute('aria-invalid')") == "true",
                  "the wrong field is not marked")
    checks.shot(tab, "mistake")
    tab.evaluate("document.activeElement.select()")
    tab.write("100")
    tab.wait_for("!document.querySelector('#machine-mistakes li')")
    checks.expect("l2.hit_latency_cycles=100" in text_of(tab, "#changes"), "the change is not listed")
    tab.evaluate("document.getElementById('form-view').open = false")  # a long way for the Tab key


def edit_as_file(tab, checks):
    focus_on(tab, "#as-file", checks)
    tab.press("Enter")
    tab.wait_for("document.getElementById('machine-text').value.length > 1000")
    tab.evaluate("document.getElementById('machine-text').focus(); document.activeElement.setSelectionRange(0, 0)")
    tab.write("wrong_key: 1\n")
    tab.wait_for("document.getElementById('machine-mistakes').textContent.includes('line 1')")
    checks.shot(tab, "file")
    tab.evaluate("document.querySelector('#machine-mistakes button').click()")
    checks.expect(tab.evaluate("document.activeElement.selectionStart") == 0, "a mistake does not lead to its place")
    tab.evaluate("""navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); };
        document.getElementById('copy-command').click()""")
    tab.wait_for("window.copied")
    first, second, *_, last = tab.evaluate("window.copied").split("\n")
    checks.expect(first.startswith("cat > machine.yaml <<'") and second == "wrong_key: 1" and " -m machine.yaml" in last,
                  f"the command does not bring the machine with it: {first} ... {last}")
    focus_on(tab, "#as-file", checks)
    tab.press("Enter")
    tab.wait_for("document.getElementById('file-view').hidden && !document.querySelector('#machine-mistakes li')")


def look_at_results(tab, checks):
    tab.wait_for("!document.getElementById('compare-section').hidden")
    rows = text_of(tab, "#compare")
    checks.expect("time, us" in rows and "%" in rows, f"nothing side by side: {rows}")
    tab.evaluate("document.getElementById('compare-details').open = true")
    tab.wait_for("document.querySelector('#compare-frame iframe')")
    checks.expect(tab.evaluate("document.querySelectorAll('#roofline circle').length") >= 1, "no dot in the roofline")
    focus_on(tab, "#runs button[data-act=report]", checks)
    tab.press("Enter")
    tab.wait_for("document.querySelector('#report iframe')")
    checks.expect(tab.evaluate("document.activeElement.id") == "report-title", "the keyboard is not led to the report")


def check_frames(chromium, tab, checks):
    """What the frames show: their documents came, and no script of them failed."""
    wanted = {"report.html", "compare"}
    for event in chromium.events:
        if event.get("method") == "Network.responseReceived":
            response = event["params"]["response"]
            wanted -= {name for name in wanted if name in response["url"] and response["status"] == 200}
    checks.expect(not wanted, f"these frames have no document: {wanted}")


def check_timeline(tab, checks, count):
    tab.evaluate("""(() => { document.getElementById("options-view").open = true;
        const input = document.getElementById("option-timeline"); input.value = "sm=0,cycles=2000:7000";
        input.dispatchEvent(new Event("input", { bubbles: true })); })()""")
    run_by_keyboard(tab, checks, count)
    focus_on(tab, "#runs button[data-act=timeline]", checks)
    tab.press("Enter")
    tab.wait_for("document.querySelector('#report canvas')")
    focus_on(tab, "#timeline-search", checks)
    tab.write("HMMA")
    tab.wait_for("/[1-9][0-9]* found/.test(document.querySelector('#report output').textContent)")
    tab.press("Enter")
    tab.wait_for("document.querySelector('#report output').textContent.startsWith('1 of')")
    focus_on(tab, "#report canvas", checks)
    for key in ("+", "+", "ArrowRight"):
        tab.press(key)
    checks.shot(tab, "timeline")


def write(tab, values):
    """`values` of inputs by their ids, at once."""
    tab.evaluate(f"""(() => {{ for (const [id, value] of Object.entries({json.dumps(values)})) {{
        const input = document.getElementById(id); input.value = value; input.dispatchEvent(new Event("input", {{ bubbles: true }})); }} }})()""")


def check_gpus(tab, checks, count):
    """A network on one GPU and on two: what grows with them is that of all."""
    choose_preset(tab, "a100")
    write(tab, {"option-timeline": "", "workload": "net:lenet"})
    run_by_keyboard(tab, checks, count)
    write(tab, {"option-gpus": "2"})
    run_by_keyboard(tab, checks, count + 1)
    tab.wait_for("document.getElementById('compare').textContent.includes('energy, mJ, of all GPUs')")
    energy = tab.evaluate("""[...document.querySelectorAll("#compare tr")].map((row) => row.textContent)
        .find((words) => words.startsWith("energy"))""")
    checks.expect(float(re.search(r"([+-][0-9.]+) %$", energy)[1]) > 50, f"energy of one of the GPUs: {energy}")
    write(tab, {"option-gpus": ""})


def check_limits(tab, checks):
    choose_preset(tab, "a100")
    write(tab, {"option-timeline": "", "workload": "gemm:16384"})
    tab.wait_for("document.querySelector('#forecast strong')?.textContent.includes('60 s here')")
    checks.shot(tab, "too-long")


def check_cancel(tab, checks):
    choose_preset(tab, "a100")
    write(tab, {"option-timeline": "", "workload": "gemm:8192"})
    focus_on(tab, "#run", checks)
    tab.press("Enter")
    tab.wait_for("document.querySelector('#runs li[data-state=running] progress[value]')")
    checks.shot(tab, "running")
    focus_on(tab, "#runs button[data-act=cancel]", checks)
    tab.press("Enter")
    tab.wait_for("!document.querySelector('#runs li[data-state=running]')")


def check_link(chromium, tab, checks, host):
    address = tab.evaluate("location.href")
    checks.expect("token" not in address, f"the token stands in the address: {address}")
    checks.expect("#x=" in address, "the address holds no experiment")
    other = opened(chromium, f"http://{host}/{address[address.index('#'):]}", DESKTOP)
    checks.expect(other.evaluate("document.getElementById('workload').value") ==
                  tab.evaluate("document.getElementById('workload').value"), "a link does not bring the experiment back")
    for fragment in ("#x=%%%", "#x=AAAA", "#x=" + "A" * 5000):
        broken = opened(chromium, f"http://{host}/{fragment}", DESKTOP)
        checks.expect(broken.evaluate("document.getElementById('workload').value") != "", "a broken link breaks the page")


def check_page(chromium, link, host, size, dark, checks):
    checks.name = f"{'phone' if size == PHONE else 'desktop'}-{'dark' if dark else 'light'}"
    chromium.events.clear()
    tab = opened(chromium, link, size, dark)
    choose_preset(tab, "lab-tiny")
    write_workload(tab, checks)
    tab.wait_for("document.querySelector('#roofline svg')")
    letters = tab.evaluate("document.querySelector('#roofline text').getBoundingClientRect().height")
    checks.expect(letters > 11, f"letters of {letters} pixels in the roofline")
    run_by_keyboard(tab, checks, 1)
    change_by_form(tab, checks)
    run_by_keyboard(tab, checks, 2)
    look_at_results(tab, checks)
    check_width(tab, checks, "with results")
    check_accessibility(tab, dark, checks, "with results")
    checks.shot(tab, "results")
    edit_as_file(tab, checks)
    if size == DESKTOP:
        check_link(chromium, tab, checks, host)
    check_timeline(tab, checks, 3)
    check_width(tab, checks, "with a timeline")
    check_accessibility(tab, dark, checks, "with a timeline")
    if size == DESKTOP:
        check_gpus(tab, checks, 4)
    check_limits(tab, checks)
    check_cancel(tab, checks)
    check_frames(chromium, tab, checks)
    for complaint in complaints_of(chromium):
        checks.expect(False, f"console: {complaint}")
    for address in addresses_of(chromium):
        checks.expect(re.match(rf"(http://{re.escape(host)}/|data:|about:|blob:)", address), f"fetches {address}")
    # The check itself must notice.
    tab.evaluate("console.error('planted'); fetch('/nothing').then((reply) => reply.status)")
    noticed = "\n".join(complaints_of(chromium))
    checks.expect("planted" in noticed and "404" in noticed, "planted errors go unnoticed")


@contextlib.contextmanager
def playground(program, checks, *options):
    """A server and a browser: the latter, the link to the former, and its host. What breaks off a check is one of its errors."""
    server = subprocess.Popen([sys.argv[1], "serve", *options], stdout=subprocess.PIPE, text=True)
    chromium = Chromium(program)
    try:
        link = server.stdout.readline().strip()
        yield chromium, link, re.match(r"http://([^/]+)/", link).group(1)
    except (TimeoutError, RuntimeError) as error:
        checks.errors.append(f"{checks.name}: {type(error).__name__} {error}; the console says {complaints_of(chromium)}")
    finally:
        chromium.close()
        server.terminate()
        server.wait(timeout=20)


def main():
    program = find_chromium()
    if program is None:
        print("no chromium: scripts/install_packages --browser installs it")
        return 77
    if not AXE.exists():
        print("no axe-core: accessibility is not checked (scripts/install_packages --browser)")
    shots = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    checks = Checks(shots)
    for size, dark in ((DESKTOP, False), (PHONE, True)):
        with playground(program, checks) as (chromium, link, host):
            check_page(chromium, link, host, size, dark, checks)
    for error in checks.errors:
        print(error)
    return 1 if checks.errors else 0


if __name__ == "__main__":
    sys.exit(main())
