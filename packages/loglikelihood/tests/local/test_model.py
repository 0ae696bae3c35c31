import itertools
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from openbench.errors import DataError, OpenbenchError, UsageError
from openbench_loglikelihood.encoding import Encoded
from openbench_loglikelihood.local.forward import Forward
from openbench_loglikelihood.local.model import LocalModel
from openbench_loglikelihood.local.prefix_tree import Budget, PrefixTree
from openbench_loglikelihood.local.scoring import Scoring
from openbench_loglikelihood.request import Request

REQUESTS = [
    Request("The capital of France is", [" Paris", " Paris, Paris", " London", " Paris"]),
    Request("", ["one two", "Grüße 🙂"]),
    Request("one two three " * 6, [" A", " B", " C"]),
    Request("one two three " * 6 + "Question:", [" what is it?", " it"]),
    Request("The capital of France is Paris. Question: ", ["what"]),
]

short = st.lists(st.integers(0, 4), min_size=1, max_size=9)
sequences = st.lists(st.tuples(short, short), min_size=1, max_size=14)


@torch.no_grad()
def naive(model, item):
    """The sum and the greedy flag of one sequence, from all logits of a pass of its own."""
    tokens = torch.from_numpy(item.tokens.astype(np.int64))
    logprobs = model(tokens[None, :-1]).logits[0].double().log_softmax(-1)[-item.scored :]
    targets = tokens[-item.scored :]
    return float(logprobs.gather(1, targets[:, None]).sum()), bool((logprobs.argmax(-1) == targets).all())


def assert_naive(model, encoded, sums, greedy):
    for item, total, flag in zip(encoded, sums, greedy, strict=True):
        expected, best = naive(model, item)
        assert total == pytest.approx(expected, rel=1e-6, abs=1e-4)
        assert flag == best


@settings(max_examples=60)
@given(
    pairs=sequences, batch=st.integers(1, 60), row=st.integers(1, 30), scored=st.integers(1, 40), trees=st.booleans()
)
def test_any_requests_and_any_budget_give_the_naive_values(model_of, pairs, batch, row, scored, trees):
    model = model_of("llama")
    encoded = [Encoded(np.array([*a, *b], np.int32), len(b), 0, i) for i, (a, b) in enumerate(pairs)]
    run = Scoring(Forward(model), encoded, Budget(batch, row, scored), trees=trees)
    assert sorted(run) == list(range(len(encoded)))
    assert_naive(model, encoded, run.sums, run.greedy)


@settings(max_examples=60)
@given(pairs=sequences, row=st.integers(1, 30), worth=st.integers(0, 30))
def test_every_sequence_is_in_one_group_and_one_row(pairs, row, worth):
    encoded = [Encoded(np.array([*a, *b], np.int32), len(b), 0, i) for i, (a, b) in enumerate(pairs)]
    tree, budget = PrefixTree(encoded), Budget(2 * row, row, 1000)
    seen = []
    groups = [tree.groups(budget, worth)]
    while groups:
        group = groups.pop()
        groups.extend(group.inner)
        seen.extend(group.own)
        heads = {tuple(tree.fed[sequence][: group.depth]) for sequence in group.members}
        assert len(heads) == 1
    assert sorted(seen) == list(range(len(encoded)))
    paths = {tuple(fed[:end].tolist()) for fed in tree.fed for end in range(1, len(fed) + 1)}
    assert tree.distinct == len(paths)


