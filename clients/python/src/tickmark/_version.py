"""Version of the distribution `tickmark-client`."""

__version__ = "0.1.0"
USER_AGENT = f"tickmark-client-python/{__version__}"
