"""Headless Chromium over its debugging pipe: no driver, no package beside Chromium itself."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Chromium:
    """A browser with a profile of its own. What it tells without being asked stands in `events`."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands_read, self.commands = os.pipe()
        self.replies, replies_write = os.pipe()

        def give_descriptors():  # the browser wants them to be 3 and 4, which may be in use
            reads, writes = os.dup(commands_read), os.dup(replies_write)
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--no-first-run", f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(3, 4), preexec_fn=give_descriptors, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands_read)
        os.close(replies_write)
        self.number, self.buffer, self.events = 0, b"", []

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.profile.cleanup()

    def read(self, timeout):
        """One message, or None."""
        end = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.replies], [], [], left)[0]:
                return None
            part = os.read(self.replies, 1 << 16)
            if not part:
                raise RuntimeError("chromium has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, timeout=240, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while True:
            reply = self.read(end - time.monotonic())
            if reply is None:
                raise TimeoutError(method)
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]
            self.events.append(reply)


class Tab:
    """A page of a given width, dark or light."""

    def __init__(self, chromium, width, height, dark=False):
        self.chromium = chromium
        target = chromium.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = chromium.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.prefer(dark)

    def prefer(self, dark):
        """From now on style sheets are told that the user wishes a dark page, or a light one."""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def call(self, method, **parameters):
        return self.chromium.call(method, session=self.session, **parameters)

    def evaluate(self, expression):
        """The value of a JavaScript expression, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression[:200]}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, expression, seconds=120):
        """Waits until the expression is true, of this page or of one that the browser is going to."""
        def is_true():
            try:
                return self.evaluate(f"Boolean({expression})")
            except RuntimeError as error:
                if "navigated" in str(error):  # while it was evaluated
                    return False
                raise

        end = time.monotonic() + seconds
        while not is_true():
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.05)

    def press(self, key, shift=False):
        """A key as a user presses it: "Tab", "Enter", "ArrowDown", ..."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39,
                 "+": 187, "-": 189, " ": 32}
        texts = {"Enter": "\r", "+": "+", "-": "-", " ": " "}
        event = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key], "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": texts[key]} if key in texts else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, path):
        metrics = self.call("Page.getLayoutMetrics")["cssContentSize"]
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": metrics["width"], "height": min(metrics["height"], 8000), "scale": 1})
        path.write_bytes(base64.b64decode(picture["data"]))


def complaints_of(chromium):
    """Errors and warnings on the console, exceptions, and what the browser has blocked or not found."""
    found = []
    for event in chromium.events:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            found.append(" ".join(str(argument.get("value")) for argument in parameters["args"]))
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            found.append(details.get("exception", {}).get("description", details["text"]))
        if event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            found.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")
    return found


def addresses_of(chromium):
    """Every address that was asked for."""
    return [event["params"]["request"]["url"] for event in chromium.events
            if event.get("method") == "Network.requestWillBeSent"]
