"""What the app needs from Streamlit although Streamlit does not promise it.

For each of these things, a test says which one is missing, and where the app uses it. If one is missing in a new
version of Streamlit: find its new name, change the files that use it, and change it here.
"""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest
import streamlit
from packaging.requirements import Requirement
from streamlit.runtime.state import SafeSessionState, SessionState

from house_rules import check_rule, imported_modules, modules_in
from serving import ROOT

# Names inside Streamlit's Python code, and why the app needs them.
NAMES = {
    "streamlit.config.on_config_parsed": "app.py keeps the app's promises when the configuration is read again",
    "streamlit.config.set_option": "app.py keeps the app's promises where a host sets them otherwise",
    "streamlit.net_util.get_external_ip": "app.py replaces it, so that Streamlit asks no other host for an address",
    "streamlit.proto.BackMsg_pb2.BackMsg": "frame/rehearsal.py asks for a page with it, as a browser does",
    "streamlit.proto.Block_pb2.Block.FlexContainer.Direction": "frame/rehearsal.py tells rows from columns by it",
    "streamlit.proto.Block_pb2.Block": "a container that frame/rehearsal.py is sent",
    "streamlit.proto.Element_pb2.Element": "a text or a component that frame/rehearsal.py is sent",
    "streamlit.proto.ForwardMsg_pb2.ForwardMsg.FINISHED_EARLY_FOR_RERUN": "frame/rehearsal.py: the run goes on",
    "streamlit.proto.ForwardMsg_pb2.ForwardMsg": "what frame/rehearsal.py is sent",
    "streamlit.runtime.get_instance": "frame/rehearsal.py asks the running server for pages",
    "streamlit.runtime.Runtime.connect_session": "frame/rehearsal.py comes as a visitor",
    "streamlit.runtime.Runtime.handle_backmsg": "frame/rehearsal.py asks for a page",
    "streamlit.runtime.Runtime.close_session": "frame/rehearsal.py leaves",
    "streamlit.runtime.memory_uploaded_file_manager.MemoryUploadedFileManager.add_file": "frame/kept_files.py wraps it",
    "streamlit.runtime.memory_uploaded_file_manager.MemoryUploadedFileManager.remove_file": "frame/kept_files.py",
    "streamlit.runtime.uploaded_file_manager.UploadedFileRec": "a file that frame/kept_files.py counts",
    "streamlit.runtime.scriptrunner.get_script_run_ctx": "state/widgets.py finds the visitor's session with it",
    "streamlit.runtime.state.safe_session_state.SafeSessionState": "state/widgets.py lets callbacks end with it",
    "streamlit.runtime.state.safe_session_state.SafeSessionState.on_script_will_rerun": "it calls the callbacks",
}
# The marks (data-testid) of Streamlit's elements, which the app's styles and scripts use.
TEST_IDS = {
    "stAlert": "warnings, which have the measure of texts",
    "stApp": "keys.js looks for dialogs in it",
    "stBaseButton": "buttons of the bar, in the style of the scenes",
    "stBidiComponentIsolated": "the components of equations, in which the path moves cells",
    "stButton": "buttons",
    "stButtonGroup": "choices drawn as pills",
    "stCaptionContainer": "the lines of sources",
    "stCheckbox": "switches",
    "stCode": "the code below a lesson",
    "stDialog": "dialogs, above the presenter view",
    "stElementContainer": "the container of each element: its place and its width",
    "stElementToolbar": "the toolbar of charts, hidden while presenting",
    "stElementToolbarButton": "the button that copies a code, shown at once in dialogs",
    "stExpandSidebarButton": "the button that opens the menu on a phone",
    "stExpander": "what can be folded",
    "stHeader": "the bar at the top",
    "stHeaderActionElements": "the anchor beside a heading",
    "stHeading": "headings, away while a phone is to guess",
    "stHorizontalBlock": "rows of elements",
    "stHtml": "the code of a step, away from the stage",
    "stLayoutWrapper": "the wrapper of a container",
    "stMain": "what scrolls",
    "stMainBlockContainer": "the width and the margins of the page",
    "stMarkdown": "texts",
    "stMarkdownContainer": "texts",
    "stNumberInput": "fields for a number",
    "stPageLink": "links to pages",
    "stSelectbox": "the chooser of examples",
    "stException": "an error, which is shown at once",
    "stPopoverBody": "the list of further tools",
    "stToolbar": "the margin of the menu",
    "stTopNav": "the menu, with a mark at the present page",
    "stTopNavSection": "a group of the menu, in which the first screen has been pressed",
    "stSidebarCollapseButton": "the button that closes the menu of a phone",
    "stSidebar": "the menu on a phone, away from the stage and from paper",
    "stSkeleton": "what has not come yet",
    "stSlider": "sliders",
    "stTextArea": "areas for text",
    "stTextInput": "fields for text",
    "stTooltipHoverTarget": "what has a tooltip",
    "stVegaLiteChart": "charts, in both themes and in the presenter view",
    "stVerticalBlock": "columns of elements",
    "stWidgetLabel": "labels of widgets",
}
USED = re.compile(r"data-testid[*^$~|]?=[\\\"']*(\w+)")
STATIC = Path(streamlit.__file__).parent / "static" / "static" / "js"
PUBLIC = ("streamlit.components.v2",)  # Streamlit's documentation describes this module


