from collections import Counter

from openbench_mmlu.subjects import CATEGORIES, SUBJECTS, category_of, choose_subjects


def test_every_subject_has_exactly_one_category():
    counts = Counter(subject for subjects in CATEGORIES.values() for subject in subjects)
    assert len(counts) == 57
    assert set(counts.values()) == {1}
    assert set(SUBJECTS) == set(counts)


def test_categories_have_the_sizes_of_the_original():
    sizes = {category: len(subjects) for category, subjects in CATEGORIES.items()}
    assert sizes == {"stem": 18, "humanities": 13, "social_sciences": 12, "other": 14}


def test_category_of_a_subject():
    assert category_of("anatomy") == "other"
    assert category_of("world_religions") == "humanities"


def test_no_subject_is_called_as_a_category():
    assert not set(SUBJECTS) & set(CATEGORIES)


def test_all_subjects_are_meant_if_none_is_named():
    assert choose_subjects("mmlu", None) == SUBJECTS


def test_a_subject_named_twice_is_meant_once():
    assert choose_subjects("mmlu", ["virology", "other", "virology"]) == CATEGORIES["other"]
