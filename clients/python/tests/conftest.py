import os
import uuid
from collections.abc import Iterator

import pytest

from tickmark import Tickmark


@pytest.fixture(scope="session")
def base_url() -> str:
    url = os.environ.get("TICKMARK_URL")
    if not url:
        pytest.skip("TICKMARK_URL is not set: npm run test:python starts a service and sets it")
    return url


@pytest.fixture(scope="session")
def login() -> tuple[str, str]:
    return f"{uuid.uuid4().hex}@example.com", "pässword-12345:x"


@pytest.fixture(scope="session")
def api_key(base_url: str, login: tuple[str, str]) -> str:
    with Tickmark(base_url) as client:
        return client.sign_up(*login)["api_key"]


@pytest.fixture
def client(base_url: str, api_key: str) -> Iterator[Tickmark]:
    with Tickmark(base_url, api_key) as made:
        yield made
