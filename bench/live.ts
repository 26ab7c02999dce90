import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import * as path from 'node:path';
import { WebSocket } from 'ws';
import { packageRoot } from '../src/core/packageRoot.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { binanceTrades } from './serving/binanceFeed.ts';
import { CpuMeter } from './serving/CpuMeter.ts';
import { connectFeed, FeedSeries, TICKS_PER_SECOND } from './serving/liveFeed.ts';
import { readTree } from './serving/procStat.ts';
import { Rig } from './serving/Rig.ts';
import { startTickmark, type Side } from './serving/startTickmark.ts';
import { median, quantile } from './serving/summarize.ts';

const ROUNDS = 3;
const SECONDS = 5;
/** Connections with one series each, and forecasts of each that may be pending. */
const CONNECTIONS = 8;
const PENDING = 4;
/** Before what is measured. */
const WARM_MS = 1500;
const SERIES = 200;
const PACED_S = 20;
const IDLE = 2000;
const FEED_MESSAGES = 1_000_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Closed = { readonly perSecond: number; readonly cpuMs: number };

/** Forecasts a second and CPU of each, with some pending on each connection: a forecast is answered by the ticks of the next one. */
async function closedLoop(side: Side): Promise<Closed> {
  let forecasts = 0;
  // The first ticks give forecasts too.
  let isWarm = false;
  const feeds: [WebSocket, FeedSeries][] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const series = new FeedSeries(`s${i}`, i + 1);
    const socket = await connectFeed(side, [series], () => {
      if (!isWarm) return;
      forecasts++;
      socket.send(series.next());
    });
    feeds.push([socket, series]);
  }
  await sleep(WARM_MS);
  isWarm = true;
  for (const [socket, series] of feeds) for (let i = 0; i < PENDING; i++) socket.send(series.next());
  await sleep(WARM_MS);
  const meter = new CpuMeter(side.process.pid!);
  const [from, startMs] = [forecasts, performance.now()];
  await sleep(1000 * SECONDS);
  const [count, ms] = [forecasts - from, performance.now() - startMs];
  const cpuMs = meter.read() / count;
  for (const [socket] of feeds) socket.terminate();
  return { perSecond: (1000 * count) / ms, cpuMs };
}

/** From sending the tick to receiving its forecast, with 200 series that make one forecast a second each, evenly spread. */
async function pacedLatencies(side: Side): Promise<number[]> {
  const sentMs = new Map<string, number>();
  const latencies: number[] = [];
  let isWarm = false;
  const feeds: [WebSocket, FeedSeries][] = [];
  for (let i = 0; i < SERIES; i += SERIES / 4) {
    const series = Array.from({ length: SERIES / 4 }, (_, k) => new FeedSeries(`s${i + k}`, i + k + 1));
    const socket = await connectFeed(side, series, (name) => {
      const at = sentMs.get(name);
      if (at !== undefined && isWarm) latencies.push(performance.now() - at);
      sentMs.delete(name);
    });
    feeds.push(...series.map((each): [WebSocket, FeedSeries] => [socket, each]));
  }
  await sleep(5000);
  const startMs = performance.now();
  for (let k = 0; k < PACED_S * SERIES; k++) {
    const waitMs = startMs + (1000 * k) / SERIES - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    isWarm ||= k > 2 * SERIES;
    const [socket, series] = feeds[k % SERIES];
    const text = series.next();
    sentMs.set(series.name, performance.now());
    socket.send(text);
  }
  await sleep(1000);
  for (const [socket] of feeds) socket.terminate();
  return latencies;
}

/** Memory of the service before and with idle connections, in MB. */
async function idleMb({ port, keys, process }: Side): Promise<number> {
  const megabytes = (): number => readTree(process.pid!).reduce((sum, { rssBytes }) => sum + rssBytes, 0) / 1e6;
  await sleep(3000);
  const before = megabytes();
  const sockets: WebSocket[] = [];
  for (let i = 0; i < IDLE; i++) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/auth/live`, ['tickmark.v1'], { headers: { 'Api-Key': keys[0] } });
    await once(socket, 'open');
    sockets.push(socket);
  }
  await sleep(3000);
  const grown = megabytes() - before;
  for (const socket of sockets) socket.terminate();
  return grown;
}

/** Messages a second of `tickmark live` in its own process, its start included. */
async function feedRate(folder: string): Promise<number> {
  const file = path.join(folder, 'feed.ndjson');
  const out = createWriteStream(file);
  let text = '';
  for (const line of binanceTrades({ messages: FEED_MESSAGES, perSecond: 200 })) {
    text += line;
    if (text.length < 1e6) continue;
    if (!out.write(text)) await once(out, 'drain');
    text = '';
  }
  out.end(text);
  await once(out, 'close');
  const startMs = performance.now();
  const args = [path.join(packageRoot(), 'bin', 'tickmark.js'), 'live', file, '--horizon', '60s', '--every', '5s'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`tickmark live ended with ${code}`);
  return (1000 * FEED_MESSAGES) / (performance.now() - startMs);
}

export const bench: Bench = {
  name: 'live',
  about: `Live series over loopback: one forecast for each second of ticks, ${TICKS_PER_SECOND} ticks a second, windows of 500 ticks; the load comes from this process.`,
  async run(only) {
    const rig = await Rig.open();
    const rows: BenchRow[] = [];
    const wants = (part: string): boolean => only === undefined || only === part;
    try {
      const env = { LIVE_CONNECTIONS_PER_ACCOUNT: '10000' };
      const side = rig.add(await startTickmark({ backend: 'auto', dataDir: path.join(rig.folder, 'data'), env }));
      if (wants('idle')) rows.push({ what: `${IDLE} idle connections`, value: await idleMb(side), unit: 'MB', target: '<= 60 MB' });
      if (wants('latency')) {
        const latencies = await pacedLatencies(side);
        const what = `tick sent to forecast received, ${SERIES} series, ${Math.round(latencies.length / (PACED_S - 2))} forecasts a second`;
        for (const [share, target] of [
          [0.5, 1.5],
          [0.99, 15],
        ] as const)
          rows.push({ what: `${what}, p${100 * share}`, value: quantile(latencies, share), unit: 'ms', target: `<= ${target} ms` });
      }
      if (wants('closed')) {
        const [live, post]: [Closed[], number[]] = [[], []];
        for (let round = 0; round < ROUNDS; round++) {
          live.push(await closedLoop(side));
          const { outcomes, cpuMs } = await rig.measure(side, 'even', { connections: CONNECTIONS, seconds: SECONDS });
          post.push(cpuMs / outcomes.status.length);
        }
        const [value, peerValue] = [median(live.map(({ cpuMs }) => cpuMs)), median(post)];
        const [peer, target] = ['POST of 501 entries', '>= 2.86x (0.35 of it)'];
        rows.push({ what: 'CPU per forecast', value, unit: 'ms', peer, peerValue, ratio: peerValue / value, target });
        rows.push({
          what: `forecasts a second, ${CONNECTIONS} connections`,
          value: median(live.map(({ perSecond }) => perSecond)),
          unit: '/s',
        });
      }
      if (wants('feed'))
        rows.push({
          what: `tickmark live, ${FEED_MESSAGES} Binance messages, a forecast each 5 s of them`,
          ...{ value: await feedRate(rig.folder), unit: 'messages/s', target: '>= 50000' },
        });
      return rows;
    } finally {
      rig.close();
    }
  },
};
