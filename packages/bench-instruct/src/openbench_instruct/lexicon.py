"""Lists of English words and of emoji for the checkers."""

# ruff: noqa: SIM905 -- lists of words are easier to read as text

STOP_WORDS = frozenset(
    (
        "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers "
        "herself it its itself they them their theirs themselves what which who whom this that these those am is "
        "are was were be been being have has had having do does did doing a an the and but if or because as until "
        "while of at by for with about against between into through during before after above below to from up "
        "down in out on off over under again further then once here there when where why how all any both each "
        "few more most other some such no nor not only own same so than too very s t can will just don should now "
        "d ll m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn "
        "weren won wouldn"
    ).split()
)
"""English stop words, including the fragments of contractions that are split at the apostrophe."""

PRONOUNS = frozenset(
    (
        "i me we us you he him she her it they them my mine our ours your yours his hers its their theirs myself "
        "ourselves yourself yourselves himself herself itself themselves this that these those who whom whose "
        "which what whoever whomever whatever whichever anybody anyone anything everybody everyone everything "
        "nobody nothing somebody someone something each either neither both all some any none"
    ).split()
)
"""English pronouns, including determiners used as pronouns."""

CONJUNCTIONS = frozenset(("and but for nor or so yet").split())
"""Coordinating conjunctions."""

PERSON_NAMES = tuple(
    (
        "Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia "
        "Benjamin Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett "
        "Nathan Victoria Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria "
        "Joseph Claire Ryan Stella Jonathan"
    ).split()
)
"""The names listed in the prompts."""

NORTHERN_CAPITALS = tuple(
    (
        "Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin Amsterdam "
        "Warsaw London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau Bern Ljubljana "
        "Zagreb"
    ).split()
)
"""European capitals north of 45 degrees, from north to south."""

AUXILIARIES = frozenset(
    (
        "am are is was were be been being has have had do does did can could may might must shall should will would"
    ).split()
)
"""Forms of auxiliary verbs."""

VERBS = frozenset(
    (
        "accept achieve acknowledge act adapt add address adjust admit adopt adore advise advocate agree aim "
        "allow analyze answer apologize appear apply appreciate approach argue arrange arrive ask assemble assert "
        "assess assign assist assume attach attempt attend avoid awaken bake balance bathe be beat become begin "
        "believe beware blend bless boil bring browse brush build burn buy calculate call calm care carry catch "
        "celebrate challenge change charge chase check cheer choose chop cite clarify clean clear click climb "
        "cling close coat collect combine come commit compare complete compute concentrate conduct confirm "
        "connect conserve consider construct consult contact contain contemplate continue contribute convert "
        "convey cook cool copy correct count cover craft create crush cultivate cut dance dare debate debug "
        "decide declare decline decorate dedicate define delete deliver delve demonstrate deploy describe design "
        "detect determine develop dig dip discern discover discuss disregard distribute dive divide do document "
        "donate download draft drain draw dream drink drive drop earn eat edit educate eliminate embark embrace "
        "emphasize employ empower enable encounter encourage end engage enhance enjoy enrich ensure enter "
        "envision escape establish estimate evaluate examine excel exclude execute exercise exhale exist expand "
        "expect experience experiment explain explore express extract face facilitate fall fear feed feel fetch "
        "fight fill find finish fix flip float flow fly focus fold follow force forge forget forgive form "
        "formulate foster freeze fry gather gaze generate get give go grab grant grasp greet grill grind grow "
        "guide handle hang have hear heat help highlight hire hold hope hug hurry identify ignite illustrate "
        "imagine implement improve include incorporate increase indicate inform inhale initiate innovate insert "
        "insist inspect inspire install integrate interpret introduce introspect invent invest investigate invite "
        "involve isolate issue join journey jump justify keep kick kiss know label land laugh launch lay lead "
        "lean learn leave lend let leverage lift limit link list listen live load locate lock look lose love "
        "lower maintain make manage map march mark mash master match maximize mean measure meet melt mention "
        "merge mind mingle minimize mix modify monitor motivate mount move mow multiply name navigate need note "
        "notice nurture obey observe obtain offer omit open operate oppose optimize order organize outline "
        "overcome own pack paint participate pass pause pay peel perceive perform persuade phone pick place plan "
        "plant play point pour practice praise pray predict prepare present preserve press pretend prevent print "
        "prioritize proceed process proclaim produce program project promote pronounce propose protect prove "
        "provide publish pull purchase pursue push put quit quote raise reach read realize reassure receive "
        "recognize recommend reconsider record recover recycle reduce refer reflect refrain regard reject rejoice "
        "relax release rely remain remember remind remove render rent repair repeat replace reply report "
        "represent request require rescue research reserve reset resist resolve respect respond rest restore "
        "resume retain rethink retrieve return reveal review revise ride rinse rise risk roll run save say "
        "schedule search season see seek seize select sell send sense separate serve set settle shake shape share "
        "shift shine shoot shout show shut sign simmer simplify simulate sing sit skip sleep slice smile soak "
        "solve sort spark speak specify spend spin spread sprinkle squeeze stand start state stay steer step "
        "stick stir stop store strengthen stretch strike strive struggle study submit subscribe subtract succeed "
        "suggest summarize support suppose surrender surround survive sustain swap sweep swim switch tackle take "
        "talk tap taste teach tell tend test thank think thrive throw tie toss touch trace track trade train "
        "transform translate travel traverse treat trim trust try turn type uncover understand unite unleash "
        "unlock unveil update upgrade upload urge use utilize utter validate value venture verify view visit "
        "visualize vote wait wake walk wander want warn wash waste watch wear weave welcome whisk whisper win "
        "wipe wish witness wonder work wrap wrestle write yell yield"
    ).split()
)
"""Verbs that often begin a response, in their base form."""

