"""Does every rule do what its own examples say, and does a bad rule file say what is wrong with it?"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raguard import Config, Verifier
from raguard.cli.rules import faults
from raguard.errors import RuleError
from raguard.patterns import loosened, pattern_fault
from raguard.rule_families import FAMILIES
from raguard.rule_keys import unlike
from raguard.rulebook import Rule, load_rulebook, rules_folder
from raguard.text.phrases import Phrases, Places

META = 'id = "vague"\nsource = "a test"\nlicence = "MIT"\nreviewed = 2026-11-29\n'
RULE = """
[[rule]]
id = "vague.a_test"
forms = ["the village gossip"]
accepts = ["The village gossip has it."]
rejects = ["the village"]
"""
LISTED, LISTED_ID = META.replace('"MIT"', '["MIT"]'), META.replace('"vague"', '["vague"]')
WORDS = re.compile(r"[a-z]{1,40}")

Write = Callable[[str], Path]

# the examples of verdicts and of weights are answers: the verifier proves them, as the command does
RULES = {
    rule.id: rule
    for family, rule in load_rulebook(families=FAMILIES).rules()
    if family.name != "warnings" and "measure" not in rule.data
}


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


@pytest.mark.parametrize("family", ["claims", "warnings"])
def test_rules_that_match_no_text_are_proved_by_answers(family: str) -> None:
    """What is left out of the test before is all in these two families."""
    rulebook = load_rulebook(families=FAMILIES)
    assert {owner.name for owner, rule in rulebook.rules() if rule.id not in RULES} == {"claims", "warnings"}
    assert list(faults(rulebook, family=family)) == []


def test_ids_are_unique() -> None:
    ids = [rule.id for _, rule in load_rulebook(families=FAMILIES).rules()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_shipped_rules_and_says_where_they_come_from(family: str) -> None:
    shipped = load_rulebook(families=FAMILIES)[family]
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
    assert {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in rows} == {
        name: set(keys) for name, keys in FAMILIES.items()
    }


def test_a_rule_knows_its_file(write: Write) -> None:
    own = load_rulebook(write(f"[meta]\n{META}{RULE}"))["vague"].rules
    assert (own[0].file, own[-1].file) == (rules_folder() / "vague.toml", write(f"[meta]\n{META}{RULE}") / "own.toml")


def test_every_rule_can_match_something() -> None:
    empty = [rule.id for rule in RULES.values() if not (rule.forms or rule.pattern or rule.words)]
    assert empty == []


def test_vague_pattern_names_words_that_each_accepted_example_holds() -> None:
    for rule in load_rulebook()["vague"].rules:
        if rule.pattern is not None:
            for needs in (rule.data["needs"], rule.data.get("needs_too")):
                held = [set(WORDS.findall(text.lower())) for text in rule.accepts]
                assert needs is None or all(not words.isdisjoint(needs) for words in held), rule.id


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
    ("line", "message"),
    [
        ('colour = "red"', "unknown key colour; known are "),
        ("seen_in = { hallucinated = 1, faithful = 0 }", "unknown key seen_in; known are "),
        ("seen = 3", "key seen must be a table of whole numbers, not 3"),
        ('seen = { faithful = "many" }', "key seen must be a table of whole numbers, not "),
        ('case_sensitive = "false"', "key case_sensitive must be true or false, not 'false'"),
        ('words = ["the", "a"]', "key words must be a string that is not blank, not ['the', 'a']"),
        (
            'words = "the a"',
            "key forms or pattern must say what the rule matches, as in the shipped ones like it, not ",
        ),
        (
            'pattern = "the"',
            "key forms or pattern must say what the rule matches, as in the shipped ones like it, not ",
        ),
        ('needs = ["gossip"]', "key needs is only for a pattern"),
        ('needs_too = ["gossip"]', "key needs_too is only for a pattern"),
        ('needs = "gossip"', "key needs must be a list of words, not 'gossip'"),
        ("why = 5", "key why must be a string that is not blank, not 5"),
    ],
)
def test_bad_key_names_file_rule_and_key(write: Write, line: str, message: str) -> None:
    folder = write(f"[meta]\n{META}{RULE}{line}\n")
    with pytest.raises(RuleError) as caught:
        load_rulebook(folder)
    assert str(caught.value).startswith(f"{folder / 'own.toml'}: rule vague.a_test: {message}")


MANY = "can read a text in too many ways; let each repeat and each alternative begin with something else"
UNBOUNDED = r"repeats without a bound; bound every repeat by at most 200, such as \w{1,40}"


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("(the", "is no regular expression: missing ), unterminated subpattern at position 0"),
        ("a{99999999999999}", "is no regular expression: the repetition number is too large"),
        ("(?:" * 5_000 + "a" + ")" * 5_000, "is nested too deeply"),
        ("the .* report", UNBOUNDED),
        ("the .{1,5000} report", UNBOUNDED),
        ("(?:the [^.]+?report){2}", UNBOUNDED),
        ("(?i)the report", "sets flags; use the key case_sensitive"),
        ("(?:the )?", "matches an empty text, so it would match everywhere"),
        (r"\b(?=the)", "matches an empty text, so it would match everywhere"),
        ("(?:a{1,9}){1,9}b", MANY),
        ("(?:a|a){1,100}b", MANY),
        ("x(?:a?){1,50}b", MANY),
        (r"(?:\w{1,9}\s\w{1,9}){1,9}x", MANY),
        (r"(?:\w{1,20}\s?){1,9}x", MANY),
        (r"(?:\s|[ab]{1,5}){0,99}\s!", MANY),
        (r"(?:(?:a?|a?)ab|b){0,40}x", MANY),
        (r"c?(?:-|[ab]a){2,100}c", None),
        (r"c?(?:-|(?:(?:[ab]a){1,5}){2,9})c", MANY),
        (r"\w{1,40}\w{1,40}\w{1,40}x", MANY),
        ("(?:a|b|ab){1,60}c", MANY),
        (r"x(?=\w{1,99}\w{1,99}\w{1,99}!)", MANY),
        (r"(?:(a)\1?){1,60}c", MANY),
        ("(?:(?:(?:a{1,200}){200}){200}){200}", "is too large; make its repeats shorter"),
        (r"(?:\w{1,20}\s){1,5}left", None),
        ("(?:[a-z]{1,20}, ){1,50}and", None),
        ("(?:[a-z]|[0-9]){1,99}x", None),
        (r"\w{1,40}\w{1,40}x", None),
        ("a(?:b|bc|bcd)?d", None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_pattern_that_could_read_a_text_in_many_ways_is_refused(pattern: str, fault: str | None) -> None:
    assert pattern_fault(pattern) == fault


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.pattern], ids=lambda rule: rule.id)
def test_no_shipped_pattern_can_backtrack_badly(rule: Rule) -> None:
    assert pattern_fault(loosened(str(rule.pattern)) if rule.id.startswith("vague.") else str(rule.pattern)) is None


def _with_pattern(pattern: str) -> str:
    return re.sub("(?m)^forms = .*$", lambda _: f"pattern = '{pattern}'", RULE)


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        (r"(?:\s \s ){1,20}x", MANY),
        ("(?:a|a){1,100}b", MANY),
        ("the (village|town) gossip", "must have no capturing group but span; write (?:...)"),
        ("(?P<whole>gossip)", "must have no capturing group but span; write (?:...)"),
    ],
)
def test_bad_pattern_of_an_own_rule_names_file_rule_and_key(write: Write, pattern: str, fault: str) -> None:
    folder = write(f"[meta]\n{META}{_with_pattern(pattern)}")
    with pytest.raises(RuleError) as caught:
        load_rulebook(folder)
    assert str(caught.value) == f"{folder / 'own.toml'}: rule vague.a_test: key pattern {fault}"


def test_spaces_of_a_phrase_are_any_white_space_and_its_sets_stay(write: Write) -> None:
    """An optional space and a space in a set are no reason for a pattern that cannot be built, or that matches more."""
    folder = write(f"[meta]\n{META}{_with_pattern('the ?village[ -]gossip says')}")
    phrases = Phrases(load_rulebook(folder)["vague"].rules[-1:], whole_words=True)

    def found(text: str) -> list[str]:
        return [text[match.start : match.end] for match in phrases.find(Places(text))]

    assert found("The  village gossip\nsays, thevillage-gossip says") == [
        "The  village gossip\nsays",
        "thevillage-gossip says",
    ]
    assert found("the village1gossip says; the village  gossip says") == []


def _rule(family: str, name: str, *lines: str) -> str:
    meta = META.replace('"vague"', f'"{family}"')
    return f'[meta]\n{meta}\n[[rule]]\nid = "{name}"\naccepts = ["a"]\nrejects = ["b"]\n' + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("family", "lines", "message"),
    [
        ("dates", ['role = "month"', 'forms = ["a"]'], "key number is missing; it must be a whole number"),
        (
            "dates",
            ['role = "month"', 'forms = ["a"]', "number = 13"],
            "key number must lie between 1 and 12, not be 13",
        ),
        ("dates", ['role = "month"', 'forms = ["a"]', 'number = "1"'], "key number must be a whole number, not '1'"),
        ("dates", ['role = "month"', 'pattern = "a"', "number = 1"], "key forms must say what the rule matches, "),
        ("dates", ['role = "months"', 'forms = ["a"]'], "key role must be one of adjective_month, age_owner, "),
        ("dates", ['forms = ["a"]'], "key role must be one of adjective_month, age_owner, "),
        ("numbers", ['role = "part"', 'forms = ["a"]'], "key value is missing; it must be a number of at least 0"),
        (
            "numbers",
            ['role = "part"', 'forms = ["a"]', "value = nan"],
            "key value must be a number of at least 0, not nan",
        ),
        ("numbers", ['role = "hedge"', 'forms = ["a"]', 'direction = "up"'], "key direction must be one of "),
        ("numbers", ['role = "rise"', 'forms = ["a"]'], "key words must say what the rule matches, "),
        (
            "units",
            ['forms = ["a"]', 'dimension = "length"'],
            "key factor is missing; it must be a number of at least 0",
        ),
        ("units", ['forms = ["a"]', "factor = 2"], "key dimension is missing; it must be a string that is not blank"),
        ("currencies", ['forms = ["a"]', 'code = "AAA"'], "key symbols is missing; it must be a list of strings that "),
        (
            "currencies",
            ['forms = ["a"]', 'code = "AAA"', 'symbols = "$"'],
            "key symbols must be a list of strings that ",
        ),
        (
            "negation",
            ['role = "opposite"', 'forms = ["a"]'],
            "key opposites is missing; it must be a list of strings that ",
        ),
        ("negation", ['role = "ring"', 'forms = ["a"]'], "key pattern must say what the rule matches, "),
        (
            "negation",
            ['role = "negation"', 'pattern = "(a)"'],
            "key pattern must have no capturing group; write (?:...)",
        ),
        ("citations", ['role = "mark"', "pattern = 'a'"], "key pattern needs a group id, index, numbers"),
        (
            "citations",
            ['role = "mark"', "pattern = '(?P<number>a)'"],
            "key pattern must have no capturing group but id, index, numbers, page; write (?:...)",
        ),
        ("refusals", ['role = "absence"'], "key pattern must say what the rule matches, "),
        (
            "identifiers",
            ['role = "code"', 'pattern = "a"'],
            "key compare is missing; it must be a string that is not blank",
        ),
        ("identifiers", ['role = "code"', 'pattern = "a"', 'compare = "any"'], "key compare must be one of "),
        ("languages", ['words = "a"'], "key code is missing; it must be a string that is not blank"),
        ("aliases", ['forms = ["a", "-"]'], "key forms must hold words"),
        ("aliases", ['forms = ["a", "\u00ad"]'], "key forms must be a list of strings that are not blank, not "),
        ("aliases", [], "key forms must say what the rule matches, as in the shipped ones like it, not nothing"),
        ("warnings", ['type = "a"', 'docs = ["a"]'], "key severity must be one of high, low, medium, and is missing"),
        (
            "warnings",
            ['type = "a"', 'docs = ["a"]', 'severity = "grave"'],
            "key severity must be one of high, low, medium, ",
        ),
        (
            "warnings",
            ['severity = "low"', 'docs = ["a"]'],
            "key type is missing; it must be a string that is not blank",
        ),
        (
            "warnings",
            ['type = "a"', 'docs = ["a"]', 'severity = "low"', 'forms = ["a"]'],
            "key forms says nothing here: such a rule matches no text by itself",
        ),
        (
            "claims",
            ['role = "rarity"', "rarity = 1e308", "words = 'a'"],
            "key rarity must be a number from 0 to 20, not 1e+308",
        ),
        (
            "claims",
            ['role = "prose"', 'measure = "content"', "value = 2", 'docs = ["a"]'],
            "key measure is for shipped rules alone: their values are fitted together",
        ),
    ],
)
def test_own_rule_that_is_not_made_like_the_shipped_ones_names_the_key(
    write: Write, family: str, lines: list[str], message: str
) -> None:
    folder = write(_rule(family, "house.test", *lines))
    with pytest.raises(RuleError) as caught:
        load_rulebook(folder)
    assert str(caught.value).startswith(f"{folder / 'own.toml'}: rule house.test: {message}")


def test_every_shipped_rule_is_made_like_its_peers() -> None:
    """What is asked of own rules holds of the shipped ones."""
    shipped: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(rules_folder().glob("*.toml")):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        shipped.setdefault(content["meta"]["id"], []).extend(content["rule"])
    faults = {rule["id"]: unlike(rule, rules, FAMILIES[name]) for name, rules in shipped.items() for rule in rules}
    weights = {rule["id"] for rule in shipped["claims"] if "measure" in rule}
    assert {name for name, fault in faults.items() if fault} == weights
    assert all("fitted together" in faults[name] for name in weights)
    assert len(faults) == sum(1 for _ in load_rulebook(families=FAMILIES).rules())


@pytest.mark.parametrize(
    ("family", "lines"),
    [
        ("words", ['role = "open_class"', 'words = "a.b c+ ("']),
        ("numbers", ['role = "cardinal"', "forms = ['twelvety(', 'a+']", "value = 120"]),
        ("negation", ['role = "opposite"', "forms = ['more (net', 'up+']", "opposites = ['less [net', 'down+']"]),
        ("units", ["forms = ['jiffy(s', 'tick+']", 'dimension = "time"', "factor = 0.01"]),
        ("identifiers", ['role = "code"', "pattern = 'QQ[0-9]{4}'", 'compare = "exact"']),
        ("languages", ['code = "en"', 'words = "yonder"']),
    ],
)
def test_words_of_own_rules_are_never_taken_for_patterns(write: Write, family: str, lines: list[str]) -> None:
    """A bracket or a plus in a word neither breaks a check nor matches everything."""
    verifier = Verifier(Config(rules_dir=write(_rule(family, "house.test", *lines))))
    answer = "Dr. Olga Szabo opened the new office on 9 May 2024 for $5 and 12 jiffies with morphine."
    result = verifier.verify("Who?", ["The new office opened on 4 May 2024."], answer)
    assert result.warnings == Verifier().verify("Who?", ["The new office opened on 4 May 2024."], answer).warnings


def test_ids_that_differ_by_a_dot_and_a_line_do_not_clash(write: Write) -> None:
    rule = _rule("identifiers", "house.a_b", 'role = "code"', "pattern = 'QQ[0-9]{4}'", 'compare = "exact"')
    other = rule.partition("[[rule]]")[2].replace("house.a_b", "house.a.b").replace("QQ", "ZZ")
    verifier = Verifier(
        Config(
            rules_dir=write(f"{rule}\n[[rule]]{other}"),
        )
    )
    found = verifier.verify("", ["Ask for ZZ1234."], "Ask for QQ1234, not ZZ1234.").facts
    assert [(fact.text, fact.status) for fact in found if fact.kind == "identifier"] == [
        ("QQ1234", "unsupported"),
        ("ZZ1234", "supported"),
    ]


def test_words_of_a_rule_are_in_any_case_unless_it_says_otherwise(write: Write) -> None:
    rule = _rule("words", "house.test", 'role = "function"', 'words = "Thou THEE"')
    assert load_rulebook(write(rule))["words"].rules[-1].words == {"thou", "thee"}
    assert load_rulebook(write(f"{rule}case_sensitive = true"))["words"].rules[-1].words == {"Thou", "THEE"}


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
    with pytest.raises(RuleError, match=r"own\.toml: rule vague\.a_test: key forms must be a list of strings that are"):
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
        (f"[meta]\n{META}", r"own\.toml: rules must be written as \[\[rule\]\] tables"),
        (f"rule = []\n[meta]\n{META}", r"own\.toml: rules must be written as \[\[rule\]\] tables"),
        (
            f"[meta]\n{META.replace('2026-11-29', '2026')}{RULE}",
            r"own\.toml: \[meta\] reviewed must be a date such as 2026-11-29, not 2026",
        ),
        (
            f"[meta]\n{LISTED}{RULE}",
            r"own\.toml: \[meta\] licence must be a string that is not blank, not \['MIT'\]",
        ),
        (f"[meta]\n{LISTED_ID}{RULE}", r"own\.toml: \[meta\] id must be one of aliases, "),
        (f"[meta]\n{META}{RULE}why = {'[' * 5_000}", r"own\.toml: is nested too deeply"),
        (
            f"[meta]\n{META}[rule]\nid = 'vague.a_test'\n",
            r"own\.toml: rules must be written as \[\[rule\]\] tables",
        ),
    ],
    ids=[
        "invalid TOML",
        "no meta",
        "unknown family",
        "unknown meta key",
        "unknown table",
        "no rules",
        "empty rules",
        "no date",
        "licences",
        "ids",
        "deep",
        "one table",
    ],
)
def test_bad_file_names_itself_and_what_is_wrong(write: Write, content: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        load_rulebook(write(content))


def test_file_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_bytes(b'[meta]\nid = "\xff"\n')
    with pytest.raises(RuleError, match=r"own\.toml: cannot be read: "):
        load_rulebook(tmp_path)
