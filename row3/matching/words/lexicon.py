"""Words that English writes by no rule: irregular plurals, stems spelt two ways, numerals, function words.

Our own compilation. Everything here maps one form of a word to another of the same word; what makes two words
two stands in `opposites`.
"""

from __future__ import annotations

from row3.matching.words.misspellings import MISSPELT


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def listed(text: str) -> tuple[str, ...]:
    """The words of a text in order."""
    return tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """`"geese goose mice mouse"` as a mapping."""
    found = text.split()
    return dict(zip(found[::2], found[1::2], strict=True))


PLURALS = pairs(
    "people person men man children child teeth tooth feet foot geese goose mice mouse lice louse oxen ox wolves wolf "
    "leaves leaf lives life knives knife wives wife halves half shelves shelf calves calf loaves loaf thieves thief "
    "elves elf selves self scarves scarf hooves hoof wharves wharf phenomena phenomenon criteria criterion bacteria "
    "bacterium mitochondria mitochondrion automata automaton polyhedra polyhedron ganglia ganglion strata stratum ova "
    "ovum quanta quantum spectra spectrum errata erratum memoranda memorandum symposia symposium aquaria aquarium "
    "curricula curriculum addenda addendum maxima maximum minima minimum optima optimum equilibria equilibrium "
    "moratoria moratorium millennia millennium datum data archaea archaeon taxa taxon corpora corpus genera genus "
    "schemata schema stomata stoma stigmata stigma fungi fungus nuclei nucleus bacilli bacillus stimuli stimulus foci "
    "focus radii radius alumni alumnus cacti cactus syllabi syllabus loci locus octopi octopus thalli thallus emboli "
    "embolus thrombi thrombus streptococci streptococcus algae alga larvae larva vertebrae vertebra formulae formula "
    "antennae antenna nebulae nebula supernovae supernova media medium pupae pupa indices index matrices matrix "
    "vertices vertex appendices appendix cortices cortex vortices vortex codices codex helices helix apices apex axes "
    "axis crises crisis oases oasis testes testis bases base menses menses buses bus gases gas biases bias canvases "
    "canvas atlases atlas aliases alias pancreases pancreas lenses lens quizzes quiz waltzes waltz topazes topaz "
    "quartzes quartz plateaux plateau bureaux bureau chateaux chateau tableaux tableau movies movie cookies cookie "
    "calories calorie zombies zombie prairies prairie genies genie rookies rookie selfies selfie pixies pixie "
    "brownies brownie hippies hippie junkies junkie hoodies hoodie ties tie lies lie pies pie dies die caches cache "
    "aches ache headaches headache toothaches toothache avalanches avalanche niches niche creches creche psyches "
    "psyche cliches cliche shoes shoe toes toe foes foe canoes canoe floes floe oboes oboe tomatoes tomato excuses "
    "excuse muses muse abuses abuse menus menu gurus guru emus emu taxis taxi skis ski tsunamis tsunami safaris "
    "safari alibis alibi kiwis kiwi israelis israeli iraqis iraqi pakistanis pakistani yogis yogi wikis wiki emojis "
    "emoji nazis nazi corgis corgi zucchinis zucchini bikinis bikini saris sari gandhis gandhi rabbis rabbi bros "
    "brother recluses recluse fuses fuse refuses refuse lemmata lemma dogmata dogma carcinomata carcinoma traumata "
    "trauma fora forum stadia stadium consortia consortium flagella flagellum cilia cilium cerebella cerebellum sera "
    "serum crania cranium atria atrium septa septum momenta momentum referenda referendum gymnasia gymnasium "
    "honoraria honorarium compendia compendium auditoria auditorium sanatoria sanatorium planetaria planetarium podia "
    "podium dicta dictum desiderata desideratum phyla phylum endothelia endothelium epithelia epithelium mycelia "
    "mycelium sporangia sporangium protozoa protozoan metazoa metazoan bryozoa bryozoan spermatozoa spermatozoon "
    "bronchi bronchus villi villus moduli modulus calculi calculus cumuli cumulus abaci abacus papyri papyrus "
    "sarcophagi sarcophagus magi magus styli stylus colossi colossus tori torus alumnae alumna amoebae amoeba amebae "
    "ameba personae persona fibulae fibula tibiae tibia scapulae scapula hyphae hypha papillae papilla lacunae lacuna "
    "lamellae lamella tracheae trachea patellae patella calyces calyx cervices cervix directrices directrix phalanges "
    "phalanx larynges larynx kibbutzim kibbutz cherubim cherub seraphim seraph paparazzi paparazzo libretti libretto "
    "plateaus plateau bureaus bureau chateaus chateau tableaus tableau menus menu gurus guru emus emu haikus haiku "
    "bayous bayou caribous caribou "
    "concerti concerto virtuosi virtuoso beaux beau werewolves werewolf midwives midwife housewives housewife "
    "bookshelves bookshelf dwarves dwarf sheaves sheaf grandchildren grandchild stepchildren stepchild schoolchildren "
    "schoolchild dormice dormouse woodlice woodlouse passersby passerby moustaches moustache mustaches mustache "
    "apotheoses apotheosis synopses synopsis mycoses mycosis anastomoses anastomosis apsides apsis"
)
"""Plural to singular, where no rule of `inflection.singular` gives it."""

