import sys


def pairs(path):
    with open(path, "r") as f:
        for line in f.readlines():
            key, value = line.strip().split("=")
            yield key, int(value)
