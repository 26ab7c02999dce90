import type { Bench, BenchReport } from './Bench.ts';
import { MEASURED, needOf, UTILISATION } from './simulate/capacity.ts';
import { measureCurve } from './simulate/measureCurve.ts';
import { MOST_IN_BATCH, simulateCurve } from './simulate/simulateCurve.ts';
import { simulateQueue, type QueueModel } from './simulate/simulateQueue.ts';

const REQUESTS = 200_000;
const SEED = 26;
/** Of the simulated p99 that is asked. */
const MOST_ERROR = 0.2;
type Table = BenchReport['tables'][number];

const ms = (value: number): string => `${value.toPrecision(3)} ms`;
const count = (value: number): string => Math.round(value).toLocaleString('en');

/** p99 of one replica at rates up to 90 % of its knee, measured and simulated from its service times. */
async function curveTable(): Promise<Table> {
  const curve = await measureCurve();
  const lines = simulateCurve(curve).map(({ fraction, rate, p50Ms, p99Ms, error, foreignCores }) => [
    `${Math.round(100 * fraction)} %`,
    count(rate),
    ms(p50Ms.measured),
    ms(p50Ms.simulated),
    ms(p99Ms.measured),
    ms(p99Ms.simulated),
    `${error > 0 ? '+' : ''}${(100 * error).toFixed(0)} %${Math.abs(error) > MOST_ERROR ? ' (above 20 %)' : ''}`,
    foreignCores.toFixed(2),
  ]);
  return {
    title: `One replica, measured and simulated; capacity ${count(curve.capacityPerS)}, knee ${count(curve.kneePerS)} forecasts/s`,
    head: [
      ...['of the knee', 'forecasts/s', 'p50 measured', 'p50 simulated', 'p99 measured', 'p99 simulated', 'error of p99'],
      'processors used by others',
    ],
    lines,
  };
}

/** What the choice of the proxy means for p99, at the same load of each replica. */
function policyTable(): Table {
  // Two thirds of the requests take 0.8 of the mean, one third 1.4: windows differ in length.
  const serviceMs: QueueModel['serviceMs'] = (random) => MEASURED.cpuMsPerForecast * (random() < 2 / 3 ? 0.8 : 1.4);
  const lines = [1, 2, 3, 10, 100].flatMap((replicas) =>
    [UTILISATION, 0.8, 0.9].map((load) => {
      const model = {
        replicas,
        arrivals: 'poisson',
        mostInBatch: MOST_IN_BATCH,
        rate: (load * replicas * 1000) / MEASURED.cpuMsPerForecast,
        serviceMs,
        requests: REQUESTS,
        seed: SEED,
      } as const;
      const p99 = (policy: QueueModel['policy']): string => ms(simulateQueue({ ...model, policy }).p99Ms);
      return [String(replicas), `${100 * load} %`, p99('round robin'), p99('least connections')];
    }),
  );
  return {
    title: 'Simulated p99 of N replicas, arrivals of independent callers',
    head: ['replicas', 'processor used', 'round robin', 'least connections'],
    lines,
  };
}

function needTable(): Table {
  const { cpuMsPerForecast: cpuMs, bodyBytes, answerBytes, lastAnswerBytes } = MEASURED;
  const lines = [1000, 100_000, 10_000_000].flatMap((perS) => {
    const ways: [string, number, number][] = [
      ['full answers, round robin', bodyBytes + answerBytes, Infinity],
      ['`?answer=last`, each key on 2 replicas', bodyBytes + lastAnswerBytes, 2],
    ];
    return ways.map(([way, bytes, spread]) => {
      const { replicas, memoryGiB, gbitPerS, databasePerS } = needOf(perS, { cpuMs, bytes, spread });
      return [
        count(perS),
        way,
        count(replicas),
        `${count(memoryGiB)} GiB`,
        `${gbitPerS.toPrecision(2)} Gbit/s`,
        `${count(databasePerS)} /s`,
      ];
    });
  });
  return {
    title: 'Replicas of one processor each',
    head: ['forecasts/s', 'way', 'replicas', 'memory', 'network', 'database operations'],
    lines,
  };
}

/** A million live series, each with a tick a second and a forecast each 10 s, 100 on a connection. */
function liveTable(): Table {
  const [series, perConnection] = [1_000_000, 100];
  const { replicas, databasePerS } = needOf(series / 10, { cpuMs: MEASURED.cpuMsPerLiveForecast, bytes: 300, spread: 1 });
  const bytes = series * MEASURED.bytesPerLiveSeries + (series / perConnection) * MEASURED.bytesPerLiveConnection;
  const gbit = ((series * 60 + (series / 10) * 300) * 8) / 1e9;
  return {
    title: 'One million live series: a tick a second, a forecast each 10 s, 100 series a connection',
    head: ['forecasts/s', 'replicas', 'memory of the series', 'network', 'database operations'],
    lines: [
      [
        count(series / 10),
        count(replicas),
        `${(bytes / 2 ** 30).toFixed(1)} GiB`,
        `${gbit.toPrecision(2)} Gbit/s`,
        `${count(databasePerS)} /s`,
      ],
    ],
  };
}

export const bench: Bench = {
  name: 'simulate',
  about:
    'Capacity: what a load needs, from measured costs of a forecast; a queueing simulation, next to the measured curve of one replica.',
  async run(only = '') {
    const wants = (name: string): boolean => name.includes(only);
    return {
      about: [
        `From ${MEASURED.cpuMsPerForecast} ms of processor a forecast, ${MEASURED.cpuMsPerLiveForecast} ms in a live series, and ${100 * UTILISATION} % of a processor used; one replica more than that.`,
      ],
      tables: [
        ...(wants('curve') ? [await curveTable()] : []),
        ...(wants('policy') ? [policyTable()] : []),
        ...(wants('capacity') ? [needTable(), liveTable()] : []),
      ],
    };
  },
};
