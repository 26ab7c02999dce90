"""The engine in this process."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from markets import ENGINE, FRAME, PRICES, QUOTES, START_MS, TIMES, np, pd

from tickmark import ApiError, Engine, SeriesMemory, TickError, Tickmark, UsageError
from tickmark._columns import read_table

ROOT = Path(__file__).resolve().parents[3]


def untimed(detail: Any) -> Any:
    return {**detail, "timings_ms": None}


def future_of(body: Any) -> tuple[Any, str]:
    """The observed ticks of a body, and its horizon."""
    stamps = [datetime.fromisoformat(stamp) for stamp in body["Timestamp"]]
    seconds = (stamps[-1] - stamps[-2]).total_seconds()
    return {"timestamp": stamps[:-1], "price": body["Price"][:-1]}, f"{round(seconds * 1000)}ms"


@pytest.mark.parametrize("name", ["short", "usual", "long", "micros", "equal", "still"])
@pytest.mark.parametrize("options", [{}, {"min_move_bps": 2.5, "range": [0.5, 0.9], "above": 100.0}])
def test_answers_are_those_of_the_service_to_the_last_bit(client: Tickmark, name: str, options: Any) -> None:
    body = json.loads(json.loads((ROOT / "test/golden/contract.json").read_text())["bases"][name])
    asked = {("price_range" if option == "range" else option): value for option, value in options.items()}
    wanted = client.forecast(body, detail=True, **asked)
    ticks, horizon = future_of(body)
    made = ENGINE.forecast(ticks, horizon, **options)
    assert made.detail is not None and wanted.detail is not None
    assert untimed(made.detail) == untimed(wanted.detail)
    assert (made.timestamp[:23], made.trend_identified, made.status, made.reason) == (
        *(wanted.timestamp[:23], wanted.trend_identified, wanted.status, wanted.reason),
    )
    assert (made.probability, made.decision_threshold, made.min_move_bps) == (wanted.probability, wanted.decision_threshold, wanted.min_move_bps)
    assert (made.range, made.above) == (wanted.range, wanted.above)


def forms_of_ticks() -> dict[str, Any]:
    times, prices = TIMES[-500:], PRICES[-500:]
    frame = FRAME.iloc[-500:]
    dates = [datetime.fromtimestamp(ms / 1000, timezone.utc) for ms in times.tolist()]
    forms = {
        "pandas": frame,
        "pandas of nanoseconds in New York": frame.assign(timestamp=frame["timestamp"].astype("datetime64[ns]").dt.tz_localize("UTC").dt.tz_convert("America/New_York")),
        "pandas over an index": frame.set_index("timestamp"),
        "a Series of pandas": frame.set_index("timestamp")["price"],
        "pandas of texts": frame.assign(timestamp=frame["timestamp"].dt.strftime("%Y-%m-%d %H:%M:%S.%f")),
        "pandas of milliseconds and nullable numbers": pd.DataFrame({"time": times, "Price": pd.array(prices, dtype="Float64")}),
        "a mapping": {"Timestamp": times * 1000, "Price": prices},
        "an array": np.column_stack([times, prices]),
        "a structured array": np.array(list(zip(times, prices)), dtype=[("time_msc", "<i8"), ("price", "<f8")]),
        "a list": list(zip(times.tolist(), prices.tolist())),
        "a list with dates": list(zip(dates, prices.tolist())),
    }
    try:
        import pyarrow as pa

        table = pa.table({"timestamp": pa.array(times, type=pa.timestamp("ms", tz="UTC")), "price": prices})
        forms["Arrow"] = pa.concat_tables([table.slice(0, 123), table.slice(123)])
        forms["a batch of Arrow"] = table.to_batches()[0]
    except ImportError:
        pass
    try:
        import polars as pl

        forms["polars"] = pl.DataFrame({"timestamp": pl.Series(times * 1_000_000).cast(pl.Datetime("ns")), "price": prices})
    except ImportError:
        pass
    return forms


@pytest.mark.parametrize("form", forms_of_ticks())
def test_every_form_of_ticks_has_the_same_answer(form: str) -> None:
    wanted = ENGINE.forecast({"timestamp": TIMES[-500:], "price": PRICES[-500:]}, "60s")
    made = ENGINE.forecast(forms_of_ticks()[form], "60s")
    assert untimed(made.detail) == untimed(wanted.detail)
    assert made.times_us.tolist() == (TIMES[-500:] * 1000).tolist()


def test_bars_in_every_form() -> None:
    minutes = START_MS + 60_000 * np.arange(400)
    close = PRICES[:400]
    high, low, first = close + 0.02, close - 0.02, close + 0.01
    frame = pd.DataFrame({"Open": first, "High": high, "Low": low, "Close": close, "Volume": 5.0}, index=pd.to_datetime(minutes, unit="ms"))
    rates = [(int(ms) // 1000, *row, 7) for ms, *row in zip(minutes, first, high, low, close)]
    kinds = [("time", "<i8"), *((name, "<f8") for name in ("open", "high", "low", "close")), ("tick_volume", "<u8")]
    several = frame.copy()
    several.columns = pd.MultiIndex.from_tuples([(name, "EURUSD=X") for name in frame])
    forms = [frame, several, [[int(ms), *row, 5.0] for ms, *row in zip(minutes, first, high, low, close)], np.array(rates, dtype=kinds)]
    made = [ENGINE.forecast(form, "30bars", bar_time="open") for form in forms]
    assert [untimed(each.detail) for each in made] == [untimed(made[0].detail)] * len(forms)
    closes = [ENGINE.forecast(form, "30bars", bar_time="open") for form in (frame["Close"], list(zip(minutes.tolist(), close.tolist())))]
    assert closes[0].probability == closes[1].probability != made[0].probability
    with pytest.raises(ApiError, match="bar_time is required"):
        ENGINE.forecast(frame, "30bars")
    replayed = ENGINE.replay(frame, "10bars", bar_time="open", ticks=300)
    assert len(replayed) == 11 and replayed.attrs["independent"] and replayed.attrs["memory_unused"] is None
    series = ENGINE.series(bar_time="open", period="1m")
    series.push(frame.iloc[:300])
    series.push(frame.iloc[300:])
    assert series.ticks == 400 and series.forecast("10bars").probability is not None
    with pytest.raises(UsageError, match="both bar_time and period"):
        ENGINE.series(period="1m")


def test_doubles_go_as_they_are_without_a_copy() -> None:
    forms = {name: form for name, form in forms_of_ticks().items() if name in ("pandas", "a mapping", "Arrow", "polars")}
    forms["quotes"] = QUOTES
    for name, form in forms.items():
        for column, values in read_table(form).columns.items():
            if column == "Timestamp":
                continue
            source = form["price" if column == "Price" and name != "a mapping" else column if name == "a mapping" else column.lower()]
            parts = [each.to_numpy() for each in source.chunks] if name == "Arrow" else [np.asarray(source)]
            for part, sent, given in zip(values.parts, values.doubles(), parts):
                assert np.shares_memory(part, given) and np.shares_memory(np.frombuffer(sent), given), (name, column)


def test_what_is_refused_raises_the_errors_of_the_client_with_the_codes_of_the_service() -> None:
    calls: list[tuple[Any, str, str]] = [
        (lambda: ENGINE.forecast(FRAME.iloc[:100], "60s"), "ticks.too_few", "/Timestamp"),
        (lambda: ENGINE.forecast(FRAME.iloc[:300].iloc[::-1], "60s"), "timestamp.step_back", "/Timestamp/1"),
        (lambda: ENGINE.forecast(FRAME.iloc[:300].assign(price=[1.0] * 299 + [np.nan]), "60s"), "price.not_finite", "/Price/299"),
        (lambda: ENGINE.forecast(FRAME, "60"), "query.malformed", "?horizon"),
        (lambda: ENGINE.forecast(FRAME, "60s", min_move_bps=0), "min_move_bps.out_of_range", "?min_move_bps"),
        (lambda: ENGINE.forecast(FRAME, "60s", min_probability=1), "min_probability.out_of_range", "?min_probability"),
        (lambda: ENGINE.replay(FRAME, "60s", min_move_bps="cost"), "min_move_bps.cost_unknown", "?min_move_bps"),
        (lambda: ENGINE.replay(FRAME, "60s", grid="clock"), "query.malformed", "?grid"),
        (lambda: ENGINE.learn(FRAME, "60s", series=SeriesMemory(bar_period_ms=60_000)), "series.other_kind", "?memory"),
        (lambda: ENGINE.forecast(FRAME, "60s", series=SeriesMemory(b"x")), "query.malformed", "?memory"),
    ]
    for run, code, pointer in calls:
        with pytest.raises(ApiError) as refused:
            run()
        assert (refused.value.code, refused.value.status) == ("request.invalid", 422)
        assert (refused.value.field_errors[0]["code"], refused.value.field_errors[0]["pointer"]) == (code, pointer), str(refused.value)
        again = pickle.loads(pickle.dumps(refused.value))
        assert (str(again), again.problem, type(again)) == (str(refused.value), refused.value.problem, ApiError)
    with pytest.raises(ApiError, match="model.unknown"):
        Engine("base-x").forecast(FRAME, "60s")
    for wrong, words in (
        (FRAME.rename(columns={"price": "value"}), "price, bid and ask, or close; it has timestamp, value"),
        (FRAME["price"].to_numpy(), "2 or 3 columns"),
        (FRAME.assign(price="a"), "price must be numbers"),
        ({"price": [1.0]}, "must have a column timestamp"),
        ("x.csv", "it is a str"),
        (None, "NoneType"),
    ):
        with pytest.raises(UsageError, match=words):
            ENGINE.forecast(wrong, "60s")
    with pytest.raises(TickError, match="tick 1: price must be above 0"):
        ENGINE.forecast([(START_MS, 1.0), (START_MS, -1.0)], "60s")
    with pytest.raises(TypeError, match="no option 'min_move'; the options are above, bar_time"):
        ENGINE.forecast(FRAME, "60s", min_move=3)  # type: ignore[call-arg]
    # A fault of one call is none of the next.
    assert ENGINE.forecast(FRAME, "60s").status in ("identified", "none", "abstained")


def test_a_replay_is_the_one_of_the_command(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "ticks.csv", index=False)
    command = [os.environ.get("TICKMARK_NODE", "node"), str(ROOT / "bin/tickmark.js"), "replay", "ticks.csv", "--horizon", "10s", "--min-move-bps", "1.5"]
    subprocess.run([*command, "--windows", "windows.csv"], cwd=tmp_path, check=True, capture_output=True)
    wanted = pd.read_csv(tmp_path / "windows.csv", keep_default_na=False)
    made = ENGINE.replay(FRAME, "10s", min_move_bps=1.5, range=[0.9])
    assert made.dtypes.astype(str).to_dict() == {
        **{"timestamp": "datetime64[us, UTC]", "price": "float64", "trend_identified": "Int8", "probability": "float64"},
        **{"baseline_probability": "float64", "min_move_bps": "float64", "move_bps": "float64", "outcome": "Int8"},
        **{"outcome_missing": "object", "reasons": "object", "seen_in_training": "bool", "low_90": "float64", "high_90": "float64"},
    }
    assert len(made) == len(wanted) > 50
    texts = made.assign(outcome=made["outcome"].astype(object).where(made["outcome"].notna(), made["outcome_missing"]))
    for name in wanted.columns:
        got = made["timestamp"].dt.strftime("%Y-%m-%d %H:%M:%S.%f") if name == "timestamp" else texts[name].astype(object)
        if name in ("timestamp", "reasons", "outcome"):
            assert [str(each) for each in got] == [str(each) for each in wanted[name]], name
        else:
            # The command runs rows of the network in other groups, which may change the last bit.
            numbers = [None if each == "" else pytest.approx(float(each), rel=1e-12) for each in wanted[name]]
            assert [None if pd.isna(each) else float(each) for each in got] == numbers, name
    assert (made["outcome"].isna() == made["outcome_missing"].notna()).all() and set(made["outcome_missing"].dropna()) == {"data_ends"}


def test_windows_closer_than_the_horizon_are_not_independent() -> None:
    usual = ENGINE.replay(FRAME, "60s", ticks=300)
    close = ENGINE.replay(FRAME, "60s", ticks=300, every="10s", grid="clock")
    far = ENGINE.replay(FRAME, "60s", ticks=300, every="5m", grid="clock", last=3)
    assert [each.attrs["independent"] for each in (usual, close, far)] == [True, False, True]
    assert len(close) > 3 * len(usual) and len(far) == 3
    # Each is the first tick of its ten seconds, but for those of the same millisecond.
    seconds = close["timestamp"].astype("int64") // 10_000_000
    assert seconds.is_unique and (close["timestamp"].astype("int64") % 10_000_000).max() < 10_000_000
    assert type(close.iloc[:2]) is pd.DataFrame


def test_the_memory_of_a_series_is_bytes_that_go_on_elsewhere() -> None:
    memory = ENGINE.learn(FRAME.iloc[:3000], "10s")
    assert (memory.since_ms, memory.last_ms) == (TIMES[0], TIMES[2999])
    series = ENGINE.series(SeriesMemory(memory.save()))
    series.push(FRAME.iloc[3000:3400])
    for at in range(3400, 3500):
        series.push([(int(TIMES[at]), float(PRICES[at]))])
    made = series.forecast("10s", range=[0.9])
    wanted = ENGINE.forecast(FRAME.iloc[3000:3500], "10s", series=memory, range=[0.9])
    assert made.detail is not None and made.detail["memory"]["used"] is True
    assert untimed(made.detail) == untimed(wanted.detail)
    assert made.times_us.tolist() == wanted.times_us.tolist() and series.ticks == 500
    assert series.memory.save() == memory.save()
    assert ENGINE.ticks_for("60s", memory) < ENGINE.ticks_for("60s")
    with pytest.raises(ApiError, match="earlier than the last tick"):
        series.push(FRAME.iloc[:10])
    alone = ENGINE.forecast(FRAME.iloc[3000:3500], "10s")
    assert alone.detail is not None and alone.detail.get("memory") is None


def test_a_version_of_your_own() -> None:
    folder = next((ROOT / "models").iterdir())
    for version in (folder, folder.name, {each.name: each.read_bytes() for each in folder.iterdir() if each.suffix != ".html"}):
        own = pickle.loads(pickle.dumps(Engine(version)))
        assert own.version == folder.name
        assert own.forecast(FRAME, "60s").probability == ENGINE.forecast(FRAME, "60s").probability
