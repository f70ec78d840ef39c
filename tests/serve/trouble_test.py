#!/usr/bin/env python3
"""The playground in headless Chromium when things go wrong: late answers, a busy or lost server, links that are cut off.

usage: trouble_test.py TCSIM

Ends with status 77 where Chromium is missing (scripts/install_packages --browser).
"""
import base64
import http.server
import json
import sys
import threading
import zlib

from browser_test import DESKTOP, Checks, choose_preset, done_runs, opened, playground, text_of, write
from chromium import find_chromium

EXPERIMENT = {"machine": "lab-tiny", "set": [], "workload": "gemm:64", "options": {}}

# Answers to requests whose path has a word: what is made of the true answer, or of none.
STUBS = """window.stubs = {}; window.asked = {};
    window.trueFetch ??= window.fetch;
    window.json = (status, content) => new Response(JSON.stringify(content), { status });
    window.pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    window.fetch = async (path, options) => {
        asked[path] = (asked[path] ?? 0) + 1;
        const name = Object.keys(stubs).find((word) => path.includes(word));
        return name ? stubs[name](() => trueFetch(path, options), options) : trueFetch(path, options);
    }; true"""


def fragment(experiment):
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(json.dumps(experiment).encode()) + packer.flush()
    return "#x=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def check_functions(tab, checks):
    def expect(module, expression, wanted):
        found = tab.evaluate(f"import('/{module}.js').then((module) => {expression})")
        checks.expect(found == wanted, f"{expression} is {found!r}, not {wanted!r}")

    expect("client", "[5e-8, 0.00001234, 0.1 + 0.2, 123456.7, 1234567.8, 0, null].map((value) => module.shortNumber(value)).join(' ')",
           "0.00000005 0.00001234 0.3 123,500 1,234,568 0 -")
    expect("editor", "[['abc', 2], ['é: 1', 3], ['😀😀x', 9], ['ab', 9], ['', 0]].map((each) => module.indexOf(...each))",
           [1, 1, 4, 2, 0])
    texts = json.dumps(EXPERIMENT | {"options": {"values": "true", "source": "false"}})
    expect("experiment", f"module.commandOf(module.checked({texts}))", "tcsim run gemm:64 -m lab-tiny --values")
    for wrong in ({"set": ["a=1", 2]}, {"workload": 1}, {"options": {"seed": None}}, {"options": 1}, {"machine": None}):
        expect("experiment", f"module.checked({json.dumps(EXPERIMENT | wrong)}) === undefined", True)