TWO_SINGULARS = pairs("bases basis axes ax ellipses ellipsis")
"""Plurals of two words, with the singular that `PLURALS` and the rules do not give: base, axis, ellipse."""

PLURALS |= {
    f"{noun}s": noun
    for noun in words(
        "antibiotic probiotic prebiotic antiseptic anaesthetic anesthetic analgesic diuretic narcotic "
        "antipsychotic topic subtopic pandemic epidemic heuristic metric characteristic critic clinic fabric "
        "plastic microplastic bioplastic thermoplastic ceramic republic catholic academic generic relic "
        "mosaic cleric skeptic sceptic heretic diabetic psychotic mystic lunatic fanatic cynic stoic comic "
        "picnic attic tonic mimic medic paramedic schematic mnemonic alcoholic workaholic romantic eccentric "
        "neurotic asthmatic hispanic polemic tactic cosmetic synthetic conic"
    )
}
"""Plurals in -ics, where most words in -ics are none: physics, politics, statistics."""

INVARIANT = words(
    "series species news chess physics mathematics lens bias gas atlas canvas alias pancreas texas kansas arkansas "
    "christmas thomas james charles nicholas mars paris athens brussels naples wales honduras barbados bahamas us as "
    "was has does is this his its yes plus thus chaos cosmos ethos pathos logos eros kudos rhinoceros asbestos tetanus "
    "aids sars mers https amos laos cannabis trellis always perhaps texas vegas los las des les jenkins hopkins "
    "wilkins dickens stevens adams williams jones hughes rogers evans davies collins edwards apropos thermos albatross "
    "kubernetes redis postgres windows alps andes herpes diabetes rabies scabies ames hermes socrates archimedes "
    "descartes hercules antilles bayes markus lucas douglas dallas judas midas ceres achilles ramses rhodes aries "
    "caries ulysses jus bis keynes stokes huygens rawls engels siemens mercedes corps hobbes aristophanes euripides "
    "sophocles thucydides pericles heracles hippocrates parmenides empedocles diogenes alcibiades themistocles "
    "demosthenes orestes xerxes hamas degas dumas thales vargas fuentes cortes cervantes nantes cannes rennes reims "
    "amiens arras calais limoges poitiers ardennes pyrenees leeds jaspers mises sachs soros hicks forbes holmes gibbs "
    "briggs higgs riggs hastings rawlings jennings cummings giddens hayes ives moses ramos santos lagos naxos samos "
    "delos argos davos carlos marcos burgos galapagos steelworks ironworks gasworks waterworks glassworks brickworks "
    "shorts"
)
"""Singular words that end in -s."""

SPELLINGS = pairs(
    "grey gray aluminium aluminum tyre tire kerb curb cheque check plough plow draught draft mould mold moult molt "
    "sceptic skeptic sceptical skeptical scepticism skepticism aeroplane airplane cosy cozy ageing aging pyjama pajama "
    "artefact artifact gaol jail axe ax cypher cipher disc disk connexion connection enquiry inquiry speciality "
    "specialty yoghurt yogurt chilli chili doughnut donut furore furor programme program maths math mum mom moustache "
    "mustache sizeable sizable likeable likable jewellery jewelry woollen woolen councillor councilor counsellor "
    "counselor defence defense offence offense licence license pretence pretense practise practice judgement judgment "
    "acknowledgement acknowledgment abridgement abridgment lodgement lodgment despatch dispatch odour odor sombre "
    "somber fuelled fueled fuelling fueling dialled dialed dialling dialing fulfil fulfill fulfilment fulfillment "
    "enrol enroll enrolment enrollment instalment installment distil distill instil instill skilful skillful wilful "
    "willful appal appall enthral enthrall combatting combating focussed focused focussing focusing biassed biased "
    "benefitted benefited orientated oriented adaptor adapter advisor adviser convertor converter dependant dependent "
    "imposter impostor catalogue catalog programing programming tranquillity tranquility crystallisation "
    "crystallization crystalization crystallization worshipper worshiper kidnapper kidnaper mollusc mollusk caesium "
    "cesium foetus fetus encyclopaedia encyclopedia archaeology archeology gynaecology gynecology manoeuvre maneuver "
    "oestrogen estrogen oesophagus esophagus amoeba ameba ok okay tsar czar romania rumania roumania rumania "
    "byelorussia belarus kiev kyiv shakespearean shakespearian vs versus dept department govt government intl "
    "international natl national univ university mt mount percent % pct % whisky whiskey preventative preventive "
    "alright allright barbecue barbeque hiccough hiccup phoney phony sulphur sulfur cancelation cancellation "
    "inflammable flammable learnt learned burnt burned spelt spelled dreamt dreamed spoilt spoiled gramme gram "
    "kilogramme kilogram milligramme milligram omelette omelet snowplough snowplow ploughing plowing ploughed plowed "
    "ploughshare plowshare chequebook checkbook primaeval primeval ochre ocher meagre meager sepulchre sepulcher "
    "cataloguing cataloging catalogued cataloged ageism agism annexe annex gelatine gelatin adrenaline adrenalin "
    "waggon wagon carcase carcass liquorice licorice pedlar peddler racquet racket smoulder smolder syphon siphon "
    "cauldron caldron enquire inquire inst institute assn association assoc association bros brother hosp hospital "
    "acad academy mgmt management wwi worldwar1 ww1 worldwar1 wwii worldwar2 ww2 "
    "worldwar2 blvd boulevard bldg building mtn mountain ave avenue rd road excl excluding incl including approx "
    "approximately mgr manager misc miscellaneous acct account avg average hwy highway rte route pkwy parkway "
    "transferrable transferable dyke dike ukelele ukulele caesura cesura edn edition und and"
)
"""A spelling, or a common short form, to the one that keys use."""

