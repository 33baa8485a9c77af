"""What a report says in words: verdict, answer and each section, from good to bad tables."""

from __future__ import annotations

import pytest

import reidrisk as rr
from tests.reports import tables


def of_rows() -> rr.Table:
    """Rows of which several may be one person's, which nobody has said."""
    held = {"patient_id": ["1", "1", "2", "3"] * 5, "county": list("abbc") * 5}
    return rr.read(held | {"sex": list("fmmf") * 5}, columns=["county", "sex"])


TABLES = {
    "safe": tables.safe,
    "grouped": tables.grouped,
    "middling": tables.middling,
    "bad": tables.bad,
    "rows": of_rows,
}

ANSWERS: dict[str, tuple[str, ...]] = {
    "safe": (
        "Everyone is hidden in a crowd",
        "Each of the 1,000 people shares their combination of sex and county "
        "with others: the smallest crowd has 250 people (k-anonymity: k = 250).",
        "An attacker who knows all of this about a person, and that the person "
        "is in the table, can only guess within the crowd, and is right with a "
        "probability of 0.4 % on average (overall risk).",
        "This holds for these quasi-identifiers only: anything else an attacker"
        " knows makes the crowds smaller.",
    ),
    "grouped": (
        "Nobody is alone, but some crowds are small",
        "Nobody is alone (unique), but 6 of the 1,000 people (0.6 %) are in "
        "crowds of fewer than 5 with the same sex.",
        "An attacker who knows this about a person, and that the person is in "
        "the table, can only guess within the crowd, and is right with a "
        "probability of 0.4 % on average (overall risk) and 33.3 % in the "
        "smallest crowd (highest risk).",
        "Rare values contribute most to the risk; 99.4 % are in crowds of at least 5.",
    ),
    "middling": (
        "A few people stand out",
        "89 of the 100,000 people (0.09 %) are alone (unique): nobody else has "
        "their combination of county, age and occupation.",
        "An attacker who knows all of this about a person, and that the person "
        "is in the table, re-identifies them with a probability of 3.9 % on "
        "average (overall risk), and with certainty if they are alone.",
        "Most at risk are people with age 66 (2.0 % of 1,058 people are alone) "
        "and people with occupation farming (1.9 % of 1,729 people are alone); "
        "98.9 % are in crowds of at least 5.",
    ),
    "bad": (
        "Most people stand out",
        "1,862 of the 2,000 people (93.1 %) are alone (unique): nobody else has"
        " their combination of postcode, age, sex and occupation.",
        "An attacker who knows all of this about a person, and that the person "
        "is in the table, re-identifies them with a probability of 96.5 % on "
        "average (overall risk), and with certainty if they are alone.",
        "Most at risk are people with occupation at home (100 % of 95 people "
        "are alone) and people with postcode 0301 (100 % of 43 people are "
        "alone); nobody is in a crowd of at least 5.",
    ),
    "rows": (
        "Everyone is hidden in a crowd",
        "Each of the 20 rows shares their combination of county and sex with "
        "others: the smallest crowd has 5 rows (k-anonymity: k = 5).",
        "An attacker who knows all of this about a person, and that the person "
        "is in the table, can only guess within the crowd, and is right with a "
        "probability of 15.0 % on average (overall risk) and 20.0 % in the "
        "smallest crowd (highest risk).",
        "This holds for these quasi-identifiers only: anything else an attacker"
        " knows makes the crowds smaller.",
    ),
}

