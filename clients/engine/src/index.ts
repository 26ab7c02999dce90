/** `tickmark-engine`: forecasts of tickmark in a page or a program. Nothing is sent; no key, no limit, no dependency. */
export { openEngine } from './openEngine.ts';
export { Series, type SeriesBars, type SeriesOptions } from './Series.ts';
export { openMemory } from './memory.ts';
export { EngineError } from './EngineError.ts';
export type {
  Bars,
  Engine,
  EngineOptions,
  Forecast,
  ForecastOptions,
  LearnOptions,
  ReplayedWindow,
  ReplayOptions,
  SeriesMemory,
  TickColumns,
  Ticks,
  VersionFiles,
  WindowOptions,
} from './api.ts';
export type { Bar, BarTime, Ohlcv } from '../../typescript/src/barBody.ts';
export type { Tick } from '../../typescript/src/tickBody.ts';
export type { FieldProblem } from '../../typescript/src/errors.ts';
export type { ChanceAbove, ErrorCode, ForecastDetail, NullReason, RangeBand, TickLists } from '../../typescript/src/wire.ts';
