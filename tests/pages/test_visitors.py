"""Test visitors who come at the same time: none sees what belongs to another."""

from threading import Barrier, Thread

from streamlit.testing.v1 import AppTest


def script():
    import streamlit as st

    from pages.shared.state import session

    meet, name = st.session_state["meet"], st.session_state["name"]
    session.visitor()
    meet.wait()  # now both visitors have their sessions
    session.update(page=name)
    meet.wait()  # now both visitors have changed their state
    st.write(session.visit().page)


def test_two_visitors_whose_threads_take_turns_do_not_see_each_other():
    apps, meet = {name: AppTest.from_function(script, default_timeout=120) for name in ("here", "there")}, Barrier(2)
    for name, app in apps.items():
        app.session_state["meet"], app.session_state["name"] = meet, name
    for _ in range(2):  # in the second run, the app already knows both visitors
        runs = [Thread(target=app.run) for app in apps.values()]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
        assert {name: [text.value for text in app.markdown] for name, app in apps.items()} == {
            "here": ["here"],
            "there": ["there"],
        }