SPELLINGS |= pairs(
    "accoutrement accouterment aeon eon aerogramme aerogram bannister banister bandanna bandana bougainvillaea "
    "bougainvillea caviare caviar calliper caliper callisthenics calisthenics centigramme centigram chequered "
    "checkered clarinettist clarinetist cosier cozier cosiest coziest cosily cozily cosiness "
    "coziness crueller crueler cruellest cruelest draughtsman draftsman draughtswoman draftswoman draughtsmanship "
    "draftsmanship draughty drafty edoema edema epaulette epaulet baulk balk greyish grayish mouldy moldy "
    "remould remold ploughman plowman outmanoeuvred outmaneuvered eyrie aerie gipsy gypsy glueing gluing glycerine "
    "glycerin hallo hello ikon icon inflexion inflection reflexion reflection deflexion deflection "
    "instal install licenced licensed licencing licensing practised practiced practising practicing louvre louver "
    "louvred louvered manoeuvrable maneuverable manoeuvred maneuvered manoeuvring maneuvering marvellously "
    "marvelously misspelt misspelled moustached mustached moustachioed mustachioed "
    "neurone neuron pharmacopoeia pharmacopeia pickaxe pickax battleaxe battleax pouffe pouf praesidium presidium "
    "pygmy pigmy racoon raccoon recognisance recognizance sceptically skeptically serjeant sergeant "
    "sheikh sheik shaikh sheik titbit tidbit tranquillise tranquilize tranquillised tranquilized tranquillising "
    "tranquilizing tranquilliser tranquilizer tranquillize tranquilize tranquillized tranquilized tranquillizing "
    "tranquilizing tranquillizer tranquilizer woolly wooly worshipped worshiped worshipping worshiping yoghourt "
    "yogurt verandah veranda fiord fjord dietician dietitian interpretative interpretive exploitive exploitative "
    "argumentive argumentative ambience ambiance biassing biasing storeyed storied swop swap unmistakeable "
    "unmistakable idyl idyll "
)
SPELLINGS |= {
    f"{british}{ending}": f"{american}{ending}"
    for british, american in pairs(
        "mould mold remould remold moult molt smoulder smolder gaol jail plough plow syphon siphon grey gray "
        "bedevill bedevil caroll carol cavill cavil duell duel gruell gruel imperill imperil initiall "
        "initial marshall marshal pummell pummel refuell refuel fuell fuel equall equal "
        "unequall unequal gamboll gambol baulk balk"
    ).items()
    for ending in ("ed", "ing", "er")
}
"""More of them: verbs whose last consonant is doubled or whose stem is spelt in two ways."""

