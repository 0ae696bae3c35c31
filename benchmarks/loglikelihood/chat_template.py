"""Compare ranked prompts in a chat template with those of lm-evaluation-harness, and their log-probabilities.

cd benchmarks && loglikelihood/.venv/bin/python -m loglikelihood.chat_template
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from lm_eval.api.task import ConfigurableTask
from lm_eval.models.huggingface import HFLM
from loglikelihood.models import build, real_rows
from transformers import AutoModelForCausalLM, AutoTokenizer

from openbench_loglikelihood.chat import Chat, FewShotAs, templated_request
from openbench_loglikelihood.local.model import LocalModel
from openbench_loglikelihood.request import Request
from openbench_ranking.request import RankingRequest

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
SAMPLES = 20
DESCRIPTION = "The following are questions with answers."
SYSTEM = "You are a careful student."
CASES: list[tuple[bool, int, FewShotAs, bool]] = [
    (True, 0, "turns", False),
    (True, 3, "turns", False),
    (True, 3, "turns", True),
    (True, 3, "message", True),
    (False, 0, "turns", True),
    (False, 3, "turns", True),
]
"""Whether the assistant's answer is begun with `Answer:`, the number of examples, how they are shown, and whether there
is a system message."""


def messages_of(row: dict[str, Any], shots: list[dict[str, Any]], *, begun: bool) -> Iterator[ChatMessage]:
    """Yield the messages of a sample."""
    cue = "" if begun else "\nAnswer:"
    yield ChatMessageSystem(content=DESCRIPTION)
    for each in [*shots, row]:
        yield ChatMessageUser(content=f"Question: {each['question']}{cue}")
        if each is not row:
            answer = each["choices"][each["answer"]]
            yield ChatMessageAssistant(content=f"Answer: {answer}" if begun else answer)
    if begun:
        yield ChatMessageAssistant(content="Answer:")


def task_of(folder: Path, *, begun: bool) -> ConfigurableTask:
    """Return the same as a task of lm-evaluation-harness."""
    files = {name: str(folder / f"{name}.jsonl") for name in ("test", "dev")}
    return ConfigurableTask(
        config={
            "task": "chat",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": files},
            "test_split": "test",
            "fewshot_split": "dev",
            "fewshot_config": {"sampler": "first_n", "target_delimiter": "\n"},
            "output_type": "multiple_choice",
            "description": DESCRIPTION,
            "doc_to_text": "Question: {{question}}" if begun else "Question: {{question}}\nAnswer:",
            "doc_to_choice": "choices",
            "doc_to_target": "answer",
            **({"gen_prefix": "Answer:"} if begun else {}),
        }
    )


def main() -> None:
    """Print, for each case, how many prompts differ, and by how much log-probabilities do at most."""
    path = build("llama", Path(__file__).parent / "build")
    tokenizer = AutoTokenizer.from_pretrained(path)
    tokenizer.chat_template = TEMPLATE
    model = AutoModelForCausalLM.from_pretrained(path).eval()
    lm, local = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=8), LocalModel(model, tokenizer)
    rows, shots = real_rows("test")[:SAMPLES], real_rows("dev")[:3]
    with tempfile.TemporaryDirectory() as folder:
        for name, of in (("test", rows), ("dev", shots)):
            (Path(folder) / f"{name}.jsonl").write_text("\n".join(map(json.dumps, of)), "utf-8")
        for begun, count, shown, system in CASES:
            theirs = _theirs(task_of(Path(folder), begun=begun), lm, count, shown, system=system)
            chat = Chat(shown, SYSTEM if system else None)
            ours = [_ours(tokenizer, chat, row, shots[:count], begun=begun) for row in rows]
            pairs = [(each.context, text) for each in ours for text in each.continuations]
            other = sum(pair != instance.args for pair, instance in zip(pairs, theirs, strict=True))
            found = dict(local.loglikelihoods(ours))
            values = [score.loglikelihood for index in range(len(ours)) for score in found[index]]
            expected = [value for value, _ in lm.loglikelihood(theirs, disable_tqdm=True)]
            most = max(abs(a - b) for a, b in zip(values, expected, strict=True))
            print(
                f"{'Answer: begun' if begun else 'turn opened'}, {count} examples as {shown}, "
                f"{'with' if system else 'without'} a system message: {len(pairs)} requests, {other} differ; "
                f"log-probabilities differ by {most:.1e} at most"
            )


def _ours(tokenizer: Any, chat: Chat, row: dict[str, Any], shots: list[dict[str, Any]], *, begun: bool) -> Request:
    options = [f" {choice}" for choice in row["choices"]]
    request = RankingRequest(messages=list(messages_of(row, shots, begun=begun)), continuations=options, gold=[0])
    return templated_request(tokenizer, chat, request)


def _theirs(task: ConfigurableTask, lm: HFLM, count: int, shown: FewShotAs, *, system: bool) -> list[Any]:
    found = []
    for doc in task.test_docs():
        context = task.fewshot_context(
            doc,
            count,
            system_instruction=SYSTEM if system else None,
            apply_chat_template=True,
            fewshot_as_multiturn=shown == "turns",
            chat_template=lm.apply_chat_template,
            gen_prefix=task.doc_to_prefix(doc),
        )
        found += task.construct_requests(doc, context, apply_chat_template=True, chat_template=lm.apply_chat_template)
    return found


if __name__ == "__main__":
    main()