@pytest.mark.parametrize("kind", ["llama", "gpt2", "mamba", "sliding"])
@pytest.mark.parametrize("batch", [8, 64, "auto"])
def test_each_kind_of_model_gives_the_naive_values(model_of, tokenizer, kind, batch):
    model = model_of(kind)
    local = LocalModel(model, tokenizer, batch_tokens=batch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = dict(local.loglikelihoods(REQUESTS))
    for index, encoded in enumerate(local.encoder.requests(REQUESTS)):
        scores = found[index]
        assert_naive(model, encoded, [s.loglikelihood for s in scores], [s.greedy for s in scores])
        assert [s.tokens for s in scores] == [item.scored for item in encoded]
    assert found[0][0] == found[0][3]


def test_shared_work_is_done_once(local):
    few_shot = "Question: what is it?\nAnswer: one two three. " * 4
    requests = [Request(f"{few_shot}Question: {number} Answer:", [" A", " B", " C"]) for number in range(60)]
    _ = local.shares_work
    list(local.loglikelihoods(requests))
    read = sum(len(item.tokens) - 1 for items in local.encoder.requests(requests) for item in items)
    assert local.work.distinct < read / 15
    assert local.work.computed < read / 10


def test_only_scored_positions_reach_the_output_layer(local):
    _ = local.shares_work
    seen = []
    hook = local.model.get_output_embeddings().register_forward_hook(lambda *a: seen.append(a[1][0].shape[-2]))
    list(local.loglikelihoods([Request("one two three " * 5, [" one", " two", " three four"])]))
    hook.remove()
    (items,) = local.encoder.requests([Request("one two three " * 5, [" one", " two", " three four"])])
    ends = {tuple(i.tokens[:end]) for i in items for end in range(len(i.tokens) - i.scored, len(i.tokens))}
    assert seen == [len(ends)]


def test_a_state_space_model_is_scored_without_sharing_and_this_is_announced_once(model_of, tokenizer):
    local = LocalModel(model_of("mamba"), tokenizer)
    with pytest.warns(UserWarning, match=r"^mamba: this model's work cannot be shared between requests"):
        list(local.loglikelihoods(REQUESTS))
    list(local.loglikelihoods(REQUESTS))  # a second warning would be an error


def test_beyond_a_sliding_window_work_is_not_shared_and_this_is_announced(model_of, tokenizer):
    local = LocalModel(model_of("sliding"), tokenizer)
    with pytest.warns(UserWarning, match=r"^mistral: \d+ sequences are longer than the model's sliding window of 16"):
        list(local.loglikelihoods(REQUESTS))


def test_rolling_texts_are_the_sum_of_their_windows(local, llama):
    texts = ["one two three " * 60, "Grüße", "one two three " * 60]
    found = dict(local.rolling(texts))
    for index, windows in enumerate(local.encoder.texts(texts)):
        expected = sum(naive(llama, item)[0] for item in windows)
        assert found[index].loglikelihood == pytest.approx(expected, rel=1e-6, abs=1e-4)
        assert (found[index].windows, found[index].tokens) == (len(windows), sum(item.scored for item in windows))
    assert found[0] == found[2]
    assert found[0].windows > 1


def test_truncation_is_recorded(local):
    ((_, (score,)),) = local.loglikelihoods([Request("one two three " * 100, [" one"])])
    ((item,),) = local.encoder.requests([Request("one two three " * 100, [" one"])])
    assert score.truncated == item.truncated > 0


def limited(local, monkeypatch, most):
    """Let a pass over more tokens than `most`, padding included, fail for want of memory."""
    run = Forward._run

    def guarded(self, rows, **inputs):
        if inputs["input_ids"].numel() > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return run(self, rows, **inputs)

    _ = local.shares_work
    monkeypatch.setattr(Forward, "_run", guarded)


@pytest.mark.parametrize("most", [500, 40, 30])
def test_out_of_memory_shrinks_batches_and_loses_nothing(local, llama, monkeypatch, most):
    encoded = local.encoder.requests(REQUESTS)
    limited(local, monkeypatch, most)
    found = dict(local.loglikelihoods(REQUESTS))
    monkeypatch.undo()
    for index, items in enumerate(encoded):
        assert_naive(llama, items, [s.loglikelihood for s in found[index]], [s.greedy for s in found[index]])
    assert (local.work.halvings > 0) == (most < 42)


def test_out_of_memory_for_one_request_names_it(local, monkeypatch):
    limited(local, monkeypatch, 20)
    found = {}
    with pytest.raises(OpenbenchError) as caught:
        found.update(local.loglikelihoods([Request("one", [" two"]), Request("one two three " * 12, [" one"])]))
    assert str(caught.value) == (
        "request 1: memory does not suffice for this request alone (39 tokens). "
        "Use a smaller dtype, a device with more memory, or a shorter context."
    )


def test_other_errors_of_a_model_are_not_taken_for_a_want_of_memory(local, monkeypatch):
    _ = local.shares_work
    monkeypatch.setattr(Forward, "_run", lambda *_, **__: torch.zeros(2) @ torch.zeros(3))
    with pytest.raises(RuntimeError, match="size"):
        list(local.loglikelihoods(REQUESTS))


def test_nan_logits_name_the_request(tokenizer, model_of):
    import copy

    model = copy.deepcopy(model_of("llama"))
    local = LocalModel(model, tokenizer)
    _ = local.shares_work
    with torch.no_grad():
        model.get_input_embeddings().weight[tokenizer.encode("東")[-1]] = torch.nan
    with pytest.raises(OpenbenchError) as caught:
        list(local.loglikelihoods([Request("one", [" two"]), Request("東", [" one"])]))
    assert str(caught.value) == (
        "request 1: the model's logits are NaN. Load it with another dtype (float16 overflows where bfloat16 and "
        "float32 do not), or check its weights."
    )


def test_what_is_complete_is_there_when_a_run_is_closed_early(llama, tokenizer):
    local = LocalModel(llama, tokenizer, batch_tokens=16)
    everything = dict(local.loglikelihoods(REQUESTS))
    run = local.loglikelihoods(REQUESTS)
    first = dict(itertools.islice(run, 2))
    run.close()
    assert len(first) == 2
    assert all(everything[index] == scores for index, scores in first.items())


def test_generation_ends_at_a_stop_string_or_at_the_limit(local):
    prompts = ["The capital", "one two three one two", ""]
    found = dict(local.generate(prompts, 6))
    assert sorted(found) == [0, 1, 2]
    for index, prompt in enumerate(prompts):
        alone = dict(local.generate([prompt], 6))[0]
        assert found[index] == alone
        assert alone.complete or alone.tokens == 6
    text = found[0].text
    stopped = dict(local.generate(["The capital"], 6, stop=[text[2:4]]))[0]
    assert stopped.text == text[: text.find(text[2:4])]
    assert stopped.complete


def test_a_prompt_too_long_for_the_window_is_refused(local):
    with pytest.raises(
        DataError, match=r"^prompt 1: its \d+ tokens and 6 to generate exceed the model's window of 128"
    ):
        list(local.generate(["one", "one two three " * 50], 6))


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of peft itself
def test_a_saved_model_is_loaded_with_a_revision_a_dtype_and_an_adapter(llama, tokenizer, tmp_path):
    peft = pytest.importorskip("peft")
    llama.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    local = LocalModel.load(str(tmp_path / "model"), dtype="float32", device="cpu")
    plain = dict(local.loglikelihoods(REQUESTS))
    assert plain[0][0].loglikelihood == pytest.approx(
        dict(LocalModel(llama, tokenizer).loglikelihoods(REQUESTS))[0][0].loglikelihood
    )
    settings = peft.LoraConfig(target_modules=["q_proj"], init_lora_weights=False, task_type="CAUSAL_LM")
    peft.get_peft_model(local.model, settings).save_pretrained(tmp_path / "adapter")
    adapted = LocalModel.load(str(tmp_path / "model"), dtype="float32", device="cpu", adapter=str(tmp_path / "adapter"))
    assert adapted.shares_work
    found = dict(adapted.loglikelihoods(REQUESTS))
    assert found[0][0].loglikelihood != pytest.approx(plain[0][0].loglikelihood, abs=1e-3)
    for index, items in enumerate(adapted.encoder.requests(REQUESTS)):
        assert_naive(adapted.model, items, [s.loglikelihood for s in found[index]], [s.greedy for s in found[index]])


def test_bfloat16_is_close(llama, tokenizer, tmp_path):
    llama.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    half = LocalModel.load(str(tmp_path), dtype="bfloat16", device="cpu")
    assert half.shares_work
    (_, scores), *_ = sorted(half.loglikelihoods(REQUESTS))
    (_, exact), *_ = sorted(LocalModel(llama, tokenizer).loglikelihoods(REQUESTS))
    assert scores[0].loglikelihood == pytest.approx(exact[0].loglikelihood, rel=0.2)


def test_a_path_without_tokenizer_or_an_unknown_dtype_is_refused(llama, tmp_path):
    llama.save_pretrained(tmp_path)
    with pytest.raises(UsageError, match=r": the tokenizer cannot be loaded \(.+\)\.$"):
        LocalModel.load(str(tmp_path), device="cpu")
    with pytest.raises(UsageError) as caught:
        LocalModel.load(str(tmp_path), dtype="float8")
    assert str(caught.value) == "dtype: expected auto, float32, bfloat16, float16, not 'float8'."
