"""Small models with random weights, and a tokenizer trained on the texts that they are to read."""

import json
import os
import random
from pathlib import Path
from typing import Any

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

VOCABULARY = 32768


def real_rows(split: str) -> list[dict[str, Any]]:
    """Return rows of MMLU from OPENBENCH_REAL_DATA; made ones without it."""
    folder = os.environ.get("OPENBENCH_REAL_DATA")
    if not folder:
        return made_rows(5 if split == "dev" else 200)
    lines = (Path(folder) / "hub/cais/mmlu/all" / f"{split}.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def made_rows(count: int) -> list[dict[str, Any]]:
    """Return questions of random words, about as long as those of MMLU."""
    draw = random.Random(count)  # noqa: S311 - no secret
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyzäößé東京", k=draw.randint(2, 9))) for _ in range(40000)]

    def text(low: int, high: int) -> str:
        return " ".join(draw.choices(words, k=draw.randint(low, high)))

    return [
        {"question": text(15, 60) + "?", "choices": [text(1, 14) for _ in range(4)], "answer": 0, "subject": "made_up"}
        for _ in range(count)
    ]


def train_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Return a byte-level BPE tokenizer that begins each text with a token of its own, as Llama's does."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "</s>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0), ("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=special[0], eos_token=special[1])


def build(kind: str, folder: Path) -> Path:
    """Write a model of a kind (llama, gpt2, mamba, sliding) and its tokenizer to a folder, unless they are there."""
    path = folder / kind
    if not (path / "config.json").is_file():
        rows = real_rows("test")
        train_tokenizer([text for row in rows for text in (row["question"], *row["choices"])]).save_pretrained(path)
        torch.manual_seed(0)
        AutoModelForCausalLM.from_config(CONFIGURATIONS[kind]()).save_pretrained(path)
    return path


CONFIGURATIONS = {
    "llama": lambda: LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=512, intermediate_size=1376, num_hidden_layers=4, num_attention_heads=8,
        num_key_value_heads=8, max_position_embeddings=2048, tie_word_embeddings=True, initializer_range=0.08,
        bos_token_id=0, eos_token_id=1,
    ),
    "gpt2": lambda: GPT2Config(
        vocab_size=VOCABULARY, n_embd=256, n_layer=3, n_head=4, n_positions=512, initializer_range=0.1,
        bos_token_id=0, eos_token_id=1,
    ),
    "mamba": lambda: MambaConfig(
        vocab_size=VOCABULARY, hidden_size=128, num_hidden_layers=2, state_size=8, initializer_range=0.1,
        bos_token_id=0, eos_token_id=1, pad_token_id=1,
    ),
    "sliding": lambda: MistralConfig(
        vocab_size=VOCABULARY, hidden_size=128, intermediate_size=256, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=2048, sliding_window=64, initializer_range=0.1,
        bos_token_id=0, eos_token_id=1,
    ),
}  # fmt: skip
