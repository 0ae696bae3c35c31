"""Tiny models with random weights and a tokenizer trained on the spot."""

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForCausalLM,
    GPT2Config,
    LlamaConfig,
    MambaConfig,
    MistralConfig,
    PreTrainedTokenizerFast,
)

from openbench_loglikelihood.local.model import LocalModel

TEXTS = ["The capital of France is Paris.", "Question: what is it?\nAnswer:", "Grüße aus Köln, 東京 🙂", "one two three " * 3]
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 400}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48}
CONFIGS = {
    "llama": lambda: LlamaConfig(**SIZES, **HEADS, max_position_embeddings=128),
    "gpt2": lambda: GPT2Config(vocab_size=400, n_embd=32, n_layer=2, n_head=4, n_positions=128),
    "mamba": lambda: MambaConfig(**SIZES, state_size=4),
    "sliding": lambda: MistralConfig(**SIZES, **HEADS, max_position_embeddings=128, sliding_window=16),
}


def trained(*, adds="bos"):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(TEXTS, trainer)
    template = {"bos": "<s> $A", "both": "<s> $A </s>"}.get(adds)
    if template:
        pairs = [("<s>", 0), ("</s>", 1)]
        tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=pairs)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")  # noqa: S106


def built(kind):
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(CONFIGS[kind]()).eval()
    with torch.no_grad():  # sharper than at the start of training, so that a wrong mask or position shows
        for weight in model.parameters():
            weight.mul_(3)
    return model


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def tokenizer():
    return trained()


@pytest.fixture(scope="session")
def llama():
    return built("llama")


@pytest.fixture
def local(llama, tokenizer):
    return LocalModel(llama, tokenizer)
