"""Stands for the part of the package freqtrade that a strategy uses."""


class IStrategy:
    def __init__(self, config):
        self.config = config
        self.dp = None
