"""A real browser for the tests of pages, and pages of it that are watched."""

import shutil
from contextlib import contextmanager

import pytest

pytest.importorskip("playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


@contextmanager
def started_browser():
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-quic"]
        )
        yield started
        started.close()


def watched_page(browser, complaints, **settings):
    """A page that notes complaints, and every request to another origin than its own."""
    opened = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **settings})
    opened.set_default_timeout(30_000)
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: complaints.append(request.url))
    return opened


@contextmanager
def page_of_file(browser, path, **settings):
    """A page opened from a file; fails on any complaint, and on any request to a network."""
    complaints: list[str] = []
    opened = watched_page(browser, complaints, **settings)
    opened.goto(path.as_uri())
    yield opened
    opened.close()
    assert complaints == [path.as_uri()]
