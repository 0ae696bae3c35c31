"""Tiny models with random weights and a tokenizer trained on the spot."""

import functools
import importlib.util

import pytest

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py"]

TEXTS = [
    "The capital of France is Paris.",
    "Question: what is it?\nAnswer:",
    "Grüße aus Köln, 東京 🙂",
    "one two three " * 3,
]
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 400, "bos_token_id": 0, "eos_token_id": 1}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 128}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128}
KINDS = {
    "llama": ("LlamaConfig", SIZES | HEADS),
    "gpt2": ("GPT2Config", {"vocab_size": 400, "bos_token_id": 0, "eos_token_id": 1} | GPT2),
    "mamba": ("MambaConfig", SIZES | {"state_size": 4, "pad_token_id": 1}),
    "sliding": ("MistralConfig", SIZES | HEADS | {"sliding_window": 16}),
}


def trained(adds="<s> $A"):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    pairs = [("<s>", 0), ("</s>", 1)]
    tokenizer.post_processor = processors.TemplateProcessing(single=adds, special_tokens=pairs)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")  # noqa: S106


def built(kind):
    import torch
    import transformers

    torch.set_num_threads(1)
    torch.manual_seed(0)
    name, settings = KINDS[kind]
    model = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(**settings)).eval()
    with torch.no_grad():  # sharper than at the start of training, so that a wrong mask or position shows
        for weight in model.parameters():
            weight.mul_(3)
    return model


@pytest.fixture(scope="session")
def model_of():
    return functools.cache(built)


@pytest.fixture(scope="session")
def tokenizer_that_adds():
    return trained


@pytest.fixture(scope="session")
def tokenizer():
    return trained()


@pytest.fixture(scope="session")
def llama(model_of):
    return model_of("llama")


@pytest.fixture
def local(llama, tokenizer):
    from openbench_loglikelihood.local.model import LocalModel

    return LocalModel(llama, tokenizer)
