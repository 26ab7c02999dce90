import { whole, type SettingRow } from './SettingRow.ts';

/** Limits of requests, of the admission queue and of live connections. */
export const REQUEST_SETTINGS = {
  BODY_LIMIT_BYTES: whole(1_048_576, [65_536, 16_777_216], 'Maximum body of a forecast request, after decompression.'),
  BATCH_BODY_LIMIT_BYTES: whole(8_388_608, [65_536, 67_108_864], 'Maximum body of a batch request, after decompression.'),
  HEADER_LIMIT_BYTES: whole(8192, [4096, 65_536], 'Maximum total size of the request headers.'),
  REQUEST_TIMEOUT_MS: whole(30_000, [1000, 300_000], 'Maximum time to receive a whole request.'),
  FORECAST_DEADLINE_MS: whole(
    2000,
    [10, 60_000],
    'Maximum time from the arrival of a request to its forecast; a request that would take longer gets 503 at once.',
  ),
  FORECAST_QUEUE: whole(
    512,
    [1, 100_000],
    'Forecasts that may be queued in addition to those in flight, about 100 kB each with their bodies; further ones get 503.',
  ),
  LIVE_CONNECTIONS_PER_ACCOUNT: whole(
    16,
    [1, 10_000],
    'Live connections of all keys of an account in each worker; a further one gets 429.',
  ),
  LIVE_SERIES_PER_CONNECTION: whole(64, [1, 1024], 'Open series of one live connection.'),
  LIVE_MEMORY_MB: whole(
    512,
    [1, 100_000],
    'Memory in each worker for open live series, MB; an account may use as much as is free, and a further series gets 429.',
  ),
  LIVE_FORECASTS_PER_SERIES: whole(8, [1, 64], 'Forecasts that one live series may repeat.'),
  LIVE_PENDING_OUTCOMES: whole(
    4096,
    [0, 1_000_000],
    'Forecasts of one live connection that may wait for their outcome; the outcomes of further ones stay unknown.',
  ),
} satisfies Record<string, SettingRow>;
