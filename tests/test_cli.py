"""Does the command line say what the verdict is, in its text, its JSON and its exit status?"""

from __future__ import annotations

import doctest
import io
import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from command_line import Says, says_of
from rich.console import Console

import raguard
from raguard import Config, ModelError, Verifier, verify
from raguard.cli import doctor
from raguard.cli.render import render
from raguard.cli.rules import faults
from raguard.rule_families import FAMILIES
from raguard.rulebook import Family, Rule, Rulebook, load_rulebook, rules_folder
from raguard.text.terminals import visible

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
DEADLINE = EXAMPLES / "q3_deadline.json"
SUPPORTED = EXAMPLES / "supported.json"
CASE = json.loads(DEADLINE.read_text(encoding="utf-8"))


@pytest.fixture
def raguard_says(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Says:
    """Runs the command in this process."""
    return says_of(capsys, monkeypatch)


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


# check


def test_check_shows_the_marked_answer_and_the_evidence(raguard_says: Says) -> None:
    says = raguard_says("check", DEADLINE)
    warning = verify(CASE["query"], CASE["docs"], CASE["response"]).warnings[0]
    assert warning.evidence is not None
    before, evidence, after = CASE["docs"][0].partition(warning.evidence.text)
    assert says.out.splitlines()[:9] == [
        "REVIEW",
        "",
        "The Q3 2024 deadline is September 30, 2024.",
        "    .......             ^^^^^^^^^^^^^^^^^^",
        "",
        'high   unsupported_date "September 30, 2024" at 24-42',
        f"       {warning.suggestion}",
        f"       document 1: {before}[{evidence}]{after}",
        "       rule date.unsupported",
    ]
    assert says.out.splitlines()[-1].startswith("1 high, 0 medium, 1 low; ")
    assert (says.status, says.err) == (1, "")


def test_check_of_a_supported_answer_proceeds(raguard_says: Says) -> None:
    says = raguard_says("check", SUPPORTED)
    assert says.out.splitlines()[:3] == ["PROCEED", "", json.loads(SUPPORTED.read_text())["response"]]
    assert "2 facts checked, 2 supported" in says.out.splitlines()[-1]
    assert (says.status, says.err) == (0, "")


def test_check_reads_standard_input(raguard_says: Says) -> None:
    assert raguard_says("check", "-", stdin=DEADLINE.read_bytes()).status == 1
    assert raguard_says("check", "-", stdin=b"\xef\xbb\xbf" + SUPPORTED.read_bytes()).status == 0


def test_json_is_the_result_and_nothing_else(raguard_says: Says) -> None:
    says = raguard_says("check", "--json", DEADLINE)
    assert json.loads(says.out) == verify(CASE["query"], CASE["docs"], CASE["response"]).to_dict()
    assert (says.status, says.err) == (1, "")


def test_check_takes_the_parts_as_files(raguard_says: Says, tmp_path: Path) -> None:
    doc, other = (
        write(tmp_path / "plan.txt", CASE["docs"][0]),
        write(tmp_path / "mail.txt", "See you on May 4, 2024."),
    )
    response = write(tmp_path / "answer.txt", "Due on June 15, we meet on May 4, 2024, and end on May 9, 2024.")
    parts = ("--query", "When?", "--doc", doc, "--doc", other, "--response", response)
    says = raguard_says("check", "--json", *parts)
    found = json.loads(says.out)
    assert [(warning["text"], warning["evidence"]["doc_id"]) for warning in found["warnings"]] == [
        ("May 9, 2024", str(other))
    ]
    piped = raguard_says("check", "--json", *parts[:-1], "-", stdin=response.read_bytes())
    assert (piped.out, piped.status) == (says.out, 1)


def test_the_line_end_of_a_text_file_leaves_no_blank_lines(raguard_says: Says, tmp_path: Path) -> None:
    doc, response = (
        write(tmp_path / "plan.txt", "Due on June 15.\n"),
        write(tmp_path / "answer.txt", "On June 15.\r\n\n"),
    )
    says = raguard_says("check", "--doc", doc, "--response", response)
    assert says.out.splitlines()[:4] == ["PROCEED", "", "On June 15.", ""]
    assert says.out.splitlines()[4].startswith("0 high")


def test_the_id_of_a_document_stands_beside_its_evidence(raguard_says: Says, tmp_path: Path) -> None:
    docs = [{"text": "x " * 80 + "The audit closed on 4 May 2024." + " y" * 80, "id": "audit.pdf#3"}]
    case = write(tmp_path / "case.json", {"query": "", "docs": docs, "response": "The audit closed on 5 May 2024."})
    line = next(line for line in raguard_says("check", case).out.splitlines() if "document 1 (audit.pdf#3): " in line)
    text = docs[0]["text"]
    at = text.index("4 May 2024")
    assert line == f"       document 1 (audit.pdf#3): …{text[at - 60 : at]}[4 May 2024]{text[at + 10 : at + 70]}…"


def test_the_config_file_is_followed(raguard_says: Says, tmp_path: Path) -> None:
    config = write(tmp_path / "raguard.toml", 'allow = ["September 30, 2024"]')
    assert raguard_says("check", "--config", config, DEADLINE).status == 0
    assert raguard_says("check", "--config", EXAMPLES / "raguard.toml", DEADLINE).status == 1


def test_what_was_not_checked_is_said(raguard_says: Says, tmp_path: Path) -> None:
    config = write(tmp_path / "raguard.toml", 'no_documents = "skip"')
    case = write(tmp_path / "case.json", {**CASE, "docs": []})
    says = raguard_says("check", "--config", config, case)
    result = verify(CASE["query"], [], CASE["response"], config=Config(no_documents="skip"))
    assert says.status == 0
    assert [line for line in says.out.splitlines() if line.startswith("not checked: ")] == [
        f"not checked: {gap.what}: {gap.why}" for gap in result.unchecked
    ]
    assert result.unchecked != []


@pytest.mark.parametrize(
    ("change", "options"),
    [({"response": ""}, ()), ({"docs": []}, ()), ({}, ("--lang", "klingon")), ({"docs": ["", " "]}, ())],
)
def test_an_input_error_of_the_verdict_is_status_2(
    raguard_says: Says, tmp_path: Path, change: dict[str, Any], options: tuple[str, ...]
) -> None:
    says = raguard_says("check", *options, write(tmp_path / "case.json", {**CASE, **change}))
    assert says.status == 2
    assert "high   input_error\n" in says.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"is not valid JSON: Expecting property name"),
        ("[" * 100_000, r"is not valid JSON: "),
        ("{} and so on", r"is not valid JSON: Extra data"),
        (
            '{"query": "", "docs": [], "response": ""}\n{"query": "", "docs": [], "response": ""}\n',
            r"holds more than one JSON object; give one case per file, or JSON Lines to raguard batch",
        ),
        ("[]", r"must be one JSON object with the keys query, docs, response"),
        (
            {"query": "", "docs": []},
            r"the key response is missing; a case has the keys query, docs, response",
        ),
        ({"query": 1, "docs": [], "response": ""}, r"the key query must be a string"),
        ({"query": "", "docs": "x", "response": ""}, r"the key docs must be a list"),
        (
            {"query": "", "docs": ["x", 1], "response": ""},
            r"document 2 must be a string, or an object with the key text",
        ),
        ({"query": "", "docs": [{"id": "x"}], "response": ""}, r"document 1 must be a string, or an object"),
        (
            {"query": "", "docs": [{"text": "x", "id": 1}], "response": ""},
            r"document 1: the key id must be a string",
        ),
        (
            {"query": "", "docs": [{"text": "x", "metadata": "m"}], "response": ""},
            r"document 1: the key metadata must be an object",
        ),
    ],
)
def test_a_wrong_case_file_is_one_sentence(raguard_says: Says, tmp_path: Path, content: Any, message: str) -> None:
    path = write(tmp_path / "case.json", content)
    says = raguard_says("check", path)
    assert (says.status, says.out) == (2, "")
    assert re.fullmatch(rf"raguard: {re.escape(str(path))}: ?{message}.*\n", says.err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere.json"], "nowhere.json: cannot be read: No such file or directory"),
        (["check", "."], ".: cannot be read: Is a directory"),
        (["check"], "nothing to check; give a case file, or --query, --doc and --response"),
        (["check", "--query", "?", "-"], "give a case file, or --query, --doc and --response, not both"),
        (
            ["check", "--doc", "nowhere.txt", "--response", "-"],
            "nowhere.txt: cannot be read: No such file or directory",
        ),
        (["check", "--config", "nowhere.toml", "-"], "nowhere.toml: cannot be read: No such file or directory\n"),
        (["check", "--config", ".", "-"], ".: cannot be read: Is a directory\n"),
        (["check", "--lng", "-"], "No such option: --lng"),
        (["check", "--config"], "Option '--config' requires an argument"),
        (["check", "a.json", "b.json"], "Got unexpected extra argument"),
        (["chekc"], "No such command 'chekc'. Did you mean 'check'? See raguard --help\n"),
        (["weather"], "No such command 'weather'; see raguard --help\n"),
        (["rules", "--dir", "nowhere"], "--dir: nowhere is not a folder"),
        (["rules", "--dir", "tests"], "--dir: tests holds no rule files; their names end in .toml\n"),
        (["rules", "--family", "datum"], "--family: there is no family datum; known are aliases, "),
    ],
)
def test_a_wrong_argument_is_one_sentence(
    raguard_says: Says, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(ROOT)
    says = raguard_says(*arguments, stdin=DEADLINE.read_bytes())
    assert (says.status, says.out) == (2, "")
    assert says.err.startswith(f"raguard: {message}")
    assert says.err.count("\n") == 1
    both = raguard_says(*arguments, "--json", stdin=DEADLINE.read_bytes())
    assert both.status == 2
    assert f"raguard: {json.loads(both.out)['error']}\n" == both.err


def test_standard_input_that_is_no_text_is_one_sentence(raguard_says: Says) -> None:
    says = raguard_says("check", "-", stdin=b"\xff\xfe{")
    assert (says.status, says.out) == (2, "")
    assert says.err == "raguard: standard input: is no UTF-8 text: invalid start byte at byte 0\n"


def test_a_bad_config_names_file_and_key(raguard_says: Says, tmp_path: Path) -> None:
    config = write(tmp_path / "raguard.toml", "max_documents = 0")
    says = raguard_says("check", "--config", config, DEADLINE)
    assert (says.status, says.out) == (2, "")
    assert says.err == f"raguard: {config}: max_documents must be a whole number of at least 1, not 0\n"


def test_the_process_exits_with_the_verdict() -> None:
    statuses = [
        subprocess.run([sys.executable, "-m", "raguard", "check", case], capture_output=True, cwd=ROOT).returncode
        for case in ("examples/supported.json", "examples/q3_deadline.json", "examples/nowhere.json")
    ]
    assert statuses == [0, 1, 2]


def test_text_that_the_terminal_cannot_encode_is_escaped() -> None:
    case = json.dumps({"query": "", "docs": ["x"], "response": "due on \ud800 4 May 2024 \u2013 caf\u00e9"})
    run = subprocess.run(
        [sys.executable, "-m", "raguard", "check", "-"],
        input=case.encode(),
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)},
    )
    assert (run.returncode, run.stderr) == (2, b"")
    assert b"due on \\ufffd 4 May 2024 \\u2013 caf\\xe9" in run.stdout


