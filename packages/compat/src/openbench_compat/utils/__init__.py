"""What `openbench.utils` has besides what is the kernel's."""

from openbench_compat.utils.image import extract_image_bytes, image_bytes_to_data_uri, pil_image_to_bytes

__all__ = ["extract_image_bytes", "image_bytes_to_data_uri", "pil_image_to_bytes"]