def check_links(chromium, host, checks):
    whole = fragment(EXPERIMENT | {"workload": "gemm:96"})
    tab = opened(chromium, f"http://{host}/{whole}", DESKTOP)
    checks.expect(text_of(tab, "#run-note") == "", "a whole link is called damaged")
    for cut in (whole[:-6], fragment(EXPERIMENT | {"set": ["l2.hit_latency_cycles=100", 2]})):
        tab = opened(chromium, f"http://{host}/{cut}", DESKTOP)
        checks.expect("damaged" in text_of(tab, "#run-note"), "nothing is said about a link that is not whole")

    class OtherSite(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<a id=link href='http://{host}/{whole}'>a course</a>".encode())

        def log_message(self, *words):
            pass

    site = http.server.HTTPServer(("127.0.0.1", 0), OtherSite)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    tab.call("Page.navigate", url=f"http://localhost:{site.server_port}/")  # another site than 127.0.0.1
    tab.wait_for("document.getElementById('link')")
    tab.evaluate("document.getElementById('link').click()")
    tab.wait_for("document.body?.dataset.ready")
    checks.expect(tab.evaluate("document.getElementById('workload').value") == "gemm:96", "a link in another site does not open the page")
    site.shutdown()


def check_places(tab, checks):
    """Mistakes behind letters of several bytes lead to their places."""
    tab.evaluate("document.getElementById('as-file').click()")
    tab.wait_for("document.getElementById('machine-text').value.length > 100")
    write(tab, {"machine-text": 'base: v100\ndram: {channels: "é😀é", zzz: 3}\n'})
    tab.wait_for("document.querySelector('#machine-mistakes').textContent.includes('zzz')")
    chosen = tab.evaluate("""(() => {
        [...document.querySelectorAll("#machine-mistakes button")].find((each) => each.textContent.includes("zzz")).click();
        const area = document.getElementById("machine-text");
        return area.value.slice(area.selectionStart, area.selectionStart + 3);
    })()""")
    checks.expect(chosen == "zzz", f"a mistake leads to {chosen!r}")
    choose_preset(tab, "a100")
    tab.wait_for("!document.querySelector('#machine-mistakes li')")


def check_late_machine(tab, checks):
    tab.evaluate("document.getElementById('form-view').open = true")
    tab.wait_for("document.querySelector('#key-name')?.value.startsWith('a100')")
    tab.evaluate("""asked = {}; stubs["/api/machine"] = async (answer, options) => {
        const { machine, set } = JSON.parse(options.body);
        const reply = await answer();
        await pause(machine === "v100" && !set ? 1500 : 0);  // that without changes, to which fields go back
        if (machine === "v100" && !set) window.isLate = true;
        return reply;
    }; true""")
    where = {"set": ["l2.hit_latency_cycles=100"], "machine": "v100"}
    tab.evaluate(f"location.hash = {json.dumps(fragment(EXPERIMENT | where))}; true")
    tab.wait_for("asked['/api/machine'] >= 2")
    choose_preset(tab, "h100")
    tab.wait_for("window.isLate && !document.querySelector('#key-name').value.startsWith('a100')")
    tab.evaluate("pause(200)")
    name = tab.evaluate("document.querySelector('#key-name').value")
    checks.expect(name.startswith("h100"), f"the form of h100 shows {name}")
    tab.evaluate("document.getElementById('form-view').open = false; stubs = {}; true")


def check_busy(tab, checks):
    tab.evaluate("""window.refused = 0; stubs["/api/forecast"] = (answer) =>
        ++refused > 2 ? answer() : json(429, { message: "too many requests at once" }); true""")
    write(tab, {"workload": "gemm:80"})
    tab.wait_for("refused > 0")
    tab.evaluate("pause(100)")
    checks.expect(text_of(tab, "#workload-mistakes") == "", "a busy server is shown as a mistake of the workload")
    tab.wait_for("refused > 2 && document.getElementById('forecast').textContent.includes('CTA')")
    tab.evaluate("stubs = {}; true")


def check_lost_server(tab, checks):
    """A run that the page follows while its server is away, refuses to cancel, and no longer knows the browser."""
    choose_preset(tab, "a100")
    write(tab, {"workload": "gemm:8192"})
    tab.evaluate("for (let i = 0; i < 3; ++i) document.getElementById('run').click()")
    tab.wait_for("document.querySelector('#runs li[data-state=running] progress')")
    tab.evaluate("pause(500)")
    path = "/api/runs/" + tab.evaluate("document.querySelector('#runs li').dataset.id")
    before = tab.evaluate(f"asked['{path}']")
    tab.evaluate("pause(2000)")
    asked = tab.evaluate(f"asked['{path}']") - before
    checks.expect(asked <= 6, f"{asked} questions in 2 s for a run that was asked for three times")
    tab.evaluate("stubs['/api/runs/'] = () => { throw new TypeError('Failed to fetch'); }; true")
    tab.wait_for("document.querySelector('#runs li .progress-text').textContent.includes('no connection')")
    before = tab.evaluate(f"asked['{path}']")
    tab.evaluate("pause(2000)")
    asked = tab.evaluate(f"asked['{path}']") - before
    checks.expect(asked <= 3, f"{asked} questions in 2 s to a server that is away")
    tab.evaluate("document.querySelector('#runs button[data-act=cancel]').click()")
    tab.wait_for("document.getElementById('run-note').textContent.includes('no connection')")
    checks.expect(tab.evaluate("document.querySelectorAll('#runs li').length") == 1, "a run that could not be cancelled is gone")
    tab.evaluate("stubs = {}; true")
    tab.wait_for("!document.querySelector('#runs li .progress-text').textContent.includes('no connection')")
    tab.evaluate("stubs['/api/runs/'] = () => json(401, { message: 'This needs the link' }); true")
    tab.wait_for("document.querySelector('#runs li[data-state=failed]')")
    checks.expect("This needs the link" in text_of(tab, "#runs li"), "nothing is said where the server does not know the browser")
    before = tab.evaluate(f"asked['{path}']")
    tab.evaluate("pause(1500)")
    checks.expect(tab.evaluate(f"asked['{path}']") == before, "it is asked again although the server does not know the browser")
    tab.evaluate("stubs = {}; document.querySelector('#runs button[data-act=forget]').click()")
    tab.wait_for("!document.querySelector('#runs li')")


def check_deleted_result(tab, checks):
    """A stored result that is deleted between the list of runs and the question for it."""
    tab.evaluate("""import("/runs.js").then(({ Runs }) => {
        const run = { id: "0".repeat(32), state: "done", experiment: { workload: "gemm:1", machine: "a100", set: [], options: {} } };
        window.late = new Runs({}, {});
        late.runs = [run];
        late.show();
        return late.follow(run, false);
    })""")
    checks.expect("was deleted" in text_of(tab, "#runs li"), f"a deleted result: {text_of(tab, '#runs li')}")
    tab.evaluate("late.runs = []; late.show()")


def check_timelines(tab, checks):
    show = """import("/timeline.js").then((module) => module.showTimeline({ id: "x", experiment: { workload: "gemm:1" } }))"""
    tab.evaluate("""stubs["/runs/x/timeline"] = async () => {
        const slices = Array.from({ length: 200000 }, (_, at) => ({ ph: "X", pid: 1, tid: 1, name: "HMMA", ts: at / 1000, dur: 0.001 }));
        const names = [{ ph: "M", name: "process_name", pid: 1, args: { name: "SM 0" } },
            { ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: "warp 0" } }];
        const text = JSON.stringify([...names, ...slices]);
        return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")));
    }; true""")
    tab.evaluate(show)
    checks.expect(tab.evaluate("Boolean(document.querySelector('#report canvas'))"), f"no long timeline: {text_of(tab, '#report')}")
    tab.evaluate("stubs['/runs/x/timeline'] = async () => { await pause(300); return json(404, {}); }; true")
    tab.evaluate(f"""(async () => {{
        const timeline = {show};
        await pause(50);
        const {{ Runs }} = await import("/runs.js");
        new Runs({{}}, {{}}).showReport({{ id: "y", experiment: {{ workload: "gemm:2", set: [], options: {{}} }} }});
        await timeline;
    }})()""")
    checks.expect(tab.evaluate("Boolean(document.querySelector('#report > iframe'))"),
                  f"a late timeline takes the place of a report: {text_of(tab, '#report')}")


def check_page(chromium, link, host, checks):
    tab = opened(chromium, link, DESKTOP)
    check_functions(tab, checks)
    check_links(chromium, host, checks)
    tab.evaluate(STUBS)
    check_places(tab, checks)
    check_late_machine(tab, checks)
    check_busy(tab, checks)
    check_lost_server(tab, checks)
    check_deleted_result(tab, checks)
    check_timelines(tab, checks)


def main():
    program = find_chromium()
    if program is None:
        print("no chromium: scripts/install_packages --browser installs it")
        return 77
    checks = Checks(shots=None)
    checks.name = "trouble"
    with playground(program, checks, "--jobs", "1") as (chromium, link, host):
        check_page(chromium, link, host, checks)
    for error in checks.errors:
        print(error)
    return 1 if checks.errors else 0


if __name__ == "__main__":
    sys.exit(main())
