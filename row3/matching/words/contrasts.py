"""Words that exclude one another: north and south, supply and demand, planting and clearing.

An embedding brings such words together, since they are said in the same sentences. Our own compilation.
"""

from __future__ import annotations

from functools import lru_cache

from row3.matching.words.inflection import plain, token_form

_CONTRASTS = """
north south east west / northern southern eastern western / northeast northwest southeast southwest / left right
up down / upper lower middle / top bottom / inner outer / inside outside / inward outward / above below / over under
front back rear / forward backward back / upward downward / upstream downstream / horizontal vertical / near far
global local / local remote / high low medium moderate / higher lower / highest lowest / big small / large small medium
long short medium / wide narrow / deep shallow / thick thin / heavy light / hard soft / hot cold / warm cool / wet dry
fast slow / more less / many few / most least / maximum minimum average / max min mean / major minor
full empty partial / full half / whole half
increase decrease / increased decreased / increasing decreasing / rise fall / rising falling
growth decline / growing shrinking / gain loss / surplus deficit shortage / excess deficit / expansion contraction
expansionary contractionary / boom bust / peak trough / early late / earlier later / before after / first last
past present future / old new / young old / ancient modern / day night / daytime nighttime night / morning evening
daily weekly monthly yearly annual hourly / day week month year hour minute second decade century
spring summer autumn fall winter / monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
positive negative neutral / true false / good bad / safe unsafe / strong weak / stable volatile / active passive
open closed / strict flexible lax / tight loose / rigid flexible / free fixed floating / fixed variable / static dynamic
constant variable / simple complex / easy hard difficult / public private / national international / domestic foreign
internal external / central local peripheral / central commercial / federal state local / urban rural / coastal inland
terrestrial marine aquatic / freshwater saltwater marine / developed developing / rich poor
primary secondary tertiary / direct indirect / representative direct / formal informal / explicit implicit
absolute relative / absolute squared / objective subjective / qualitative quantitative / theoretical empirical practical
general special specific / abstract concrete / real nominal imaginary / physical logical virtual / natural artificial
natural synthetic / analog digital / classical quantum / linear nonlinear exponential / discrete continuous
finite infinite / odd even / single multiple multi double dual triple / single many / one many / individual collective
domestic national / acute chronic / benign malignant / innate adaptive acquired / male female / men women / man woman
boy girl / mother father / parent child / brother sister / son daughter / husband wife / human animal / plant animal
adult child / supply demand surplus / buyer seller / lender borrower / debtor creditor / employer employee
producer consumer / manufacturer retailer wholesaler supplier distributor / import export / input output / cost benefit
cost price / profit loss / asset liability / revenue cost / income expenditure / saving spending / tax subsidy
credit debt debit / stock bond / bull bear / monetary fiscal / exchange interest / cause effect / source sink
sender receiver / client server / host guest / host parasite / predator prey / plaintiff defendant / teacher student
doctor patient / attack defense / offense defense / war peace / victory defeat / birth death / beginning end / start end
start stop / entry exit / arrival departure / push pull / read write / encode decode / encryption decryption
upload download / open close / create destroy / build demolish / add remove
addition subtraction multiplication division / sum difference / train test validation / training test testing validation
precision recall / bias variance / supervised reinforcement / classification regression clustering / lossless lossy
safety liveness efficacy effectiveness / acid base alkaline / acidic alkaline basic / oxidation reduction / cation anion
proton electron neutron / fission fusion / solid liquid gas plasma / ferrous ferric / alpha beta gamma delta / dna rna
bacteria virus fungus / bacterial viral fungal / antibiotic antiviral antifungal / herbivore carnivore omnivore
photosynthesis respiration / nitrogen phosphorus potassium carbon oxygen hydrogen sulfur / monoxide dioxide trioxide
crust mantle core / glacier iceberg / earthquake volcano tsunami / red green blue yellow black white
gold silver bronze copper iron / win lose / and or / elder younger / senior junior / catholic orthodox protestant
christian muslim jewish hindu buddhist / capitalism socialism communism / democracy autocracy / monarchy republic
presidential parliamentary / civil criminal / conservative liberal progressive / copyright patent trademark
murder manslaughter / planting clearing deforestation clearance / restoration clearance clearing deforestation
destruction restoration / layer hole / harmful harmless / server service / supreme superior / energy theory
incidence prevalence / sensitivity specificity / accuracy precision / validity reliability / mean median / mass weight
weather climate / correlation causation / ethics law / classical operant
creation destruction / construction destruction / comedy tragedy / hope fear / success failure
"""


@lru_cache(maxsize=1)
def _groups() -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(_CONTRASTS.replace("\n", " / ").split("/")):
        for word in group.split():
            found.setdefault(token_form(word), set()).add(number)
    return found


def exclusive(one: str, other: str) -> bool:
    """Two differing words of small letters of which one excludes the other; in whatever number and spelling."""
    groups = _groups()
    none: set[int] = set()
    return not groups.get(token_form(plain(one)), none).isdisjoint(groups.get(token_form(plain(other)), none))
