from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.matching import PAIRS, by_row3, count, decide, main, read_pairs
from row3.matching.compare import PERSON_STEP, SCORES, TYPO, compare
from row3.matching.lexicon.lists import listed
from row3.matching.names import NameIndex
from row3.matching.scorers import EXACT, SCORERS, Named, NameRule
from row3.matching.variant.acronyms import introduced
from tests.rows import every_row

DECIDED = """
Photosynthesis | photosynthesis | exact
neural networks | Neural-Network | form
March 25th, 2024 | 2024-03-25 | value
machine learning (ML) | ML | acronym
J. Smith | Smith, John | person
theory of relativity | relativity theory | variant
the disease known as malaria | malaria | variant
the well-known Doppler effect | Doppler effect | variant
the programming language Rust | Rust (programming language) | variant
photosynthesis (biological process) | photosynthesis | variant
economic and social rights | social and economic rights | variant
State of California | California | variant
the country of Peru | Peru | variant
Boston, Massachusetts | Boston | variant
Ft. Worth, Texas | Fort Worth | variant
New York, NY | New York | variant
Ohio, USA | Ohio | variant
Mercury (element) | mercury | variant
Mercury (planet) | Mercury | variant
Tiffany & Company | Tiffany | variant
Bain & Company | Bain | variant
Levi Strauss & Co. | Levi Strauss | variant
puma (animal) | puma | variant
Toronto, Ontario | Toronto | variant
Brisbane, Queensland | Brisbane | variant
Ontario, Canada | Ontario | variant
Seattle, Washington | Seattle | variant
Lyon (France) | Lyon, France | exact
one hundred and five patients | 105 patients | variant
10^6 cells | one million cells | variant
the late Sir Alan Fairbrother | Fairbrother, A. | person
River Thames | Thames River | variant
Korea, South | South Korea | variant
Siemens AG | Siemens | variant
Microsoft Corporation | Microsoft Corp. | variant
Henry the Eighth | King Henry VIII | variant
Pope John the Twenty-Third | Pope John XXIII | variant
the element bismuth | bismuth | variant
Saskatoon (Saskatchewan, Canada) | Saskatoon | variant
the concept of entropy | entropy | variant
Nobel Prize in Physics | Nobel Physics Prize | variant
Nobel Prize in Chemistry | Chemistry Nobel Prize | variant
movement for women's rights | women's rights movement | variant
60 mph speed limit | speed limit of 60 miles per hour | variant
six-foot wall | 6 ft wall | variant
the disease malaria | malaria | variant
Grupo Bimbo, S.A.B. de C.V. | Grupo Bimbo | variant
9.8 m/s^2 | 9.8 m/s² | value
delays in payment | payment delays | variant
poisoning by carbon monoxide | carbon monoxide poisoning | variant
law of conservation of mass | mass conservation law | variant
three quarters of the voters | 75% of voters | variant
two out of five patients | 40 percent of all patients | variant
half the population | 50% of the population | variant
$5 million grant | 5 million dollar grant | variant
Los Angeles, CA | Los Angeles, California | variant
the River Thames | Thames | variant
the month of May | May | variant
River Thames | the Thames | variant
bonds exempt from tax | tax-exempt bonds | variant
shares held by the founders | founder-held shares | variant
Rev. C | revision C | form
Person(s) | person | form
tsarist Russia | czarist Russia | form
Sergey Prokofyev | Sergei Prokofiev | form
Republic of Kenya | Kenya | variant
the Kingdom of Sweden | Sweden | variant
a disease called malaria | malaria | variant
Mon., 6 May | Monday, 6 May | form
the colour red | red | variant
the game of chess | chess | variant
the novel "Middlemarch" | Middlemarch | variant
the said tenant | the tenant | variant
the above-mentioned lease | lease | variant
patients treated with aspirin | aspirin-treated patients | variant
tea free of caffeine | caffeine-free tea | variant
asthma induced by exercise | exercise-induced asthma | variant
medicine based on evidence | evidence-based medicine | variant
bacteria resistant to antibiotics | antibiotic-resistant bacteria | variant
salary (gross) | gross salary | variant
drinks with no sugar | drinks without sugar | variant
photosynthesis | photosynthesys | spelling
coffee w/o sugar | coffee without sugar | variant
burger w/ cheese | burger with cheese | variant
price excl. VAT | price excluding VAT | form
price incl. VAT | price including VAT | form
approx. 50 guests | approximately 50 guests | form
Wed, 3 June | Wednesday 3 June | variant
Weds 6 Nov | Wednesday, November 6 | variant
Thurs. 4 July | Thursday, July 4 | variant
Sat 9 May | Saturday 9 May | variant
fiscal year 2020-2021 | FY 2020/21 | value
FY 2021 | fiscal 2021 | value
Q3 FY2021 | third quarter of fiscal year 2021 | value
p < .05 | p < 0.05 | variant
p<0.001 | p < .001 | variant
1,200 revolutions per minute | 1200 rpm | value
60 beats per minute | 60 bpm | value
350 g flour | 350 grams of flour | variant
500 mL saline | 0.5 litres of saline | variant
2 cups of sugar | 2 cups sugar | variant
5 sq. m | 5 m² | value
10 cu. ft | 10 cubic feet | value
9.8 m/s2 | 9.8 metres per second squared | value
5 mg per day | 5 mg daily | variant
5 mg/day | 5 mg a day | variant
16 GB RAM | 16 gigabytes of RAM | variant
Ministry for Fisheries | Fisheries Ministry | variant
Committee on Ethics | Ethics Committee | variant
Institute for Marine Research | Marine Research Institute | variant
Hwy 61 | Highway 61 | form
Rte. 66 | Route 66 | form
Phase IIb trial | phase 2b trial | variant
Stage IIB | stage 2b | variant
build 20817 | build #20817 | variant
ticket #4411 | ticket 4411 | variant
cranial nerve VII | 7th cranial nerve | variant
second-generation cephalosporins | 2nd-gen. cephalosporins | variant
third-gen sensor | third-generation sensor | variant
the second edition | 2nd ed. | variant
invoices not paid | unpaid invoices | variant
members who are not eligible | ineligible members | variant
damage that is not reversible | irreversible damage | variant
patients who were not treated | untreated patients | variant
data that is not structured | unstructured data | variant
not statistically significant | statistically non-significant | variant
statistically insignificant | not statistically significant | variant
a total of 18 votes | 18 votes | variant
the colour magenta | magenta | variant
the month of Ramadan | Ramadan | variant
transferrable licence | transferable licence | form
bureaux | bureaus | form
plateaux | plateaus | form
Halvorsen, Ingrid (MD) | Dr. Ingrid Halvorsen | person
loans backed by the state | state-backed loans | variant
Col. James Ward (ret.) | Colonel James Ward | person
Capt. Ward | Captain Ward | person
the Rev. Paul Adeyemi | Reverend Paul Adeyemi | person
Hon. Ruth Feld | the Honourable Ruth Feld | person
the U.S.A. | United States | variant
3M Company | 3M | variant
Ministry of Finance of Chile | Chilean Ministry of Finance | variant
Swiss Federal Council | Federal Council of Switzerland | variant
German economy | economy of Germany | variant
Japanese government | government of Japan | variant
1.5 bn | 1.5 billion | value
5 year-old child | 5-year-old child | exact
a 10 year-old girl | a 10-year-old girl | exact
10 W m⁻² | 10 W m-2 | exact
kg m⁻³ | kg m-3 | exact
Rh- blood | Rh- Blood | exact
6' by 4" board | 6' by 4" boards | form
phase 1/2 trial | phase 1-2 trial | exact
grade 3/4 toxicity | grade 3–4 toxicity | exact
the  said  tenant | the tenant | variant
a lot of money | lot of money | form
colour red | red | variant
planet Mars | Mars | variant
disease malaria | malaria | variant
element bismuth | bismuth | variant
Nakagawa K | K. Nakagawa | person
Quigley MT | M. T. Quigley | person
the herbal, 3rd edn. | the herbal, third edition | form
Halden FC | F.C. Halden | person
half a kilo | 500 g | value
the sum of $600 | $600 | variant
minister for transport | transport minister | variant
Kestrel Software Corp. | Kestrel Software Corporation | variant
4 KiB | 4096 bytes | value
not statistically significant | statistically not significant | variant
with or without fever | without or with fever | variant
Brandt & Sohn GmbH | Brandt und Sohn GmbH | form
5 year-old child | 5-year old child | exact
.5 mg | 0.5 mg | value
p = .05 | p = 0.05 | variant
FC Porto | Porto FC | person
"""