TRANSLITERATIONS = pairs(
    "tsarist czarist tsarina czarina tsarism czarism sergey sergei andrey andrei nikolay nikolai dmitriy dmitri dmitry "
    "dmitri yuriy yuri vasiliy vasily vassily vasily valeriy valery grigoriy grigory alexey alexei aleksey alexei "
    "aleksei alexei yevgeniy yevgeny prokofyev prokofiev "
    "teheran tehran nietzche nietzsche nietsche nietzsche mohammed muhammad mohammad muhammad muhammed muhammad "
    "mohamed muhammad mohamad muhammad cajkovskij tchaikovsky kiiv kyiv ekaterinburg yekaterinburg ekaterina "
    "yekaterina evgeny yevgeny shakespear shakespeare tschaikowsky tchaikovsky tschaikowski tchaikovsky tchaikovski "
    "tchaikovsky chaikovsky tchaikovsky dostojewski dostoevsky qaddafi gaddafi gadhafi gaddafi qadhafi gaddafi kadafi "
    "gaddafi kaddafi gaddafi khadafy gaddafi tchebychev chebyshev tchebycheff chebyshev chebychev chebyshev "
    "tschebyscheff chebyshev chebyshov chebyshev chanukah hanukkah chanukkah hanukkah hanukah hanukkah koran quran "
    "moslem muslim hizbollah hezbollah hizballah hezbollah hizbullah hezbollah hezbullah hezbollah qaida qaeda shariah "
    "sharia chinggis genghis jenghis genghis tutankhamen tutankhamun nebuchadrezzar nebuchadnezzar lvov lviv kharkov "
    "kharkiv chornobyl chernobyl odesa odessa khruschev khrushchev kruschev khrushchev kruschchev khrushchev krushchev "
    "khrushchev tolstoi tolstoy chekov chekhov tchekhov chekhov rachmaninoff rachmaninov prokofieff prokofiev "
    "moussorgsky mussorgsky moussorgski mussorgsky liapunov lyapunov liapounov lyapunov liapounoff lyapunov gorbachov "
    "gorbachev daoism taoism daoist taoist dao tao husayn hussein hussain hussein usama osama abdallah abdullah "
    "taleban taliban pushtun pashtun uighur uyghur uygur uyghur kazak kazakh kirghiz kyrgyz kirgiz kyrgyz tadzhik "
    "tajik tzar czar kaftan caftan hommus hummus houmous hummus houmus hummus felafel falafel cabala kabbalah cabbala "
    "kabbalah kabala kabbalah kabbala kabbalah qabalah kabbalah succoth sukkot sukkoth sukkot zarathushtra zarathustra "
    "mahomet muhammad moammar muammar makkah mecca siddharta siddhartha alkhwarizmi khwarizmi ghazzali ghazali "
    "kolmogoroff kolmogorov markoff markov pavloff pavlov bunyakovskii bunyakovsky bouniakowsky bunyakovsky "
    "ostrogradskii ostrogradsky tsiolkovskii tsiolkovsky peking beijing nanking nanjing tientsin tianjin bombay mumbai "
    "calcutta kolkata bangalore bengaluru rangoon yangon burma myanmar"
)
"""A name or word of another script in one of its spellings, to the one that keys use."""

SPELLINGS |= TRANSLITERATIONS | MISSPELT

NUMERALS = pairs(
    "zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 thirteen 13 "
    "fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 first 1st second 2nd third "
    "3rd fourth 4th fifth 5th sixth 6th seventh 7th eighth 8th ninth 9th tenth 10th thirty 30 forty 40 fifty 50 "
    "sixty 60 seventy 70 eighty 80 ninety 90 eleventh 11th twelfth 12th thirteenth 13th fourteenth 14th fifteenth "
    "15th sixteenth 16th seventeenth 17th eighteenth 18th nineteenth 19th twentieth 20th dozen 12"
)

TENS = {word: NUMERALS[word][0] for word in listed("twenty thirty forty fifty sixty seventy eighty ninety")}
"""The first digit of what `twenty` begins: twenty-first."""


def _roman(number: int) -> str:
    tens, ones = divmod(number, 10)
    return ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")[tens] + (
        "",
        "i",
        "ii",
        "iii",
        "iv",
        "v",
        "vi",
        "vii",
        "viii",
        "ix",
    )[ones]


ROMAN = {_roman(number): str(number) for number in range(2, 100) if number not in (5, 10)}
ROMAN_FIFTIES = {roman: number for roman, number in ROMAN.items() if int(number) > 50 and len(roman) == 3}
"""Of these only capitals are numbers."""
ROMAN = {roman: number for roman, number in ROMAN.items() if int(number) < 50 or len(roman) > 3}
"""Roman numerals that are read as numbers after any word; from fifty on the short ones may be names: Li, Liv."""

ROMAN_ORDINALS = frozenset(f"{roman}th" for roman in ROMAN)
"""Numerals with the ending of an ordinal, as centuries are written: XIXth."""

ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10"}
"""Numerals of one letter: read so only after a word of `COUNTED`."""

TANTUM = words(
    "glasses spectacles customs goods arms damages futures morals manners odds commons blues humanities premises "
    "headquarters remains proceeds means economics"
)
"""Plurals that mean another thing than their singular where they stand alone."""

ACCENTED = words("lamé résumé résumés rosé rosés pâté pâtés pâte exposé exposés maté")
"""Words that are others without their accent."""

GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        listed(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau "
            "upsilon phi chi psi omega"
        ),
        strict=True,
    )
)
