import type { SettingRow } from './SettingRow.ts';

/** Limits of requests, of the admission queue and of live connections. */
export const REQUEST_SETTINGS = {
  BODY_LIMIT_BYTES: {
    kind: 'integer',
    default: '1048576',
    min: 65536,
    max: 16777216,
    about: 'Maximum body of a forecast request, after decompression.',
  },
  BATCH_BODY_LIMIT_BYTES: {
    kind: 'integer',
    default: '8388608',
    min: 65536,
    max: 67108864,
    about: 'Maximum body of a batch request, after decompression.',
  },
  HEADER_LIMIT_BYTES: { kind: 'integer', default: '8192', min: 4096, max: 65536, about: 'Maximum total size of the request headers.' },
  REQUEST_TIMEOUT_MS: { kind: 'integer', default: '30000', min: 1000, max: 300000, about: 'Maximum time to receive a whole request.' },
  FORECAST_DEADLINE_MS: {
    kind: 'integer',
    default: '2000',
    min: 10,
    max: 60000,
    about: 'Maximum time from the arrival of a request to its forecast; a request that would take longer gets 503 at once.',
  },
  FORECAST_QUEUE: {
    kind: 'integer',
    default: '512',
    min: 1,
    max: 100000,
    about: 'Forecasts that may be queued in addition to those in flight, about 100 kB each with their bodies; further ones get 503.',
  },
  LIVE_CONNECTIONS_PER_ACCOUNT: {
    kind: 'integer',
    default: '16',
    min: 1,
    max: 10000,
    about: 'Live connections of all keys of an account in each worker; a further one gets 429.',
  },
  LIVE_SERIES_PER_CONNECTION: {
    kind: 'integer',
    default: '64',
    min: 1,
    max: 1024,
    about: 'Open series of one live connection.',
  },
  LIVE_MEMORY_MB: {
    kind: 'integer',
    default: '512',
    min: 1,
    max: 100000,
    about: 'Memory in each worker for open live series, MB; an account may use as much as is free, and a further series gets 429.',
  },
  LIVE_FORECASTS_PER_SERIES: { kind: 'integer', default: '8', min: 1, max: 64, about: 'Forecasts that one live series may repeat.' },
  LIVE_PENDING_OUTCOMES: {
    kind: 'integer',
    default: '4096',
    min: 0,
    max: 1000000,
    about: 'Forecasts of one live connection that may wait for their outcome; the outcomes of further ones stay unknown.',
  },
} as const satisfies Record<string, SettingRow>;