TWO = """
River Phoenix | Phoenix
Republic of China | China
Ohio, Michigan | Ohio
Ohio, Michigan, USA | Ohio
Nevada, Iowa, United States | Nevada
Delaware, OH | Delaware
Wyoming (Michigan) | Wyoming
Mercury (element) | Mercury
Turkey (bird) | Turkey
Ruby (mineral) | Ruby
Mercy and Company | Mercy
Harker and Company | Harker
Mercy & Company | Mercy
Mercy and Co. | Mercy
Hope & Co. | Hope
Liberty & Company, Inc. | Liberty
Turner and Co. | Turner
Victory & Co. | Victory
Puma (animal) | Puma
Phoenix (bird) | Phoenix
Dove (bird) | Dove
Nickel (metal) | Nickel
Sole (fish) | Sole
Ontario, California | Ontario
Alberta, Virginia | Alberta
Manitoba, Wisconsin | Manitoba
Virginia, Minnesota | Virginia
Nova Scotia, Ohio | Nova Scotia
Peru, Indiana | Peru
U.S. Steel | Ursula Steel
the Republic of Ireland | Ireland
entries that are not valid | valid entries
pre-position | preposition
Article 12(3) | Article 12(4)
Article 12(3) | Article 123
Northfield Foods plc | Northfield Foods (Canada) plc
River Thames | Thames County
twice a day | 3 times per day
the sun 3 | Sunday 3
hypo- and hyperthyroidism | hypothyroidism
the color wheel | wheel
asthma induced by exercise | asthma-induced exercise
salary (gross) | net salary
Mercury (planet) | mercury (metal)
University of Oslo, Department of Physics | University of Oslo, Chemistry Department
University of Oslo, Department of Physics | University of Bergen, Physics Department
insurance company | insurance
iPhone SE | iPhone
blood type AB | blood type
King Penguin | penguin
The Police | police
The Who | WHO
University of Washington | Washington University
history of science | science of history
law of conservation of mass | law of mass of conservation
one in ten adults | one in five adults
half of the patients | half of the doctors
learning by doing | doing learning
third of May | 33% of May
Python 3.1 | Python 3.10
9.8 m/s^2 | 9.8 m/s^3
the disease burden | burden
heart failure (acute) | heart failure
bread and butter pudding | butter and bread knife
cost of capital | capital cost
lighthouse keeping | light housekeeping
paediatric clinic | podiatric clinic
Cambridge, Massachusetts | Cambridge
Austin, Texas | Austin, Minnesota
5 mM | 5 mm
dog bites man | man bites dog
Vitamin K Deficiency | Vitamin Deficiency
General Motors | Motors
-5 °C | 5 °C
0.5 | 5
4% | four
San Marino | San Martino
Erik Hansen | Erik Hanson
coffee w/ sugar | coffee w/o sugar
price excl. VAT | price incl. VAT
Wed, 3 June | Thu, 3 June
Wed 3 June | Wed 3 July
the '08 crisis | the '09 crisis
class of '99 | class of 2099
FY 2020/21 | FY 2021/22
Q3 FY2021 | Q3 2021
Q3 FY2021 | Q2 FY2021
FY 2021 | 2021
p < .05 | p > .05
p < 0.05 | p < 0.005
p < 0.5 | p < .05
60 bpm | 60 rpm
350 g flour | 350 mg flour
350 g of flour | 350 g of sugar
500 mL saline | 5 litres of saline
5 sq. m | 5 m
10 cu. ft | 10 sq. ft
5 mg daily | 5 mg weekly
5 mg daily | 5 mg hourly
16 GB RAM | 16 GB ROM
Ministry for Fisheries | Ministry for Forestry
Committee on Ethics | Ethics Commission
44 Quarry Ln. | 44 Quarry Rd.
44 Quarry Ln. | 45 Quarry Ln.
Hwy 61 | Hwy 66
Phase IIb trial | Phase IIa trial
Phase IIb trial | Phase II trial
Stage IIB | Stage IIIB
build #20817 | build #20818
cranial nerve VII | 8th cranial nerve
cranial nerve VII | 7th thoracic nerve
drawing rev. C | drawing rev. D
second-generation cephalosporins | third-gen. cephalosporins
the second edition | the 3rd ed.
p. 12 | p. 13
p. 12 | para. 12
app. B | app. C
invoices not paid | paid invoices
members who are not eligible | eligible members
damage that is not reversible | reversible damage
not statistically significant | statistically significant
a not guilty verdict | a guilty verdict
men not famous | infamous men
a total of 18 votes | 19 votes
the colour magenta | the colour cyan
PIN number | phone number
PIN number | PIN code list
ATM machine | washing machine
proofs submitted late | proofs submitted early
late-submitted proofs | lately submitted reports
state-backed loans | loans to the state
Ingrid Halvorsen, MD | Ingmar Halvorsen, MD
Halvorsen, Ingrid (MD) | Halvorsen, Ingmar (MD)
max. speed | min. speed
max. speed | average speed
Max Planck | Maximum Planck
Ln 5 | lane 5
second chapter | two chapters
season 3 | three seasons
third round | round three of four
week 3 | three weeks
third week | three weeks
2nd gen | 2 generations
5 dB | 5 bd
100 Mbps | 100 MBps
30 psi | 30 psf
5 mph | 5 kph
terms + conditions | terms or conditions
C++ | C and
+5 | and 5
A+ | A and
w/o 3 | w/ 3
Sun 3 May | Sunday school 3 May
Mon. 4 | Monaco 4
Rt. 66 | Rt. 67
Pl. 4 | place 4
ban on smoking | smoking on ban
tax on sugar | sugar in tax
fund for children | children without fund
2nd dynasty | dynasty 12
rib 7 | 7 ribs
vertebra C7 | vertebra T7
U.S. 61 | Highway 61
uncovered costs | covered costs
not covered costs | covered costs
data not shared | data shared
unhappy not sad | happy sad
5 cups sugar | 5 cups of salt
Commonwealth of Nations | Nations
Republic of Letters | Letters
Kingdom of God | God
Kingdom of Naples | Naples
River Bank | the Bank
River Police | The Police
River Phoenix | the Phoenix
A- rating | A rating
BBB- rating | BBB rating
grade B- students | grade B students
patients with no. 1 disease | patients without 1 disease
plan with no-fault cover | plan without fault cover
with no-one | without one
ship bound by port | ship bound to port
Ford v8 | Ford 8
a second trio | trio no. 2
6/8 time | 3/4 time
Nurse Bellamy | Dr Bellamy
Vitamin K | K. Vitamin
Plan B | B. Plan
Type AB | A. B. Type
Mg | mg
Grade II listing | Grade II* listing
Hepatitis B | Hepatitis C
FC Porto | AC Porto
sum of squares | squares
act of war | war
big in size | big in shape
three (3) copies | four copies
three (4) copies | three copies
SW corner | NW corner
minister for transport | minister for trade
underweight and overweight children | underweight children
Life Insurance Company | life insurance
4 KiB | 4000 bytes
4 KiB | 4 KB
organ music in C major | piano music in C major
folk song in A minor | love song in A minor
president in France | French president
embassy in Iran | Iranian embassy
national congress in India | Indian National Congress
american embassy of iran | iranian american embassy
not fully vaccinated people | fully unvaccinated people
not fully paid shares | fully unpaid shares
not seriously injured | seriously uninjured
not only paid work | only unpaid work
statue not veiled | unveiled statue
app not installed | uninstalled app
users not subscribed | unsubscribed users
virus not leashed | unleashed virus
support not qualified | unqualified support
facts not covered | uncovered facts
babies not born | unborn babies
patients not balanced | unbalanced patients
athletes who are not professional | unprofessional athletes
fees if not paid | unpaid fees if
temp. nurse | temperature nurse
Min. of Health | minimum of Health
Max. Weber | maximum Weber
Ca. breast | circa breast
rt. 3rd toe | route 3rd toe
Col. 1st Regiment | column 1st regiment
Rev. J Smith | Revision J Smith
P. 53 | page 53
office for sale | sale office
conference on Monday | Monday conference
commission on sales | sales commission
office on the left | left office
ban on board | board ban
sum of 2 primes | 2 primes
act of building | building
the act of meeting | meeting
3.2-fold rise | 3 twofold rise
2.5-fold increase | 2.fivefold increase
five fold mountains | fivefold mountains
first ed visit | first edition visit
third gen surgeon | third generation surgeon
'29 crash | 2029 crash
'45 Rebellion | 1945 Rebellion
7 Limited | 7
5 NV | 5
S.C. Lewis | Lewis SC
A.C. Grayling | Grayling AC
home run by player | player-run home
5 kt bomb | 5 knot bomb
.5 mg | 5 mg
p = .05 | p = 5
"""


