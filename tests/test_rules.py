"""Does every rule do what its own examples say, and does a bad rule file say what is wrong with it?"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from raguard.errors import RuleError
from raguard.rulebook import FAMILIES, Rule, load_rulebook, rules_folder

META = 'id = "vague"\nsource = "a test"\nlicence = "MIT"\nreviewed = 2026-11-29\n'
RULE = """
[[rule]]
id = "vague.a_test"
forms = ["the village gossip"]
accepts = ["The village gossip has it."]
rejects = ["the village"]
"""
WORDS = re.compile(r"[a-z]{1,40}")

Write = Callable[[str], Path]

# the examples of the family "warnings" are answers, not texts: they are checked by running verify
RULES = {rule.id: rule for family, rule in load_rulebook().rules() if family.name != "warnings"}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes ``own.toml`` with the given content into a folder of its own and returns the folder."""

    def write(content: str) -> Path:
        (tmp_path / "own.toml").write_text(content, encoding="utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_rule_matches_its_accepted_and_no_rejected_example(rule: Rule) -> None:
    assert [text for text in rule.accepts if not rule.matches(text)] == []
    assert [text for text in rule.rejects if rule.matches(text)] == []


def test_ids_are_unique() -> None:
    ids = [rule.id for _, rule in load_rulebook().rules()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_shipped_rules_and_says_where_they_come_from(family: str) -> None:
    shipped = load_rulebook()[family]
    assert len(shipped.rules) > 0
    assert shipped.meta["source"]
    assert shipped.meta["licence"]


def test_every_shipped_file_is_named_after_its_family() -> None:
    """The second file of a family has a word more: places, places_within."""
    assert {path.stem.partition("_")[0] for path in rules_folder().glob("*.toml")} == set(FAMILIES)


def test_the_documentation_names_every_family_with_its_keys() -> None:
    text = (Path(__file__).parent.parent / "docs" / "rules.md").read_text(encoding="utf-8")
    table = text.partition("## The families\n")[2].partition("\n\n**")[0]
    rows = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", table, re.MULTILINE)
    assert {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in rows} == dict(FAMILIES)


def test_a_rule_knows_its_file(write: Write) -> None:
    own = load_rulebook(write(f"[meta]\n{META}{RULE}"))["vague"].rules
    assert (own[0].file, own[-1].file) == (rules_folder() / "vague.toml", write(f"[meta]\n{META}{RULE}") / "own.toml")


def test_every_rule_can_match_something() -> None:
    empty = [rule.id for rule in RULES.values() if not (rule.forms or rule.pattern or rule.words)]
    assert empty == []


def test_vague_pattern_names_words_that_each_accepted_example_holds() -> None:
    for rule in load_rulebook()["vague"].rules:
        if rule.pattern is not None:
            needs = set(rule.data["needs"])
            missed = [text for text in rule.accepts if needs.isdisjoint(WORDS.findall(text.lower()))]
            assert missed == [], rule.id


@pytest.mark.parametrize(
    "phrase",
    [
        "According to the provided documents, sales grew.",
        "Based on the passages, sales grew.",
        "The document says that sales grew.",
        "According to the context, sales grew.",
        "According to passage 2, sales grew.",
        "The text mentions that sales grew.",
    ],
)
def test_no_vague_rule_matches_talk_about_the_given_documents(phrase: str) -> None:
    assert [rule.id for rule in load_rulebook()["vague"].rules if rule.matches(phrase)] == []


def test_own_folder_extends_a_family_and_changes_the_hash(write: Write) -> None:
    own = load_rulebook(write(f"[meta]\n{META}{RULE}"))
    shipped = load_rulebook()
    assert own["vague"].rules[:-1] == shipped["vague"].rules
    assert own["vague"].rules[-1].id == "vague.a_test"
    assert own["vague"].rules[-1].matches("So the village gossip says.")
    assert own["places"].rules == shipped["places"].rules
    assert own.hash != shipped.hash


def test_own_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"rules_dir: .*nowhere is not a folder"):
        load_rulebook(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("colour", '"red"', r"unknown key colour; known are "),
        ("seen_in", "{ hallucinated = 1, faithful = 0 }", r"unknown key seen_in; known are "),
        ("pattern", '"(the"', r"key pattern is no regular expression: "),
        ("pattern", '"the .* report"', r"key pattern repeats without a bound; bound every repeat"),
        ("pattern", '"the .{1,5000} report"', r"key pattern repeats without a bound"),
        ("pattern", '"(?:a{1,9}){1,9}b"', r"key pattern nests one repeat in another"),
        ("pattern", "3", r"key pattern must be a string"),
        ("words", '["the", "a"]', r"key words must be one string"),
    ],
)
def test_bad_key_names_file_rule_and_key(write: Write, key: str, value: str, message: str) -> None:
    folder = write(f"[meta]\n{META}{RULE}{key} = {value}\n")
    with pytest.raises(RuleError, match=rf"own\.toml: rule vague\.a_test: {message}"):
        load_rulebook(folder)


