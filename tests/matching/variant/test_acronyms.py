from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.matching.compare import compare
from row3.matching.variant.acronyms import introduced
from row3.matching.variant.readings import same_by_acronym
from tests.rows import every_row

TEXT = """
Many teams use machine learning (ML). Natural language processing, or NLP, studies text. BERT (Bidirectional Encoder
Representations from Transformers) reads it. Large language models (LLMs) grow. The World Health Organization (WHO)
met in the city (see page 5). Carbon dioxide (CO2) and heat shock protein 70 (HSP70) rose.
Escherichia coli (E. coli) lives in the gut.
"""


@every_row(
    ("short", "long"),
    [
        ("ML", "machine learning"),
        ("ML model", "machine learning models"),
        ("NLP", "natural language processing"),
        ("BERT", "Bidirectional Encoder Representations from Transformers"),
        ("LLM", "large language model"),
        ("LLMs", "large language models"),
        ("WHO", "World Health Organisation"),
        ("CO2 emissions", "carbon dioxide emissions"),
        ("HSP70", "heat shock protein 70"),
        ("E. coli", "Escherichia coli"),
    ],
)
def test_an_introduced_acronym_is_its_expansion(short: str, long: str) -> None:
    assert same_by_acronym(short, long, introduced(TEXT))
    assert same_by_acronym(long, short, introduced(TEXT))


@every_row(
    ("short", "long"), [("ML", "maximum likelihood"), ("NLP", "language processing"), ("MS", "multiple sclerosis")]
)
def test_no_other_expansion(short: str, long: str) -> None:
    assert not same_by_acronym(short, long, introduced(TEXT))


def test_a_name_introduces_its_own_acronym() -> None:
    assert same_by_acronym("machine learning (ML)", "machine learning", {})
    assert same_by_acronym("ML (machine learning)", "ML", {})
    assert not same_by_acronym("Georgia (country)", "Georgia", {})
    assert not same_by_acronym("Mercury (planet)", "Mercury (element)", {})


@every_row(
    ("text", "short", "long"),
    [
        ("Mixed-member proportional representation (MMP) is one.", "MMP", "mixed-member proportional representation"),
        ("The United Nations (“UN”) met.", "UN", "United Nations"),
        ("The EU (short for European Union) met.", "EU", "European Union"),
        ("An urban heat island (hereafter UHI) forms.", "UHI", "urban heat island"),
        ("the Intergovernmental Panel on Climate Change [IPCC]", "IPCC", "Intergovernmental Panel on Climate Change"),
        ("International Business Machines Corp. (IBM) sold it.", "IBM", "International Business Machines Corporation"),
        ("It needs an environmental impact assessment, the so-called EIA.", "EIA", "environmental impact assessment"),
        ("General Electric Co. (GE) met.", "GE", "General Electric"),
        ("There is an automated teller machine (ATM).", "ATM machine", "automated teller machine"),
        ("Ask the U.S. Geological Survey (USGS).", "USGS", "U.S. Geological Survey"),
    ],
)
def test_ways_to_introduce_one(text: str, short: str, long: str) -> None:
    assert same_by_acronym(short, long, introduced(text))


@every_row("inside", ["Canada", "Paris", "Smith"])
def test_a_word_in_a_parenthesis_is_not_a_formula(inside: str) -> None:
    assert introduced(f"They opened a plant in Ontario ({inside}) last year.") == {}
    assert not same_by_acronym("Ontario", f"Ontario ({inside}) Foods", {})
    assert not same_by_acronym("Northfield Foods plc", f"Northfield Foods ({inside}) plc", {})


def test_letters_come_from_content_words() -> None:
    text = "The Organization of the Petroleum Exporting Countries (OPEC) met."
    assert compare("OPEC", "Organization of the Petroleum Exporting Countries", acronyms=introduced(text)).same
    assert introduced("the Bank of England (BOE)")["=boe"] == ("Bank of England",)


def test_a_stated_long_form_takes_precedence() -> None:
    text = "The Central Bank Authority (CBA) asks for a cost benefit analysis."
    assert not same_by_acronym("CBA", "cost benefit analysis", introduced(text))
    assert introduced("Use a US map.") == {}


def test_a_long_form_does_not_span_sentences() -> None:
    assert introduced("It was cold in May. Learning (ML) began.") == introduced("Learning (ML) began.")


def test_a_long_form_is_taken_whole() -> None:
    acronyms = introduced("Mixed-member proportional representation (MMP) is one.")
    assert not same_by_acronym("MMP", "member proportional representation", acronyms)
    assert not same_by_acronym("MMP", "proportional representation", acronyms)
    assert same_by_acronym(
        "Mixed-Member Proportional Representation (MMP)", "mixed-member proportional representation", {}
    )


def test_an_acronym_with_two_expansions_has_both() -> None:
    acronyms = introduced("Machine learning (ML) by maximum likelihood (ML).")
    assert same_by_acronym("ML", "machine learning", acronyms)
    assert same_by_acronym("ML", "maximum likelihood", acronyms)


def test_parentheses_that_introduce_nothing() -> None:
    assert introduced("It fell (by 3 %) in May (see below). Nothing (x).") == {}


@given(st.text(st.sampled_from("abcML ().,;\n or"), max_size=60) | st.text(max_size=60))
def test_any_text_is_searched_for_acronyms_without_error(text: str) -> None:
    introduced(text)


@every_row("text", ["Google (YouTube) sells.", "Meta (WhatsApp) sells.", "Sales (Q4) fell."])
def test_a_parenthesis_need_not_be_an_acronym(text: str) -> None:
    assert introduced(text) == {}


def test_an_acronym_within_a_code_and_before_its_last_word() -> None:
    acronyms = introduced(
        "Every standard operating procedure (SOP) is numbered. An automated teller machine (ATM) stood."
    )
    assert same_by_acronym("SOP-17", "standard operating procedure 17", acronyms)
    assert same_by_acronym("ATM machines", "automated teller machines", acronyms)
    assert same_by_acronym("SOP template", "template of the standard operating procedure", acronyms)
    assert introduced("Exporters ask for letters of credit, here called LOCs.")["=loc"] == ("letters of credit",)