SECTIONS: dict[str, dict[str, str]] = {
    "safe": {
        "target": "Target: crowds of at least 5. It is met.",
        "crowd_sizes": "A person's crowd (equivalence class) is everyone who shares their "
        "values of the quasi-identifiers. All people are in crowds of "
        "200–499. The smaller the crowd, the easier it is to pick someone "
        "out of it: in a crowd of four, one guess in four is right.",
        "at_least": "A table is k-anonymous if every crowd has at least k people: here "
        "k = 250. 100 % of the people are in crowds of at least 5, a common"
        " target.",
        "combinations": "No attacker knows everything. Some combinations of attributes "
        "single out far more people than others. No combination of up to 2 "
        "attributes singles out more than 5 % of the people.",
        "adds": "All attributes contribute equally to the overall risk: 50.0 % of "
        "it each. Making the attributes at the top coarser, or leaving them"
        " out, lowers the risk most.",
        "dependence": "An attribute that follows from another adds nothing to what an "
        "attacker knows; one that is independent of the others adds most. "
        "No attribute predicts even half of another.",
        "attack": "An attacker who knows sex and county re-identifies 0 % of the "
        "people with certainty, and 0 % with a probability of at least 1 in"
        " 5. Knowing only sex: 0 % with certainty, 0 % with a probability "
        "of at least 1 in 5. 1 in 5 is a common limit.",
        "group": "Someone hidden in the whole table may stand out in a school class,"
        " a ward or a club. The curve shows how likely it is that no two "
        "members of a group share all values. In groups of up to 2 "
        "people, the probability that all members are unique is at least "
        "one half. "
        "Among 5 people, a given member is unique with a probability of "
        "31.6 %.",
        "prediction": "From published counts alone, nobody would be expected to be alone "
        "(unique), and nobody is.",
        "generalisation": "No detail has to be lost for crowds of at least 100. Each step is "
        "the least loss that reaches these crowds.",
    },
    "grouped": {
        "target": "Target: crowds of at least 5. It isn't met.",
        "crowd_sizes": "A person's crowd (equivalence class) is everyone who shares their "
        "values of the quasi-identifiers. The largest share of the people, "
        "50.0 %, are in crowds of 500–999. The smaller the crowd, the "
        "easier it is to pick someone out of it: in a crowd of four, one "
        "guess in four is right.",
        "at_least": "A table is k-anonymous if every crowd has at least k people: here "
        "k = 3. 99.4 % of the people are in crowds of at least 5, a common "
        "target.",
        "combinations": "No attacker knows everything. Some combinations of attributes "
        "single out far more people than others. No combination of up to 1 "
        "attribute singles out more than 5 % of the people.",
        "attack": "An attacker who knows sex re-identifies 0 % of the people with "
        "certainty, and 0.6 % with a probability of at least 1 in 5. 1 in 5"
        " is a common limit.",
        "group": "Someone hidden in the whole table may stand out in a school class,"
        " a ward or a club. The curve shows how likely it is that no two "
        "members of a group share all values. In groups of up to 2 "
        "people, the probability that all members are unique is at least "
        "one half. "
        "Among 4 people, a given member is unique with a probability of "
        "13.2 %.",
        "prediction": "From published counts alone, 0.3 % of the people would be "
        "expected to be alone (unique); 0 % are. So the counts alone give"
        " a good estimate of the risk.",
        "generalisation": "Crowds of at least 2 take a loss of detail of 0 %; crowds of at "
        "least 100 take 100 %. Each step is the least loss that reaches "
        "these crowds.",
    },
    "middling": {
        "target": "Target: crowds of at least 5. It isn't met.",
        "crowd_sizes": "A person's crowd (equivalence class) is everyone who shares their "
        "values of the quasi-identifiers. The largest share of the people, "
        "28.8 %, are in crowds of 100–199. The smaller the crowd, the "
        "easier it is to pick someone out of it: in a crowd of four, one "
        "guess in four is right.",
        "at_least": "A table is k-anonymous if every crowd has at least k people: here "
        "k = 1. 98.9 % of the people are in crowds of at least 5, a common "
        "target.",
        "values": "Of the 1,058 people with age 66, 21 (2.0 %) are alone: the highest"
        " share among values that at least 100 people have.",
        "combinations": "No attacker knows everything. Some combinations of attributes "
        "single out far more people than others. No combination of up to 3 "
        "attributes singles out more than 5 % of the people.",
        "adds": "age contributes most to the overall risk: 38.8 % of it. occupation"
        " contributes least: 29.7 %. Making the attributes at the top "
        "coarser, or leaving them out, lowers the risk most.",
        "dependence": "An attribute that follows from another adds nothing to what an "
        "attacker knows; one that is independent of the others adds most. "
        "No attribute predicts even half of another.",
        "attack": "An attacker who knows county, age and occupation re-identifies "
        "0.09 % of the people with certainty, and 1.9 % with a probability "
        "of at least 1 in 5. Knowing only age: 0 % with certainty, 0 % with"
        " a probability of at least 1 in 5. 1 in 5 is a common limit.",
        "group": "Someone hidden in the whole table may stand out in a school class,"
        " a ward or a club. The curve shows how likely it is that no two "
        "members of a group share all values. In groups of up to 42 "
        "people, the probability that all members are unique is at least "
        "one half. "
        "Among 133 people, a given member is unique with a probability of "
        "90.3 %.",
        "prediction": "From published counts alone, 0.2 % of the people would be "
        "expected to be alone (unique); 0.09 % are. So the counts alone "
        "give a good estimate of the risk. If all attributes were "
        "independent, it would be 0.6 %: the difference is due to "
        "dependence between attributes.",
        "generalisation": "Crowds of at least 2 take a loss of detail of 22.2 %; crowds of at"
        " least 100 take 27.8 %. Each step is the least loss that reaches "
        "these crowds.",
    },
    "bad": {
        "target": "Target: crowds of at least 5. It isn't met.",
        "crowd_sizes": "A person's crowd (equivalence class) is everyone who shares their "
        "values of the quasi-identifiers. Most people, 93.1 %, are alone. "
        "The smaller the crowd, the easier it is to pick someone out of it:"
        " in a crowd of four, one guess in four is right.",
        "at_least": "A table is k-anonymous if every crowd has at least k people: here "
        "k = 1. 0 % of the people are in crowds of at least 5, a common "
        "target.",
        "values": "Of the 95 people with occupation at home, 95 (100 %) are alone: "
        "the highest share among values that at least 20 people have. "
        "Values that occur only once: 12 of postcode and 1 of age.",
        "combinations": "No attacker knows everything. Some combinations of attributes "
        "single out far more people than others. Knowing postcode and age "
        "is enough to single out 73.6 % of the people.",
        "adds": "postcode contributes most to the overall risk: 49.1 % of it. sex "
        "contributes least: 4.6 %. Making the attributes at the top "
        "coarser, or leaving them out, lowers the risk most.",
        "dependence": "An attribute that follows from another adds nothing to what an "
        "attacker knows; one that is independent of the others adds most. "
        "No attribute predicts even half of another.",
        "attack": "An attacker who knows all 4 attributes re-identifies 93.1 % of the"
        " people with certainty, and 100 % with a probability of at least 1"
        " in 5. Knowing only postcode: 0.6 % with certainty, 10.4 % with a "
        "probability of at least 1 in 5. 1 in 5 is a common limit.",
        "group": "Someone hidden in the whole table may stand out in a school class,"
        " a ward or a club. The curve shows how likely it is that no two "
        "members of a group share all values. In groups of up to 51 "
        "people, the probability that all members are unique is at least "
        "one half. "
        "Among 160 people, a given member is unique with a probability of "
        "91.9 %.",
        "prediction": "From published counts alone, 89.1 % of the people would be "
        "expected to be alone (unique); 93.1 % are. So the counts alone "
        "give a good estimate of the risk. If all attributes were "
        "independent, it would be 98.0 %: the difference is due to "
        "dependence between attributes.",
        "generalisation": "Crowds of at least 2 take a loss of detail of 45.8 %; crowds of at"
        " least 100 take 75.0 %. Each step is the least loss that reaches "
        "these crowds.",
    },
    "rows": {
        "crowd_sizes": "A person's crowd (equivalence class) is everyone who shares their "
        "values of the quasi-identifiers. The largest share of the rows, "
        "50.0 %, are in crowds of 5–9. The smaller the crowd, the easier it"
        " is to pick someone out of it: in a crowd of four, one guess in "
        "four is right.",
        "at_least": "A table is k-anonymous if every crowd has at least k rows: here k "
        "= 5. 100 % of the rows are in crowds of at least 5, a common "
        "target.",
        "combinations": "No attacker knows everything. Some combinations of attributes "
        "single out far more people than others. No combination of up to 2 "
        "attributes singles out more than 5 % of the rows.",
        "adds": "county contributes most to the overall risk: 75.0 % of it. sex "
        "contributes least: 25.0 %. Making the attributes at the top "
        "coarser, or leaving them out, lowers the risk most.",
        "dependence": "An attribute that follows from another adds nothing to what an "
        "attacker knows; one that is independent of the others adds most. "
        "Largely or entirely predicted: sex from county and county from "
        "sex.",
        "attack": "An attacker who knows county and sex re-identifies 0 % of the rows"
        " with certainty, and 50.0 % with a probability of at least 1 in 5."
        " Knowing only county: 0 % with certainty, 50.0 % with a "
        "probability of at least 1 in 5. 1 in 5 is a common limit.",
        "group": "Someone hidden in the whole table may stand out in a school class,"
        " a ward or a club. The curve shows how likely it is that no two "
        "members of a group share all values. In groups of up to 2 "
        "people, the probability that all members are unique is at least "
        "one half. "
        "Among 4 people, a given member is unique with a probability of "
        "27.3 %.",
        "prediction": "From published counts alone, 1.9 % of the rows would be expected"
        " to be alone (unique); 0 % are. Here the counts give only a "
        "rough estimate. If all attributes were independent, it would be "
        "0.01 %: the difference is due to dependence between attributes.",
    },
}


