"""Given names with the short forms that stand for them, titles, particles. Our own compilation."""

from __future__ import annotations

from row3.matching.words.lexicon import pairs, words

MALE = (
    "robert bob rob bobby robbie bert|william bill will billy liam willie|richard rick dick rich richie ricky|"
    "james jim jimmy jamie|john jack johnny|thomas tom tommy|michael micheal mike mick mickey|charles charlie chuck|"
    "edward ed eddie ted teddy ned|joseph joe joey|daniel dan danny|david dave davy|andrew andy drew|anthony tony|"
    "matthew matt|christopher chris kit|nicholas nick nicky|alexander alex sandy sasha|benjamin ben benny|"
    "samuel sam sammy|stephen steve|steven steve|timothy tim timmy|gregory greg|jeffrey jeff|geoffrey geoff jeff|"
    "kenneth ken kenny|ronald ron ronnie|donald don donnie|lawrence larry|laurence larry|gerald jerry gerry|"
    "peter pete|patrick pat paddy|philip phil|phillip phil|frederick fred freddie|francis frank|albert al bert|"
    "arthur art|walter walt|henry harry hank|leonard len leo lenny|raymond ray|vincent vince|"
    "theodore theo ted teddy|douglas doug|nathaniel nathan nate|zachary zach zack|jonathan jon jonny|joshua josh|"
    "jacob jake|eugene gene|stanley stan|harold hal|maximilian max|vladimir volodya vova|mikhail misha|ivan vanya|"
    "dmitri dmitry dima|sergei sergey|nikolai kolya|eric|erik|karl|carl|alan al|allen|allan|antonio toni|"
    "giuseppe beppe|francisco paco pancho|jose pepe|johann|johannes|friedrich fritz|heinrich heinz|hans|paul|"
    "george|mark|marc|martin|luke lucas|adam|brian|bryan|kevin|gary|roger|simon|oscar|oliver ollie|hugo|louis lou|"
    "lewis lou|victor vic|isaac issac|neil|neal|noam|alfred alf fred|ernest ernie|herbert herb|ralph|roy|sean|shaun|"
    "shawn|stuart stu|stewart stew|terence terry|wallace|winston|abraham abe|elon|barack|stephane|etienne|jean|"
    "pierre|jacques|francois|luigi|marco|mario|juan|carlos|luis|miguel|pablo|pedro|diego|"
    "muhammad mohammed mohamed mohammad|ahmed ahmad|ali|omar|hassan|ibrahim|yusuf|albrecht|ludwig|wolfgang|otto|"
    "erwin|werner|niels|gustav|lars|sven|bjorn|giovanni gianni|galileo|leonardo|isambard|sigmund|emmanuel manny|"
    "aaron|keith|dennis|bruce|craig|scott|ian|graham|graeme|colin|derek|trevor|nigel|harvey|howard|hugh|ivor|julio|"
    "rafael|fyodor|leon|boris|igor|oleg|alexei|andrei|yuri|anton|tim|ludovic|marcel|rene|claude|michel|alain|gilles"
)
FEMALE = (
    "elizabeth liz lizzie beth betty eliza bess libby|lisa|margaret maggie meg peggy madge|greta|mary|molly|polly|"
    "katherine kate katie kathy kitty|catherine cate kate katie cathy kitty|kathryn kate katie kathy|"
    "patricia pat patty trish tricia|jennifer jen jenny|susan sue susie|suzanne|barbara barb babs|"
    "deborah debra deb debbie|jessica jess jessie|rebecca becky becca|christina chris tina chrissie|"
    "christine chris chrissie|victoria vicky tori|alexandra alex sandra sasha lexi|samantha sam|"
    "dorothy dot dottie dolly|eleanor ellie nell|nora|helen|isabella bella|isabel|jacqueline jackie|judith judy|"
    "pamela pam|sarah sally|sara|theresa terry tess|teresa terry tess|virginia ginny|abigail abby gail|"
    "amanda mandy|angela angie|cynthia cindy|florence flo|frances fran fanny|josephine jo josie|kimberly kim|"
    "madeleine maddie|nancy|rosemary|rose|stephanie steph|valerie val|veronica ronnie|anna annie|anne ann annie|"
    "maria|marie|emily|emma|jane|janet|joan|joanna jo|julia|julie|laura|linda|louise lou|lucy|martha|"
    "natalie natasha|olivia|rachel|ruth|sofia|sophia sophie|alice|amy|carol|caroline|charlotte lottie|clara|claire|"
    "clare|diana|diane|ella|eva eve|fiona|gloria|grace|hannah|harriet hattie|ingrid|irene|janice jan|karen|leila|"
    "lena|marilyn|melissa missy|michelle|monica|nina|olga|paula|rita|rosa|sandra|serena|simone|sylvia|"
    "tatiana tanya|ursula|vera|wendy|yvonne|zoe|aisha|fatima|mercedes|ada|agatha aggie|angelina|beatrice bea|"
    "edith edie|erica|erika|flannery|gertrude trudy|ivana|jeanne|lise|rosalind|toni|marguerite|simona"
)
"""Groups of given names parted by `|`, the full name first; after it the forms that stand for it."""

