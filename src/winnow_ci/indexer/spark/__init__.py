"""Build on Apache Spark (the extra ``spark``): its executors fingerprint, and the driver writes the index."""

from winnow_ci.indexer.spark.engine import SparkEngine, folder_for

__all__ = ["SparkEngine", "folder_for"]