@pytest.fixture(scope="module")
def scripts() -> str:
    """Give the test the text of all scripts of Streamlit's page."""
    return "\n".join(file.read_text("utf-8") for file in STATIC.glob("*.js"))


@pytest.mark.parametrize("name", NAMES)
def test_streamlit_has_each_name_that_the_app_uses(name):
    module = next(".".join(name.split(".")[:n]) for n in (3, 4, 2) if _is_module(".".join(name.split(".")[:n])))
    found = import_module(module)
    for part in name.removeprefix(f"{module}.").split("."):
        assert hasattr(found, part), f"Streamlit {streamlit.__version__} has no {name}: {NAMES[name]}"
        found = getattr(found, part)


def _is_module(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def test_a_session_state_looks_for_presses_by_the_callback_that_is_replaced():
    looked = list[str]()
    state = SafeSessionState(SessionState(), lambda: looked.append("looked"))
    told = "state/widgets.py replaces SafeSessionState._yield_callback, so that a press waits for callbacks to end"
    assert hasattr(state, "_yield_callback"), f"Streamlit {streamlit.__version__} has none: {told}"
    object.__setattr__(state, "_yield_callback", lambda: looked.append("replaced"))
    assert "any" not in state
    assert looked == ["replaced"], f"Streamlit {streamlit.__version__} no longer asks it: {told}"


@pytest.mark.many
@pytest.mark.parametrize("mark", TEST_IDS)
def test_streamlits_page_marks_the_element(mark, scripts):
    assert re.search(rf"\b{mark}\b", scripts), (
        f"the page of Streamlit {streamlit.__version__} marks nothing as {mark}: {TEST_IDS[mark]}; "
        f"it is used in {', '.join(sorted(_files_with_mark(mark)))}"
    )


def test_streamlit_asks_for_the_theme_again_after_printing(scripts):
    """Check that Streamlit chooses the theme again after printing."""
    assert re.search(r"addEventListener\(`afterprint`", scripts)
    assert "matchMedia(`(prefers-color-scheme: dark)`).matches" in scripts


def _files_with_mark(mark: str) -> set[str]:
    return {str(path.relative_to(ROOT)) for path in _sources() if mark in USED.findall(path.read_text("utf-8"))}


def _sources() -> list[Path]:
    return [path for path in ROOT.glob("pages/**/*") if path.suffix in {".css", ".js", ".py"}]


def test_every_mark_that_is_used_is_named_here():
    used = {mark for path in _sources() for mark in USED.findall(path.read_text("utf-8"))}
    check_rule(
        {mark: _files_with_mark(mark) for mark in used - {*TEST_IDS}},
        "Every data-testid that a style or a script uses is named in TEST_IDS, because Streamlit may change it.",
        "give the element a key and use its class st-key-…; if it can have none, name the mark in TEST_IDS.",
    )
    check_rule({*TEST_IDS} - used, "TEST_IDS names only marks that are used.", "remove these from TEST_IDS.")


def test_every_module_inside_streamlit_that_is_imported_is_named_here():
    found = {name: _unnamed_modules(module) for name, module in modules_in(ROOT, "app.py", "pages/**/*.py").items()}
    check_rule(
        found,
        "Every name inside Streamlit that the app imports is named in NAMES, because Streamlit may change it.",
        "use what `import streamlit as st` offers; if that has no such thing, name it in NAMES.",
    )


def _unnamed_modules(module: ast.Module) -> set[str]:
    inside = {name for name in imported_modules(module) if name.startswith("streamlit.")}
    named = {name for each in NAMES for name in (each, each.rpartition(".")[0])}
    return {name for name in inside - named if not name.startswith(PUBLIC)}


def test_a_name_inside_streamlit_is_noticed():
    assert _unnamed_modules(ast.parse("from streamlit.runtime import exists")) == {"streamlit.runtime.exists"}
    assert _unnamed_modules(ast.parse("import streamlit as st\nimport streamlit.components.v2 as components")) == set()
    assert USED.findall('[data-testid^="stBaseButton-"], [data-testid=stMain]') == ["stBaseButton", "stMain"]


def test_the_requirements_admit_no_version_after_the_tested_ones():
    pins = dict(
        re.findall(r"^([\w-]+)==([\d.]+)", (ROOT / ".hosting/constraints.txt").read_text("utf-8"), re.MULTILINE)
    )
    required = [Requirement(line) for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()]
    following = {each.name: _next_version(pins[each.name], minor=each.name == "streamlit") for each in required}
    check_rule(
        {each.name: [following[each.name]] for each in required if following[each.name] in each.specifier},
        "requirements.txt admits no major version after those in .hosting/constraints.txt; of Streamlit, no minor one.",
        "install the newer version, run .ci/run, and write it into .hosting/constraints.txt; or lower the upper bound.",
    )


def _next_version(version: str, *, minor: bool) -> str:
    major, second = map(int, version.split(".")[:2])
    return f"{major}.{second + 1}.0" if minor else f"{major + 1}.0.0"