@every_row("line", DECIDED.strip().splitlines())
def test_each_rule_decides_its_pairs(line: str) -> None:
    one, other, how = (part.strip() for part in line.split("|"))
    done = compare(one, other)
    assert (done.same, done.how, done.why_not) == (True, how, "")
    assert done.score == pytest.approx(SCORES.get(done.how, done.score), abs=1.01 * PERSON_STEP * (how == "person"))


@every_row("line", DECIDED.strip().splitlines())
def test_the_search_finds_the_matches_of_each_rule_in_both_directions(line: str) -> None:
    one, other, _ = (part.strip() for part in line.split("|"))
    for label, asked in ((one, other), (other, one)):
        index = NameIndex([Named("something else", ()), Named(label, ())], (), NameRule())
        hit = index.resolve(asked)
        assert hit is not None, (label, asked)
        assert hit[0] == 1


@every_row("line", TWO.strip().splitlines())
def test_different_names(line: str) -> None:
    one, other = (part.strip() for part in line.split("|"))
    done = compare(one, other)
    assert not done.same
    assert done.why_not


def test_the_threshold_is_necessary_for_spelling_only() -> None:
    assert compare("photosynthesis", "photosynthesys", NameRule(threshold=0.9)).same
    assert not compare("photosynthesis", "photosynthesys", NameRule(threshold=0.95)).same
    assert compare("neural networks", "neural network", NameRule(threshold=1.0)).same


