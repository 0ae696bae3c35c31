"""The 57 subjects of MMLU in four categories, as in `categories.py` of hendrycks/test."""

from openbench_mmlu.selection import Selection, choose

CATEGORIES = {
    "stem": (
        "abstract_algebra",
        "astronomy",
        "college_biology",
        "college_chemistry",
        "college_computer_science",
        "college_mathematics",
        "college_physics",
        "computer_security",
        "conceptual_physics",
        "electrical_engineering",
        "elementary_mathematics",
        "high_school_biology",
        "high_school_chemistry",
        "high_school_computer_science",
        "high_school_mathematics",
        "high_school_physics",
        "high_school_statistics",
        "machine_learning",
    ),
    "humanities": (
        "formal_logic",
        "high_school_european_history",
        "high_school_us_history",
        "high_school_world_history",
        "international_law",
        "jurisprudence",
        "logical_fallacies",
        "moral_disputes",
        "moral_scenarios",
        "philosophy",
        "prehistory",
        "professional_law",
        "world_religions",
    ),
    "social_sciences": (
        "econometrics",
        "high_school_geography",
        "high_school_government_and_politics",
        "high_school_macroeconomics",
        "high_school_microeconomics",
        "high_school_psychology",
        "human_sexuality",
        "professional_psychology",
        "public_relations",
        "security_studies",
        "sociology",
        "us_foreign_policy",
    ),
    "other": (
        "anatomy",
        "business_ethics",
        "clinical_knowledge",
        "college_medicine",
        "global_facts",
        "human_aging",
        "management",
        "marketing",
        "medical_genetics",
        "miscellaneous",
        "nutrition",
        "professional_accounting",
        "professional_medicine",
        "virology",
    ),
}

_CATEGORY_OF = {subject: category for category, subjects in CATEGORIES.items() for subject in subjects}
SUBJECTS = tuple(sorted(_CATEGORY_OF))


def category_of(subject: str) -> str:
    """Return the category of a subject.

    Raises:
        ValueError: MMLU has no such subject.
    """
    if subject not in _CATEGORY_OF:
        raise ValueError(f"{subject!r} is not one of the {len(SUBJECTS)} subjects")
    return _CATEGORY_OF[subject]


def choose_subjects(benchmark: str, chosen: Selection) -> tuple[str, ...]:
    """Resolve names of subjects and categories to subjects, in alphabetical order; all for None.

    Raises:
        UsageError: A name is unknown, or none is given.
    """
    groups = {subject: (subject,) for subject in SUBJECTS} | CATEGORIES
    return tuple(sorted(choose(f"{benchmark}: subjects", chosen, groups, categories=tuple(CATEGORIES))))
