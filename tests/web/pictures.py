#!/usr/bin/env python3
"""Pictures of the dashboard, in light, dark and 320 pixels wide.

Usage: LETHE=build/release/lethe tests/web/pictures.py FOLDER [SECONDS] [FLAGS OF lethe demo]
"""
import sys
import time

from browser import Browser
from demo import Demo


def main(folder, seconds="75", *flags):
    with Demo(*flags) as demo, Browser() as browser:
        browser.resize(1280, 860)
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
        browser.resize(1280, 860)
        time.sleep(3)
        browser.screenshot(f"{folder}/stale.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
