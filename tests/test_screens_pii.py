"""Is personal data found where it is proved, and only there?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from raguard import ConfigError
from raguard.screens import PIIDetector

DETECTOR = PIIDetector()
Found = list[tuple[str, str, str]]


def harmless_mail(text: str) -> tuple[str, str, str]:
    return ("email", text, "pass")


def harmless_ip(text: str) -> tuple[str, str, str]:
    return ("ip_address", text, "pass")


def found(text: str, detector: PIIDetector = DETECTOR) -> Found:
    """Category, words and severity of each finding; its span is checked on the way."""
    findings = detector.scan(text)
    assert all(text[finding.start : finding.end] == finding.text for finding in findings)
    assert all(finding.screen == "pii" and finding.rule.startswith("screens.pii.") for finding in findings)
    return [(finding.category, finding.text, finding.severity.value) for finding in findings]


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("Write to ann.lee+x@mail.acme.co.uk.", [("email", "ann.lee+x@mail.acme.co.uk", "warn")]),
        ("Mail <bob@acme.de>, please", [("email", "bob@acme.de", "warn")]),
        ("Ｍａｉｌ ａｎｎ＠ａｃｍｅ．ｃｏｍ", [("email", "ａｎｎ＠ａｃｍｅ．ｃｏｍ", "warn")]),
        ("ann@example.com and ann@shop.example", [harmless_mail("ann@example.com"), harmless_mail("ann@shop.example")]),
        ("info@acme.com, No-Reply@acme.com", [harmless_mail("info@acme.com"), harmless_mail("No-Reply@acme.com")]),
        ("supporter@acme.com", [("email", "supporter@acme.com", "warn")]),
        ("theme/icon@2x.png, pkg@1.2.3, @acme, a@b", []),
        ("me@host.local is a machine", []),
    ],
)  # fmt: skip
def test_mail_address_is_found_and_a_firm_or_an_example_is_harmless(text: str, findings: Found) -> None:
    assert found(text) == findings


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("I log in from 81.2.69.142.", [("ip_address", "81.2.69.142", "warn")]),
        ("from 2a00:1450:4001:81b::200e today", [("ip_address", "2a00:1450:4001:81b::200e", "warn")]),
        ("the hosts 192.168.10.44 and 192.0.2.77", [harmless_ip("192.168.10.44"), harmless_ip("192.0.2.77")]),
        ("see 2001:db8::8a2e:370:7334", [("ip_address", "2001:db8::8a2e:370:7334", "pass")]),
        ("ping 8.8.8.8 first", [("ip_address", "8.8.8.8", "warn")]),
        ("8.8.8.8 is the number", []),
        ("version 81.2.69.142", []),
        ("upgrade to 110.0.5481.77 and section 4.3.2.1", []),
        ("999.2.69.142 or 81.2.69.142.5 or 01.02.03.04", []),
        ("std::vector at 12:30:45 or 1:2", []),
        ("00:1A:2B:3C:4D:5E", []),
    ],
)  # fmt: skip
def test_ip_address_is_found_unless_it_is_a_version_a_time_or_a_name_in_code(text: str, findings: Found) -> None:
    assert found(text) == findings


@pytest.mark.parametrize(
    ("text", "number", "severity"),
    [
        ("Call +49 30 90182000 now", "+49 30 90182000", "warn"),
        ("(212) 736-5000 is mine", "(212) 736-5000", "warn"),
        ("my mobile 2127365000", "2127365000", "warn"),
        ("Phone 020 7031 3000 after six", "020 7031 3000", "warn"),
        ("Reservations+44 20 7031 3000", "+44 20 7031 3000", "warn"),
        ("call 800-555-2368", "800-555-2368", "pass"),
        ("+1 212 555 0123", "+1 212 555 0123", "pass"),
    ],
)
def test_phone_number_is_found_and_a_free_or_invented_line_is_harmless(text: str, number: str, severity: str) -> None:
    assert found(text) == [("phone", number, severity)]


@pytest.mark.parametrize(
    "text",
    [
        "order number 212-736-5000",
        "2127365000 is prime",
        "at 2024-05-04 12:30:45 or 04/05/2024",
        "timestamp 1717171717171, epoch 1717171717",
        "sales of 1,310,114,198 and 234 259 2820",
        "ISBN 978-3-16-148410-0",
        "part RX-212-736-5000",
        "$212 736 5000",
        "call extension 12",
    ],
)
def test_timestamp_order_or_amount_is_no_phone_number(text: str) -> None:
    assert found(text) == []


def test_national_phone_numbers_are_found_for_the_given_regions() -> None:
    text = "Ruf mich an: 030 90182000"
    assert found(text) == []
    assert found(text, PIIDetector(regions=["DE"])) == [("phone", "030 90182000", "warn")]


def test_strict_leniency_wants_the_grouping_of_the_plan() -> None:
    text = "call +49 3 0901 8 2000"
    assert found(text) == [("phone", "+49 3 0901 8 2000", "warn")]
    assert found(text, PIIDetector(leniency="strict")) == []


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("card 4539 5787 6362 1486", [("payment_card", "4539 5787 6362 1486", "block")]),
        ("5425233430109903", [("payment_card", "5425233430109903", "block")]),
        ("4242 4242 4242 4242 in the sandbox", [("payment_card", "4242 4242 4242 4242", "pass")]),
        ("4539 5787 6362 1487", []),
        ("order number 4539578763621486", []),
        ("Tracking: 4539578763621486", []),
        ("9999999999999995", []),
        ("4444444444444448", []),
        ("0000000000000000", []),
    ],
)
def test_payment_card_needs_an_issuer_and_a_right_check_digit(text: str, findings: Found) -> None:
    assert [entry for entry in found(text) if entry[0] == "payment_card"] == findings


@pytest.mark.parametrize(
    ("proved", "near_miss"),
    [
        ("SSN 536-22-8726", "SSN 666-22-8726"),
        ("my number: 536-22-8726", "part number 536-22-8726"),
        ("social security 536228726", "the sum 536228726"),
        ("NI number AB 12 34 56 C", "flight AB 12 34 56 C"),
        ("NHS number 943 476 5919", "NHS number 943 476 5918"),
        ("Steuer-ID 36 574 261 809", "Steuer-ID 36 574 261 808"),
        ("2 95 10 99 126 111 93", "2 95 10 99 126 111 94"),
        ("DNI 54362315K", "DNI 54362315Z"),
        ("NIE X-2482300W", "NIE X-2482300A"),
        ("RCCMNL83S18D969H", "RCCMNL83S18D969G"),
        ("BSN 111222333", "batch 111222333"),
        ("PESEL 44051401359", "PESEL 44051401358"),
        ("390.533.447-05", "390.533.447-06"),
        ("CPF 39053344705", "id 39053344705"),
        ("Aadhaar 2341 2341 2346", "the code 2341 2341 2346"),
        ("756.9217.0769.85", "756.9217.0769.84"),
        ("SIN number 123-456-782", "SIN number 123-456-789"),
        ("personnummer 880320-0016", "personnummer 880320-0018"),
    ],
)
def test_national_id_is_found_where_it_is_proved(proved: str, near_miss: str) -> None:
    assert [(category, severity) for category, _, severity in found(proved)] == [("national_id", "block")]
    assert [entry for entry in found(near_miss) if entry[0] == "national_id"] == []


def test_bank_account_needs_right_check_digits() -> None:
    assert found("Pay to DE89 3704 0044 0532 0130 00.") == [("bank_account", "DE89 3704 0044 0532 0130 00", "warn")]
    assert found("Pay to DE88 3704 0044 0532 0130 00.") == []


def test_findings_of_one_text_do_not_overlap_and_stand_in_order() -> None:
    text = "ann@acme.com, 81.2.69.142, 4539 5787 6362 1486, +49 30 90182000"
    assert [category for category, _, _ in found(text)] == ["email", "ip_address", "payment_card", "phone"]


def test_allowed_terms_pass_however_they_are_written() -> None:
    detector = PIIDetector(allow=["Ann@Acme.com", "+49 30 90182000"])
    assert found("ANN@acme.com or +49 (30) 901-82-000 or bob@acme.com", detector) == [("email", "bob@acme.com", "warn")]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"regions": "US"}, "regions must be a list of codes such as US, not str"),
        ({"regions": ["XX"]}, "regions: 'XX' is no region of phonenumbers; write codes such as US or DE"),
        ({"regions": [5]}, "regions: 5 is no region of phonenumbers; write codes such as US or DE"),
        ({"leniency": "lax"}, "leniency must be one of valid, strict, exact, not 'lax'"),
        ({"allow": "ann"}, "allow must be a list of strings, not str"),
        ({"allow": [" "]}, "allow: a term must be a string that is not blank, not ' '"),
        ({"rules_dir": 5}, "rules_dir must be the path of a folder, not int"),
        ({"rules_dir": "nowhere"}, "rules_dir: nowhere is not a folder"),
    ],
)
def test_bad_settings_say_what_is_wrong(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        PIIDetector(**settings)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("module", "name"), [("phonenumbers", "phonenumbers"), ("stdnum", "python-stdnum")]
)  # fmt: skip
def test_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    from raguard.screens.numbers import valid

    valid.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigError) as caught:
        PIIDetector()
    assert str(caught.value) == f"PIIDetector needs {name}: pip install 'raguard-verify[screens]'"


META = '[meta]\nid = "screens"\nsource = "a test"\nlicence = "MIT"\nreviewed = 2026-11-30\n'
OWN = """
[[rule]]
id = "house.staff_number"
role = "pii"
category = "staff_number"
severity = "block"
guidance = "Leave the staff number out."
check = "{check}"
pattern = '(?<!\\w)QQ\\d{{6}}(?!\\w)'
accepts = ["QQ123456"]
rejects = ["QQ12345"]
"""


def test_own_rules_are_read_with_the_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(META + OWN.format(check="pattern"), encoding="utf-8")
    detector = PIIDetector(rules_dir=tmp_path)
    [own, mail] = detector.scan("QQ123456, ann@acme.com")
    assert (own.rule, own.guidance, mail.category) == ("house.staff_number", "Leave the staff number out.", "email")


def test_own_rule_with_an_unknown_check_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(META + OWN.format(check="us.nothing"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^check 'us.nothing' is no module of python-stdnum with is_valid$"):
        PIIDetector(rules_dir=tmp_path)


@pytest.mark.parametrize("text", [None, b"ann@acme.com", 5, ["ann@acme.com"]])
def test_what_is_no_string_is_never_taken_for_clean(text: object) -> None:
    with pytest.raises(TypeError, match=r"^text must be a string, not \w+$"):
        DETECTOR.scan(text)  # type: ignore[arg-type]
