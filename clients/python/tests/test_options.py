"""Options and answers of forecasts, without a service."""

import json
from typing import Any

import pytest

from tickmark._options import QUERY_NAMES
from tickmark import Forecast, UnexpectedAnswer, UsageError
from tickmark._calls import split_batch

from replies import ANSWER, BODY, over


def test_thresholds_of_other_number_types_are_sent_as_numbers() -> None:
    class Float64(float):
        def __repr__(self) -> str:
            return f"np.float64({float(self)})"

    bps = Float64(2.5)
    client, sent = over((200, ANSWER))
    client.forecast(BODY, min_move_bps=bps)
    over_batch, sent_batch = over((200, {"results": [{"body": ANSWER}]}))
    over_batch.forecast_batch([BODY], min_move_bps=bps)
    over_horizons, sent_horizons = over((200, {"forecasts": [{"trend_identified": None, "status": "none"}] * 2}))
    over_horizons.forecast_horizons(BODY, ["10s"], min_moves_bps=[bps, 1])
    queries = [request.url.params["min_move_bps"] for request in [*sent, *sent_batch, *sent_horizons]]
    assert queries == ["2.5", "2.5", "2.5,1.0"]


def test_the_cost_and_the_smallest_probability_are_sent_in_every_form() -> None:
    options: Any = {"min_probability": 0.4}
    client, sent = over((200, ANSWER))
    client.forecast(BODY, min_move_bps="cost", **options)
    over_batch, sent_batch = over((200, {"results": [{"body": ANSWER}]}))
    over_batch.forecast_batch([BODY], min_move_bps="cost", **options)
    over_horizons, sent_horizons = over((200, {"forecasts": [{"trend_identified": None, "status": "none"}] * 2}))
    over_horizons.forecast_horizons(BODY, ["10s"], min_moves_bps=[1, "cost"], **options)
    queries = [request.url.params for request in [*sent, *sent_batch, *sent_horizons]]
    assert [query["min_move_bps"] for query in queries] == ["cost", "cost", "1.0,cost"]
    assert [query["min_probability"] for query in queries] == ["0.4"] * 3
    rated, sent_rated = over((200, ANSWER))
    rated.forecast(BODY, series="s", mark_rate=0.05)
    assert dict(sent_rated[0].url.params) == {"answer": "summary", "mark_rate": "0.05", "series": "s"}
    with pytest.raises(ValueError, match="min_move_bps must be a number; it is 'costs'"):
        client.forecast(BODY, min_move_bps="costs")  # type: ignore[arg-type]


def test_the_memory_of_a_series_can_be_left_out() -> None:
    client, sent = over((200, ANSWER))
    client.forecast(BODY, series="s", memory_off=True)
    assert str(sent[0].url) == "http://x/auth/ti-tick?answer=summary&series=s&memory=off"


def test_a_target_of_alerts_has_a_rule_and_a_format() -> None:
    answer = {"message": "m", "id": "i", "url": "u", "events": [], "created_at": "t", "secret": "s"}
    client, sent = over((201, answer))
    rule: Any = {"min_probability": 0.4, "quiet_hours": "22:00-06:00"}
    client.add_webhook(("a@example.com", "p"), "https://x", rule=rule, format="telegram", chat_id="42")
    client.add_webhook(("a@example.com", "p"), "https://x", ["record.worse"])
    client.change_webhook(("a@example.com", "p"), "i", rule=None, events=["record.worse"])
    assert sent[2].method == "PATCH" and sent[2].url.path == "/account/webhooks/i"
    assert [json.loads(request.content) for request in sent] == [
        {"url": "https://x", "rule": rule, "format": "telegram", "chat_id": "42"},
        {"url": "https://x", "events": ["record.worse"]},
        {"rule": None, "events": ["record.worse"]},
    ]


def test_ranges_and_the_chance_above_a_price_can_be_asked_for() -> None:
    band = {"level": 0.9, "move_bps": 2.0, "low": 1.0, "high": 2.0, "reason": None, "coverage": None}
    last = {**ANSWER[list(ANSWER)[-1]], "range": [band]}
    client, sent = over((200, {**ANSWER, list(ANSWER)[-1]: last}))
    made = client.forecast(BODY, price_range=[0.5, 0.9], above=1.085)
    assert sent[0].url.params["range"] == "0.5,0.9"
    assert sent[0].url.params["above"] == "1.085"
    assert (made.range, made.above) == ([band], None)