def _process(*arguments: str, shell: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A run of the command in a shell, with ``$RAGUARD`` for the command itself."""
    command = f"{sys.executable} -m raguard {' '.join(arguments)}"
    return subprocess.run(
        ["bash", "-c", shell.replace("$RAGUARD", command)],
        capture_output=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", **environment},
        timeout=60,
    )


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize(("case", "status"), [("supported", 0), ("q3_deadline", 1)])
@pytest.mark.parametrize("reader", ["| true", "| head -c 1 > /dev/null", ">&-"])
def test_a_reader_that_goes_away_changes_neither_verdict_nor_silence(
    options: list[str], case: str, status: int, reader: str
) -> None:
    run = _process("check", f"examples/{case}.json", *options, shell=f"$RAGUARD {reader}; exit ${{PIPESTATUS[0]}}")
    assert (run.returncode, run.stderr) == (status, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_sentence(unbuffered: str) -> None:
    run = _process("check", "examples/supported.json", shell="$RAGUARD > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert (run.returncode, run.stderr) == (
        2,
        b"raguard: standard output: cannot be written: No space left on device\n",
    )


def test_closed_standard_input_is_one_sentence() -> None:
    run = _process("check", "-", shell="$RAGUARD <&-")
    assert (run.returncode, run.stderr) == (2, b"raguard: standard input: is closed; give a case file\n")


def test_closed_standard_error_leaves_standard_output_alone() -> None:
    run = _process("check", "nowhere.json", shell="$RAGUARD 2>&-")
    assert (run.returncode, run.stdout, run.stderr) == (2, b"", b"")


@pytest.mark.parametrize("option", ["", "--config"])
def test_a_file_without_an_end_is_one_sentence(option: str) -> None:
    case = "examples/supported.json" if option else ""
    run = _process("check", case, option, "/dev/zero", shell="$RAGUARD")
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr == b"raguard: /dev/zero: cannot be read: it holds more than 100,000,000 bytes\n"


def test_endless_standard_input_is_one_sentence() -> None:
    run = _process("check", "-", shell="$RAGUARD < /dev/zero")
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr == b"raguard: standard input: cannot be read: it holds more than 100,000,000 bytes\n"


def test_a_pipe_is_read_and_one_without_a_writer_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    run = _process("check", str(pipe), shell="$RAGUARD")
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr == f"raguard: {pipe}: cannot be read: it is a pipe that nobody writes to\n".encode()
    written = _process("check", "<(sleep 0.1; cat examples/q3_deadline.json)", shell="$RAGUARD")
    assert (written.returncode, written.stderr) == (1, b"")


def test_a_rule_file_that_is_a_pipe_is_named(raguard_says: Says, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "own.toml")
    says = raguard_says("rules", "--dir", tmp_path)
    assert (says.status, says.out) == (1, "")
    assert says.err == f"raguard: {tmp_path / 'own.toml'}: cannot be read: it is a pipe that nobody writes to\n"


def test_json_is_valid_where_the_terminal_knows_ascii_alone() -> None:
    case = {"query": "", "docs": ["x"], "response": "caf\u00e9 \U0001f600 on 4 May 2024"}
    run = subprocess.run(
        [sys.executable, "-m", "raguard", "check", "--json", "-"],
        input=json.dumps(case).encode(),
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)},
    )
    assert (run.returncode, run.stderr, run.stdout.isascii()) == (1, b"", True)
    assert json.loads(run.stdout) == verify(case["query"], case["docs"], case["response"]).to_dict()


HOSTILE = "\x1b]0;t\x07\x9b2J\u202e"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800]")


@pytest.mark.parametrize("options", [["check"], ["check", "--config"], ["check", "--lng"], ["rules", "--family"]])
def test_nothing_in_an_argument_can_steer_the_terminal(raguard_says: Says, options: list[str]) -> None:
    says = raguard_says(*options, f"{HOSTILE}x", "--json")
    assert says.status == 2
    assert STEERING.search(says.err + says.out) is None


def test_nothing_in_json_can_steer_the_terminal(raguard_says: Says, tmp_path: Path) -> None:
    case = {"query": "", "docs": ["x"], "response": f"It ended on May\x9b 4, 2024 {HOSTILE} with Zoltan\u202e Hegedus."}
    says = raguard_says("check", "--json", write(tmp_path / "case.json", case))
    assert STEERING.search(says.out) is None
    assert json.loads(says.out) == verify(case["query"], case["docs"], case["response"]).to_dict()


def test_nothing_in_a_rule_file_can_steer_the_terminal(raguard_says: Says, tmp_path: Path) -> None:
    write(tmp_path / "own.toml", OWN.replace("it is known", "it is known\\u009b").replace("forms", '"fo\\u009brms"'))
    says = raguard_says("rules", "--dir", tmp_path)
    assert says.status == 1
    assert STEERING.search(says.err + says.out) is None


# rendering


def rendered(case: dict[str, Any], **options: Any) -> str:
    output = Console(file=io.StringIO(), width=200, highlight=False, markup=False, emoji=False, **options)
    render(output, verify(case["query"], case["docs"], case["response"]), case["docs"], case["response"])
    assert isinstance(output.file, io.StringIO)
    return output.file.getvalue()


def test_a_terminal_underlines_the_span_in_the_color_of_its_severity() -> None:
    text = rendered(CASE, force_terminal=True, color_system="standard")
    assert "deadline is \x1b[4;31mSeptember 30, 2024\x1b[0m." in text
    assert "^^^" not in text


@pytest.mark.parametrize("variable", [None, "1"])
def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch, raguard_says: Says, variable: str | None) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in raguard_says("check", DEADLINE).out
    if variable is not None:
        monkeypatch.setenv("NO_COLOR", variable)
    says = raguard_says("check", *([] if variable else ["--no-color"]), DEADLINE)
    assert "\x1b" not in says.out
    assert "^" * len("September 30, 2024") in says.out


def test_marks_stand_under_wide_characters_tabs_and_every_line() -> None:
    case = {
        "query": "",
        "docs": ["The audit is over."],
        "response": "期限は\tMay 4,\n2024 and 5 May\n2023.",
    }
    lines = rendered(case, color_system=None).splitlines()
    assert lines[2:8] == [
        "期限は  May 4,",
        "        ^^^^^^",
        "2024 and 5 May",
        "^^^^     ^^^^^",
        "2023.",
        "^^^^",
    ]


def test_nothing_in_an_answer_can_steer_the_terminal() -> None:
    hostile = "a\x1b[31mb\x07\x9b2J\u202ec\ud800\r\n\td"
    assert visible(hostile) == "a\ufffd[31mb\ufffd\ufffd2J\ufffdc\ufffd \n\td"
    case = {"query": "", "docs": ["x\x1b]0;t\x07 June 15"], "response": f"It ended on May 4, 2024. {hostile}"}
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", rendered(case, color_system=None)) is None


def test_rich_markup_in_an_answer_is_shown_as_it_is() -> None:
    case = {"query": "", "docs": ["x"], "response": "[bold]May 4, 2024[/bold] :smile: [/nope]"}
    assert "[bold]May 4, 2024[/bold] :smile: [/nope]" in rendered(case, color_system=None)


# batch


def test_batch_prints_one_result_a_line(raguard_says: Says, tmp_path: Path) -> None:
    supported = json.loads(SUPPORTED.read_text(encoding="utf-8"))
    path = write(tmp_path / "cases.jsonl", "\n".join(json.dumps(case) for case in (supported, CASE)) + "\n\n")
    expected = [result.to_dict() for result in Verifier().verify_many([supported, CASE])]
    for options in ((), ("--processes", "2")):
        says = raguard_says("batch", path, *options)
        assert (says.status, says.err) == (1, "")
        assert [json.loads(line) for line in says.out.splitlines()] == expected
    assert raguard_says("batch", "-", stdin=json.dumps(supported).encode()).status == 0


def test_batch_goes_on_behind_a_line_that_is_no_case(raguard_says: Says, tmp_path: Path) -> None:
    says = raguard_says("batch", write(tmp_path / "cases.jsonl", f'{{"query"\n[]\n{json.dumps(CASE)}\n'))
    results = [json.loads(line) for line in says.out.splitlines()]
    assert says.status == 2
    first, second, third = (result["warnings"][0] for result in results)
    assert [first["type"], second["type"], third["type"]] == ["input_error", "input_error", "unsupported_date"]
    assert first["suggestion"].startswith("Line 1 is not valid JSON: ")
    assert second["suggestion"] == "A case must be a mapping, not list."
    assert re.fullmatch(r"raguard: .*cases\.jsonl: line 1: is not valid JSON: .*\n", says.err)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_batch_ends_when_nobody_reads_on(processes: str) -> None:
    """From an endless source one verdict is read; the command ends, and says that not all may proceed."""
    case = json.dumps({"query": "", "docs": ["Alice leads it."], "response": "Alice leads it."})
    shell = f"yes '{case}' | $RAGUARD | head -1; exit ${{PIPESTATUS[1]}}"
    run = _process("batch", "-", "--processes", processes, shell=shell)
    assert (run.returncode, run.stderr, json.loads(run.stdout)["action"]) == (1, b"", "proceed")


def test_batch_without_a_file_is_an_input_error(raguard_says: Says, tmp_path: Path) -> None:
    says = raguard_says("batch", tmp_path / "none.jsonl")
    assert (says.status, says.out) == (2, "")
    assert says.err.endswith("none.jsonl: cannot be read: No such file or directory\n")


# rules


def test_rules_lists_every_rule_and_all_behave(raguard_says: Says) -> None:
    says = raguard_says("rules", "--json")
    listed = json.loads(says.out)
    assert (says.status, says.err, listed["faults"]) == (0, "", [])
    shipped = list(load_rulebook(families=FAMILIES).rules())
    assert [(rule["id"], rule["family"]) for rule in listed["rules"]] == [(rule.id, fam.name) for fam, rule in shipped]
    assert {rule["family"] for rule in listed["rules"]} == set(FAMILIES)
    assert all(rule["source"] for rule in listed["rules"])


def test_rules_of_an_own_folder_are_listed_with_their_place(raguard_says: Says) -> None:
    says = raguard_says("rules", "--dir", EXAMPLES / "own_rules", "--family", "vague", "--json")
    own = [rule for rule in json.loads(says.out)["rules"] if rule["id"].startswith("house.")]
    place = str(EXAMPLES / "own_rules" / "house.toml")
    assert own == [{"id": "house.vague.deflection", "family": "vague", "source": place, "forms": 2}]
    assert says.status == 0


OWN = """
[meta]
id = "vague"
source = "a test"
licence = "MIT"
reviewed = 2026-11-29

[[rule]]
id = "house.vague.test"
forms = ["it is known"]
accepts = ["It is known.", "It was known."]
rejects = ["It is unknown.", "All of it is known."]
"""


def test_a_misbehaving_rule_is_named_with_its_example(raguard_says: Says, tmp_path: Path) -> None:
    write(tmp_path / "own.toml", OWN)
    says = raguard_says("rules", "--dir", tmp_path, "--family", "vague")
    assert says.status == 1
    where = f"raguard: {tmp_path / 'own.toml'}: rule house.vague.test"
    assert says.err.splitlines() == [
        f"{where}: does not match 'It was known.' of its accepts",
        f"{where}: matches 'All of it is known.' of its rejects",
    ]
    assert says.out.splitlines()[-1].endswith(" rules, 2 faults")


@pytest.mark.parametrize(
    ("line", "key", "written", "plain"),
    [
        ('forms = ["it’s known"]', "forms", "it’s known", "it's known"),
        ('forms = ["well\u2014known"]', "forms", "well—known", "well-known"),
        ('role = "function"\nwords = "known caf\u00e9"', "words", "café", "cafe"),
        ("pattern = 'known\\s[–-]'", "pattern", "known\\s[–-]", "known\\s[--]"),
    ],
)
def test_a_text_that_is_not_folded_is_named(
    raguard_says: Says, tmp_path: Path, line: str, key: str, written: str, plain: str
) -> None:
    family = "words" if key == "words" else "vague"
    own = re.sub("(?m)^(forms|accepts|rejects) = .*$", "", OWN).replace('id = "vague"', f'id = "{family}"')
    write(tmp_path / "own.toml", f'{own}{line}\naccepts = ["known", \'{written}\']\nrejects = ["new"]')
    says = raguard_says("rules", "--dir", tmp_path, "--family", family)
    named = f"text never holds {written!r} of its {key}; write it in folded characters: {plain!r}"
    assert f"raguard: {tmp_path / 'own.toml'}: rule house.vague.test: {named}" in says.err.splitlines()
    assert says.status == 1


def test_a_broken_rule_file_is_named(raguard_says: Says, tmp_path: Path) -> None:
    path = write(tmp_path / "own.toml", OWN.replace("forms", "form"))
    says = raguard_says("rules", "--dir", tmp_path)
    assert (says.status, says.out) == (1, "")
    assert says.err.startswith(f"raguard: {path}: rule house.vague.test: unknown key form; known are ")
    both = raguard_says("rules", "--dir", tmp_path, "--json")
    assert (both.status, both.err) == (1, "")
    assert json.loads(both.out) == {"rules": [], "faults": [says.err.removeprefix("raguard: ").rstrip()]}


def _about_verdicts(file: Path) -> Rulebook:
    """A rulebook of one rule of ``file`` about verdicts, whose accepted example no check finds."""
    rule = Rule(
        "house.never",
        accepts=("The audit closed on 5 May 2024.",),
        rejects=("The audit closed.",),
        data={"type": "unsupported_date", "severity": "low", "docs": ["The audit closed on 4 May 2024."]},
        file=file,
    )
    return Rulebook({"warnings": Family("warnings", {}, (rule,))}, "")


def test_a_rule_about_verdicts_is_proved_by_a_verdict() -> None:
    file = rules_folder() / "warnings.toml"
    assert list(faults(_about_verdicts(file))) == [
        f"{file}: rule house.never: does not match 'The audit closed on 5 May 2024.' of its accepts"
    ]


def test_a_rule_about_verdicts_of_an_own_check_is_not_run(tmp_path: Path) -> None:
    assert list(faults(_about_verdicts(tmp_path / "own.toml"))) == []


# doctor


def test_doctor_finds_nothing_wrong(raguard_says: Says) -> None:
    says = raguard_says("doctor")
    told = {line[:13].strip(): line[14:] for line in says.out.splitlines() if line[:13].strip()}
    assert told["raguard"] == raguard.__version__
    assert told["spacy"] == metadata.version("spacy")
    assert f"rules, SHA-256 {load_rulebook().hash}" in says.out
    assert "pinned, SHA-256 of ner/model cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e" in says.out
    assert told["entities"] == "numpy, exact"
    assert told["one call"].endswith(" ms, review")
    assert says.out.splitlines()[-1] == "all is well"
    assert (says.status, says.err) == (0, "")


def test_doctor_names_a_missing_model_and_its_fix(raguard_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(config: Config) -> None:
        raise ModelError("The model is not installed; install it with: pip install it")

    monkeypatch.setattr(doctor, "find_model", missing)
    says = raguard_says("doctor")
    assert says.status == 1
    assert says.out.splitlines()[-2:] == [
        "problem: The model is not installed; install it with: pip install it",
        "1 to fix",
    ]


def test_doctor_names_a_refused_model_and_its_fix(raguard_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raguard.model.PINNED", frozenset())
    says = raguard_says("doctor")
    assert says.status == 1
    assert "refused, SHA-256 of ner/model cd93e9ca9126" in says.out
    (problem,) = (line for line in says.out.splitlines() if line.startswith("problem: "))
    assert "is not the pinned one; install " in problem
    assert "trusted_models" in problem


def test_doctor_names_another_distribution_of_the_same_import_name(
    raguard_says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = {"raguard": ["raguard-verify", "raguard-py"], "spacy": ["spacy"]}
    monkeypatch.setattr(doctor, "packages_distributions", lambda: both)
    says = raguard_says("doctor")
    assert says.status == 1
    assert says.out.splitlines()[-2:] == [
        "problem: raguard-py installs its files as raguard too; pip uninstall raguard-py, "
        "then run: pip install --force-reinstall raguard-verify",
        "1 to fix",
    ]


def test_doctor_names_a_missing_dependency(raguard_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "rapidfuzz":
            raise metadata.PackageNotFoundError(name)
        return metadata.version(name)

    monkeypatch.setattr(doctor, "version", version)
    says = raguard_says("doctor")
    assert says.status == 1
    assert "problem: rapidfuzz is not installed; run: pip install --force-reinstall raguard-verify" in says.out


def test_doctor_names_a_wrong_verdict(raguard_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    clean = Verifier().verify("", ["Sales grew."], "Sales grew.")
    monkeypatch.setattr(Verifier, "verify", lambda *_, **__: clean)
    says = raguard_says("doctor")
    assert says.status == 1
    assert 'problem: the example answer gave [] where "September 30, 2024" is wrong; run: pip install' in says.out


# help and documentation


def test_version_and_help(raguard_says: Says) -> None:
    says = raguard_says("--version")
    assert (says.status, says.out) == (0, f"raguard {raguard.__version__}\n")
    for command in ("check", "rules", "doctor"):
        says = raguard_says(command, "--help")
        assert (says.status, says.err) == (0, "")
        assert f"  raguard {command}" in says.out
    bare = raguard_says()
    assert bare.status == 2
    assert bare.out == raguard_says("--help").out


def test_the_documented_sessions_are_true(raguard_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sessions = re.findall(r"^```console\n\$ raguard (.*)\n((?:.*\n)*?)```", text, re.MULTILINE)
    assert len(sessions) == 6
    for arguments, shown in sessions:
        says = raguard_says(*arguments.split())
        assert doctest.OutputChecker().check_output(shown, says.out, doctest.ELLIPSIS), says.out
