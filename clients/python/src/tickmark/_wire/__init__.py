"""Types, routes and codes of the service: written by `npm run docs:reference` from src/contract."""

from __future__ import annotations

from typing import get_args

from .forecasts import *
from .accounts import *
from .markets import *
from .catalog import *
from .live import *

ERROR_CODES: tuple[ErrorCode, ...] = get_args(ErrorCode)

# Those that pass by themselves. A 500 is not among them: the same request meets it again.
PASSING_CODES = frozenset(
    {
        "request.timeout",
        "limit.exceeded",
        "account.busy",
        "service.not_ready",
        "store.unavailable",
        "inference.overloaded",
        "inference.deadline",
    }
)

# Most items and bytes of one batch.
BATCH_ITEMS, BATCH_BYTES = 64, 8388608

# Method, path, and the fields that every answer has.
ROUTES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "tickForecast": ("POST", "/auth/ti-tick", ()),
    "tickBatch": ("POST", "/auth/ti-tick/batch", ("results",)),
    "signUp": ("POST", "/signup", ("message", "email", "api_key",)),
    "me": ("GET", "/auth/me", ("email", "company_id", "key",)),
    "trackRecord": ("GET", "/auth/track-record", ("kept", "rows", "sum", "conclusion", "difference", "interval", "base_rate_difference", "base_rate_interval", "rival",)),
    "rotateKey": ("POST", "/auth/keys/rotate", ("message", "id", "api_key", "name", "expires_at", "replaced",)),
    "keyList": ("GET", "/account/keys", ("keys",)),
    "issueKey": ("POST", "/account/keys", ("message", "id", "api_key", "name", "expires_at",)),
    "revokeKey": ("DELETE", "/account/keys/{id}", ("id", "prefix", "name", "status", "created_at", "expires_at", "grace_until", "revoked_at", "last_used_at", "forecasts_today", "forecasts_30_days", "refused_today", "refused_30_days",)),
    "changePassword": ("POST", "/account/password", ("message", "email",)),
    "deleteAccount": ("DELETE", "/account", ("message", "email",)),
    "webhookList": ("GET", "/account/webhooks", ("webhooks",)),
    "addWebhook": ("POST", "/account/webhooks", ("message", "id", "url", "events", "created_at", "secret",)),
    "testWebhook": ("POST", "/account/webhooks/{id}/test", ("delivered", "status", "error",)),
    "failedAlerts": ("GET", "/account/webhooks/{id}/failed", ("failed",)),
    "changeWebhook": ("PATCH", "/account/webhooks/{id}", ("id", "url", "events", "created_at",)),
    "removeWebhook": ("DELETE", "/account/webhooks/{id}", ("id", "url", "events", "created_at",)),
    "marketList": ("GET", "/account/markets", ("markets",)),
    "addMarket": ("POST", "/account/markets", ("id", "exchange", "symbol", "kind", "period", "horizons", "every", "cost_bps", "alert", "series", "created_at", "state", "reason", "since", "last_tick", "price", "ticks", "spread_bps", "forecasts",)),
    "market": ("GET", "/account/markets/{id}", ("id", "exchange", "symbol", "kind", "period", "horizons", "every", "cost_bps", "alert", "series", "created_at", "state", "reason", "since", "last_tick", "price", "ticks", "spread_bps", "forecasts",)),
    "changeMarket": ("PATCH", "/account/markets/{id}", ("id", "exchange", "symbol", "kind", "period", "horizons", "every", "cost_bps", "alert", "series", "created_at", "state", "reason", "since", "last_tick", "price", "ticks", "spread_bps", "forecasts",)),
    "marketForecasts": ("GET", "/account/markets/{id}/forecasts", ("forecasts", "last", "more",)),
    "removeMarket": ("DELETE", "/account/markets/{id}", ("id", "exchange", "symbol", "kind", "period", "horizons", "every", "cost_bps", "alert", "series", "created_at", "state", "reason", "since", "last_tick", "price", "ticks", "spread_bps", "forecasts",)),
    "modelList": ("GET", "/models", ("default", "models",)),
    "model": ("GET", "/models/{id}", ("id", "created_at", "default", "synthetic", "kind", "parent", "gate", "trained", "heads", "bars", "window_ticks", "drift", "card",)),
    "modelFiles": ("GET", "/auth/models/{id}/files", ("id", "ruleset", "files",)),
    "ruleSetList": ("GET", "/rules", ("default", "rulesets",)),
    "ruleSet": ("GET", "/rules/{id}", ("id", "version", "about", "hash", "rules", "predicates",)),
    "sample": ("GET", "/sample", ("Timestamp", "Price",)),
    "sampleForecast": ("GET", "/sample/forecast", ()),
    "live": ("GET", "/health/live", ("status",)),
    "ready": ("GET", "/health/ready", ("status", "version", "commit", "model", "backend", "device", "refused",)),
}
