"""Options of forecasts: written by `npm run docs:reference` from src/contract/forecastOptions.ts and queryParameters.ts."""

from __future__ import annotations

from typing import Iterable, Literal, Optional, TypedDict, Union


class HorizonOptions(TypedDict, total=False):
    """What is asked of each forecast of several horizons.

    above: A price: with what probability is the price above it at the future timestamp? No direction is claimed.
    detail: true: adds `detail`, the explanation, to the last entry, or to the object of `answer=last`.
    first: true: of the two prices of touch, which is reached first, or neither: three probabilities that add up to 1.
    mark_rate: Fraction of the forecasts of the series that you want marked, the likeliest ones, by a quantile of its last 1,000 probabilities at this horizon and threshold; null with `rate_unknown` until 200 are known. In place of min_probability, from 0.001 to 0.5.
    min_probability: Smallest probability that you want marked, from 0.01 to 0.99; default: the decision threshold of the version.
    model: Id of a loaded version, or an id without its day: the newest; default: the promoted version.
    price_range: Levels, 1 to 8 different ones from 0.5 to 0.99: for each, the range that contains the price at the future timestamp with this probability.
    touch: Up to 16 prices: with what probability is each reached before the future timestamp? No direction is claimed, and no fill promised.
    touch_by: What reaches the prices of touch. limit: the bid one above, the ask one below, as orders fill; stop: the other side; mid: their mean; default: limit with Bid and Ask, else the price.
    bar_time: Required with bars, refused with ticks. open: timestamps are the beginnings of bars; close: their ends. A wrong one lets a forecast see one bar of the future.
    memory_off: true: with series, the forecast does not use what earlier requests said, and nothing of this one is kept.
    """

    above: Optional[float]
    detail: Optional[bool]
    first: Optional[bool]
    mark_rate: Optional[float]
    min_probability: Optional[float]
    model: Optional[str]
    price_range: Optional[Iterable[float]]
    touch: Optional[Iterable[float]]
    touch_by: Optional[Literal["limit", "stop", "mid"]]
    bar_time: Optional[Literal["open", "close"]]
    memory_off: Optional[bool]


class BatchOptions(HorizonOptions, total=False):
    """What is asked of each forecast of a batch.

    min_move_bps: Your own cost in basis points (10,000 x log return), or `cost`: the median spread of Bid and Ask; default: a threshold computed from the ticks.
    """

    min_move_bps: Optional[Union[float, Literal["cost"]]]


class ForecastOptions(BatchOptions, total=False):
    """What is asked of a forecast.

    series: Name of a series, 1 to 64 of A-Z a-z 0-9 . _ : -; the forecast is scored by a later request of the series; of a track record, only its rows. Of a batch: one name for all items, or one for each with commas between them.
    timing: true: the answer has a Server-Timing header with the milliseconds of each stage.
    """

    series: Optional[str]
    timing: Optional[bool]


class AskOptions(TypedDict, total=False):
    """What is asked of one forecast of a live series.

    above: A price: with what probability is the price above it at the future timestamp? No direction is claimed.
    first: true: of the two prices of touch, which is reached first, or neither: three probabilities that add up to 1.
    min_move_bps: Your own cost in basis points (10,000 x log return), or `cost`: the median spread of Bid and Ask; default: a threshold computed from the ticks.
    min_probability: Smallest probability that you want marked, from 0.01 to 0.99; default: the decision threshold of the version.
    price_range: Levels, 1 to 8 different ones from 0.5 to 0.99: for each, the range that contains the price at the future timestamp with this probability.
    touch: Up to 16 prices: with what probability is each reached before the future timestamp? No direction is claimed, and no fill promised.
    touch_by: What reaches the prices of touch. limit: the bid one above, the ask one below, as orders fill; stop: the other side; mid: their mean; default: limit with Bid and Ask, else the price.
    """

    above: Optional[float]
    first: Optional[bool]
    min_move_bps: Optional[Union[float, Literal["cost"]]]
    min_probability: Optional[float]
    price_range: Optional[Iterable[float]]
    touch: Optional[Iterable[float]]
    touch_by: Optional[Literal["limit", "stop", "mid"]]


class EngineOptions(TypedDict, total=False):
    """What is asked of each forecast of the engine.

    min_move_bps: Your own cost in basis points (10,000 x log return), or `cost`: the median spread of Bid and Ask; default: a threshold computed from the ticks.
    min_probability: Smallest probability that you want marked, from 0.01 to 0.99; default: the decision threshold of the version.
    range: Levels, 1 to 8 different ones from 0.5 to 0.99: for each, the range that contains the price at the future timestamp with this probability.
    """

    min_move_bps: Optional[Union[float, Literal["cost"]]]
    min_probability: Optional[float]
    range: Optional[Iterable[float]]


class EngineOnceOptions(EngineOptions, total=False):
    """What is asked of one forecast of the engine.

    above: A price: with what probability is the price above it at the future timestamp? No direction is claimed.
    first: true: of the two prices of touch, which is reached first, or neither: three probabilities that add up to 1.
    touch: Up to 16 prices: with what probability is each reached before the future timestamp? No direction is claimed, and no fill promised.
    touch_by: What reaches the prices of touch. limit: the bid one above, the ask one below, as orders fill; stop: the other side; mid: their mean; default: limit with Bid and Ask, else the price.
    """

    above: Optional[float]
    first: Optional[bool]
    touch: Optional[Iterable[float]]
    touch_by: Optional[Literal["limit", "stop", "mid"]]


# Names in a query, and the form: a text, a list of numbers, a number or a word, or =, the text of what is switched on.
QUERY_NAMES: dict[str, tuple[str, str]] = {
    "above": ("above", "number"),
    "detail": ("detail", "=full"),
    "first": ("first", "=on"),
    "mark_rate": ("mark_rate", "number"),
    "min_move_bps": ("min_move_bps", "number cost"),
    "min_probability": ("min_probability", "number"),
    "model": ("model", "text"),
    "price_range": ("range", "list"),
    "touch": ("touch", "list"),
    "touch_by": ("touch_by", "text"),
    "bar_time": ("bar_time", "text"),
    "memory_off": ("memory", "=off"),
    "series": ("series", "text"),
    "timing": ("timing", "=server"),
}

# Of the forecasts of a live series, with their names on the wire.
PLAN_OPTIONS = frozenset(("above", "first", "mark_rate", "min_move_bps", "min_probability", "range", "touch", "touch_by"))
