#!/usr/bin/env python3
"""Many browsers at one playground: every run that they ask for has to come back, and be the one that was asked for.

usage: load_test.py TCSIM [CLIENTS [RUNS]]

Each of CLIENTS (8) asks for RUNS (5) runs of its own and of others, as many at once as its queue takes, and follows them to
their ends. Prints what came back and how long clients waited; ends with status 1 if anything was lost or mixed up.
"""
import http.client
import json
import random
import re
import statistics
import subprocess
import sys
import threading
import time

SIZES = [16 * i for i in range(1, 41)]  # products of a few milliseconds


class Browser:
    """One client with a cookie of its own."""

    def __init__(self, host, token):
        self.host = host
        self.connection = http.client.HTTPConnection(host, timeout=120)
        self.headers = {"Origin": f"http://{host}", "Content-Type": "application/json"}
        self.headers["Cookie"] = self.ask("GET", f"/?token={token}")[2].split(";")[0]

    def ask(self, method, target, body=None):
        """(status, JSON or text, Set-Cookie). A connection that the server has let go is opened again."""
        for attempt in (1, 2, 3):
            try:
                self.connection.request(method, target, body=json.dumps(body) if body else None, headers=self.headers)
                reply = self.connection.getresponse()
                text = reply.read().decode()
                is_json = reply.getheader("Content-Type") == "application/json"
                return reply.status, json.loads(text) if is_json else text, reply.getheader("Set-Cookie", "")
            except (http.client.HTTPException, ConnectionError):
                self.connection.close()
                if attempt == 3:
                    raise


def work(number, host, token, runs, report):
    """Asks for everything, then waits for what is missing."""
    shuffle = random.Random(number)
    browser = Browser(host, token)
    # Half of them are asked for by everybody, half by this one alone.
    wanted = [f"gemm:m={SIZES[i % len(SIZES)]},n=32,k={32 if i % 2 else 32 + 8 * number}" for i in range(runs)]
    shuffle.shuffle(wanted)
    open_runs, results, refused = {}, [], 0
    start = time.monotonic()
    while wanted or open_runs:
        if wanted:
            status, state, _ = browser.ask("POST", "/api/runs", {"machine": "lab-tiny", "workload": wanted[-1]})
            if status == 429:
                refused += 1
            elif status == 200:
                open_runs[state["id"]] = (wanted.pop(), time.monotonic())
            else:
                report["errors"].append(f"client {number}: status {status}: {state}")
                wanted.pop()
        for run_id, (workload, asked) in list(open_runs.items()):
            status, state, _ = browser.ask("GET", f"/api/runs/{run_id}")
            if status == 200 and state["state"] in ("waiting", "running"):
                continue
            del open_runs[run_id]
            if status != 200 or state["state"] != "done":
                report["errors"].append(f"client {number}: {workload}: {state}")
                continue
            results.append((workload, state["result"], time.monotonic() - asked))
        time.sleep(0.05)
    with report["lock"]:
        report["results"] += results
        report["seconds"].append(time.monotonic() - start)
        report["refused"] += refused


def is_of(workload, result):
    """The numbers of what was asked for stand in the result."""
    return all(part in result["workload"] for part in re.findall(r"[mnk]=\d+", workload))


def main():
    tcsim = sys.argv[1]
    clients = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    server = subprocess.Popen([tcsim, "serve", "--queue", "8"], stdout=subprocess.PIPE, text=True)
    try:
        link = server.stdout.readline().strip()
        host, token = re.match(r"http://([^/]+)/\?token=(\w+)$", link).groups()
        report = {"lock": threading.Lock(), "errors": [], "results": [], "seconds": [], "refused": 0}
        start = time.monotonic()
        threads = [threading.Thread(target=work, args=(n, host, token, runs, report)) for n in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - start
    finally:
        server.terminate()
        status = server.wait(timeout=20)
    errors = report["errors"]
    if status != 0:
        errors.append(f"the server ended with status {status}")
    if len(report["results"]) != clients * runs:
        errors.append(f"{len(report['results'])} of {clients * runs} results came back")
    errors += [f"asked for {workload}, got {result['workload']}" for workload, result, _ in report["results"]
               if not is_of(workload, result)]
    times = {}
    for workload, result, _ in report["results"]:
        times.setdefault(workload, set()).add(result["time_us"])
    errors += [f"{workload} took {len(found)} different times" for workload, found in times.items() if len(found) != 1]
    waits = [wait for _, _, wait in report["results"]]
    print(f"{clients} clients x {runs} runs in {seconds:.1f} s: {len(report['results'])} results of {len(times)} different runs, "
          f"{report['refused']} times told to wait")
    if waits:
        print(f"from asking to the result: median {statistics.median(waits):.2f} s, longest {max(waits):.2f} s; "
              f"clients were done after {min(report['seconds']):.1f} to {max(report['seconds']):.1f} s")
    for error in errors[:20]:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
