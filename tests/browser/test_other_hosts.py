"""What a page asks of another machine is noticed by every test in a browser, and goes nowhere."""

import pytest

from browser.equation import until
from browsing import new_tab, record_problems, settled


@pytest.mark.parametrize(
    "script",
    [
        "fetch('https://other.example').catch(() => {})",
        "navigator.sendBeacon('https://other.example', 'statistics')",
        "new Image().src = 'http://192.0.2.1/other.example'",
        "document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://other.example' }))",
        "new WebSocket('wss://other.example')",
    ],
)
def test_a_request_to_another_machine_is_noticed(script, browser, server):
    page = new_tab(browser, server.url)
    problems = record_problems(page)
    page.goto("/")
    settled(page)
    assert problems == []
    page.evaluate(f"() => {{ {script} }}")
    until(page, lambda: "other.example" in " ".join(problems), True)
    page.context.close()