@pytest.fixture(scope="module", params=list(TABLES))
def told(request: pytest.FixtureRequest) -> tuple[str, rr.Report]:
    """A report on each table, judged by crowds of at least five."""
    name = request.param
    if name == "rows":
        # What a row stands for has to be known before values are made coarser or a limit is judged.
        return name, rr.report(TABLES[name]())
    return name, rr.report(TABLES[name](), limits={"highest_risk": "1/5"}, hierarchies={})


def test_the_answer_in_words(told: tuple[str, rr.Report]) -> None:
    name, report = told
    assert (report.answer.verdict, *report.answer.sentences) == ANSWERS[name]


def test_each_section_in_words(told: tuple[str, rr.Report]) -> None:
    name, report = told
    said = {section.key: " ".join(section.sentences) for section in report.sections}
    assert said == SECTIONS[name]


def test_rows_are_never_called_people(told: tuple[str, rr.Report]) -> None:
    name, report = told
    of = "rows" if name == "rows" else "people"
    heads = {
        head
        for section in report.sections
        if section.key in ("crowd_sizes", "at_least")
        for grid in section.grids
        for head in grid.heads
    }
    assert of in heads
    assert ({"rows", "people"} - {of}).isdisjoint(heads)
    assert f"Of a hundred {of}:" in report.to_markdown()