_EMOJI = (
    "A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB 25B6 "
    "25C0 25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 2626 262A 262E-262F 2638-263A 2640 "
    "2642 2648-2653 265F-2660 2663 2665-2666 2668 267B 267E-267F 2692-2697 2699 269B-269C 26A0-26A1 26A7 "
    "26AA-26AB 26B0-26B1 26BD-26BE 26C4-26C5 26C8 26CE-26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD "
    "2702 2705 2708-270D 270F 2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 "
    "2763-2764 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F004 1F0CF "
    "1F170-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F201-1F202 1F21A 1F22F 1F232-1F23A 1F250-1F251 1F300-1F321 "
    "1F324-1F393 1F396-1F397 1F399-1F39B 1F39E-1F3F0 1F3F3-1F3F5 1F3F7-1F4FD 1F4FF-1F53D 1F549-1F54E 1F550-1F567 "
    "1F56F-1F570 1F573-1F57A 1F587 1F58A-1F58D 1F590 1F595-1F596 1F5A4-1F5A5 1F5A8 1F5B1-1F5B2 1F5BC 1F5C2-1F5C4 "
    "1F5D1-1F5D3 1F5DC-1F5DE 1F5E1 1F5E3 1F5E8 1F5EF 1F5F3 1F5FA-1F64F 1F680-1F6C5 1F6CB-1F6D2 1F6D5-1F6D9 "
    "1F6DC-1F6E5 1F6E9 1F6EB-1F6EC 1F6F0 1F6F3-1F6FC 1F7E0-1F7EB 1F7F0 1F90C-1F93A 1F93C-1F945 1F947-1F9FF "
    "1FA70-1FA7C 1FA80-1FAC6 1FAC8 1FACC-1FADD 1FADF-1FAEB 1FAEF-1FAFA"
)


def is_emoji(character: str) -> bool:
    """Return whether a single character is an emoji in Unicode's emoji-test.txt (version 17)."""
    return any(first <= ord(character) <= last for first, last in _RANGES)


def _ranges() -> tuple[tuple[int, int], ...]:
    pairs = (part.partition("-") for part in _EMOJI.split())
    return tuple((int(first, 16), int(last or first, 16)) for first, _, last in pairs)


_RANGES = _ranges()
