"""Every option and every argument reaches the C API as it was given, in the field and the unit that it has there."""

import ctypes
import pathlib
import re
import time
import threading

import numpy as np
import pytest
import specmv
from conftest import random_matrix, vector
from specmv import _options

HEADER = pathlib.Path(__file__).parents[3] / "runtime" / "include" / "specmv_options.h"


def structure():
    """specmvPlanOptions_t as ctypes has it, with the fields of the header."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    body = re.search(r"struct specmvPlanOptions \{([^}]*)\}", text).group(1)
    kinds = {"int64_t": ctypes.c_int64, "size_t": ctypes.c_size_t}
    fields = []
    for kind, star, name in re.findall(r"([\w ]+?)\s*(\*?)\s*\b(\w+);", body):
        pointer = star or kind.strip() in ("specmvContext_t", "specmvPlan_t", "specmvWorkspace_t")
        fields.append((name, ctypes.c_void_p if pointer else kinds.get(kind.strip(), ctypes.c_int)))
    return type("Options", (ctypes.Structure,), {"_fields_": fields})


OPTIONS = structure()


def fields_of(**options):
    raw = specmv._core.option_bytes(_options.checked(options))
    assert len(raw) == ctypes.sizeof(OPTIONS)
    return OPTIONS.from_buffer_copy(raw)


GIVEN = {name: True for name in _options._FLAGS}
GIVEN.update({"products": 2**40, "vectors": 7, "device": 5, "max_bytes": 2**41})
GIVEN.update({name: list(words)[-1] for name, (_, words) in _options._WORDS.items()})


def number_of(name, value):
    return _options._WORDS[name][1][value] if name in _options._WORDS else int(value)


@pytest.mark.parametrize("name", GIVEN)
def test_a_number_is_in_its_field_and_in_no_other(name):
    tables = {**_options._FLAGS, **{n: f for n, (f, *_) in {**_options._WORDS, **_options._NUMBERS}.items()}}
    default, given = fields_of(), fields_of(**{name: GIVEN[name]})
    changed = [field for field, _ in OPTIONS._fields_ if getattr(default, field) != getattr(given, field)]
    assert changed == [tables[name]]
    assert getattr(given, tables[name]) == number_of(name, GIVEN[name])
    camel = re.sub("_(.)", lambda found: found[1].upper(), name)
    assert tables[name] == {"products": "expectedProducts", "transpose": "operation"}.get(name, camel)


def test_words_have_the_numbers_of_the_header():
    text = HEADER.read_text()
    for name, (_, words) in _options._WORDS.items():
        for word, number in words.items():
            assert re.search(rf"SPECMV_{name.upper()}_{word.upper()} = {number}\b", text), (name, word)


def test_nothing_is_left_out():
    known = {*_options._FLAGS.values(), *(f for f, *_ in {**_options._WORDS, **_options._NUMBERS}.values())}
    known |= {*_options._TEXTS.values(), "context", "structureOf"}
    left = {field for field, _ in OPTIONS._fields_} - known
    assert left <= {"structSize", "size", "workspace", "fused"}, left


def test_texts_are_passed_on():
    A = random_matrix(60, 60)
    assert specmv.estimate(A, formats="coo")["format"] == "coo"
    with pytest.raises(specmv.InvalidValue, match="nonsense"):
        specmv.plan(A, plan_text="nonsense of mine")
    with pytest.raises(specmv.InvalidValue, match="nonsense"):
        specmv.plan(A, order="nonsense")


def test_the_settings_of_a_context(tmp_path):
    A = random_matrix(60, 60)
    with pytest.raises(specmv.InvalidValue, match="nonsense"):
        specmv.Context(gpu_model="nonsense")
    rates = {}
    for model in ("h200", "h100"):
        rates[model] = specmv.estimate(A, context=specmv.Context(gpu_model=model))["product_us"]
    assert rates["h200"] != rates["h100"]
    for least in (1, 2, 3, 4):
        found = []
        specmv.plan(A, context=specmv.Context(lambda level, _: found.append(level), log_level=least, packs="/no.pack"))
        assert max(found, default=0) <= least and bool(found) == (least >= 2)
    sentences = []
    specmv.plan(A, context=specmv.Context(lambda _, sentence: sentences.append(sentence), packs="/no.pack"))
    assert any("/no.pack" in sentence for sentence in sentences)


def test_a_wait_is_in_seconds(monkeypatch):
    given = []
    monkeypatch.setattr(specmv.Plan, "_wait_for", lambda self, milliseconds: given.append(milliseconds) or True)
    p = specmv.plan(random_matrix(60, 60))
    for seconds in (0, 0.25, 2, 2e6):
        p.wait(seconds)
    assert given == [0, 250, 2000, 2000000000]
    for bad in (-1, 2.1e6, float("nan"), float("inf")):
        with pytest.raises(specmv.InvalidValue, match="seconds is"):
            p.wait(bad)


def test_a_wait_takes_as_long_as_was_asked():
    """The set-up waits in its first message."""
    go = threading.Event()
    context = specmv.Context(lambda level, sentence: go.wait(), log_level=4)
    A = random_matrix(60, 60)
    p = specmv.plan(A, start="now", context=context)
    try:
        begun = time.monotonic()
        assert not p.wait(0.2) and time.monotonic() - begun >= 0.2
        assert np.allclose(p @ vector(60), A @ vector(60))
    finally:
        go.set()
    assert p.wait() and p.ready