_MEN = words("mr sir lord father brother baron duke monsieur herr senor king prince emperor tsar czar")
_WOMEN = words("mrs ms miss mme madame mlle frau senora dame lady sister queen princess empress duchess")
_EITHER = words(
    "dr doctor prof professor rev reverend hon honorable honourable judge justice senator sen rep representative "
    "congressman congresswoman governor gov president pres chancellor minister secretary ambassador mayor captain "
    "capt colonel col general gen major maj lieutenant lt sergeant sgt admiral adm commander cmdr marshal "
    "corporal private pope saint st cardinal bishop archbishop rabbi imam sheikh pastor count countess viscount "
    "chief inspector detective officer coach engineer architect master dean nurse "
    "councillor sheriff premier commissioner director chair chairman chairwoman chairperson speaker archduke "
    "det insp supt cpl brig"
)
OFFICERS = words("ceo cfo cto coo cio cmo")
"""Officers of a company, before a name (`CFO Helena Voss`) or behind it."""
TITLES = dict.fromkeys(_MEN, "m") | dict.fromkeys(_WOMEN, "f") | dict.fromkeys(_EITHER | OFFICERS, "")
"""Titles in small letters, with the sex of who bears them: m, f or unknown."""

SHORT_TITLES = pairs(
    "doctor dr professor prof reverend rev honorable hon honourable hon representative rep senator sen governor gov "
    "president pres captain capt colonel col general gen major maj lieutenant lt sergeant sgt admiral adm commander "
    "cmdr saint st monsieur mr madame mme"
)
"""Titles by which the short form stands."""

PERSONAL_TITLES = words("mr mrs ms miss mme mlle dr prof sir dame rev sen")
"""Titles that only persons have: General Motors is none."""

OFFICES = OFFICERS | words(
    "pres chancellor minister premier secretary ambassador gov mayor judge justice congressman congresswoman "
    "commissioner director chairman chairwoman chairperson"
)
"""Titles before a word that is no English one which tell of a person: `Governor Newsom`."""

BEFORE_TITLES = words("prime vice deputy acting former")
"""Words that stand before a title and belong to it."""

GENERATIONS = pairs(
    "jr jr junior jr sr sr senior sr elder sr younger jr pere sr fils jr i 1 ii 2 iii 3 iv 4 v 5 vi 6 vii 7 viii 8 "
    "ix 9 x 10 xi 11 xii 12 xiii 13 xiv 14 xv 15 xvi 16 xvii 17 xviii 18 xix 19"
)
"""What tells bearers of one name apart."""

DEGREES = words("phd md esq mba msc bsc ma ba dds rn jd llb llm obe cbe kbe mbe frs dphil mp qc kc")

PARTICLES = words(
    "van von der den de del della di da dos das du la le ten ter zu zur af av bin ibn bint al el ben abu y e san st"
)

NOT_PERSONS = words(
    "university college institute school academy hospital museum library church cathedral island islands river "
    "lake mountain mount bay street avenue road square park bridge tower airport station county city state award "
    "prize medal law act treaty theorem theory effect equation model method algorithm test syndrome disease "
    "principle paradox constant process distribution transform company corporation group bank records motors "
    "electric electronics foundation association society union league party court council committee commission "
    "agency department ministry office service system systems network project program virus deficiency receptor "
    "cell cells protein gene acid resistance war battle empire kingdom republic revolution movement army navy "
    "force forces team club cup league game movie series administration government policy report plan agreement "
    "convention protocol house palace castle disorder learning machine network"
)
"""Last words of names that are no person's."""


EAST_SURNAMES = words(
    "wang zhang chen liu zhao huang zhou wu xu zhu guo luo zheng liang xie feng cao peng xiao tian dong yuan cai jiang "
    "deng zeng xi mao kim choi jung jeong kang cho yoon jang lim seo shin kwon hwang ahn yoo hong bae nguyen tran pham "
    "hoang phan vu vo dang bui duong sato suzuki takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato "
    "yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi shimizu saito abe kishida koizumi murakami "
    "miyazaki kurosawa mishima kawabata ozawa fukuda"
)
"""Surnames of East Asia that are no English words: the surname stands first or last there."""

