"""Does ``raguard guard`` say of every claim what the guard says, whatever it is given and wherever it prints?"""

from __future__ import annotations

import doctest
import fcntl
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
import pytest
from command_line import Says, says_of
from rich.cells import cell_len
from test_claims_cross_encoder import LABELS, graph, network, tokenizer

from raguard import Document
from raguard.claims import (
    BLOCK_NOTICE,
    CrossEncoderScorer,
    EvidenceScorer,
    GuardConfig,
    HallucinationGuard,
    LexicalNLIScorer,
    Retriever,
)
from raguard.cli.guard_inputs import read_answer, read_corpus
from raguard.cli.inputs import InputError

ROOT = Path(__file__).parent.parent
ANSWER = "Paris is in France. The moon is cheese."
PARIS = "Paris is the capital of France."
SUPPORTED = "Paris is in France."
HOSTILE = "\x1b]0;t\x07\x9b2J\u202e"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800]")
TIMEOUT_S = 60


@pytest.fixture
def raguard_says(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Says:
    """Runs ``raguard guard`` in this process."""
    return says_of(capsys, monkeypatch, "guard")


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def process(*arguments: str | Path, shell: str = "$RAGUARD", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A run of the real program in a shell, with ``$RAGUARD`` for the command."""
    command = shlex.join([sys.executable, "-m", "raguard", "guard", *map(str, arguments)])
    return subprocess.run(
        ["bash", "-c", shell.replace("$RAGUARD", command)],
        capture_output=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", **environment},
        timeout=TIMEOUT_S,
    )


def on_terminal(*arguments: str | Path, columns: int = 80, out: bool = True, no_color: str = "") -> tuple[int, str]:
    """The exit status and all that a terminal gets: standard error and, with ``out``, standard output."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    run = subprocess.Popen(
        [sys.executable, "-m", "raguard", "guard", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=terminal if out else subprocess.DEVNULL,
        stderr=terminal,
        env={
            "PYTHONPATH": str(ROOT),
            "PATH": "/usr/bin:/bin",
            "TERM": "xterm",
            "PYTHONUTF8": "1",
            "NO_COLOR": no_color,
        },
    )
    os.close(terminal)
    shown = b""
    try:
        while part := os.read(reader, 65536):
            shown += part
    except OSError:  # the program has closed the terminal
        pass
    finally:
        os.close(reader)
    return run.wait(TIMEOUT_S), shown.decode().replace("\r\n", "\n")


# what it prints


def test_guard_prints_each_claim_and_the_answer(raguard_says: Says) -> None:
    says = raguard_says(ANSWER, "-c", PARIS, "--threshold", "0.5", "--action", "annotate", "--scorer", "lexical")
    assert says.out.splitlines() == [
        "FLAGGED",
        "1 of 2 judged claims is unsupported at a threshold of 0.5.",
        "",
        "supported    1.00  1/1  Paris is in France.",
        "                        supported by: passage 1",
        "unsupported  0.00  0/1  The moon is cheese.",
        "                        new: *moon cheese*",
        "                        closest: passage 1",
        "",
        "risk 0.75, threshold 0.5, action annotate, scorer lexical",
        "",
        "answer, left whole:",
        ANSWER,
    ]
    assert (says.status, says.err) == (1, "")


@pytest.mark.parametrize(
    ("options", "statuses", "status"),
    [
        ((), ["supported", "hallucination_flag"], 1),
        (("--scorer", "evidence"), ["supported", "hallucination_flag"], 1),
        (("--scorer", "lexical"), ["supported", "hallucination_flag"], 1),
        (("--scorer", "noop"), ["supported", "supported"], 0),
    ],
)
def test_the_moon_is_flagged_by_every_scorer_but_noop(
    raguard_says: Says, options: tuple[str, ...], statuses: list[str], status: int
) -> None:
    says = raguard_says(ANSWER, "-c", PARIS, *options, "--json")
    assert [claim["status"] for claim in json.loads(says.out)["result"]["claims"]] == statuses
    assert (says.status, says.err) == (status, "")


def test_a_supported_answer_passes_by_the_default_scorer(raguard_says: Says) -> None:
    says = raguard_says(SUPPORTED, "--context", PARIS)
    assert says.out.splitlines()[0] == "PASS"
    assert "scorer evidence" in says.out
    assert says.out.splitlines()[-2:] == ["answer, left whole:", SUPPORTED]
    assert (says.status, says.err) == (0, "")


@pytest.mark.parametrize(
    ("action", "fate", "shown"),
    [
        ("annotate", "left whole", ANSWER),
        ("redact", "redacted", "Paris is in France. (unsupported claim removed)"),
        ("block", "withheld", BLOCK_NOTICE),
    ],
)
def test_the_action_decides_what_becomes_of_the_answer(raguard_says: Says, action: str, fate: str, shown: str) -> None:
    options = ("-c", PARIS, "-a", action, "--scorer", "lexical")
    says = raguard_says(ANSWER, *options)
    assert says.out.splitlines()[-2:] == [f"answer, {fate}:", shown]
    assert says.status == 1
    told = json.loads(raguard_says(ANSWER, *options, "--json").out)
    guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(action=action))  # type: ignore[arg-type]
    result, answer = guard.check_sync(None, ANSWER, [PARIS])
    assert told == {"result": result.to_dict(), "answer": answer}
    assert answer == shown


def test_a_folder_is_a_cross_encoder(raguard_says: Says, tmp_path: Path) -> None:
    onnx.save(graph(network()), str(tmp_path / "model.onnx"))
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    write(tmp_path / "config.json", {"id2label": dict(enumerate(LABELS)), "pad_token_id": 0})
    result, answer = HallucinationGuard(CrossEncoderScorer(tmp_path)).check_sync(None, ANSWER, [PARIS])
    told = {"result": result.to_dict(), "answer": answer}
    assert result.unchecked_n == 0
    for option in ("--scorer", "--nli"):
        says = raguard_says(ANSWER, "-c", PARIS, option, tmp_path, "--json")
        assert json.loads(says.out) == told
        assert says.err == ""
    assert "scorer cross-encoder" in raguard_says(ANSWER, "-c", PARIS, "--nli", tmp_path).out


def test_what_speaks_against_a_supported_claim_is_called_a_weak_point(raguard_says: Says) -> None:
    says = raguard_says("Acme Corp is in Leeds, England.", "-c", "Acme Corp is in Leeds.", "--scorer", "lexical")
    assert says.out.splitlines()[3:6] == [
        "supported    0.75  1/1  Acme Corp is in Leeds, England.",
        "                        weak points, new: *england*",
        "                        supported by: passage 1",
    ]


def test_votes_that_are_lacking_are_told(raguard_says: Says) -> None:
    passages = ("-c", PARIS, "-c", "Rome is far away.")
    lacking = raguard_says(SUPPORTED, *passages, "--scorer", "lexical", "--min-votes", "2")
    assert lacking.out.splitlines()[3:6] == [
        "unsupported  1.00  1/2  Paris is in France.",
        "                        1 of 2 passages entail it by 0.5, 2 must",
        "                        entailed by: passage 1",
    ]
    assert lacking.status == 1
    assert raguard_says(SUPPORTED, *passages, "--scorer", "lexical", "--min-votes", "1").status == 0


def test_an_entailment_below_the_threshold_never_looks_as_if_it_reached_it(raguard_says: Says) -> None:
    says = raguard_says("Paris old France big Seine long Rome.", "-c", PARIS, "-T", "0.29", "--scorer", "lexical")
    assert "unsupported  0.28  0/1  " in says.out  # two of seven


def test_a_long_claim_is_shortened_behind_a_word_and_the_answer_is_not(raguard_says: Says) -> None:
    answer = f"The moon is {'very ' * 40}old."
    lines = raguard_says(answer, "-c", PARIS, "--scorer", "lexical").out.splitlines()
    claim = lines[3].removeprefix("unsupported  0.00  0/1  ")
    assert claim == f"The moon is{' very' * 21}…"
    assert lines[-1] == answer


def test_many_unchecked_claims_are_one_line(raguard_says: Says) -> None:
    answer = "".join(f"Room {number} is very old. " for number in range(70))
    lines = raguard_says(answer, "-c", PARIS, "--scorer", "lexical").out.splitlines()
    assert lines[-7:-4] == ["unchecked       -    -  20 claims", f"{' ' * 24}beyond max_claims", ""]
    few = "".join(f"Room {number} is very old. " for number in range(53))
    lines = raguard_says(few, "-c", PARIS, "--scorer", "lexical").out.splitlines()
    assert [line for line in lines if line.startswith("unchecked")] == [
        f"unchecked       -  0/0  Room {number} is very old." for number in (50, 51, 52)
    ]


# what is told apart by the exit status


@pytest.mark.parametrize(
    ("answer", "status", "verdict"),
    [
        (SUPPORTED, 0, "PASS"),
        (f"Yes. {SUPPORTED}", 0, "PASS"),  # what is short is not counted beside what was judged
        ("Hello!", 1, "FLAGGED"),  # nobody judged anything
        ("The moon is cheese.", 1, "FLAGGED"),
        ("...", 0, "PASS"),  # no claim at all
    ],
)
def test_the_exit_status_is_the_verdict(raguard_says: Says, answer: str, status: int, verdict: str) -> None:
    for scorer in ("lexical", "evidence"):
        says = raguard_says(answer, "-c", PARIS, "--scorer", scorer)
        assert (says.status, says.out.splitlines()[0], says.err) == (status, verdict, "")


def test_what_the_scorer_cannot_read_is_unchecked_and_says_why(raguard_says: Says) -> None:
    german = ("Der Mond besteht aus Käse und das Wetter ist schön.", "-c", "Paris ist die Hauptstadt von Frankreich.")
    why = "the scorer said: claims cannot be scored: sentences are weighed as a whole in English alone"
    says = raguard_says(*german, "--json")
    assert json.loads(says.out)["result"]["claims"][0]["reasons"] == [why]
    assert (says.status, says.err) == (1, "")
    says = raguard_says(*german)
    assert (says.status, says.err) == (1, "")
    assert says.out.splitlines()[:5] == [
        "FLAGGED",
        f"No claim was judged. 1 claim was not checked: {why}.",
        "",
        f"unchecked       -  0/0  {german[0]}",
        "",
    ]
    assert "English" not in raguard_says(*german, "--scorer", "lexical").out


def test_the_reason_of_unchecked_claims_stands_beside_them_unless_it_is_that_of_all(raguard_says: Says) -> None:
    short = f"{' ' * 24}too short to be judged\n"
    assert short in raguard_says(f"Yes. {SUPPORTED}", "-c", PARIS).out
    alone = raguard_says("Yes. No.", "-c", PARIS).out
    assert short not in alone
    assert "2 claims were not checked: too short to be judged." in alone


# the answer


def test_a_text_a_file_and_standard_input_are_the_same_answer(raguard_says: Says, tmp_path: Path) -> None:
    options = ("-c", PARIS, "--scorer", "lexical", "--json")
    wanted = raguard_says(ANSWER, *options)
    file = tmp_path / "an answer.txt"
    file.write_bytes(b"\xef\xbb\xbf" + ANSWER.encode())
    assert raguard_says(file, *options) == wanted
    assert raguard_says("-", *options, stdin=ANSWER.encode()) == wanted
    assert raguard_says(*options, "--", ANSWER) == wanted


def test_the_line_ends_of_a_file_are_kept_in_the_answer_and_not_in_the_picture(
    raguard_says: Says, tmp_path: Path
) -> None:
    file = write(tmp_path / "answer.md", f"- {SUPPORTED}\n\n")
    options = (file, "-c", PARIS, "--scorer", "lexical")
    assert raguard_says(*options).out.endswith(f"answer, left whole:\n- {SUPPORTED}\n")
    assert json.loads(raguard_says(*options, "--json").out)["answer"] == f"- {SUPPORTED}\n\n"


@pytest.mark.parametrize(
    "name", ["answer.txt", "an answer.TXT", "a/b.md", "case.json", "x.jsonl", "/nowhere", "./answer", "../a", "~/a.pdf"]
)
def test_what_looks_like_a_file_and_is_none_is_an_error(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        read_answer(name)
    assert str(error.value) == (
        f"{name}: there is no such file; to give a text that looks like the name of one, pipe it in: raguard guard -"
    )


@pytest.mark.parametrize(
    "text", ["See answer.txt.", "yes/no", "/ is the root.", "It is\nanswer.txt", "It is .txt or so", "x" * 100_000, "~"]
)
def test_what_looks_like_a_text_is_one(text: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_answer(text) == text


def test_a_huge_answer_is_judged_as_far_as_the_config_says(raguard_says: Says, tmp_path: Path) -> None:
    file = write(tmp_path / "answer.txt", "The moon is cheese. " * 5_000)
    says = raguard_says(file, "-c", PARIS, "-a", "redact")
    assert says.out.splitlines()[1] == (
        "50 of 50 judged claims are unsupported at a threshold of 0.5. 4950 claims were not checked: beyond "
        "max_claims. What falls short is cut out."
    )
    assert says.out.count("\n") < 200
    assert (says.status, says.err) == (1, "")


# the corpus


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder of every kind, with links that lead in circles, and with what is to be passed over."""
    folder = tmp_path / "shelf"
    write(folder / "b.txt", PARIS)
    write(folder / "a" / "list.json", [{"text": "Rome is in Italy.", "id": "rome"}, "Bonn is in Germany."])
    write(folder / "a" / "lines.jsonl", '{"text": "Oslo is in Norway.", "id": 7}\n\n"Bern is old."\n{"city": "Kyiv"}\n')
    write(folder / "a" / "record.json", '{"name": "Café",\n "open": true}')
    write(folder / "Notes.MD", "# Lima\n")
    for other in ("x.png", "y.PNG", "Makefile"):
        write(folder / other, "not read")
    write(folder / ".hidden.txt", "not read")
    write(folder / ".git" / "c.txt", "not read")
    (folder / "a" / "round").symlink_to(folder)
    (folder / "a" / "again.txt").symlink_to(folder / "b.txt")
    return folder


def test_a_folder_is_read_with_all_below_it(shelf: Path) -> None:
    corpus = read_corpus([str(shelf)], [], [])
    assert corpus.documents == (
        Document("# Lima\n", f"{shelf}/Notes.MD"),
        Document(PARIS, f"{shelf}/b.txt"),
        Document("Oslo is in Norway.", "7"),
        Document("Bern is old.", f"{shelf}/a/lines.jsonl#3"),
        Document('{"city": "Kyiv"}', f"{shelf}/a/lines.jsonl#4"),
        Document("Rome is in Italy.", "rome"),
        Document("Bonn is in Germany.", f"{shelf}/a/list.json#2"),
        Document('{"name": "Café",\n "open": true}', f"{shelf}/a/record.json"),
    )
    assert corpus.notes == (f"{shelf}: 3 files of other kinds left out (.png, no ending)",)


def test_a_page_is_read_as_its_text_and_a_pdf_that_is_none_is_refused(shelf: Path) -> None:
    page = write(shelf / "fees.html", "<title>Fees</title><p>Rent: $900")
    assert Document("Rent: $900", f"{page}", {"title": "Fees"}) in read_corpus([str(shelf)], [], []).documents
    write(shelf / "a" / "plan.pdf", "no PDF")
    with pytest.raises(InputError, match=rf"^{shelf}/a/plan\.pdf: is no PDF that can be read \(\w+\)$"):
        read_corpus([str(shelf)], [], [])


@pytest.mark.parametrize("text", ["It is in notes.txt.", "See notes.txt", "v1.2", "example.org", "notes.txt\n"])
def test_a_passage_that_holds_a_dot_is_a_passage(raguard_says: Says, text: str) -> None:
    says = raguard_says(ANSWER, "-c", text, "--scorer", "noop", "--json")
    assert (says.status, says.err) == (0, "")


def test_a_file_of_any_ending_is_a_document_and_a_text_has_no_name(shelf: Path) -> None:
    corpus = read_corpus([], [str(shelf / "Makefile"), str(shelf / "a" / "list.json")], ["One.", "Two."])
    assert corpus.documents == (
        Document("not read", f"{shelf}/Makefile"),
        Document("Rome is in Italy.", "rome"),
        Document("Bonn is in Germany.", f"{shelf}/a/list.json#2"),
        Document("One."),
        Document("Two."),
    )
    assert corpus.notes == ()


def test_guard_finds_the_evidence_in_a_corpus(raguard_says: Says, shelf: Path, tmp_path: Path) -> None:
    answer = write(tmp_path / "answer.txt", f"{ANSWER} Rome is in Italy.")
    evidence = ("--corpus", shelf, "--corpus-text", "Paris is in France, says another.", "--corpus-file", "-")
    options = ("--question", "Where is Paris?", "--min-votes", "2", "--top-k", "5")
    rome = b"Rome is in Italy, they say."
    says = raguard_says(answer, *evidence, *options, "--json", stdin=rome)
    documents = [
        *read_corpus([str(shelf)], [], []).documents,
        Document(rome.decode(), "-"),
        Document("Paris is in France, says another."),
    ]
    guard = HallucinationGuard.from_documents(documents, config=GuardConfig(min_entail_votes=2, top_k=5))
    result, shown = guard.check_sync(None, answer.read_text(), question="Where is Paris?")
    assert json.loads(says.out) == {"result": result.to_dict(), "answer": shown}
    assert [claim.supported for claim in result.claims] == [True, False, True]
    assert says.status == 1
    assert says.err == f"raguard: {shelf}: 3 files of other kinds left out (.png, no ending)\n"


def test_the_supporting_chunk_is_named(raguard_says: Says, shelf: Path) -> None:
    says = raguard_says("Rome is in Italy.", "--corpus-file", shelf / "a" / "list.json", "--top-k", "1")
    assert f"{' ' * 24}supported by: rome::chunk-0::" in says.out
    assert says.status == 0


def test_top_k_bounds_what_a_claim_is_held_against(raguard_says: Says) -> None:
    texts = [part for number in range(4) for part in ("--corpus-text", f"Paris is in France, says book {number}.")]
    for top_k, votes in (("3", "3/3"), ("9", "4/4")):
        told = json.loads(raguard_says(SUPPORTED, *texts, "--top-k", top_k, "--scorer", "noop", "--json").out)
        assert told["result"]["claims"][0]["votes"] == votes


def test_a_claim_of_which_no_chunk_speaks_is_unsupported(raguard_says: Says) -> None:
    says = raguard_says("Quartz vibrates quickly.", "--corpus-text", PARIS)
    assert says.out.splitlines()[3:5] == [
        "unsupported  0.00  0/0  Quartz vibrates quickly.",
        f"{' ' * 24}no chunk speaks of it",
    ]
    assert says.status == 1


def test_retrieval_without_its_library_is_one_sentence(raguard_says: Says, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    says = raguard_says(SUPPORTED, "--corpus-text", PARIS)
    assert (says.status, says.out) == (2, "")
    assert says.err == "raguard: retrieval by words needs bm25s: pip install 'raguard-verify[retrieval]'\n"
    assert raguard_says(SUPPORTED, "-c", PARIS).status == 0


# settings


def test_options_come_before_the_config_and_the_config_before_the_defaults(raguard_says: Says, tmp_path: Path) -> None:
    settings = write(
        tmp_path / "raguard.toml",
        'date_order = "dmy"\n[guard]\nthreshold = 0.9\naction = "redact"\nmin_claim_chars = 3\n'
        "per_tenant_thresholds = {acme = 0.2}\n",
    )

    def told(*options: str) -> tuple[float, str, int]:
        says = raguard_says("Paris is. It lies in France.", "-c", PARIS, "--scorer", "lexical", *options, "--json")
        result = json.loads(says.out)["result"]
        return result["threshold"], result["action"], result["unchecked_n"]

    config = ("--config", str(settings))
    assert told() == (0.5, "annotate", 1)  # "Paris is." is short
    assert told(*config) == (0.9, "redact", 0)
    assert told(*config, "--tenant", "acme") == (0.2, "redact", 0)
    assert told(*config, "-t", "other", "-a", "block") == (0.9, "block", 0)
    assert told(*config, "-t", "acme", "-T", "0.7") == (0.7, "redact", 0)


def test_the_config_of_the_core_is_followed_too(raguard_says: Says, tmp_path: Path) -> None:
    settings = write(tmp_path / "raguard.toml", "max_documents = 1\n[guard]\n")
    two = (SUPPORTED, "-c", PARIS, "-c", "Rome is old.")
    says = raguard_says(*two, "--config", settings)
    assert says.status == 1
    assert "not checked: the scorer said: claims cannot be scored: " in says.out
    assert raguard_says(*two).status == 0


def test_the_entail_threshold_decides_who_votes(raguard_says: Says) -> None:
    half = (SUPPORTED, "-c", "Paris is old.", "-T", "0.4", "--scorer", "lexical")
    assert "supported    0.50  1/1  " in raguard_says(*half).out
    assert "unsupported  0.50  0/1  " in raguard_says(*half, "--entail-threshold", "0.6").out


# errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([ANSWER], "there is no evidence; give --context, or a corpus: --corpus, --corpus-file or --corpus-text\n"),
        ([ANSWER, "-c", " \n"], "--context: holds no text\n"),
        (
            [ANSWER, "-c", "x", "--corpus-text", "y"],
            "give --context, or a corpus (--corpus, --corpus-file, --corpus-text), not both\n",
        ),
        (["", "-c", "x"], "the answer is empty; give its text, a file that holds it, or - for standard input\n"),
        (["-", "-c", "x"], "the answer is empty; give its text, a file that holds it, or - for standard input\n"),
        (
            ["tests", "-c", "x"],
            "tests: is a folder; to give a text that is the name of one, pipe it in: raguard guard -\n",
        ),
        (["answr.txt", "-c", "x"], "answr.txt: there is no such file; to give a text that looks like the name of "),
        (
            ["-", "--corpus-file", "-"],
            "standard input can be read only once, as the answer or as a file of the corpus\n",
        ),
        ([ANSWER, "--corpus", "nowhere"], "--corpus: nowhere is no folder\n"),
        ([ANSWER, "--corpus", "LICENSE"], "--corpus: LICENSE is no folder; give a file as --corpus-file\n"),
        (
            [ANSWER, "--corpus", "raguard/schema/../cli"],
            "--corpus: raguard/schema/../cli holds no file that ends in .htm, .html, .json, .jsonl, .md, .pdf or .txt",
        ),
        ([ANSWER, "--corpus-file", "nowhere"], "nowhere: cannot be read: No such file or directory\n"),
        ([ANSWER, "--corpus-text", " "], "the corpus holds no text\n"),
        ([ANSWER, "-c", "x", "-T", "1.5"], "--threshold must be a number from 0 to 1, not 1.5\n"),
        ([ANSWER, "-c", "x", "-T", "nan"], "--threshold must be a number from 0 to 1, not nan\n"),
        ([ANSWER, "-c", "x", "-T", "half"], "Invalid value for '--threshold'"),
        (
            [ANSWER, "-c", "x", "--entail-threshold", "-1"],
            "--entail-threshold must be a number from 0 to 1, not -1.0\n",
        ),
        ([ANSWER, "-c", "x", "-a", "drop"], "--action must be one of annotate, redact, block, not 'drop'\n"),
        ([ANSWER, "-c", "x", "--min-votes", "0"], "--min-votes must be a whole number of at least 1, not 0\n"),
        ([ANSWER, "-c", "x", "--top-k", "0"], "--top-k must be a whole number of at least 1, not 0\n"),
        ([ANSWER, "-c", "x", "-t", ""], "--tenant: must not be empty\n"),
        (
            [ANSWER, "-c", "x", "--scorer", "lexica"],
            "--scorer: lexica is neither evidence, lexical, noop nor a folder; give the folder of a cross-encoder\n",
        ),
        (
            [ANSWER, "-c", "x", "--scorer", ""],
            "--scorer: the empty name is neither evidence, lexical, noop nor a folder; give the folder of a ",
        ),
        (
            [ANSWER, "-c", "x", "--nli", ""],
            "--nli: the empty name is no folder; give the folder of a cross-encoder\n",
        ),
        (
            [ANSWER, "-c", "x", "-c", "LICENSE"],
            "--context: LICENSE is a file, and a passage is given as its text; give the file as --corpus-file, ",
        ),
        (
            [ANSWER, "-c", "docs"],
            "--context: docs is a folder, and a passage is given as its text; give the folder as --corpus, ",
        ),
        (
            [ANSWER, "-c", "old/Notes.MD"],
            "--context: old/Notes.MD looks like the name of a file, and a passage is given as its text; give the ",
        ),
        ([ANSWER, "-c", "x", "--nli", "noop"], "--nli: noop is no folder; give the folder of a cross-encoder\n"),
        ([ANSWER, "-c", "x", "--nli", "docs"], "docs: holds no "),
        ([ANSWER, "-c", "x", "--nli", "docs", "--scorer", "noop"], "give --scorer or --nli, not both\n"),
        ([ANSWER, "-c", "x", "--config", "nowhere.toml"], "nowhere.toml: cannot be read: No such file or directory\n"),
        ([ANSWER, "-c", "x", "--config", "/dev/null"], "/dev/null: has no table [guard]\n"),
        ([ANSWER, "-c", "x", "--html", "nowhere/page.html"], "--html: the folder nowhere does not exist\n"),
        ([ANSWER, "-c", "x", "--html", "docs"], "--html: docs is a folder; give the name of a file\n"),
        (
            ["README.md", "-c", "x", "--html", "README.md"],
            "--html: README.md is the file of the answer, too; give anothe",
        ),
        (
            [ANSWER, "--corpus-file", "README.md", "--html", "./README.md"],
            "--html: README.md is the file README.md, too;",
        ),
        ([], "Missing argument 'ANSWER'; see raguard guard --help\n"),
        (["- an item", "-c", "x"], "No such option: -"),
    ],
)
def test_bad_input_is_one_sentence(
    raguard_says: Says, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(ROOT)
    says = raguard_says(*arguments)
    assert (says.status, says.out) == (2, "")
    assert says.err.startswith(f"raguard: {message}")
    assert says.err.count("\n") == 1
    both = raguard_says(*arguments, "--json")
    assert (both.status, both.err) == (2, says.err)
    assert f"raguard: {json.loads(both.out)['error']}\n" == says.err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"caf\xe9", "a.txt: is no UTF-8 text: unexpected end of data at byte 3"),
        ("a.md", b"\xff\xfex", "a.md: is no UTF-8 text: invalid start byte at byte 0"),
        ("a.json", b"{", "a.json: is not valid JSON: Expecting property name enclosed in double quotes: "),
        ("a.jsonl", b'"x"\n{"text"\n', "a.jsonl: line 2: is not valid JSON: "),
        ("a.jsonl", b'{"text": "x", "id": [1]}', "a.jsonl: line 1: the key id must be a string or a whole number"),
        ("a.json", b'["x", {"text": "x", "id": true}]', "a.json: document 2: the key id must be a string or a whole"),
        ("a.json", b"[" * 100_000, "a.json: is not valid JSON: "),
    ],
)
def test_a_file_of_the_corpus_that_cannot_be_read_is_named(
    raguard_says: Says, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    for option, given in (("--corpus", tmp_path), ("--corpus-file", tmp_path / name)):
        says = raguard_says(ANSWER, option, given)
        assert (says.status, says.out) == (2, "")
        assert says.err.startswith(f"raguard: {tmp_path}/{message}")
        assert says.err.count("\n") == 1


def test_links_that_lead_nowhere_and_pipes_are_named(raguard_says: Says, tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("a.txt")
    says = raguard_says(ANSWER, "--corpus", tmp_path)
    assert (says.status, says.err) == (
        2,
        f"raguard: {tmp_path}/a.txt: cannot be read: Too many levels of symbolic links\n",
    )
    (tmp_path / "a.txt").unlink()
    os.mkfifo(tmp_path / "a.txt")
    for arguments in ((ANSWER, "--corpus", tmp_path), (tmp_path / "a.txt", "-c", PARIS)):
        says = raguard_says(*arguments)
        assert (says.status, says.err) == (
            2,
            f"raguard: {tmp_path}/a.txt: cannot be read: it is a pipe that nobody writes to\n",
        )


# the page


@pytest.mark.parametrize("action", ["annotate", "redact"])
def test_the_page_shows_the_answer_that_was_given(raguard_says: Says, tmp_path: Path, action: str) -> None:
    page = write(tmp_path / "page.html", "what was there before")
    says = raguard_says(ANSWER, "-c", PARIS, "--scorer", "lexical", "-a", action, "--html", page, "--json")
    guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(action=action))  # type: ignore[arg-type]
    result, _ = guard.check_sync(None, ANSWER, [PARIS])
    assert page.read_text(encoding="utf-8") == result.to_html(ANSWER, [PARIS])
    assert (says.status, says.err, os.listdir(tmp_path)) == (1, "", ["page.html"])


def test_the_page_shows_the_chunks_of_a_corpus(raguard_says: Says, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    says = raguard_says(SUPPORTED, "--corpus-text", "Rome is old.", "--corpus-text", PARIS, "--html", page)
    guard = HallucinationGuard.from_documents(["Rome is old.", PARIS], scorer=EvidenceScorer())
    assert isinstance(guard.retriever, Retriever)
    result, _ = guard.check_sync(None, SUPPORTED)
    assert page.read_text(encoding="utf-8") == result.to_html(SUPPORTED, guard.retriever.chunks)
    assert PARIS in page.read_text(encoding="utf-8")
    assert says.status == 0


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_page_that_cannot_be_written_loses_nothing(raguard_says: Says, tmp_path: Path, options: list[str]) -> None:
    arguments = (SUPPORTED, "-c", PARIS, "--scorer", "lexical", *options)
    says = raguard_says(*arguments, "--html", "/dev/full")
    assert says.err == "raguard: --html: /dev/full: cannot be written: No space left on device\n"
    assert (says.status, says.out) == (2, raguard_says(*arguments).out)


def test_a_page_keeps_a_link_and_takes_a_device(raguard_says: Says, tmp_path: Path) -> None:
    link = tmp_path / "link.html"
    link.symlink_to("page.html")
    assert raguard_says(SUPPORTED, "-c", PARIS, "--html", link).status == 0
    assert link.is_symlink()
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert raguard_says(SUPPORTED, "-c", PARIS, "--html", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()


# hostile text


def test_nothing_in_a_text_can_steer_the_terminal(raguard_says: Says, tmp_path: Path) -> None:
    answer = f"The moon{HOSTILE} is cheese \ud800 [bold]now[/bold].\r\nPASS{HOSTILE} it is in France."
    name = f"{HOSTILE}\nPASS"
    corpus = write(tmp_path / "corpus.json", [{"text": f"{PARIS} {HOSTILE}", "id": name}])
    for options in (("-c", f"{PARIS} {HOSTILE}"), ("--corpus-file", corpus)):
        for scorer in ("lexical", "evidence", "noop"):
            says = raguard_says(answer, *options, "--scorer", scorer)
            assert STEERING.search(says.out + says.err) is None
            assert "PASS" not in says.out.splitlines()[1:]
            assert "[bold]now[/bold]" in says.out
            asked = raguard_says(answer, *options, "--scorer", scorer, "--json", "--html", tmp_path / "page.html")
            assert STEERING.search(asked.out + asked.err) is None
            assert json.loads(asked.out)["answer"] == answer
            assert STEERING.search((tmp_path / "page.html").read_text(encoding="utf-8")) is None


def test_the_name_of_a_folder_is_one_line(raguard_says: Says, tmp_path: Path) -> None:
    folder = tmp_path / f"a\nraguard: {HOSTILE}"
    write(folder / "b.txt", PARIS)
    write(folder / "b.png", "not read")
    says = raguard_says(SUPPORTED, "--corpus", folder)
    assert (says.status, says.err.count("\n"), STEERING.search(says.out + says.err)) == (0, 1, None)


@pytest.mark.parametrize(
    "option", ["-a", "-T", "-t", "--scorer", "--nli", "--config", "--html", "--corpus", "--corpus-file", "--lng"]
)
def test_nothing_in_an_argument_can_steer_the_terminal(raguard_says: Says, option: str) -> None:
    says = raguard_says(ANSWER, "-c", PARIS, option, f"{HOSTILE}/x", "--json")
    assert STEERING.search(says.out + says.err) is None
    assert says.status == (1 if option == "-t" else 2)


# the real program


def test_the_process_exits_with_the_verdict() -> None:
    for arguments, status in (
        ((SUPPORTED, "-c", PARIS), 0),
        ((ANSWER, "-c", PARIS, "--threshold", "0.5", "--action", "annotate"), 1),
        ((ANSWER,), 2),
    ):
        run = process(*arguments)
        assert run.returncode == status
        assert (run.stdout == b"") == (status == 2)
        assert (run.stderr == b"") == (status != 2)


@pytest.mark.parametrize(
    ("options", "reader"), [([], "| true"), (["--json"], "| head -c 1 > /dev/null"), ([], ">&-"), (["--json"], ">&-")]
)
def test_a_reader_that_goes_away_changes_neither_verdict_nor_silence(options: list[str], reader: str) -> None:
    run = process(
        ANSWER, "-c", PARIS, "--scorer", "lexical", *options, shell=f"$RAGUARD {reader}; exit ${{PIPESTATUS[0]}}"
    )
    assert (run.returncode, run.stderr) == (1, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_sentence(unbuffered: str) -> None:
    given = (SUPPORTED, "-c", PARIS, "--scorer", "lexical")
    run = process(*given, shell="$RAGUARD > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert run.returncode == 2
    assert run.stderr == b"raguard: standard output: cannot be written: No space left on device\n"


def test_standard_input_is_piped_closed_or_without_an_end() -> None:
    given = ("-", "-c", PARIS, "--scorer", "lexical")
    piped = process(*given, shell=f"printf '%s' {shlex.quote(SUPPORTED)} | $RAGUARD")
    assert (piped.returncode, piped.stderr) == (0, b"")
    closed = process(*given, shell="$RAGUARD <&-")
    assert (closed.returncode, closed.stderr) == (
        2,
        b"raguard: standard input: is closed; give a text or a file\n",
    )
    endless = process(*given, shell="$RAGUARD < /dev/zero")
    assert (endless.returncode, endless.stderr) == (
        2,
        b"raguard: standard input: cannot be read: it holds more than 100,000,000 bytes\n",
    )


def test_bytes_that_are_no_text_in_an_argument_are_shown_as_such() -> None:
    run = process(
        "--scorer", "lexical", "--json", "-c", "x", shell="$RAGUARD -- $'The moon\\xff is cheese.'", LC_ALL="C"
    )
    assert (run.returncode, run.stderr) == (1, b"")
    assert json.loads(run.stdout)["answer"] == "The moon\udcff is cheese."


def imported_by(arguments: Sequence[str]) -> set[str]:
    code = f"from raguard.cli import main\nmain({list(arguments)!r})\nimport sys\nprint('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines())


def test_other_commands_load_nothing_of_the_guard() -> None:
    modules = imported_by(["check", "--json", str(ROOT / "examples" / "supported.json")])
    assert "raguard.cli.app" in modules
    assert [name for name in modules if name.startswith(("raguard.claims", "raguard.cli.guard"))] == []


def test_json_loads_neither_renderer_nor_language_model() -> None:
    modules = imported_by(["guard", ANSWER, "-c", PARIS, "--json"])
    assert "raguard.claims.guard" in modules
    assert modules & {"raguard.cli.guard_render", "raguard.report", "rich.console", "spacy", "bm25s"} == set()


# terminals


@pytest.mark.parametrize("columns", [22, 59, 60])
def test_what_is_found_fits_a_terminal(columns: int) -> None:
    claim = "The moon is made of 期限期限期限期限期限 and of Donaudampfschifffahrtsgesellschaftskapitänsmütze."
    status, shown = on_terminal(claim, "-c", PARIS, "--scorer", "lexical", columns=columns)
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown)
    found = plain[plain.index("unsupported  ") : plain.index("\n\nrisk ")]
    assert status == 1
    assert [line for line in found.splitlines() if cell_len(line) > columns] == []
    # the answer is left to the terminal, in one piece
    assert plain.splitlines()[-1] == claim
    assert found.splitlines()[0].endswith("0/1") == (columns < 60)


def test_a_terminal_underlines_what_is_unsupported() -> None:
    status, shown = on_terminal(ANSWER, "-c", PARIS)
    assert shown.startswith("\x1b[1;33mFLAGGED\x1b[0m\n")
    assert shown.endswith("\nParis is in France. \x1b[4;31mThe moon is cheese.\x1b[0m\n")
    assert status == 1
    assert "\x1b[4" not in on_terminal(ANSWER, "-c", PARIS, "-a", "redact")[1]


@pytest.mark.parametrize(("options", "no_color"), [([], "1"), (["--no-color"], "")])
def test_no_color_is_respected(options: list[str], no_color: str) -> None:
    status, shown = on_terminal(ANSWER, "-c", PARIS, *options, no_color=no_color)
    assert (status, "\x1b" in shown) == (1, False)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A corpus of 2,000 chunks."""
    lines = (json.dumps(f"Room {number} has {number} chairs.") for number in range(2_000))
    return write(tmp_path / "rooms.jsonl", "\n".join(lines))


def test_a_terminal_shows_how_far_the_index_of_a_large_corpus_is(library: Path, tmp_path: Path) -> None:
    given = ("Room 7 has 7 chairs.", "--scorer", "lexical", "--corpus-file")
    status, shown = on_terminal(*given, library, out=False)
    assert "indexing the corpus" in shown
    assert "2000/2000" in shown
    assert shown.endswith("\x1b[2K")  # nothing of it stays
    assert status == 0
    assert "\x1b[3" not in on_terminal(*given, library, out=False, no_color="1")[1]
    small = write(tmp_path / "small.jsonl", "\n".join(library.read_text(encoding="utf-8").splitlines()[:1_999]))
    assert on_terminal(*given, small, out=False) == (0, "")


def test_no_progress_is_shown_where_standard_error_is_no_terminal(raguard_says: Says, library: Path) -> None:
    says = raguard_says("Room 7 has 7 chairs.", "--scorer", "lexical", "--corpus-file", library)
    assert (says.status, says.err) == (0, "")


# documentation


def test_help_names_every_option(raguard_says: Says) -> None:
    says = raguard_says("--help")
    documented = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    options = set(re.findall(r"--[a-z][a-z-]+", says.out)) - {"--help"}
    assert len(options) == 17
    assert [option for option in options if f"`{option}" not in documented] == []
    assert '  raguard guard "Paris is in France.' in says.out


def test_the_documented_sessions_are_true(raguard_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sessions = re.findall(r"^```shell-session\n\$ raguard guard (.*)\n((?:.*\n)*?)```", text, re.MULTILINE)
    assert len(sessions) == 2
    for arguments, shown in sessions:
        says = raguard_says(*shlex.split(arguments))
        assert doctest.OutputChecker().check_output(shown, says.out, doctest.ELLIPSIS), says.out
