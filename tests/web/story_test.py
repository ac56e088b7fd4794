#!/usr/bin/env python3
"""What a visitor does in the demo, by clicking: looks, forgets somebody, reads and downloads the
receipt, changes the colours and the width, and sees that the daemon has gone."""
import base64
import json
import os
import sys
import time
import urllib.request

import browser as web
from demo import Demo

PATIENCE = 120  # seconds, for a slow machine


def get(url):
    with urllib.request.urlopen(url, timeout=30) as reply:
        return reply.read()


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def page_is_up(page, demo):
    page.open(demo.url)
    page.wait("a verdict", lambda: "Up to date." in page.text("#verdict"), PATIENCE)
    page.wait("a rate", lambda: page.text("#rate") not in ("", "–", "0.0"), PATIENCE)
    page.wait("a curve", lambda: page.run("return !!document.querySelector('#loss-chart polyline')"),
              PATIENCE)
    check(page.text("#advantage") == "0", "the promise reads " + page.text("#advantage"))
    check("Exact: models are those of a run that never learned" in page.text("#promise"),
          page.text("#promise"))
    page.click("#loss-chart + details summary")
    page.wait("a table behind the chart",
              lambda: page.run("return document.querySelectorAll('#loss-table td').length > 0"),
              PATIENCE)


def somebody_is_forgotten(page):
    """Returns the request's reference."""
    # Somebody with events: the page proposes people who are there.
    page.wait("a proposal", lambda: page.run("return document.getElementById('subject').value"),
              PATIENCE)
    page.click("#forget")
    page.wait("the request is in the topic", lambda: "page-1" in page.text("#forget-said") or
              page.run("return !!document.getElementById('my-receipt')"), PATIENCE)
    page.wait("the request is effective",
              lambda: page.run("return !!document.getElementById('my-receipt')"), PATIENCE)
    said = page.text("#forget-said")
    check(said.startswith("Forgotten:"), said)
    # What the theorem promises, and no more.
    page.wait("the promise", lambda: "models are those of a run that never learned the events of"
              in page.text("#verdict"), PATIENCE)
    return "page-1"


def the_receipt_opens_and_downloads(page, demo, request):
    page.click("#my-receipt")
    page.wait("the certificate", lambda: page.run("return document.getElementById('certificate').open"),
              PATIENCE)
    body = page.text("#certificate-body")
    check(f"Request {request} was served" in body, body)
    check("Not covered" in body and "The source topic" in body, body)
    uuid = page.run("return document.querySelector('#certificate code').textContent")
    page.click("#download")
    path = os.path.join(page.downloads, f"receipt-{uuid}.json")
    page.wait("the file", lambda: os.path.exists(path), PATIENCE)
    with open(path, "rb") as file:
        downloaded = file.read()
    served = get(f"{demo.url}v1/receipts/{uuid}")
    check(downloaded == served, "the download is not the receipt")
    receipt = json.loads(downloaded)
    check(receipt["certified"] and receipt["outcome"] == "forgotten", str(receipt))
    page.click("#download-signed")
    path = os.path.join(page.downloads, f"receipt-{uuid}.dsse.json")
    page.wait("the signed file", lambda: os.path.exists(path), PATIENCE)
    with open(path, "rb") as file:
        check(base64.b64decode(json.load(file)["payload"]) == downloaded, "not the same receipt")
    page.click("#close")
    page.wait("it closes", lambda: not page.run("return document.getElementById('certificate').open"))


def the_bytes_are_erased(page, demo, request):
    def erased():
        receipts = json.loads(get(demo.url + "v1/receipts"))["receipts"]
        return any(r["request"] == request and r["status"] == "erased" for r in receipts)
    page.wait("the request is erased", erased, PATIENCE)
    page.wait("the page says so", lambda: page.run(
        "const row = document.querySelector(`[data-request=${arguments[0]}]`)?.closest('tr');"
        "return row?.querySelectorAll('.stage.done').length === 3", request), PATIENCE)


def the_keyboard_is_enough(page):
    """Tab reaches the first receipt, Enter opens it, Escape closes it."""
    page.run("document.getElementById('receipts-title').focus()")

    def press(key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            page.cdp("Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text,
                     windowsVirtualKeyCode=code)

    def opened():
        press("Tab", 9)
        if not page.run("return document.activeElement.dataset.key"):
            return False
        press("Enter", 13, "\r")
        time.sleep(1)
        return page.run("return document.getElementById('certificate').open")

    page.wait("a receipt by keyboard", opened, PATIENCE)
    press("Escape", 27)
    page.wait("Escape closes it", lambda: not page.run("return document.getElementById('certificate').open"))


def it_fits_320_pixels(page):
    page.resize(320, 640, mobile=True)
    page.wait("no scrolling sideways at 320 pixels", lambda: page.run(
        "return document.documentElement.scrollWidth <= 320"))
    page.resize(1280, 860)


def colours_follow_the_system(page):
    def back():
        return page.run("return getComputedStyle(document.body).backgroundColor")
    page.prefer("light")
    light = back()
    page.prefer("dark")
    check(back() != light, "light and dark are the same")


def nothing_leaves_and_nothing_fails(page, demo):
    """Before the daemon goes: no errors, no requests to another origin."""
    errors = [entry for entry in page.logs("browser") if entry["level"] in ("SEVERE", "WARNING")]
    check(not errors, f"the console says {errors}")
    asked = set()
    for entry in page.logs("performance"):
        message = json.loads(entry["message"])["message"]
        # The browser's own first page is none of ours.
        if (message["method"] == "Network.requestWillBeSent"
                and message["params"]["documentURL"].startswith(demo.url)):
            asked.add(message["params"]["request"]["url"])
    foreign = [url for url in asked
               if not url.startswith((demo.url, "data:image/svg+xml", "blob:" + demo.url))]
    check(any("/v1/status" in url for url in asked), "requests were not seen")
    check(not foreign, f"asked elsewhere: {foreign}")


def a_daemon_that_is_gone_is_noticed(page, demo):
    check(demo.stop() == 0, demo.said())
    page.wait("stale", lambda: "Stale since" in page.text("#stale"), PATIENCE)
    check("does not answer" in page.text("#verdict"), page.text("#verdict"))


def main():
    if web.chromium() is None:
        print("no chromium and chromedriver: the page was not tried")
        return 77
    with Demo() as demo, web.Browser() as page:
        try:
            page_is_up(page, demo)
            request = somebody_is_forgotten(page)
            the_receipt_opens_and_downloads(page, demo, request)
            the_bytes_are_erased(page, demo, request)
            the_keyboard_is_enough(page)
            it_fits_320_pixels(page)
            colours_follow_the_system(page)
            nothing_leaves_and_nothing_fails(page, demo)
            a_daemon_that_is_gone_is_noticed(page, demo)
        except BaseException:
            page.screenshot("failed.png")
            print(demo.said()[-2000:])
            raise
    print("the story holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
