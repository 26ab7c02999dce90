"""Stands for the part of the package freqtrade that a strategy uses."""


class IStrategy:
    def __init__(self, config):
        self.config = config
        self.dp = None


def strategy_safe_wrapper(f, message="", default_retval=None, supress_error=False):
    """As freqtrade.strategy.strategy_wrapper of Freqtrade 2026.9: with a default, any exception of a strategy becomes the default.
    Freqtrade calls confirm_trade_entry with default_retval=True, and bot_loop_start with supress_error=True.
    """

    def wrapper(*args, **kwargs):
        try:
            return f(*args, **kwargs)
        except Exception as error:
            if default_retval is None and not supress_error:
                raise RuntimeError(str(error)) from error
            return default_retval

    return wrapper
