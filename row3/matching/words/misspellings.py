"""Misspellings that everybody knows, each with the word it stands for: `occured`, `Phillipines`, `definate`.

They are spellings and no slips: a short word, or one with two slips, is not similar enough for the rule of slips.
Our own compilation. None is a word of its own.
"""

from __future__ import annotations

_TEXT = (
    "absense absence alchohol alcohol algorithem algorithm algorithim algorithm artic arctic assymetric asymmetric "
    "assymetry asymmetry auxillary auxiliary balence balance beauracracy bureaucracy beaurocracy bureaucracy "
    "beethovan beethoven beleif belief bhudda buddha bhuddism buddhism bizzare bizarre brocolli broccoli budism "
    "buddhism burocracy bureaucracy caeser caesar capitalisim capitalism carbohydrite carbohydrate carribean "
    "caribbean catagory category catastrophy catastrophe ceasar caesar celcius celsius cheif chief chloryphyll "
    "chlorophyll cincinatti cincinnati communisim communism computor computer conscienciousness conscientiousness "
    "corellation correlation definate definite derivitave derivative descrimination discrimination desease disease "
    "desgin design dessicate desiccate diabetis diabetes diarrhoe diarrhea dilemna dilemma diplomancy diplomacy "
    "dissapear disappear dissapearance disappearance ecomony economy ecstacy ecstasy egpyt egypt encylopaedia "
    "encyclopedia endevour endeavor enlightment enlightenment enterprenuer entrepreneur entrepreneuer entrepreneur "
    "enviroment environment enyzme enzyme equador ecuador equivelant equivalent extention extension facism fascism "
    "facist fascist fahrenheight fahrenheit fibonnaci fibonacci fotosynthesis photosynthesis fourty forty freind "
    "friend galaxey galaxy gaurd guard ghandi gandhi globel global goverment government governer governor "
    "gravitional gravitational guage gauge heighth height hemmorhage hemorrhage hieght height hypocracy hypocrisy "
    "infinate infinite instutition institution insuline insulin kinectic kinetic lavendar lavender libary library "
    "liberalisim liberalism libraray library lieing lying lisence license logarithim logarithm logarithum logarithm "
    "lybia libya maintainance maintenance manufacturering manufacturing massachuset massachusett massachusette "
    "massachusett massachusset massachusett medevial medieval medievel medieval mediterannean mediterranean "
    "meditteranean mediterranean membrain membrane metabolisim metabolism millenia millennium minerel mineral "
    "miniscule minuscule mischevious mischievous missippi mississippi missisipi mississippi mitochondira "
    "mitochondrion mitochrondria mitochondrion mitocondria mitochondrion moleculer molecular monopolly monopoly "
    "morroco morocco mozzart mozart municiple municipal napolean napoleon nationalisim nationalism neccesary "
    "necessary negociation negotiation neitzche nietzsche neuclear nuclear nework network nitrogin nitrogen "
    "nitrogren nitrogen nucular nuclear nueral neural nueron neuron nuerons neuron nutrional nutritional occurance "
    "occurrence occurence occurrence orgin origin oxgyen oxygen oxigen oxygen oxygyn oxygen parralel parallel "
    "pasturisation pasteurization peice piece permenant permanent phenomenom phenomenon phenonemon phenomenon "
    "phillipine philippine phillipines philippines phyics physics physcology psychology plagerism plagiarism "
    "playwrite playwright polynominal polynomial potencial potential precipition precipitation presense presence "
    "priviledge privilege privledge privilege processer processor professer professor proffesional professional "
    "proffesor professor propability probability proteen protein protocal protocol psuedo pseudo psychologey "
    "psychology publically publicly pursuade persuade pursuasion persuasion pythagorus pythagoras quantam quantum "
    "quatum quantum rationel rational reccomend recommend reccurence recurrence rennaisance renaissance repetion "
    "repetition resivoir reservoir respitory respiratory restaraunt restaurant resteraunt restaurant resturaunt "
    "restaurant revanue revenue rhythem rhythm rhythym rhythm rythm rhythm rythym rhythm saftey safety satalite "
    "satellite sattelite satellite schedual schedule sciene science seciruty security seige siege sentimate "
    "sentiment shakespeer shakespeare sheild shield sieze seize socialisim socialism sociey society softwear "
    "software speach speech strategey strategy structer structure substition substitution sulpher sulfur superviser "
    "supervisor suphuric sulfuric suply supply survelliance surveillance symettry symmetry symptomp symptom sympton "
    "symptom synchronisaton synchronization sysetm system sytem system tarrif tariff telecomunication "
    "telecommunication tempature temperature tempreture temperature tenesee tennessee terrorisim terrorism "
    "testimoney testimony theif thief theorum theorem therom theorem theroy theory tommorow tomorrow tounge tongue "
    "tradgedy tragedy tradional traditional transister transistor transportion transportation truely truly twelth "
    "twelfth vaccum vacuum vacum vacuum vehical vehicle vetinary veterinary virture virtue visable visible volcanoe "
    "volcano weild wield wierd weird yatch yacht yeild yield"
)

_FOUND = _TEXT.split()

MISSPELT = dict(zip(_FOUND[::2], _FOUND[1::2], strict=True))
"""A misspelling, in small letters, to its word."""
