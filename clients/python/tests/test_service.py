"""Against a real service."""

import asyncio
from datetime import datetime, timedelta, timezone

import pytest

from tickmark import ApiError, AsyncTickmark, Tickmark, TickmarkError, build_bar_body, build_tick_body

START = datetime(2024, 1, 2, 9, 30)
TICKS = [(START + timedelta(seconds=i), 100 + ((i * 7) % 13) / 100) for i in range(400)]


def test_every_read(client: Tickmark) -> None:
    assert client.liveness() == {"status": "live"}
    assert client.model(client.health()["model"])["id"] == client.models()["default"]
    assert client.rule_set(client.rules()["default"])["rules"]
    assert client.sample_forecast().detail["opportunity"]["probability"] > 0


def test_forecast_equals_the_sample(client: Tickmark) -> None:
    made = client.forecast(client.sample(), detail=True, timing=True)
    sample = client.sample_forecast()
    assert (made.timestamp, made.trend_identified) == (sample.timestamp, sample.trend_identified)
    assert made.detail["logit"] == sample.detail["logit"]
    assert made.server_timing and made.request_id


def test_bars(client: Tickmark) -> None:
    ohlcv = [[1_704_187_800_000 + 60_000 * i, 100.0, 100.2, 99.8, 100 + ((i * 7) % 13) / 100, 3.0] for i in range(300)]
    for made in (
        client.forecast_horizons(ohlcv, horizon_bars=[5, 30], bar_time="open"),
        client.forecast_horizons([(row[0] + 60_000, row[4]) for row in ohlcv], ["5m", "30m"], bar_time="close"),
    ):
        assert [each["status"] in ("identified", "none", "abstained") for each in made] == [True, True]
    future = build_bar_body(ohlcv, 1_704_187_800_000 + 60_000 * 330)
    assert client.forecast(future, bar_time="open").timestamp == future["Timestamp"][-1]
    with pytest.raises(ApiError) as refused:
        client.forecast_horizons(ohlcv, ["5m"])
    assert refused.value.field_errors[0]["code"] == "bar_time.required"


def test_last_only(client: Tickmark) -> None:
    body = client.sample()
    made, full = client.forecast(body, last_only=True), client.forecast(body)
    assert (full.status, full.reason, set(full.answer)) == ("identified", None, set(body["Timestamp"]))
    assert full.probability is not None and full.probability >= (full.decision_threshold or 1)
    assert (made.trend_identified, made.status, made.reason) == (1, "identified", None)
    assert made.answer == {made.timestamp: {"trend_identified": 1}}
    far = build_tick_body(TICKS[:250], TICKS[249][0] + timedelta(days=9))
    first, second = client.forecast_batch([body, far], last_only=True, detail=True)
    assert (first.status, first.detail["opportunity"]) == ("identified", client.sample_forecast().detail["opportunity"])
    assert (second.trend_identified, second.status, second.reason) == (None, "abstained", second.detail["reasons"][0]["code"])


def test_batch_of_more_than_one_request(client: Tickmark) -> None:
    bodies = [build_tick_body(TICKS[i : i + 250], TICKS[i + 249][0] + timedelta(seconds=60)) for i in range(70)]
    bodies[66]["Price"][3] = -1.0
    results = client.forecast_batch(bodies)
    assert [i for i, result in enumerate(results) if isinstance(result, ApiError)] == [66]
    assert results[66].field_errors[0]["pointer"].endswith("/Price/3")
    assert results[5].answer == client.forecast(bodies[5]).answer


def test_horizons_equal_single_forecasts(client: Tickmark) -> None:
    body = client.sample()
    observed = {"Timestamp": body["Timestamp"][:-1], "Price": body["Price"][:-1]}
    made = client.forecast_horizons(observed, ["10s", "60s"], min_moves_bps=[1, 2.5])
    assert [(each["horizon"], each["min_move_bps"]) for each in made] == [("10s", 1), ("10s", 2.5), ("60s", 1), ("60s", 2.5)]
    single = client.forecast(body, min_move_bps=2.5, last_only=True)
    assert (made[3]["timestamp"], made[3]["status"]) == (single.timestamp, single.status)


