"""Words that carry no topic, as compact data of our own: English, German, French, Spanish, and a few more.

`WEAK` words may stand inside a text's key phrase without being one: verbs and adjectives so general that they name
nothing by themselves.
"""


def _listed(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


_ENGLISH = """
a about above across after again against ago all almost along already also although always am among an and another
any anybody anyone anything anyway are aren't around as at away back be became because become becomes been before
behind being below besides between beyond both but by came can can't cannot come comes could couldn't did didn't do
does doesn't doing don't done down due during each either else elsewhere enough etc even ever every everybody everyone
everything except few for from further get gets getting give given gives go goes going gone got had hadn't has hasn't
have haven't having he he'd he'll he's hence her here hers herself him himself his how however i i'd i'll i'm i've if
in indeed instead into is isn't it it'd it'll it's its itself just keep keeps kept know knows known least less let
let's like likely made make makes making many may maybe me might mine more moreover most mostly much must mustn't my
myself near nearly need needs neither never nevertheless no nobody none nor not nothing now nowhere of off often oh ok
okay on once one ones only onto or other others otherwise ought our ours ourselves out over own per perhaps please put
quite rather re really said same say says see seem seems seen several shall she she'd she'll she's should shouldn't
since so some somebody someone something sometimes somewhere soon still such take taken takes than that that'll that's
the their theirs them themselves then there there's therefore these they they'd they'll they're they've thing things
this those though through throughout thus till to together too took toward towards two under unless until unto up upon
us use used uses using usually very via want wants was wasn't we we'd we'll we're we've well went were weren't what
what's whatever when whenever where where's whereas wherever whether which whichever while who who's whoever whole
whom whose why will with within without won't would wouldn't yes yet you you'd you'll you're you've your yours
yourself yourselves first second third three four five six seven eight nine ten eg e.g ie i.e vs and/or etc
"""
_GERMAN = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim
bereits bevor bin bis bist da dabei dadurch dafür dagegen daher damit danach dann daran darauf daraus darf darin
darüber darum das dass dazu dein deine dem den denn dennoch der deren des deshalb dessen die dies diese diesem diesen
dieser dieses doch dort du durch ein eine einem einen einer eines einige einmal er erst es etwa etwas euch euer für
gegen gewesen habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem
ins ist jede jedem jeden jeder jedes jedoch jemand jene jetzt kann kein keine keinem keinen keiner können könnte mal
man manche mehr mein meine mit muss müssen nach nachdem neben nein nicht nichts nie noch nun nur ob obwohl oder oft
ohne schon sehr sein seine seinem seinen seiner seit selbst sich sie sind so sobald sogar solche soll sollen sollte
sondern sonst soweit sowie statt über um und uns unser unsere unter viel viele vom von vor wann war waren warum was
wegen weil weiter welche welchem welchen welcher wem wen wenn wer werde werden wie wieder will wir wird wo wobei
wurde wurden würde während zu zum zur zwar zwischen bzw usw
"""
_FRENCH = """
afin ai ainsi alors après au aucun aucune aussi autre autres aux avant avec avoir avons bien c'est car ce ceci cela
celle celles celui ces cet cette ceux chaque chez ci comme comment dans de depuis des dès deux doit doivent donc dont
du elle elles en encore entre est et étaient était été être eu fait faire faut font il ils je jusque l'on la là le les
leur leurs lors lorsque lui ma mais me même mes moins mon n'est ne ni non nos notre nous on ont ou où par parce pas
pendant peu peut peuvent plus pour pourquoi puis quand que quel quelle quelles quels qui quoi sa sans se selon ses si
sinon soit son sont sous sur ta te tes toi ton toujours tous tout toute toutes très tu un une vers voir vos votre vous
"""
_SPANISH = """
ahora al algo algún alguna algunas alguno algunos ante antes aquel aquella aquí así aun aún aunque bajo bien cada casi
como cómo con contra cual cuál cuando cuándo cuyo de debe deben dejar del desde después donde dónde dos durante el él
ella ellas ello ellos en entonces entre era eran es esa ese eso esos esta está están estas este esto estos fue fueron
ha hace hacia han hasta hay la las le les lo los más me mientras mis mucho muchos muy nada ni ningún ninguna no nos
nosotros nuestra nuestro nunca o os otra otras otro otros para pero poco por porque pues puede pueden que qué quien
quién se sea según ser si sí sido siempre sin sino sobre solo sólo son su sus también tan tanto te tiene tienen toda
todas todo todos tras tu un una unas uno unos usted ya yo
"""
_MORE = """
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще
нет о из ему теперь когда даже ну вдруг ли если уже или ни быть был него до вас нибудь опять уж вам ведь там потом
себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет
ж тогда кто этот того потому этого какой совсем ним здесь этом один почти мой тем чтобы нее сейчас были куда зачем
всех никогда можно при наконец два об другой хоть после над больше тот через эти нас про всего них какая много разве
эту моя впрочем хорошо свою этой перед иногда лучше чуть том нельзя такой им более всегда конечно всю между это
di il che è per una sono non del della dei delle nel nella con le gli da più anche come ma alla al lo questo questa
o os as um uma não do da dos das no na nos nas em para com por mais como mas foi ao ele seu sua ou quando muito já
het een van en dat die niet zijn op te voor met aan er maar om ook als bij nog wel naar dan wordt worden
في من على إلى عن أن إن هذا هذه ذلك التي الذي كان كانت لا ما لم لن هو هي مع كل بعد قبل بين ثم أو و قد كما حتى عند
"""
WEAK = _listed(
    """
ability able absence according accurate actual adequate advance advances advantage advantages aforementioned aim aims
alone alternative amount amounts answer answers apparent approach approaches appropriate area arising article articles
aspect aspects attempt attempts attention author authors available bad based basic benefit benefits best better big
brief broad capable care case cases certain chance choice choices circumstances clear close coming common comparable
comparison complete complex comprehensive concern concerns conclusion conclusions consequence considerable consistent
context convenient conventional correct corresponding course current currently day days deal decade decades degree
desirable detail details difference differences different difficult difficulties difficulty discussion early easy
effect effective effects efficient effort efforts emerging end entire equal especially essential everyday evidence
exact example examples excellent existing experience experiences experimental extensive extent fact factor factors
fair fast favor feature fine final following form forms former full fundamental further future general goal goals good
great group growing guide half hand happy hard help high higher highest idea ideas ideal immediate impact implication
implications importance important impressive improvement improvements inadequate inappropriate increasing individual
inherent initial innovative insight insights inside instance interesting interest introduction issue issues item key
kind kinds lack large larger largest last late later latest latter leading left less level light limitation limitations
line little long longer look lot low lower main major manner matter matters mean means member members method methods
middle minor moderate modern month months more mutual name names nature near necessary need needs negative new news
next nice normal note notes notion novel number numbers numerous objective objectives obvious occasion old open
opportunity option options order ordinary original overall overview paper papers part particular parts past people
perspective piece place plain plan point points poor popular positive possibilities possibility possible potential
powerful practical practice preliminary presence present previous primary principal prior problem problems procedure
profound progress promising proper proposed purpose purposes question questions quick range rapid rate real reason
reasons recent regard related relation relationship relative relevant remaining report reports respect respective
result resulting results review right role roles round rule satisfactory scope second section seminal sense sense
separate series serious set short shorter side sign significance significant similar simple simplest single situation
situations size slow small smaller solution solutions so-called sophisticated sort sound special specific stage stages
standard state step steps stop strong subject substantial success successful such sufficient suitable suite superior
sure surprising task tasks technique techniques tell term terms theme things third thought time times top topic topics
total traditional trend trends trivial true try turn type types typical ultimate underlying unique unknown upper
useful user users usual valid valuable value various vast very view viewpoint views way ways weak week weeks well-known
whole wide widespread wish word words work works world worth wrong year years yesterday today tomorrow
def elif const var void self cls str int bool none null false import return raise except finally
"""
)
VERBS = _listed(
    """
accept accompany achieve acquire adapt add adopt advocate affect agree aim allow analyse analyze announce
appear apply appreciate argue arise arrange ask assert assess assign assume attach attempt attract avoid become
begin behave believe belong bring build call capture carry cause celebrate change choose claim clarify combine
come compare compete compose comprise concern conclude conduct confirm connect consider consist constitute contain
continue contribute cope correspond create deal decide define deliver demonstrate denote depend derive describe
deserve determine develop devise differ discover discuss distinguish draw elaborate eliminate emerge emphasize employ
enable encounter encourage enhance enjoy ensure establish evaluate evolve examine exceed exhibit exist expect explain
exploit explore express extend facilitate fail fall feel finish fit focus follow formulate gain generate get give
grow guarantee handle happen help highlight hold hope identify illustrate implement imply improve incorporate increase
indicate influence inform inherit intend introduce investigate involve join justify keep know lack last launch lead
leave let lie lose maintain make meet mention modify motivate move necessitate notice observe obtain occur offer
operate outline outperform overcome pay perform permit play pose possess precede predict prefer prepare preserve
prevent proceed produce prohibit prompt propose prove provide publish pursue put raise reach read realise realize
receive recognise recognize recommend reduce refer reflect reject relate rely remain remove render replace report
represent require resolve respond restrict retain reveal run satisfy save say see seek seem select send serve show
simplify solve speak specify spend stand start stay stem study succeed suffer suggest suit summarise summarize
 suppose survive take talk tend think treat try turn understand undergo undertake utilise utilize vary verify
wait want win wonder write yield
"""
)
"""Base forms of verbs that start or end a phrase without belonging to it."""

ENGLISH = _listed(_ENGLISH)
STOP = _listed(_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _MORE)
"""Folded. Words of one language that name something in another (`die`, `no`, `on`) are stop words all the same."""

LY_NOUNS = _listed("anomaly apply assembly butterfly family fly italy july monopoly multiply poly reply supply tally")
"""Words in -ly that are no adverbs."""

SHORT_TECHNICAL = _listed(
    """
aes ai ajax amd64 ansi api apt arm aws awk bash bgp bios blob c c# c++ cdn cert cgi ci cidr cli cors cpu cron css
csv curl d3 dag dbt deb dev dhcp diff dkim dns dom dpi dto elf elk env eof esm etl exec exif f# fork
fpga fps fsm ftp fts5 gcc gcm gdb gif git glob gpg gpu grep grpc gtk gui hash hdr heap hex hmac hook hpc html http
https i18n iam ide idp io ios ip ipc ipv4 ipv6 irc iso jar java jdbc jdk jit jq js json jsx jvm jwt k8s kafka
kms l10n lambda lan ldap lint linux llm llvm lock lru lsp lua lz4 mac mcp md md5 mdx mfa mime ml mmap mpi mq
mqtt mvcc mvp mvc mypy nan nas nat nfs nginx nix nlp node nosql npm npx ntp oauth ocr odbc oidc oom orm os pci pdf
pem perl pgp php pid pip png pnpm podman poc pod png pr pwa qa qps raid ram rbac rdf redis regex repl rfc rls
rng ror rpc rpm rsa rss rss rust rx s3 saas saml sass scp scss sdk sed seo sgd sha sha1 sla smtp soap sock solr sql
sqs sre ssd sse ssh sso ssl sudo svg svn swap swc tar tcp tdd terraform tex tls tmux toml tor tox tpm ts tsv tsx ttl
tty tui udp ui uri url usb utc utf utf8 uuid uv ux vcs vim vite vm vpc vpn vps vue wal waf wasm wcag wifi wsgi wsl www
xml xss yaml yarn zfs zip zod zsh zstd asgi
"""
)
"""Technical tokens of up to four characters (and a few longer) that are terms all the same."""
