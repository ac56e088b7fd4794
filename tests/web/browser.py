"""A headless Chromium, driven over chromedriver's own protocol (W3C WebDriver) with nothing but the
standard library."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-dev-shm-usage", "--disable-component-update", "--disable-sync",
         "--no-default-browser-check", "--window-size=1280,900"]


def chromium():
    """The paths of the browser and its driver, or None."""
    browser = shutil.which("chromium")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """Use as a context manager; `folder` is its profile and its downloads."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="lethe-browser-")
        self.downloads = os.path.join(self.folder, "downloads")
        os.mkdir(self.downloads)

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        browser, driver = chromium()
        self.log = open(os.path.join(self.folder, "driver.log"), "w+")
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=self.log,
                                       stderr=subprocess.STDOUT)
        self.url = f"http://127.0.0.1:{self._port()}"
        flags = FLAGS + [f"--user-data-dir={self.folder}/profile"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")  # Chromium refuses to run as root with it
        options = {"binary": browser, "args": flags,
                   "prefs": {"download.default_directory": self.downloads}}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.url += "/session/" + answer["sessionId"]

    def _port(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with open(self.log.name) as log:
                for line in log:
                    if "started successfully on port " in line:
                        return int(line.rsplit(" ", 1)[1].rstrip(".\n"))
            time.sleep(0.1)
        raise TimeoutError("chromedriver does not start; see " + self.log.name)

    def __exit__(self, *_):
        if hasattr(self, "driver"):
            try:
                self._call("DELETE", "", None)
            except (OSError, RuntimeError):
                pass
            self.driver.terminate()
            self.driver.wait(30)
            self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self, method, path, body):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, url):
        self._call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def _find(self, selector):
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        return found[ELEMENT]

    def click(self, selector):
        self._call("POST", f"/element/{self._find(selector)}/click", {})

    def type(self, selector, text):
        element = self._find(selector)
        self._call("POST", f"/element/{element}/clear", {})
        self._call("POST", f"/element/{element}/value", {"text": text})

    def wait(self, what, condition, seconds=60):
        """Repeats `condition` until it is true; the page may be redrawn meanwhile."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                found = condition()
                if found:
                    return found
            except RuntimeError:
                found = None
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {seconds} s in vain: {what}")
            time.sleep(0.2)

    def logs(self, kind):
        return self._call("POST", "/se/log", {"type": kind})

    def cdp(self, command, **parameters):
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def prefer(self, scheme):
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def resize(self, width, height, mobile=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=mobile)

    def screenshot(self, path, whole=False):
        picture = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as out:
            out.write(base64.b64decode(picture["data"]))
