"""Bundles: stored datasets in one file or folder, for machines without a network."""

from openbench_bundles.bundle import Imported, bundle_digest, export_entries, import_entries

__all__ = ["Imported", "bundle_digest", "export_entries", "import_entries"]
