"""A replay of many series on real local clusters: the result is that of one process, for any number of workers, and with one that is lost."""

from __future__ import annotations

import inspect
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from markets import pd, walk

from tickmark import ApiError, UsageError, replay_each

NAMES = ["a", "b", "c", "d", "e", "f"]
SHORT = "short"


def market(seed: int, name: str, count: int) -> Any:
    times, prices = walk(seed, count)
    return pd.DataFrame({"series": name, "timestamp": times.astype("datetime64[ms]"), "price": prices, "row": range(count)})


FRAME = pd.concat([market(seed, name, 1500) for seed, name in enumerate(NAMES)] + [market(9, SHORT, 50)], ignore_index=True)
EACH = replay_each("10s", order="row", ticks=300, min_move_bps=1.5, range=[0.9])


@pytest.fixture(scope="module")
def wanted() -> Any:
    made = EACH(FRAME)
    assert made["series"].unique().tolist() == NAMES and len(made) > 100
    return made


def rows(frame: Any) -> list[Any]:
    """By series and time, with the values that every engine of data frames keeps."""
    ordered = frame.sort_values(["series", "timestamp"], ignore_index=True)
    times = pd.to_datetime(ordered["timestamp"], utc=True).astype("datetime64[us, UTC]").astype("int64")
    kept = ordered.assign(timestamp=times).astype(object)
    return kept.where(kept.notna(), None).to_numpy().tolist()


def losing_a_worker(folder: Path) -> Callable[[Any], Any]:
    """The function, whose first call for a frame kills its worker."""
    mark, each = folder / "lost", EACH

    def replayed(frame: Any) -> Any:
        # The empty frame is that by which Dask looks at the columns.
        if len(frame) > 0 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return each(frame)

    return replayed


def test_the_result_is_that_of_each_series_alone_in_any_order(wanted: Any) -> None:
    alone = pd.concat([EACH(FRAME[FRAME["series"] == name]) for name in reversed(NAMES)])
    assert rows(alone) == rows(wanted)
    assert rows(EACH(FRAME.sample(frac=1, random_state=1))) == rows(wanted)
    assert rows(pickle.loads(pickle.dumps(EACH))(FRAME)) == rows(wanted)
    assert EACH.meta.dtypes.astype(str).to_dict() == EACH.types == wanted.dtypes.astype(str).to_dict()
    assert len(EACH(FRAME[FRAME["series"] == SHORT])) == 0
    # Spark counts the positional arguments.
    assert inspect.getfullargspec(EACH).args == ["frame"]


def test_what_is_refused_names_the_series() -> None:
    with pytest.raises(ApiError, match=r"series b: Timestamp\[1\] .* name the column of their order: order=…"):
        replay_each("10s")(FRAME[FRAME["series"] == "b"].iloc[::-1])
    with pytest.raises(UsageError, match="no column symbol; it has series, timestamp, price, row"):
        replay_each("10s", by="symbol")(FRAME)
    with pytest.raises(TypeError, match="no option 'window'"):
        replay_each("10s", window=5)  # type: ignore[call-arg]


@pytest.fixture(scope="module", params=[1, 2])
def dask_workers(request: Any) -> Iterator[Any]:
    pytest.importorskip("dask.dataframe", reason="no dask: pip install 'dask[dataframe,distributed]'")
    distributed = pytest.importorskip("distributed", reason="no dask.distributed: pip install 'dask[dataframe,distributed]'")
    with distributed.LocalCluster(n_workers=request.param, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        yield client


def test_dask(dask_workers: Any, wanted: Any, tmp_path: Path) -> None:
    import dask.dataframe as dd

    ticks = dd.from_pandas(FRAME, npartitions=5)
    whole = ticks.shuffle("series", npartitions=4)
    each = EACH if len(dask_workers.scheduler_info()["workers"]) == 1 else losing_a_worker(tmp_path)
    assert rows(whole.map_partitions(each, meta=EACH.meta).compute()) == rows(wanted)
    assert (tmp_path / "lost").exists() == (each is not EACH)


@pytest.fixture(scope="module", params=[1, 2])
def ray_workers(request: Any) -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="no ray: pip install 'ray[data]'")
    ray.init(num_cpus=request.param, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}})
    yield request.param
    ray.shutdown()


def test_ray(ray_workers: int, wanted: Any, tmp_path: Path) -> None:
    import ray.data

    each = EACH if ray_workers == 1 else losing_a_worker(tmp_path)
    ticks = ray.data.from_pandas(FRAME)
    made = ticks.groupby("series").map_groups(each, batch_format="pandas").to_pandas()
    assert rows(made[EACH.meta.columns]) == rows(wanted)
    assert (tmp_path / "lost").exists() == (each is not EACH)


@pytest.fixture(scope="module", params=[1, 2])
def spark(request: Any) -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="no pyspark: pip install pyspark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        # A worker that is lost is tried again only with a second number.
        session = sql.SparkSession.builder.master(f"local[{request.param},2]").config("spark.ui.enabled", "false").getOrCreate()
    except Exception as error:  # noqa: BLE001
        pytest.skip(f"Spark does not start, it needs Java: {str(error).splitlines()[0]}")
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_spark(spark: Any, wanted: Any, tmp_path: Path) -> None:
    each = EACH if spark.sparkContext.defaultParallelism == 1 else losing_a_worker(tmp_path)
    ticks = spark.createDataFrame(FRAME)
    made = ticks.groupBy("series").applyInPandas(each, EACH.schema).toPandas()
    assert rows(made) == rows(wanted)
    assert (tmp_path / "lost").exists() == (each is not EACH)
