"""What inspect finds through the `inspect_ai` entry point: every task of the package."""

from openbench_korean.exams import kmmlu
from openbench_korean.haerae import haerae_bench_v1

__all__ = ["haerae_bench_v1", "kmmlu"]
