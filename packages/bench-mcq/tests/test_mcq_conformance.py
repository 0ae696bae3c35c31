import pytest

from openbench_mcq.metadata.exams import AGIEVAL
from openbench_testing import BenchmarkConformance

# One benchmark of each mapping is always checked. The others differ only in their rows: the stress session checks them.
CHECKED_SETS = {"agieval_gaokao_mathqa", "agieval_logiqa_zh", "agieval_lsat_ar"}
MEMBERS = ({*AGIEVAL} - CHECKED_SETS) | {"arc_easy", "gpqa_extended", "gpqa_main", "bbeh_mini"}


class TestMCQ(BenchmarkConformance):
    distribution = "openbench-mcq"
    without = MEMBERS


@pytest.mark.stress
class TestMembers(BenchmarkConformance):
    distribution = "openbench-mcq"
    only = MEMBERS