@every_row(
    ("one", "other"),
    [
        ("neural networks", "neural network"),
        ("photosynthesis", "photosynthesys"),
        ("5 km", "5 kilometres"),
        ("J. Smith", "John Smith"),
        ("Acme Inc.", "Acme"),
        ("Machine learning (ML)", "Machine learning"),
        ("U.K.", "United Kingdom"),
    ],
)
def test_exact_disables_the_other_rules(one: str, other: str) -> None:
    assert not compare(one, other, NameRule(EXACT, 0.1)).same
    assert compare(one, one.upper(), NameRule(EXACT)).how == "exact"


@every_row("scorer", sorted(SCORERS.keys() - {EXACT}))
def test_every_scorer_can_be_used(scorer: str) -> None:
    assert compare("photosynthesis", "photosynthesys", NameRule(scorer)).how == "spelling"
    assert not compare("absorption", "adsorption", NameRule(scorer)).same


def test_a_spelling_match_scores_below_a_form() -> None:
    near = compare("quantum chromodynamics of quarks", "quantum chromodynamcis of quarks")
    assert near.how == "spelling"
    assert near.score <= TYPO < min(SCORES.values())


def test_declared_and_apparent_persons() -> None:
    assert compare("Mao Zedong", "Zedong Mao", person=True).same
    assert not compare("Race Horse", "Horse Race").same
    assert not compare("J. Smith", "John Smith", person=False).same
    assert compare("J. Smith", "Jane Smith", person=True).same
    assert not compare("Robert Schumann", "Robert Schuman", person=True).same


