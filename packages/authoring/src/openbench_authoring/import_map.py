"""Where to find each name of eval-framework's guide: a task class changes only these imports."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# Where it is here -> where it is there -> the names, which are the same.
_NAMES = {
    "openbench_authoring": {
        "eval_framework.exceptions": ("LogicError",),
        "eval_framework.metrics.base": ("BaseMetric", "MetricResult"),
        "eval_framework.metrics.completion.text_counter": (
            "ParagraphCounterMetricContext",
            "SentenceCounterMetricContext",
            "WordCounterMetricContext",
        ),
        "eval_framework.metrics.completion.ifeval": ("IFEvalMetricContext",),
        "eval_framework.metrics.completion.struct_eval_metrics": (
            "RenderableStructMetricContext",
            "StructMetricContext",
        ),
        "eval_framework.metrics.llm.llm_judge_format_correctness": ("LLMJudgeFormatCorrectnessContext",),
        "eval_framework.metrics.llm.llm_judge_mtbench_pair": ("MTBenchJudgePairMetricContext",),
        "eval_framework.metrics.llm.llm_judge_mtbench_single": ("MTBenchJudgeSingleMetricContext",),
        "eval_framework.metrics.llm.llm_judge_sql": ("LLMJudgeSqlMetricContext",),
        "eval_framework.models.sample": ("ResponseType", "Sample"),
        "eval_framework.shared.types": (
            "BaseMetricContext",
            "Completion",
            "Error",
            "LanguageMetricContext",
            "Loglikelihood",
            "UntemplatedPrompt",
            "extract_context_metric",
        ),
        "eval_framework.tasks.base": (
            "BaseTask",
            "Language",
            "NO_SUBJECT",
            "RANDOM_SEED",
            "ResponseType",
            "Sample",
            "SubjectType",
        ),
        "eval_framework.tasks.registry": (
            "get_task",
            "is_registered",
            "register_lazy_task",
            "register_task",
            "registered_task_names",
        ),
        "eval_framework.tasks.utils": ("RANDOM_SEED", "get_n_letters"),
        "template_formatting.formatter": ("Message", "Role"),
    },
    "openbench_authoring.metrics": {
        "eval_framework.metrics.completion.accuracy_completion": ("AccuracyCompletion",),
        "eval_framework.metrics.completion.bleu": ("BLEU", "LINEWISE_BLEU", "ResponseToOriginalBLEU"),
        "eval_framework.metrics.completion.chrf": ("CHRF", "LINEWISE_CHRF"),
        "eval_framework.metrics.completion.code_assertion": ("CodeCompletionAssertion",),
        "eval_framework.metrics.completion.code_execution_pass_at_one": (
            "CodeExecutionPassAtOne",
            "CodeExecutionPassAtOneContext",
        ),
        "eval_framework.metrics.completion.comet": ("COMET",),
        "eval_framework.metrics.completion.csv_format": ("CSVFormat",),
        "eval_framework.metrics.completion.cwe_accuracy": ("CWEAccuracy",),
        "eval_framework.metrics.completion.exponential_similarity": ("ExponentialSimilarity",),
        "eval_framework.metrics.completion.f1": ("F1",),
        "eval_framework.metrics.completion.format_checker": ("CheckJsonFormat", "CheckPostScriptFormat"),
        "eval_framework.metrics.completion.grid_difference": ("GridDifference",),
        "eval_framework.metrics.completion.ifeval": ("IFEvalMetric",),
        "eval_framework.metrics.completion.json_format": ("JsonFormat",),
        "eval_framework.metrics.completion.language_checker": (
            "GermanCompletionChecker",
            "LanguageChecker",
            "LanguageConsistencyChecker",
            "LanguageRawConsistencyChecker",
        ),
        "eval_framework.metrics.completion.length_control": ("LengthControl",),
        "eval_framework.metrics.completion.math_reasoning_completion": ("MathReasoningCompletion",),
        "eval_framework.metrics.completion.niah_accuracy": ("NIAHAccuracy",),
        "eval_framework.metrics.completion.rouge_1": ("ROUGE_1",),
        "eval_framework.metrics.completion.rouge_2": ("ROUGE_2",),
        "eval_framework.metrics.completion.rouge_geometric_mean": ("ROUGE_GEOMETRIC_MEAN",),
        "eval_framework.metrics.completion.rouge_l": ("ROUGE_L",),
        "eval_framework.metrics.completion.struct_eval_metrics": ("RenderableStructMetric", "StructMetric"),
        "eval_framework.metrics.completion.ter": ("LINEWISE_TER", "TER"),
        "eval_framework.metrics.completion.text_counter": (
            "ParagraphCounter",
            "ResponseToOriginalLengthRatio",
            "SentenceCounter",
            "WordCounter",
        ),
        "eval_framework.metrics.llm.llm_judge_chatbot_style": ("LLMJudgeChatbotStyle",),
        "eval_framework.metrics.llm.llm_judge_completion_accuracy": ("LLMJudgeCompletionAccuracy",),
        "eval_framework.metrics.llm.llm_judge_conciseness": ("LLMJudgeConciseness",),
        "eval_framework.metrics.llm.llm_judge_contains_names": ("LLMJudgeAvoidsNames",),
        "eval_framework.metrics.llm.llm_judge_format_correctness": ("LLMJudgeFormatCorrectness",),
        "eval_framework.metrics.llm.llm_judge_instruction": ("LLMJudgeInstruction",),
        "eval_framework.metrics.llm.llm_judge_mtbench_pair": ("MTBenchJudgePair",),
        "eval_framework.metrics.llm.llm_judge_mtbench_single": ("MTBenchJudgeSingle",),
        "eval_framework.metrics.llm.llm_judge_refusal": ("LLMJudgeRefusal",),
        "eval_framework.metrics.llm.llm_judge_sql": ("LLMJudgeSql",),
        "eval_framework.metrics.llm.llm_judge_world_knowledge": ("LLMJudgeWorldKnowledge",),
        "eval_framework.metrics.loglikelihood.accuracy_loglikelihood": (
            "AccuracyLoglikelihood",
            "AccuracyNormLoglikelihood",
        ),
        "eval_framework.metrics.loglikelihood.bits_per_byte": ("BitsPerByteLoglikelihood",),
        "eval_framework.metrics.loglikelihood.confidence_weighted_accuracy": ("ConfidenceWeightedAccuracy",),
        "eval_framework.metrics.loglikelihood.dcs": ("DistributionalCorrectnessScore",),
        "eval_framework.metrics.loglikelihood.probability_mass": ("ProbabilityMass", "ProbabilityMassNorm"),
        "eval_framework.metrics.loglikelihood.ternary": ("TernaryScore",),
        "eval_framework.tasks.utils": (
            "BIG_CODE_BENCH_PACKAGE_MAPPING",
            "CallableSerializer",
            "_parse_unittest_output",
            "run_python_code",
            "unittest_merge_snippets",
        ),
    },
}

IMPORTS = {
    f"{module}:{name}": f"{here}:{name}"
    for here, modules in _NAMES.items()
    for module, names in modules.items()
    for name in names
}
"""`module:name` there -> `module:name` here."""


def imports_instead(file: Path) -> str:
    """Return the imports that replace eval-framework's modules in a file, as lines to paste."""
    here: defaultdict[str, set[str]] = defaultdict(set)
    nowhere: list[str] = []
    for name in _imported(file):
        module, _, attribute = IMPORTS.get(name, "").partition(":")
        if module:
            here[module].add(attribute)
        else:
            nowhere.append(name.replace(":", "."))
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(here.items())]
    without = f"\nThere is no equivalent of {', '.join(nowhere)}." if nowhere else ""
    if not lines:
        return f"The README of openbench-authoring lists its modules' equivalents.{without}"
    return "\n".join(["In place of eval-framework, import:", *lines]) + without


def _imported(file: Path) -> Iterator[str]:
    """Yield a file's imports from eval-framework as `module:name`."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}:{alias.name}" for alias in node.names if _is_theirs(node.module))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _is_theirs(alias.name))


def _is_theirs(module: str) -> bool:
    return module.partition(".")[0] in {"eval_framework", "template_formatting"}
