import * as path from 'node:path';
import type { Bench, BenchRow } from './Bench.ts';
import { findKnee, KNEE_P99_MS } from './serving/findKnee.ts';
import { flatness, type Flatness, type FlatnessOptions, type Sample } from './serving/flatness.ts';
import { positive, Rig } from './serving/Rig.ts';
import { startTickmark, type Side } from './serving/startTickmark.ts';
import { summarize } from './serving/summarize.ts';
import { WATCHED, watchServer, type Watched } from './serving/watchServer.ts';

/** A leak of one object per request is larger: the smallest V8 object takes 16 bytes, plus the reference to it. */
const BYTES_A_REQUEST = 16;
/** Fraction of the time for the control, at least five minutes. */
const CONTROL_FRACTION = 0.2;
const CONTROL_S = 300;
/** At a thousand requests per second, less than a leaked request context. */
const LEAK_KIB_PER_S = 1024;
const LEAK_MIB_PER_H = (3600 * LEAK_KIB_PER_S) / 1024;
/** Warm-up by a closed loop, in which the heaps grow. */
const WARM_S = 10;
const PLANT = new URL('./serving/plantLeak.mjs', import.meta.url).href;
const MIB = 1024 * 1024;

const TITLES = {
  rss: 'RSS of all processes',
  memory: 'heaps and buffers of all workers',
  tensors: 'live tensors',
} as const;

type Plan = { readonly rate: number; readonly seconds: number };
type Soaked = { readonly watched: Watched; readonly failed: number; readonly p99: number };

/** Prints progress to standard error: the table takes half an hour. */
const say = (line: string): boolean => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

async function soak(rig: Rig, side: Side, { rate, seconds }: Plan): Promise<Soaked> {
  say(`${side.name}: ${rate.toFixed(0)} requests/s for ${seconds} s`);
  const load = rig.measure(side, 'mixed', { phases: [{ rate, seconds }] });
  const watched = await watchServer(side, load);
  const { outcomes } = await load;
  const { p99, n, counts } = summarize(outcomes, { fromMs: 0, toMs: 1000 * seconds });
  return { watched, failed: n - counts.ok, p99 };
}

/** Limits of the slope per hour, in the unit of the series. One tensor per minute must be found. */
const boundsOf = (name: keyof Watched, rate: number): FlatnessOptions =>
  name === 'tensors'
    ? { boundPerHour: 0, foundPerHour: 60 }
    : { boundPerHour: (3600 * rate * BYTES_A_REQUEST) / MIB, foundPerHour: LEAK_MIB_PER_H };

/** SOAK_RATE requests/s, for a machine that is too busy to find a knee on, or SOAK_FRACTION (0.7) of the knee. */
async function rateFor(rig: Rig, side: Side): Promise<number> {
  if (process.env['SOAK_RATE'] !== undefined) return positive('SOAK_RATE', NaN);
  say('searching for the knee');
  return positive('SOAK_FRACTION', 0.7) * (await findKnee(rig, side, 'mixed'));
}

function words({ low, high, result }: Flatness, unit: string): string {
  return `${result}, 99 % interval ${low.toFixed(1)} to ${high.toFixed(1)} ${unit}`;
}

function flatRow(name: keyof Watched, samples: readonly Sample[], rate: number): BenchRow {
  const bounds = boundsOf(name, rate);
  const unit = name === 'tensors' ? 'an hour' : 'MiB/h';
  const found = flatness(samples, bounds);
  const last = samples.at(-1)!.value.toFixed(0);
  return {
    what: `${TITLES[name]}: slope (${words(found, unit)}; ${last} at the end)`,
    value: found.perHour,
    unit,
    target: `flat: low end <= ${bounds.boundPerHour.toFixed(1)}`,
  };
}

/** The same check with a planted leak, compared with as many minutes of the server without it. */
function controlRow(name: 'rss' | 'memory', leaking: readonly Sample[], sound: readonly Sample[], rate: number): BenchRow {
  const bounds = boundsOf(name, rate);
  const found = flatness(leaking, bounds);
  const without = flatness(sound.slice(0, leaking.length), bounds);
  const isFound = found.result === 'rises' ? 'found' : 'NOT found';
  return {
    what: `${TITLES[name]} with a planted leak of ${LEAK_KIB_PER_S} KiB/s: slope (leak ${isFound}: ${words(found, 'MiB/h')})`,
    value: found.perHour,
    unit: 'MiB/h',
    peer: `the first ${leaking.length} s without it (${without.result})`,
    peerValue: without.perHour,
    target: `found; ${LEAK_MIB_PER_H} MiB/h are planted`,
  };
}

export const bench: Bench = {
  name: 'soak',
  about:
    'Memory and tensors of the service under 70 % of its knee for SOAK_MINUTES (30), bodies of mixed lengths, and the same check on a planted leak. Theil–Sen slopes after the first fifth.',
  async run() {
    const seconds = 60 * positive('SOAK_MINUTES', 30);
    const backend = process.env['RUNTIME_BACKEND'] ?? 'auto';
    const rig = await Rig.open();
    try {
      const start = async (name: string, env: Record<string, string> = {}): Promise<Side> => {
        const side = rig.add(await startTickmark({ backend, metrics: true, dataDir: path.join(rig.folder, name), env }));
        await rig.measure(side, 'mixed', { connections: 32, seconds: WARM_S });
        return side;
      };
      const sound = await start('sound');
      const rate = await rateFor(rig, sound);
      const { watched, failed, p99 } = await soak(rig, sound, { rate, seconds });
      rig.end(sound);
      const leaking = await start('leaking', { NODE_OPTIONS: `--import ${PLANT}`, LEAK_KIB_PER_S: String(LEAK_KIB_PER_S) });
      const control = await soak(rig, leaking, { rate, seconds: Math.min(seconds, Math.max(CONTROL_S, CONTROL_FRACTION * seconds)) });
      const title = `${sound.name}, ${Math.round(seconds / 60)} min of ${rate.toFixed(0)} requests/s`;
      return [
        { what: `${title}: requests that failed`, value: failed, unit: `of ${Math.round(rate * seconds)}`, target: '0' },
        { what: `${title}: p99`, value: p99, unit: 'ms', target: `<= ${KNEE_P99_MS} ms` },
        ...WATCHED.map((name) => flatRow(name, watched[name], rate)),
        ...(['rss', 'memory'] as const).map((name) => controlRow(name, control.watched[name], watched[name], rate)),
      ];
    } finally {
      rig.close();
    }
  },
};
