/** What one forecast costs, measured on two cores of an AMD EPYC; each figure names its page. */
export const MEASURED = {
  /** docs/benchmarks/serving.md: all processes, 8 connections. */
  cpuMsPerForecast: 0.28,
  /** docs/benchmarks/live.md. */
  cpuMsPerLiveForecast: 0.17,
  /** docs/benchmarks/serving.md: mean body of 501 entries. */
  bodyBytes: 16_900,
  /** The answer to GET /sample, 501 entries; `?answer=last` has one of them. */
  answerBytes: 23_814,
  lastAnswerBytes: 48,
  /** docs/benchmarks/live.md: 2000 idle connections take 18 MB. Of a series, only its ticks are counted: 500 of 16 bytes. */
  bytesPerLiveConnection: 9000,
  bytesPerLiveSeries: 500 * 16,
  /** docs/benchmarks/topology.md, with the budget for bodies (docs/how-to/operation.md). */
  replicaMiB: 640,
} as const;

/** Fraction of a processor that is used on average: it leaves p99 within a few times of an idle replica, and room for one replica to go. */
export const UTILISATION = 0.6;
/**
 * Seconds after which a key in use is checked again (half of KEY_CACHE_MS), between two reports of a limit, two reads of the registry, and two
 * polls for due alerts.
 */
const [KEY_CHECK_S, LIMIT_REPORT_S, REGISTRY_S, ALERTS_S] = [2.5, 0.25, 2, 1];
/** Forecasts a second of one key: the default limit, 600 a minute. */
const PER_KEY = 10;

export type Need = {
  readonly replicas: number;
  readonly memoryGiB: number;
  readonly gbitPerS: number;
  readonly databasePerS: number;
};

/** `spread`: replicas among which a proxy spreads one key; all of them with round robin. */
export function needOf(forecastsPerS: number, { cpuMs, bytes, spread }: { cpuMs: number; bytes: number; spread: number }): Need {
  const replicas = Math.ceil((forecastsPerS * cpuMs) / 1000 / UTILISATION) + 1;
  const pairs = (forecastsPerS / PER_KEY) * Math.min(spread, replicas);
  const perPair = forecastsPerS / pairs;
  // A key that is used less often than it is checked needs a check for each use.
  const keyChecks = pairs * Math.min(perPair, 1 / KEY_CHECK_S);
  const limitReports = pairs * Math.min(perPair, 1 / LIMIT_REPORT_S);
  return {
    replicas,
    memoryGiB: (replicas * MEASURED.replicaMiB) / 1024,
    gbitPerS: (forecastsPerS * bytes * 8) / 1e9,
    databasePerS: keyChecks + limitReports + replicas / REGISTRY_S + replicas / ALERTS_S,
  };
}