def test_the_surname_of_a_person_has_no_plural() -> None:
    for a, b in (("Peter Jacob", "Peter Jacobs"), ("J. Robert", "J. Roberts"), ("Mr. Miller", "Mr. Millers")):
        assert compare(a, b).why_not == "different surnames"
    for a, b in (("Isaac Newton Telescope", "Isaac Newton Telescopes"), ("Gene Network", "Gene Networks")):
        assert compare(a, b).how == "form"
    assert compare("Peter Jacob's", "Peter Jacob").same
    assert not compare("Ivo Miller", "Ivo Millers", person=True).same


def test_acronyms_of_the_text() -> None:
    text = "We use machine learning (ML)."
    assert compare("ML", "machine learning", acronyms=introduced(text)).how == "acronym"
    assert not compare("ML", "machine learning").same


def test_dates_in_the_order_of_the_text() -> None:
    assert not compare("03/04/2024", "3 April 2024").same
    assert compare("03/04/2024", "3 April 2024", day_first=True).same


def test_precision_and_recall_on_the_labelled_pairs() -> None:
    pairs = read_pairs(*PAIRS)
    figures = count(pairs, by_row3)
    assert figures.precision >= 0.965
    assert figures.recall >= 0.94
    # The search for candidates keeps every match.
    assert figures == count(pairs, lambda pair: decide(pair).same)


