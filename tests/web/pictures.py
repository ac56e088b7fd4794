#!/usr/bin/env python3
"""Pictures of the dashboard, in light, dark and 320 pixels wide, and of a comparison.

Usage: LETHE=build/release/lethe tests/web/pictures.py FOLDER [SECONDS] [FLAGS OF lethe demo]
"""
import os
import subprocess
import sys
import time

from browser import Browser
from demo import Demo


def compare(folder):
    lethe = os.environ["LETHE"]
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    stream, page = f"{folder}/events.ndjson", os.path.abspath(f"{folder}/compare.html")
    subprocess.run([lethe, "generate", "--drift", "1", "--pattern", "recent", "--out", stream],
                   check=True)
    subprocess.run([lethe, "compare", stream, "--config", f"{root}/configs/quickstart.yaml", "--modes",
                    "none,rewind,retrain,passive/all,active,restart", "--html", page], check=True)
    with Browser() as browser:
        browser.resize(1180, 806)
        browser.open("file://" + page)
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            browser.screenshot(f"{folder}/compare-{scheme}.png")


def main(folder, seconds="75", *flags):
    with Demo(*flags) as demo, Browser() as browser:
        browser.resize(1280, 940)
        browser.open(demo.url)
        time.sleep(float(seconds) - 15)
        browser.click("#forget")
        time.sleep(15)
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            time.sleep(1.5)
            browser.screenshot(f"{folder}/{scheme}.png")
            browser.screenshot(f"{folder}/{scheme}-whole.png", whole=True)
        browser.click("#receipts button.link")
        time.sleep(1)
        browser.screenshot(f"{folder}/dark-receipt.png")
        browser.resize(320, 700, mobile=True)
        time.sleep(1)
        browser.screenshot(f"{folder}/narrow-receipt.png")
        browser.prefer("light")
        browser.click("#close")
        time.sleep(1.5)
        browser.screenshot(f"{folder}/narrow.png", whole=True)
        demo.stop()
        browser.resize(1280, 940)
        time.sleep(3)
        browser.screenshot(f"{folder}/stale.png")


if __name__ == "__main__":
    compare(sys.argv[1])
    main(*sys.argv[1:])
