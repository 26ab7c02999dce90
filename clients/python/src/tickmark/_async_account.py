"""Account, markets, versions and health, of the async client. `write_sync.py` writes `_sync_account.py` from this file."""

from __future__ import annotations

from typing import Any, Optional, TypeVar, cast

import httpx

from . import _wire as wire
from ._answers import Forecast, read_answer, read_forecast
from ._calls import ASKED_ONCE, Call, Limit, ONCE, listed, make_call
from ._run_async import Limited, read_body, sleep
from .errors import ConnectionFailed, TickmarkError, UnexpectedAnswer

T = TypeVar("T")

Login = tuple[str, str]
"""E-mail and password of an account."""


class AsyncAccount:
    """Calls on an account, and what the service says of itself."""

    _http: httpx.AsyncClient
    _key: Optional[str]
    _timeout_s: Optional[float]
    _retries: int

    async def me(self) -> wire.MeAnswer:
        """The account of the key."""
        return await self._ask(wire.MeAnswer, make_call("me", key=self._key))

    async def track_record(
        self,
        *,
        series: Optional[str] = None,
        model: Optional[str] = None,
        from_day: Optional[str] = None,
        to_day: Optional[str] = None,
    ) -> wire.TrackRecordAnswer:
        """How right the forecasts of the account were, by UTC day (YYYY-MM-DD), series and version."""
        given = {"series": series, "model": model, "from": from_day, "to": to_day}
        query = {name: value for name, value in given.items() if value is not None}
        return await self._ask(wire.TrackRecordAnswer, make_call("trackRecord", key=self._key, query=query))

    async def rotate_key(self) -> wire.RotatedKeyAnswer:
        """Replaces the key of this client by a new one, which is returned only once. Never repeated."""
        return await self._ask(wire.RotatedKeyAnswer, make_call("rotateKey", key=self._key))

    async def list_keys(self, login: Login) -> wire.KeyListAnswer:
        """The keys of the account, without the keys themselves."""
        return await self._ask(wire.KeyListAnswer, make_call("keyList", login=login))

    async def issue_key(self, login: Login, name: Optional[str] = None, expires_at: Optional[str] = None) -> wire.IssuedKeyAnswer:
        """Issues another key, for example after one was lost. It is returned only once. Never repeated."""
        given = {"name": name, "expires_at": expires_at}
        return await self._ask(wire.IssuedKeyAnswer, make_call("issueKey", login=login, body={k: v for k, v in given.items() if v is not None}))

    async def revoke_key(self, login: Login, id: str) -> wire.KeyAnswer:
        """Ends a key at once."""
        return await self._ask(wire.KeyAnswer, make_call("revokeKey", login=login, id=id))

    async def change_password(self, login: Login, new_password: str) -> wire.MessageAnswer:
        """Sets a new password. Never repeated."""
        body = {"password": new_password, "confirm_password": new_password}
        return await self._ask(wire.MessageAnswer, make_call("changePassword", login=login, body=body))

    async def delete_account(self, login: Login) -> wire.MessageAnswer:
        """Deletes the account and all its keys. Never repeated."""
        return await self._ask(wire.MessageAnswer, make_call("deleteAccount", login=login))

    async def list_webhooks(self, login: Login) -> wire.WebhookListAnswer:
        """The targets of alerts, without their secrets."""
        return await self._ask(wire.WebhookListAnswer, make_call("webhookList", login=login))

    async def add_webhook(self, login: Login, url: str, events: Optional[list[str]] = None, *, rule: Optional[wire.AlertRule] = None, format: Optional[str] = None, chat_id: Optional[str] = None) -> wire.AddedWebhookAnswer:
        """Adds a target of alerts; its secret is returned only once. `rule`: which forecasts are told. Never repeated."""
        given = {"events": None if events is None else listed(events, "events"), "rule": rule, "format": format, "chat_id": chat_id}
        body = {"url": url, **{name: value for name, value in given.items() if value is not None}}
        return await self._ask(wire.AddedWebhookAnswer, make_call("addWebhook", login=login, body=body))

    async def test_webhook(self, login: Login, id: str) -> wire.WebhookTestAnswer:
        """Sends a test alert, once, and says what the target answered."""
        return await self._ask(wire.WebhookTestAnswer, make_call("testWebhook", login=login, id=id))

    async def failed_alerts(self, login: Login, id: str) -> wire.FailedAlertsAnswer:
        """The alerts of a target that were given up, newest first."""
        return await self._ask(wire.FailedAlertsAnswer, make_call("failedAlerts", login=login, id=id))

    async def change_webhook(self, login: Login, id: str, **change: Any) -> wire.WebhookAnswer:
        """Changes url, events, rule (None: none), format or chat_id of a target; its secret stays."""
        return await self._ask(wire.WebhookAnswer, make_call("changeWebhook", login=login, id=id, body=change))

    async def remove_webhook(self, login: Login, id: str) -> wire.WebhookAnswer:
        """Removes a target of alerts."""
        return await self._ask(wire.WebhookAnswer, make_call("removeWebhook", login=login, id=id))

    async def markets(self) -> wire.MarketListAnswer:
        """The markets that the service watches for the account, with their state and last forecasts."""
        return await self._ask(wire.MarketListAnswer, make_call("marketList", key=self._key))

    async def add_market(self, exchange: str, symbol: str, horizons: list[str], **more: Any) -> wire.MarketAnswer:
        """Watches a market; `more`: kind, period, every, cost_bps, alert. Never repeated."""
        body = {"exchange": exchange, "symbol": symbol, "horizons": listed(horizons, "horizons"), **more}
        return await self._ask(wire.MarketAnswer, make_call("addMarket", key=self._key, body=body))

    async def market(self, id: str) -> wire.MarketAnswer:
        """One watched market."""
        return await self._ask(wire.MarketAnswer, make_call("market", key=self._key, id=id))

    async def change_market(self, id: str, **change: Any) -> wire.MarketAnswer:
        """Changes horizons, every, cost_bps or alert, from the next forecast on."""
        return await self._ask(wire.MarketAnswer, make_call("changeMarket", key=self._key, id=id, body=change))

    async def remove_market(self, id: str) -> wire.MarketAnswer:
        """Stops watching a market. Never repeated."""
        return await self._ask(wire.MarketAnswer, make_call("removeMarket", key=self._key, id=id))

    async def market_forecasts(self, id: str, after: int = 0) -> wire.MarketForecastsAnswer:
        """Forecasts and outcomes that changed after `last` of the page before."""
        return await self._ask(wire.MarketForecastsAnswer, make_call("marketForecasts", key=self._key, id=id, query={"after": str(after)}))

    async def models(self) -> wire.ModelListAnswer:
        """The loaded versions, and the id of the default one."""
        return await self._ask(wire.ModelListAnswer, make_call("modelList"))

    async def model(self, id: str) -> wire.ModelAnswer:
        """One version with its card."""
        return await self._ask(wire.ModelAnswer, make_call("model", id=id))

    async def model_files(self, id: str) -> wire.ModelFilesAnswer:
        """The files of one version, for tickmark-engine in a program without the service."""
        return await self._ask(wire.ModelFilesAnswer, make_call("modelFiles", id=id, key=self._key))

    async def rules(self) -> wire.RuleSetListAnswer:
        """The loaded rule sets, and the id of the default one."""
        return await self._ask(wire.RuleSetListAnswer, make_call("ruleSetList"))

    async def rule_set(self, id: str) -> wire.RuleSetAnswer:
        """One rule set with its rules and predicates."""
        return await self._ask(wire.RuleSetAnswer, make_call("ruleSet", id=id))

    async def sample(self) -> wire.TickRequestBody:
        """A request body that is ready to post."""
        return await self._ask(wire.TickRequestBody, make_call("sample"))

    async def sample_forecast(self) -> Forecast:
        """The full answer to the sample; no key needed."""
        answer, headers = await self._send(make_call("sampleForecast"), self._limit())
        return read_forecast(list(answer) or [""], answer, headers)

    async def health(self) -> wire.ReadyAnswer:
        """Whether forecasts are answered, and by which model."""
        return await self._ask(wire.ReadyAnswer, make_call("ready"))

    async def liveness(self) -> wire.LiveAnswer:
        """Whether the process answers."""
        return await self._ask(wire.LiveAnswer, make_call("live"))

    def _limit(self) -> Limit:
        return Limit(self._timeout_s, self._retries)

    async def _ask(self, kind: type[T], call: Call) -> T:
        answer, _ = await self._send(call, self._limit())
        return cast(T, answer)

    async def _send(self, call: Call, limit: Limit) -> tuple[Any, httpx.Headers]:
        done = 0
        while True:
            try:
                return await self._once(call, limit)
            except TickmarkError as error:
                is_asked_once = call.route in ONCE or call.route in ASKED_ONCE
                wait_s = None if is_asked_once else limit.wait_s(error, done)
                if wait_s is None:
                    raise
            await sleep(wait_s)
            done += 1

    async def _once(self, call: Call, limit: Limit) -> tuple[Any, httpx.Headers]:
        auth = None if call.auth is None else httpx.BasicAuth(call.auth[0].encode(), call.auth[1].encode())
        try:
            async with self._http.stream(
                call.method, call.path, content=call.body, headers=call.headers, auth=auth, timeout=limit.left_s()
            ) as response:
                # httpx's limit is for each read: this one is for the sum, of a server that sends a byte now and then.
                response.stream = Limited(response.stream, limit)
                body = await read_body(response)
        except httpx.TimeoutException as error:
            raise limit.timed_out() from error
        except httpx.DecodingError as error:
            raise UnexpectedAnswer(response.status_code, str(error)) from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            raise ConnectionFailed(f"{call.method} {call.path}: {error}") from error
        return read_answer(call.route, response, body), response.headers