NOUNS_TOO = words(
    "art bill mark marc frank rich jack pat gene ray sandy will rose grace may dot drew hank chuck dick don hal stew "
    "sue rob gail ginny dolly bella ruby stella gloria victoria virginia florence charlotte vera eve joy carol sally "
    "molly kit ned ted teddy harry al ali ben jean mercedes paris chase pierce nick mike van max major abe cliff dale "
    "earl miles lance norm nell bob tom tim ron len kim lena rita olga ada mandy peg val vic lou jo lee martin scott "
    "thomas henry james paul simon lewis craig bruce howard harvey graham keith wallace winston neil stuart stewart "
    "allen allan alan george francis lawrence vincent daniel david albert arthur walter leonard raymond patrick "
    "douglas harold roy ralph terry oliver victor philip alexander adam luther"
)
"""Given names that are nouns, names of places or surnames as well: beside one, another word need be no surname."""

SURNAMES_TOO = words(
    "lee gordon russell ross taylor kelly tracy ashley leslie lindsay stanley dean glenn clark grant blake tyler "
    "morgan jordan logan mason carter hunter parker cameron scott lewis allen bruce craig curtis duncan elliott elton "
    "floyd franklin harrison jackson kent lincoln lloyd marshall murray nelson newton owen page quentin reed spencer "
    "terry todd travis tucker warren wayne wesley wilson ryan riley shelby sidney whitney casey dana drew jamie jesse "
    "kerry robin shannon stacy sydney chelsea paige brooke mackenzie madison sloan hilary beverly shirley carroll "
    "joyce vivian"
)
"""Surnames that are given names as well: Ann Lee and Lee Ann are two."""