@pytest.mark.parametrize("key", ["accepts", "rejects"])
@pytest.mark.parametrize("value", ["missing", "[]"])
def test_rule_without_an_example_is_refused(write: Write, key: str, value: str) -> None:
    line = "" if value == "missing" else f"{key} = {value}"
    rule = re.sub(rf"(?m)^{key} = .*$", line, RULE)
    with pytest.raises(RuleError, match=rf"own\.toml: rule vague\.a_test: key {key} needs at least one example"):
        load_rulebook(write(f"[meta]\n{META}{rule}"))


@pytest.mark.parametrize("value", ['"the village"', "[3]", '[""]'])
def test_forms_that_are_no_list_of_texts_are_refused(write: Write, value: str) -> None:
    rule = re.sub(r"(?m)^forms = .*$", f"forms = {value}", RULE)
    with pytest.raises(RuleError, match=r"own\.toml: rule vague\.a_test: key forms must be a list of non-empty"):
        load_rulebook(write(f"[meta]\n{META}{rule}"))


@pytest.mark.parametrize("name", ["vague", "Vague.Report", "vague.", "3.vague", "vague report"])
def test_rule_with_a_bad_id_is_refused(write: Write, name: str) -> None:
    rule = RULE.replace("vague.a_test", name)
    with pytest.raises(RuleError, match=r"own\.toml: rule '.*': key id must be dotted lower-case words"):
        load_rulebook(write(f"[meta]\n{META}{rule}"))


def test_id_that_is_taken_names_the_rule_and_both_files(write: Write) -> None:
    taken = load_rulebook()["vague"].rules[0].id
    folder = write(f"[meta]\n{META}{RULE.replace('vague.a_test', taken)}")
    with pytest.raises(RuleError, match=rf"own\.toml: rule {re.escape(taken)}: the id is taken by .*vague\.toml"):
        load_rulebook(folder)


@pytest.mark.parametrize("key", ["source", "licence", "reviewed"])
def test_meta_without_provenance_is_refused(write: Write, key: str) -> None:
    meta = re.sub(rf"(?m)^{key} = .*\n", "", META)
    with pytest.raises(RuleError, match=rf"own\.toml: \[meta\] {key} is missing"):
        load_rulebook(write(f"[meta]\n{meta}{RULE}"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"[meta]\n{META}[[rule]\n", r"own\.toml: is not valid TOML: "),
        (RULE, r"own\.toml: \[meta\] id must be one of aliases, "),
        (
            f"[meta]\n{META.replace('vague', 'poems')}{RULE}",
            r"own\.toml: \[meta\] id must be one of aliases, ",
        ),
        (f"[meta]\n{META}author = 'me'\n{RULE}", r"own\.toml: \[meta\]: unknown key author; known are "),
        (f"[rules]\n[meta]\n{META}{RULE}", r"own\.toml: unknown key rules; known are meta, rule"),
        (
            f"[meta]\n{META}[rule]\nid = 'vague.a_test'\n",
            r"own\.toml: rules must be written as \[\[rule\]\] tables",
        ),
    ],
    ids=["invalid TOML", "no meta", "unknown family", "unknown meta key", "unknown table", "one table"],
)
def test_bad_file_names_itself_and_what_is_wrong(write: Write, content: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        load_rulebook(write(content))


def test_file_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_bytes(b'[meta]\nid = "\xff"\n')
    with pytest.raises(RuleError, match=r"own\.toml: cannot be read: "):
        load_rulebook(tmp_path)
