"""A process that runs a COMET model for `openbench_scorers.comet`, with any Python that has unbabel-comet.

Its argument is a model on the Hub, or the path of a checkpoint. Each line of stdin is a list of items with `src`, `mt`
and `ref`, each line of stdout its `scores` or an `error`, all JSON. The first reply reports whether the model loaded.
"""

import json
import os
import sys
from typing import Any, TextIO


def main() -> None:
    """Answer requests until stdin ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # output of libraries is not a reply
    try:
        model, gpus = _loaded(sys.argv[1])
    except Exception as error:  # noqa: BLE001 - any error is reported to the parent
        _reply(replies, {"error": f"{type(error).__name__}: {error}"})
        return
    _reply(replies, {"gpus": gpus})
    for line in sys.stdin:
        try:
            scores = model.predict(json.loads(line), batch_size=16, gpus=gpus, progress_bar=False).scores
            reply: dict[str, Any] = {"scores": [float(score) for score in scores]}
        except Exception as error:  # noqa: BLE001 - likewise
            reply = {"error": f"{type(error).__name__}: {error}"}
        _reply(replies, reply)


def _loaded(name: str) -> tuple[Any, int]:
    import comet  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - takes long, and may be missing
    import torch  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    path = name if os.path.exists(name) else comet.download_model(name)  # noqa: PTH110 - may be a name, not a path
    return comet.load_from_checkpoint(path), int(torch.cuda.is_available())


def _reply(replies: TextIO, reply: dict[str, Any]) -> None:
    replies.write(json.dumps(reply) + "\n")
    replies.flush()


if __name__ == "__main__":
    main()