GIVEN = words(
    "adele adolf adrian adriana agnes ahmet aileen alana alastair alberto aldo alejandra alejandro aleksandr "
    "aleksandra alessandra alessandro alfonso alfredo alicia alison alistair allison alonso alvaro amelia amelie "
    "amina amir amit amos anastasia anatoly andre andrea andreas andres angelo anil anita annette annika ansel "
    "antoine antoinette antonia antonin antony apollinaire archibald ariana aristide arjun armand armando arnold "
    "arturo arun ashok astrid audrey auguste augusto aurelio axel ayman ayse barnaby bartholomew bashar beatriz "
    "belinda benedict benito benoit bernadette bernard bernardo bernhard bernie bertha berthold bertrand bettina "
    "bianca birgit blanche bogdan boleslaw bonnie borislav brenda brendan brett brianna bridget brigitte bronwyn "
    "bruno caitlin camilla camille candace carina carla carlo carolina carolyn cecil cecile cecilia celia cesar "
    "chantal charlene chiara chinua christa christoph christophe cillian claudia claudio clementine clifford clint "
    "colette colleen connor conrad constantin corinne cornelia cornelius cosimo cristina cristobal dagmar damian "
    "daniela danielle dariusz darlene darrell darren deepak deirdre delphine denise derrick desiree desmond dieter "
    "dietrich dimitri dmitriy dolores dominic dominique donatella donna doreen doris dwight dylan eamon ebenezer "
    "edgar edmond edmund eduardo edwin edwina eileen elaine elena eleni elias eliot elisa elisabeth elise ellen "
    "elmer eloise elsa elsie elspeth elvira emil emile emilia emiliano emilio emmeline enrico enrique enzo ernesto "
    "ernst esteban ester esther ethan ethel eugenia eugenie eunice evan evelyn fabian fabio fabrizio faisal farah "
    "farid felicia felipe felix ferdinand fernanda fernando fidel filippo flavia flavio franz freda frederic "
    "frederica frida fridtjof gabriel gabriela gabriele gabriella gareth gaston genevieve gennady geoffroy georg "
    "georges gerard gerardo gerhard gerold gideon gilbert gilberto gillian gino giorgio giulia giuliano giulio "
    "gonzalo gottfried gottlieb gregor gregorio gretchen griselda guido guillaume guillermo gunther gustave gustavo "
    "gwendolyn gwyneth hamid hannes harald hari hector heidi helena helene helga helmut hendrik henri henrietta "
    "henriette henrik herman hermann hermione hernan hilda hillary hiroshi hjalmar horace horatio horst hosni "
    "hubert hugues humphrey ignacio ignatius ignaz ilse ilya immanuel imran indira ines inga ingeborg ingmar inigo "
    "irina irma irving isidore ismail istvan itzhak jacinda jacopo jaime jakob jamal jana janine jared jaroslav "
    "jason javier jawaharlal jayne jeanette jeannette jeannine jenna jens jeremy jerome jill jitendra joachim joao "
    "joaquin jocelyn joel joelle joerg johan johanna jolene jonas jorg jorge josef josefina julian juliana julien "
    "juliette julius jurgen jussi justin justine kamala karim karin karina karla karsten katarina katharina katja "
    "katrin katrina kazuo keiko keira kendra kenji kenzo kerstin khalid kiran kirsten klaus kofi konrad konstantin "
    "kristen kristin kristina kristine kurt kwame lamar laszlo lauren laurent lavinia lazaro leah leif leopold "
    "leopoldo leroy leticia lillian lionel lisbeth livia ljubomir lorena lorenzo loretta lorraine lothar lotte luca "
    "lucia luciano lucien lucille lucinda ludmila luisa lukas lydia lyndon lyudmila mabel madeline magdalena "
    "mahmoud makoto malala malcolm mamie manfred manuel manuela marcella marcello marcelo marcia marcos marcus "
    "margarita margot mariana marianne mariano marina marjorie marlene marta martina marvin masaru mateo mathias "
    "mathieu mathilde matilda matteo matthias matthieu maura maureen maurice mauricio maurizio maxime maximilien "
    "mehmet melanie melinda melvin meredith merrick mervyn meryl michal michele mikael miklos mildred milena milos "
    "milton miriam mitchell mohandas moises monique moritz moshe muammar muriel mustafa myra myriam myrtle nadia "
    "nadine naomi narendra natalia nathalie nestor neville ngozi nicola nicolai nicolas nicolaus nicole nikita "
    "nikki nikola nikolaos nikolas nils noah noelle norbert noreen norman octavio odette olaf olivier olof oprah "
    "orson orville osama osvaldo ottavio ottilie paola paolo pascale patricio paulina pauline paulo pelagia "
    "penelope percy pervez petra philippa philippe phillipa phineas phyllis pierluigi piero pieter pietro piotr "
    "poul priscilla priya rabindranath rachael radovan raghuram rahul rajiv ralf ramesh ramiro ramon ramona raoul "
    "raphael raquel rashid raul ravi reginald reinhold renate renato renee rhoda rhonda ricardo riccardo richelle "
    "rigoberto roald roberta roberto robyn rochelle roderick rodolfo rodrigo roland rolf romain romano ronan "
    "rosalie rosalyn rosanna rowena roxanne rudolf rudolph rudyard ruhollah rupert ruslan ruthie sabine sabrina "
    "sachin saddam sadie salma salman salvador salvatore samira sanjay satoshi saul scarlett seamus sebastian "
    "sebastien selena selma sergio seymour shane shaquille sharon sheila shelley sherlock sheryl shigeru shinzo "
    "shirin siegfried sigrid silvia silvio simonetta sinead siobhan slobodan sonia sonja soren spiros srinivasa "
    "stacey stanislas stanislav stanislaw stefan stefanie stefano stelios stephan subrahmanyan suleiman sundar "
    "sunil suresh susana susanna susannah susanne svetlana sybil tabitha takashi tamara tariq tatyana tayyip teodor "
    "thaddeus thelma theodor theodora theodoros therese thibault thierry thomasina thurgood tiffany tilda tobias "
    "tomas tommaso torsten toshiro tycho ulrich ulrike ulysses umberto upton uriah vaclav valentin valentina "
    "valentino valeria valery vasily vernon veronika viktor viktoria vincenzo virgil virginie vitaly vittorio vivek "
    "viviane vivienne vlad vladislav waldemar walther wassily wendell wilbur wilfred wilfrid wilhelm wilhelmina "
    "willard willem wilma winifred winnie winona wladyslaw wojciech woodrow xavier yannick yannis yasmin yasser "
    "yevgeny yitzhak yoko yolanda yoshiro yukio yuval yvette zachariah zeke zinedine zoltan zora zygmunt"
)
"""Given names beside those: nobody takes them for anything else before a surname."""


THINGS = words(
    "abe al ali art ben bill bob carol chase christian chuck cliff dale dick dolly don dot drew earl eve frank gail "
    "gene gloria grace hal hank harry henry jack jean jimmy jo johnny josh joy kit lance lee lou major mark martin "
    "max may mercedes mike miles ned nell nick norm pat peg pierce ray richard rick rob roger rose ruby sally sandy "
    "stew sue ted teddy tim tom val van vera vic vince will"
)
"""Given names that are common nouns as well, and may have a plural."""


def _groups(text: str) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(text.split("|")):
        for name in group.split():
            found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


SAME_NAME = _groups(MALE + "|" + FEMALE)
"""The groups a given name belongs to: two names of one group may be one person's."""

MALE_NAMES = frozenset(MALE.replace("|", " ").split())
FEMALE_NAMES = frozenset(FEMALE.replace("|", " ").split())