def test_stream_equals_single_forecasts(client: Tickmark) -> None:
    streamed = list(client.forecast_stream(TICKS, window=250, step=50, horizon_s=60, detail=True))
    assert [(made.index, made.ticks_read) for made in streamed] == [(0, 250), (1, 300), (2, 350), (3, 400)]
    single = client.forecast(build_tick_body(TICKS[50:300], TICKS[299][0] + timedelta(seconds=60)), detail=True)
    assert streamed[1].forecast.answer.keys() == single.answer.keys()
    assert streamed[1].forecast.detail["logit"] == single.detail["logit"]


def test_stream_without_a_window_has_the_number_that_suits_the_horizon(client: Tickmark) -> None:
    # Fewer ticks than suit 60 s are one window.
    assert [(made.index, made.ticks_read) for made in client.forecast_stream(TICKS, horizon_s=60)] == [(0, len(TICKS))]


def test_async_has_the_same_answers(base_url: str, api_key: str, client: Tickmark) -> None:
    async def ask() -> list[object]:
        async with AsyncTickmark(base_url, api_key) as other:
            body = await other.sample()
            results = await other.forecast_batch([body] * 130)
            streamed = [made async for made in other.forecast_stream(TICKS, window=250, step=50, horizon_s=60)]
            return [(await other.forecast(body)).answer, [result.answer for result in results], len(streamed)]

    answer = client.forecast(client.sample()).answer
    assert asyncio.run(ask()) == [answer, [answer] * 130, 4]


def test_keys(client: Tickmark, base_url: str, login: tuple[str, str]) -> None:
    issued = client.issue_key(login, name="laptop")
    rotated = Tickmark(base_url, issued["api_key"]).rotate_key()
    assert rotated["replaced"]["id"] == issued["id"]
    assert client.revoke_key(login, rotated["id"])["status"] == "revoked"
    with pytest.raises(ApiError) as caught:
        Tickmark(base_url, rotated["api_key"]).me()
    assert (caught.value.code, caught.value.status) == ("auth.key_refused", 401)


def test_password_and_deletion(base_url: str) -> None:
    client = Tickmark(base_url)
    login, new = ("leaves@example.com", "first-password-1"), "second-password-2"
    client.sign_up(*login)
    client.change_password(login, new)
    with pytest.raises(ApiError, match="auth.password_refused"):
        client.list_keys(login)
    client.delete_account((login[0], new))


def test_frame(client: Tickmark) -> None:
    pd = pytest.importorskip("pandas")
    times, prices = zip(*TICKS)
    frame = pd.DataFrame({"bid": [p - 0.01 for p in prices], "ask": [p + 0.01 for p in prices]}, index=pd.DatetimeIndex(times))
    futures = [times[-1] + timedelta(seconds=s) for s in (30, 60, -1)]
    # The spread is 2 bps, and a frame of prices has none.
    made = client.forecast_frame(frame, futures, window=300, min_move_bps="cost")
    assert made["min_move_bps"].iloc[:2].tolist() == pytest.approx([2, 2], rel=0.01)
    assert list(made.index) == [pd.Timestamp(future, tz="UTC") for future in futures]
    assert made["probability"].notna().tolist() == [True, True, False]
    assert made["error"].isna().tolist() == [True, True, False]
    assert made["error"].iloc[2] == "request.invalid"
    assert made["pointer"].iloc[2] == "/Timestamp/300" and made["hint"].iloc[2].startswith("Send a last timestamp")
    assert set(made["status"].iloc[:2]) <= {"identified", "none", "abstained"}
    assert [reason is None or isinstance(reason, float) for reason in made["reason"]] == [status != "none" and status != "abstained" for status in made["status"]]
    # A column of numbers has the units of the service, and so have the future times.
    stamps = [int(time.replace(tzinfo=timezone.utc).timestamp() * 1000) for time in times]
    numbers = pd.DataFrame({"timestamp": stamps, "price": prices})
    assert client.forecast_frame(numbers, [stamps[-1] + 60_000], window=300)["probability"].notna().all()
    seconds = pd.DataFrame({"timestamp": [stamp // 1000 for stamp in stamps], "price": prices})
    for wrong in (seconds, numbers.rename(columns={"price": "value"}), numbers.astype({"timestamp": float}), [1]):
        with pytest.raises(TickmarkError):
            client.forecast_frame(wrong, [stamps[-1] + 60_000])
