"""Every test in a browser notices if a page asks another machine, and the request does not leave this machine."""

from browser.equation import until
from browsing import new_tab, record_problems, settle

REQUESTS = {
    "fetched.example": "fetch('https://fetched.example').catch(() => {})",
    "beacon.example": "navigator.sendBeacon('https://beacon.example', 'statistics')",
    "192.0.2.1": "new Image().src = 'http://192.0.2.1/picture'",
    "framed.example": "document.body.append(Object.assign(document.createElement('iframe'), "
    "{ src: 'https://framed.example' }))",
    "socket.example": "new WebSocket('wss://socket.example')",
}


def test_a_request_to_another_machine_is_noticed(browser, server):
    page = new_tab(browser, server.url)
    problems = record_problems(page)
    page.goto("/")
    settle(page)
    assert problems == []
    for host, script in REQUESTS.items():
        page.evaluate(f"() => {{ {script} }}")
        until(page, lambda host=host: host in " ".join(problems), True)
    page.context.close()