def test_the_benchmark_reads_any_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"a": "photosynthesis", "b": "photosynthesys", "same": True, "class": "typo"},
        {"a": "Austria", "b": "Australia", "same": False, "class": "look-alike"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert "1.000" in main(path)
    assert capsys.readouterr().out


words = st.sampled_from(
    listed(
        "John J. Smith Smith, Dr. theory of the relativity ML (ML) 4 4% 4.0 v1.0 1.1 GPT-4 networks network colour "
        "and & Inc. AG II 2024-03-25 March 25, 2024 Müller un supervised -5 + The police photosynthesys photosynthesis"
    )
)
names = st.lists(words, max_size=5).map(" ".join) | st.text(max_size=16)


@given(names, names)
@example("Smith, John", "John Smith")
def test_comparing_is_symmetric_and_in_bounds(one: str, other: str) -> None:
    done, turned = compare(one, other), compare(other, one)
    assert (done.same, done.how, done.score) == (turned.same, turned.how, turned.score)
    assert 0 <= done.score <= 1
    assert done.same == (done.why_not == "")


@given(names)
def test_a_name_matches_itself_in_any_case(name: str) -> None:
    if name.strip():
        assert compare(name, name).same or not any(char.isalnum() for char in name)
    if name.isascii() and any(char.isalnum() for char in name):
        assert compare(name, f" {name} ").same
