"""Every structured kernel and every generative model has a page whose links resolve and whose expressions are read."""

import re
import shlex
from pathlib import Path

import pytest

import mercer

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
CATALOGUE = mercer.catalogue()
#: Kinds of columns whose kernels have a page each, as the catalogue says what a kernel takes.
STRUCTURED = re.compile(r"one column of (graphs|series|sets|trees)")
COMPOSITIONS = {"set_sum": "set_mean", "set_mean": "set_mean", "best_match": "best_match", "set_extremes": "set_extremes", "lockstep": "lockstep"}
KERNELS = [k["name"] for k in CATALOGUE["kernels"] if STRUCTURED.match(k["takes"])] + ["fisher", "probability_product", *COMPOSITIONS]
MODELS = [m["name"] for m in CATALOGUE["models"]]
PAGES = sorted([*DOCS.glob("kernels/*.md"), *DOCS.glob("models/*.md")])


def commands(page):
    """The words of every command that is typed on a page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [shlex.split(line[2:]) for line in lines if line.startswith("$ mercer ")]


def value(words, flag):
    return words[words.index(flag) + 1] if flag in words else None


def estimators(text):
    """Expressions that commas separate outside of brackets."""
    return re.findall(r"(?:[^,(]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+", text)


@pytest.mark.parametrize("name", KERNELS)
def test_a_structured_kernel_has_a_page_with_an_example(name):
    page = DOCS / "kernels" / f"{COMPOSITIONS.get(name, name)}.md"
    assert commands(page), f"{page} has no example"
    assert f"({page.name})" in (DOCS / "kernels" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MODELS)
def test_a_generative_model_has_a_page_with_an_example(name):
    page = DOCS / "models" / f"{name}.md"
    assert commands(page), f"{page} has no example"
    assert f"({page.name})" in (DOCS / "models" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_expressions_of_a_page_are_read(page):
    text = page.read_text(encoding="utf-8")
    kernels = [value(words, "--kernel") for words in commands(page)] + re.findall(r"^\| `([^`]+)` \| .*%", text, flags=re.M)
    for kernel in filter(None, kernels):
        if not kernel.startswith("bayes("):
            assert str(mercer.Kernel(kernel))
    for words in commands(page):
        for expression in estimators(value(words, "--estimators") or value(words, "--estimator") or ""):
            assert mercer.Learner(expression)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_links_of_a_page_resolve(page):
    for target in re.findall(r"\]\(([^)#][^)]*)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if target.startswith("https://"):
            continue
        file = (page.parent / path).resolve()
        assert file.exists(), target
        titles = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), flags=re.M) if anchor else []
        slugs = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
        slugs += [f"{slug}-1" for slug in slugs if slugs.count(slug) > 1]
        assert not anchor or anchor in slugs, target
