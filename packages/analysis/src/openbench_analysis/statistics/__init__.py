"""The statistics of comparing runs: functions of numpy arrays and plain numbers, each with its source.

`before` and `after` hold one score a sample, shape (n,): the same samples in the same order, epochs averaged.
`clusters` names the cluster of each. What is random takes a seed: the same input and seed give the same output.

`exact_power` is not imported here, since it takes scipy.stats, whose import is as long as all the rest.
"""

from openbench_analysis.statistics.corpus import (
    PairedBootstrap,
    approximate_randomization,
    paired_bootstrap,
    recomputed_bootstrap,
    recomputed_randomization,
)
from openbench_analysis.statistics.defaults import is_binary, mean_interval, paired_interval, paired_test
from openbench_analysis.statistics.families import MacroAverage, benjamini_hochberg, holm, macro_average, tie_groups
from openbench_analysis.statistics.means import (
    bca_interval,
    bounded_interval,
    design_effect,
    liang_zeger,
    mean_of,
    sign_flip,
    t_interval,
    t_test,
)
from openbench_analysis.statistics.power import (
    Components,
    components_of,
    detectable_effect,
    discordance_deviation,
    epochs_deviation,
    epochs_needed,
    equivalence,
    minimum_detectable_effect,
    non_inferiority,
    power_of,
    samples_needed,
    samples_needed_for_margin,
    smallest_margin,
)
from openbench_analysis.statistics.proportions import (
    PairedCounts,
    clopper_pearson,
    mcnemar,
    newcombe,
    tango,
    tango_test,
    tango_z,
    wilson,
)
from openbench_analysis.statistics.results import Estimate, Interval, Significance, differences

__all__ = [
    "Components",
    "Estimate",
    "Interval",
    "MacroAverage",
    "PairedBootstrap",
    "PairedCounts",
    "Significance",
    "approximate_randomization",
    "bca_interval",
    "benjamini_hochberg",
    "bounded_interval",
    "clopper_pearson",
    "components_of",
    "design_effect",
    "detectable_effect",
    "differences",
    "discordance_deviation",
    "epochs_deviation",
    "epochs_needed",
    "equivalence",
    "holm",
    "is_binary",
    "liang_zeger",
    "macro_average",
    "mcnemar",
    "mean_interval",
    "mean_of",
    "minimum_detectable_effect",
    "newcombe",
    "non_inferiority",
    "paired_bootstrap",
    "paired_interval",
    "paired_test",
    "power_of",
    "recomputed_bootstrap",
    "recomputed_randomization",
    "samples_needed",
    "samples_needed_for_margin",
    "sign_flip",
    "smallest_margin",
    "t_interval",
    "t_test",
    "tango",
    "tango_test",
    "tango_z",
    "tie_groups",
    "wilson",
]
