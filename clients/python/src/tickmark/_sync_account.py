"""Account, markets, versions and health, of the sync client: written from _async_account.py by `npm run docs:reference`."""

from __future__ import annotations

from typing import Any, Optional, TypeVar, cast

import httpx

from . import _wire as wire
from ._answers import Forecast, read_answer, read_forecast
from ._calls import ASKED_ONCE, Call, Limit, ONCE, listed, make_call
from ._run_sync import Limited, read_body, sleep
from .errors import ConnectionFailed, TickmarkError, UnexpectedAnswer

T = TypeVar("T")

Login = tuple[str, str]
"""E-mail and password of an account."""


class Account:
    """Calls on an account, and what the service says of itself."""

    _http: httpx.Client
    _key: Optional[str]
    _timeout_s: Optional[float]
    _retries: int

    def me(self) -> wire.MeAnswer:
        """The account of the key."""
        return self._ask(wire.MeAnswer, make_call("me", key=self._key))

    def track_record(
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
        return self._ask(wire.TrackRecordAnswer, make_call("trackRecord", key=self._key, query=query))

    def rotate_key(self) -> wire.RotatedKeyAnswer:
        """Replaces the key of this client by a new one, which is returned only once. Never repeated."""
        return self._ask(wire.RotatedKeyAnswer, make_call("rotateKey", key=self._key))

    def list_keys(self, login: Login) -> wire.KeyListAnswer:
        """The keys of the account, without the keys themselves."""
        return self._ask(wire.KeyListAnswer, make_call("keyList", login=login))

    def issue_key(self, login: Login, name: Optional[str] = None, expires_at: Optional[str] = None) -> wire.IssuedKeyAnswer:
        """Issues another key, for example after one was lost. It is returned only once. Never repeated."""
        given = {"name": name, "expires_at": expires_at}
        return self._ask(wire.IssuedKeyAnswer, make_call("issueKey", login=login, body={k: v for k, v in given.items() if v is not None}))

    def revoke_key(self, login: Login, id: str) -> wire.KeyAnswer:
        """Ends a key at once."""
        return self._ask(wire.KeyAnswer, make_call("revokeKey", login=login, id=id))

    def change_password(self, login: Login, new_password: str) -> wire.MessageAnswer:
        """Sets a new password. Never repeated."""
        body = {"password": new_password, "confirm_password": new_password}
        return self._ask(wire.MessageAnswer, make_call("changePassword", login=login, body=body))

    def delete_account(self, login: Login) -> wire.MessageAnswer:
        """Deletes the account and all its keys. Never repeated."""
        return self._ask(wire.MessageAnswer, make_call("deleteAccount", login=login))

    def list_webhooks(self, login: Login) -> wire.WebhookListAnswer:
        """The targets of alerts, without their secrets."""
        return self._ask(wire.WebhookListAnswer, make_call("webhookList", login=login))

    def add_webhook(self, login: Login, url: str, events: Optional[list[str]] = None, *, rule: Optional[wire.AlertRule] = None, format: Optional[str] = None, chat_id: Optional[str] = None) -> wire.AddedWebhookAnswer:
        """Adds a target of alerts; its secret is returned only once. `rule`: which forecasts are told. Never repeated."""
        given = {"events": None if events is None else listed(events, "events"), "rule": rule, "format": format, "chat_id": chat_id}
        body = {"url": url, **{name: value for name, value in given.items() if value is not None}}
        return self._ask(wire.AddedWebhookAnswer, make_call("addWebhook", login=login, body=body))

    def test_webhook(self, login: Login, id: str) -> wire.WebhookTestAnswer:
        """Sends a test alert, once, and says what the target answered."""
        return self._ask(wire.WebhookTestAnswer, make_call("testWebhook", login=login, id=id))

    def failed_alerts(self, login: Login, id: str) -> wire.FailedAlertsAnswer:
        """The alerts of a target that were given up, newest first."""
        return self._ask(wire.FailedAlertsAnswer, make_call("failedAlerts", login=login, id=id))

    def change_webhook(self, login: Login, id: str, **change: Any) -> wire.WebhookAnswer:
        """Changes url, events, rule (None: none), format or chat_id of a target; its secret stays."""
        return self._ask(wire.WebhookAnswer, make_call("changeWebhook", login=login, id=id, body=change))

    def remove_webhook(self, login: Login, id: str) -> wire.WebhookAnswer:
        """Removes a target of alerts."""
        return self._ask(wire.WebhookAnswer, make_call("removeWebhook", login=login, id=id))

    def markets(self) -> wire.MarketListAnswer:
        """The markets that the service watches for the account, with their state and last forecasts."""
        return self._ask(wire.MarketListAnswer, make_call("marketList", key=self._key))

    def add_market(self, exchange: str, symbol: str, horizons: list[str], **more: Any) -> wire.MarketAnswer:
        """Watches a market; `more`: kind, period, every, cost_bps, alert. Never repeated."""
        body = {"exchange": exchange, "symbol": symbol, "horizons": listed(horizons, "horizons"), **more}
        return self._ask(wire.MarketAnswer, make_call("addMarket", key=self._key, body=body))

    def market(self, id: str) -> wire.MarketAnswer:
        """One watched market."""
        return self._ask(wire.MarketAnswer, make_call("market", key=self._key, id=id))

    def change_market(self, id: str, **change: Any) -> wire.MarketAnswer:
        """Changes horizons, every, cost_bps or alert, from the next forecast on."""
        return self._ask(wire.MarketAnswer, make_call("changeMarket", key=self._key, id=id, body=change))

    def remove_market(self, id: str) -> wire.MarketAnswer:
        """Stops watching a market. Never repeated."""
        return self._ask(wire.MarketAnswer, make_call("removeMarket", key=self._key, id=id))

    def market_forecasts(self, id: str, after: int = 0) -> wire.MarketForecastsAnswer:
        """Forecasts and outcomes that changed after `last` of the page before."""
        return self._ask(wire.MarketForecastsAnswer, make_call("marketForecasts", key=self._key, id=id, query={"after": str(after)}))

    def models(self) -> wire.ModelListAnswer:
        """The loaded versions, and the id of the default one."""
        return self._ask(wire.ModelListAnswer, make_call("modelList"))

    def model(self, id: str) -> wire.ModelAnswer:
        """One version with its card."""
        return self._ask(wire.ModelAnswer, make_call("model", id=id))

    def model_files(self, id: str) -> wire.ModelFilesAnswer:
        """The files of one version, for tickmark-engine in a program without the service."""
        return self._ask(wire.ModelFilesAnswer, make_call("modelFiles", id=id, key=self._key))

    def rules(self) -> wire.RuleSetListAnswer:
        """The loaded rule sets, and the id of the default one."""
        return self._ask(wire.RuleSetListAnswer, make_call("ruleSetList"))

    def rule_set(self, id: str) -> wire.RuleSetAnswer:
        """One rule set with its rules and predicates."""
        return self._ask(wire.RuleSetAnswer, make_call("ruleSet", id=id))

    def sample(self) -> wire.TickRequestBody:
        """A request body that is ready to post."""
        return self._ask(wire.TickRequestBody, make_call("sample"))

    def sample_forecast(self) -> Forecast:
        """The full answer to the sample; no key needed."""
        answer, headers = self._send(make_call("sampleForecast"), self._limit())
        return read_forecast(list(answer) or [""], answer, headers)

    def health(self) -> wire.ReadyAnswer:
        """Whether forecasts are answered, and by which model."""
        return self._ask(wire.ReadyAnswer, make_call("ready"))

    def liveness(self) -> wire.LiveAnswer:
        """Whether the process answers."""
        return self._ask(wire.LiveAnswer, make_call("live"))

    def _limit(self) -> Limit:
        return Limit(self._timeout_s, self._retries)

    def _ask(self, kind: type[T], call: Call) -> T:
        answer, _ = self._send(call, self._limit())
        return cast(T, answer)

    def _send(self, call: Call, limit: Limit) -> tuple[Any, httpx.Headers]:
        done = 0
        while True:
            try:
                return self._once(call, limit)
            except TickmarkError as error:
                is_asked_once = call.route in ONCE or call.route in ASKED_ONCE
                wait_s = None if is_asked_once else limit.wait_s(error, done)
                if wait_s is None:
                    raise
            sleep(wait_s)
            done += 1

    def _once(self, call: Call, limit: Limit) -> tuple[Any, httpx.Headers]:
        auth = None if call.auth is None else httpx.BasicAuth(call.auth[0].encode(), call.auth[1].encode())
        try:
            with self._http.stream(
                call.method, call.path, content=call.body, headers=call.headers, auth=auth, timeout=limit.left_s()
            ) as response:
                # httpx's limit is for each read: this one is for the sum, of a server that sends a byte now and then.
                response.stream = Limited(response.stream, limit)
                body = read_body(response)
        except httpx.TimeoutException as error:
            raise limit.timed_out() from error
        except httpx.DecodingError as error:
            raise UnexpectedAnswer(response.status_code, str(error)) from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            raise ConnectionFailed(f"{call.method} {call.path}: {error}") from error
        return read_answer(call.route, response, body), response.headers
