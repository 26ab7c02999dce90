/** `tickmark-client`: every route of a tickmark service, in browsers and in Node.js from 20 on. No dependency. */
export { TickmarkClient, type ClientOptions, type Login, type TrackRecordOptions } from './TickmarkClient.ts';
export {
  ApiError,
  ConnectionError,
  isApiError,
  LiveRefusedError,
  TickError,
  TickmarkError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';
export { buildBarBody, type Bar, type BarBody, type BarTime, type Ohlcv } from './barBody.ts';
export { buildTickBody, type FutureTime, type Tick, type TickBody, type TickForm } from './tickBody.ts';
export { CsvError, type PlainTick, type TickChunk, type TickSource } from './readTicks.ts';
export type { CallOptions } from './Transport.ts';
export type { Forecast, ForecastOptions, HorizonOptions } from './Forecast.ts';
export type { BatchOptions, BatchResult, HorizonsBatchOptions, HorizonsResult } from './forecastBatches.ts';
export type { StreamedForecast, StreamOptions } from './forecastStream.ts';
export { LiveConnection } from './live/LiveConnection.ts';
export type { AskRequest, LiveOptions } from './live/LiveOptions.ts';
export type { OpenRequest } from './live/OpenSeries.ts';
export type { WebSocketConstructor, WebSocketLike } from './live/WebSocketLike.ts';
export type { LiveCopy, LiveForecast, LiveMessage, LiveScore, LiveSeriesMessage, LiveServerMessage } from './live/messages.ts';
export { verifyWebhook, type WebhookOptions } from './verifyWebhook.ts';
export type { FieldProblem } from './errors.ts';
export type * from './wire.ts';
