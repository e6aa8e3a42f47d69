"""What do plain sentences look like, of which no two need be the same? Made from word lists, with no value in them."""

from __future__ import annotations

import random

__all__ = ["sentence"]

_LISTS = {
    "adjective": "old,new,small,large,quiet,careful,early,late,common,rare,simple,local,regular,heavy,light,open,broad,"
    "narrow,steady,useful,costly,cheap,modern,former,distant,recent,strong,weak,clear,formal",
    "noun": "report,committee,office,valley,library,harbor,garden,engine,supplier,teacher,visitor,farmer,customer,"
    "manager,contract,project,survey,warehouse,bridge,school,council,neighbor,museum,station,delivery,machine,budget,"
    "proposal,village,forest,coast,river,workshop,market,union,clinic,archive,letter,road,railway,kitchen,orchestra,"
    "region,building,agency,journal,method,record,season,festival,exhibition",
    "verb": "supported,changed,described,reached,followed,improved,replaced,visited,explained,supplied,accepted,opened,"
    "repaired,finished,protected,prepared,considered,welcomed,reviewed,shared,discussed",
    "time": "after some time,in the end,before the winter,during the summer,for many years,as planned,once again,"
    "in most places,without much help,from time to time,by the end of the week,at first,in the meantime,as a rule",
    "reason": "because the {other} had asked for it,although the {third} was not ready,so that the {noun} could go on,"
    "while the {other} waited for the {third},as the {third} of the {other} had shown,since few knew the {third} well,"
    "which the {third} found {adjective},and the {other} stayed {adjective},but the {third} remained {adjective}",
}
_WORDS = {slot: words.split(",") for slot, words in _LISTS.items()}
_FRAMES = (
    "The {adjective} {noun} {verb} the {other} {time}.",
    "{Time} the {noun} {verb} the {adjective} {other}.",
    "The {noun} {verb} the {other}, {reason}.",
    "The {noun} of the {adjective} {other} {verb} every {third} {time}.",
    "{Time} the {adjective} {noun} and the {other} {verb} the {third}, {reason}.",
    "According to the {noun}, the {adjective} {other} {verb} the {third} {time}.",
    "There was a {adjective} {noun} near the {other}, {reason}.",
)


def sentence(chance: random.Random) -> str:
    """One made-up sentence of some ten to twenty common words."""
    slots = {slot: chance.choice(words) for slot, words in _WORDS.items()}
    slots["noun"], slots["other"], slots["third"] = chance.sample(_WORDS["noun"], 3)
    slots["reason"] = slots["reason"].format_map(slots | {"adjective": chance.choice(_WORDS["adjective"])})
    slots["Time"] = slots["time"].capitalize()
    return chance.choice(_FRAMES).format_map(slots)