def test_an_answer_for_epoch_numbers_has_them_as_texts() -> None:
    for last in (2_000, 2_000.0):
        body: Any = {"Timestamp": [1_000, last], "Price": [1, 0]}
        made = over((200, {"1000": {"trend_identified": None}, "2000": {"trend_identified": 1}}))[0].forecast(body)
        assert (made.timestamp, made.trend_identified) == ("2000", 1)
        short = over((200, {"timestamp": "2000", "trend_identified": 1, "status": "identified", "reason": None}))[0].forecast(body, last_only=True)
        assert (short.timestamp, short.answer) == ("2000", {"2000": {"trend_identified": 1}})


def test_batches_split() -> None:
    assert [len(group) for group in split_batch(["x"] * 130)] == [64, 64, 2]
    assert [len(group) for group in split_batch(["x" * 5_000_000] * 2)] == [1, 1]
    assert split_batch([]) == []


@pytest.mark.parametrize("answer", [{}, {"a": {}}, {"b": {}}, {"b": None}, {"b": {"trend_identified": True}}, {"b": {"trend_identified": 0}}, {"forecasts": []}])
def test_an_answer_without_the_forecast_is_not_one(answer: Any) -> None:
    with pytest.raises(UnexpectedAnswer):
        over((200, answer))[0].forecast(BODY)
    with pytest.raises(UnexpectedAnswer):
        over((200, answer))[0].forecast_horizons(BODY, ["10s"])
    for results in ([{"body": answer}], [], None, [{}], [{"problem": {}}]):
        with pytest.raises(UnexpectedAnswer):
            over((200, {"results": results}))[0].forecast_batch([BODY])


def test_a_batch_has_series_horizons_and_outlook() -> None:
    summary = {"timestamp": list(ANSWER)[-1], "trend_identified": None, "status": "none", "reason": "below_threshold", "probability": 0.25}
    client, sent = over((200, {"results": [{"body": summary}] * 2}))
    first, _ = client.forecast_batch([BODY, BODY], series=["a", "b"], price_range=[0.5], above=2, memory_off=True, mark_rate=0.1)
    assert isinstance(first, Forecast)
    assert (first.status, first.reason, first.probability) == ("none", "below_threshold", 0.25)
    assert list(first.answer) == [str(stamp) for stamp in BODY["Timestamp"]]
    assert dict(sent[0].url.params) == {
        **{"answer": "summary", "series": "a,b", "range": "0.5", "above": "2.0", "memory": "off", "mark_rate": "0.1"},
    }
    forecast = {"trend_identified": None, "status": "none", "probability": 0.25}
    client, sent = over((200, {"results": [{"body": {"forecasts": [forecast] * 4}}]}))
    assert client.forecast_horizons_batch([BODY], ["10s", "60s"], min_moves_bps=[1, 2], series="a") == [[forecast] * 4]
    assert dict(sent[0].url.params) == {"horizons": "10s,60s", "min_move_bps": "1.0,2.0", "series": "a"}
    with pytest.raises(UsageError, match="one for each of 1 bodies; it is 2 names"):
        client.forecast_batch([BODY], series=["a", "b"])


def test_every_option_is_sent_by_its_name_and_others_are_refused() -> None:
    samples = {"text": "a", "list": [0.5, 0.9], "number": 2.5}
    client, sent = over((200, ANSWER))
    for name, (on_wire, form) in QUERY_NAMES.items():
        value: Any = samples.get(form.split()[0], True)
        client.forecast(BODY, **{name: value})
        wanted = {"text": "a", "list": "0.5,0.9", "number": "2.5"}.get(form.split()[0], form[1:])
        assert dict(sent[-1].url.params) == {"answer": "summary", on_wire: wanted}
        client.forecast(BODY, **{name: None})
        assert dict(sent[-1].url.params) == {"answer": "summary"}
    refused: Any = {"min_probabilty": 0.4}
    with pytest.raises(TypeError, match="no option 'min_probabilty'; the options are above, bar_time"):
        client.forecast(BODY, **refused)
    with pytest.raises(TypeError, match="no option 'timing'"):
        client.forecast_batch([BODY], timing=True)  # type: ignore[call-arg]
