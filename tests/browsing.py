"""A real browser: Debian's chromium without a screen."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from selenium.common.exceptions import JavascriptException, StaleElementReferenceException
from selenium.webdriver import Chrome, ChromeOptions, ChromeService, Keys
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from serving import until


class Browser:
    """A browser with one window; what it does not show yet is waited for."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    def begin(self) -> None:
        """Forget everything: one empty tab, no cookies, the usual size."""
        for handle in self.driver.window_handles[1:]:
            self.driver.switch_to.window(handle)
            self.driver.close()
        self.driver.switch_to.window(self.driver.window_handles[0])
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.media()
        self.resize(1280, 900)
        self.problems()
        self.requests()

    def open(self, url: str) -> None:
        self.driver.get(url)

    def tab(self, url: str = "about:blank") -> str:
        """Another tab, in front; its handle."""
        self.driver.switch_to.new_window("tab")
        self.driver.get(url)
        return self.driver.current_window_handle

    def script(self, code: str, *args: Any) -> Any:
        """What a script returns; an expression needs no `return`."""
        return self.driver.execute_script(code if "return" in code else f"return {code}", *args)

    def text(self, selector: str = "article") -> str:
        """The text that is seen in an element; empty if there is none."""
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        try:
            return found[0].text if found else ""
        except StaleElementReferenceException:
            return ""

    def sees(self, text: str, selector: str = "article") -> None:
        """Wait for a text."""
        until(lambda: text in self.text(selector))

    def shows(self, selector: str) -> bool:
        """Is there such an element to be seen?"""
        return any(one.is_displayed() for one in self.driver.find_elements(By.CSS_SELECTOR, selector))

    def holds(self, condition: str) -> None:
        """Wait until an expression of JavaScript is true."""
        until(lambda: self._is(condition))

    def _is(self, condition: str) -> bool:
        try:
            return bool(self.driver.execute_script(f"return Boolean({condition})"))
        except JavascriptException:
            return False

    def click(self, selector: str) -> None:
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def point_at(self, selector: str) -> None:
        ActionChains(self.driver).move_to_element(self.driver.find_element(By.CSS_SELECTOR, selector)).perform()

    def click_at(self, x: int, y: int) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def strike(self, code: str, key: str) -> None:
        """Press a key of the keyboard (`KeyT`) that writes something else than it does on ours (`ㅅ`)."""
        for kind in ("keyDown", "keyUp"):
            self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "code": code, "key": key})

    def resize(self, width: int, height: int) -> None:
        """Make what is seen of a page this big."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def media(self, media: str = "", **features: str) -> None:
        """Show pages on this medium, to somebody who prefers this: `prefers_color_scheme="dark"`."""
        named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": named})

    def problems(self) -> list[str]:
        """What went wrong since the last question."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last question."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def _log(self, kind: str) -> list[dict[str, str]]:
        entries: list[dict[str, str]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call] # selenium has no type
        return entries


ESCAPE = Keys.ESCAPE
TAB = Keys.TAB


@contextmanager
def browser(*flags: str) -> Iterator[Browser]:
    """A browser with these flags besides its usual ones, as long as the block lasts."""
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if os.environ.get("STRICTCALL_NO_BROWSER"):
        pytest.skip("STRICTCALL_NO_BROWSER is set")
    if not chromium or not chromedriver:
        pytest.fail("these tests drive a real browser: install chromium and chromium-driver, or run .ci/browser")
    options = ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "--headless=new",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--accept-lang=ko",
        *flags,
    ):
        options.add_argument(flag)
    if os.name == "posix" and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which it cannot make for root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options, ChromeService(chromedriver))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
