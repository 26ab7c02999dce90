import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { WebSocket } from 'ws';
import { packageRoot } from '../src/core/packageRoot.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { ask } from './serving/ask.ts';
import { binanceTrades } from './serving/binanceFeed.ts';
import { CpuMeter } from './serving/CpuMeter.ts';
import { readEffort } from './serving/effort.ts';
import { connectFeed, FeedSeries, TICKS_PER_SECOND } from './serving/liveFeed.ts';
import { closedLoop, CONNECTIONS, peerOf, WARM_MS, type Closed } from './serving/liveLoop.ts';
import { jointBytes, readTreeMemory } from './serving/procStat.ts';
import { median, quantile } from './serving/quantile.ts';
import { Rig } from './serving/Rig.ts';
import { isMissing, type Side } from './serving/Side.ts';
import { startPeer } from './serving/startPeer.ts';
import { startTickmark } from './serving/startTickmark.ts';

const ROUNDS = 3;
const SECONDS = 5;
const SERIES = 200;
const PACED_S = 20;
const IDLE = 2000;
const FEED_MESSAGES = 1_000_000;
/** Longer than the service waits before it writes. */
const SEALED_S = 12;
const SEALED_ROUNDS = 9;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** CPU of a request of 501 entries, over as many connections, after the same warm-up. */
async function postCpuMs({ port, keys, process }: Side, bodies: readonly string[], seconds: number): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let count = 0;
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      const { status, text } = await ask(port, { path: '/auth/ti-tick', body: bodies[count++ % bodies.length], key: keys[0], agent });
      if (status !== 200) throw new Error(`POST: ${status} ${text}`);
    }
  };
  const all = Promise.all(Array.from({ length: CONNECTIONS }, run));
  await sleep(WARM_MS);
  const meter = new CpuMeter(process.pid!);
  const from = count;
  await sleep(1000 * seconds);
  const cpuMs = meter.read().treeMs / (count - from);
  isOver = true;
  await all;
  agent.destroy();
  return cpuMs;
}

/** From sending the tick to receiving its forecast, with 200 series that make one forecast a second each, evenly spread. */
async function pacedLatencies(side: Side): Promise<number[]> {
  const sentMs = new Map<string, number>();
  const latencies: number[] = [];
  let isWarm = false;
  const peer = peerOf(side, '/auth/live', true);
  const feeds: [WebSocket, FeedSeries][] = [];
  for (let i = 0; i < SERIES; i += SERIES / 4) {
    const series = Array.from({ length: SERIES / 4 }, (_, k) => new FeedSeries(`s${i + k}`, i + k + 1));
    const socket = await connectFeed(peer, series, (name) => {
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
  const megabytes = (): number => jointBytes(readTreeMemory(process.pid!)) / 1e6;
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
    const rig = await Rig.open(readEffort());
    const rows: BenchRow[] = [];
    const wants = (part: string): boolean => only === undefined || only === part;
    try {
      const env = { LIVE_CONNECTIONS_PER_ACCOUNT: '10000' };
      const ours = rig.add(await startTickmark({ backend: 'auto', dataDir: path.join(rig.folder, 'data'), env }));
      const { model } = JSON.parse((await ask(ours.port, { path: '/health/ready' })).text) as { model: string };
      if (wants('idle')) rows.push({ what: `${IDLE} idle connections`, value: await idleMb(ours), unit: 'MB', target: '<= 60 MB' });
      if (wants('latency')) {
        const latencies = await pacedLatencies(ours);
        const what = `tick sent to forecast received, ${SERIES} series, ${Math.round(latencies.length / (PACED_S - 2))} forecasts a second`;
        for (const [share, target] of [
          [0.5, 1.5],
          [0.99, 15],
        ] as const)
          rows.push({ what: `${what}, p${100 * share}`, value: quantile(latencies, share), unit: 'ms', target: `<= ${target} ms` });
      }
      if (wants('closed')) {
        const peer = await startPeer(rig.writeModel(model));
        if (!isMissing(peer)) rig.add(peer);
        const [live, post, theirs]: [Closed[], number[], Closed[]] = [[], [], []];
        for (let round = 0; round < ROUNDS; round++) {
          live.push(await closedLoop(ours, peerOf(ours, '/auth/live', true), SECONDS));
          post.push(await postCpuMs(ours, rig.bodies.even, SECONDS));
          if (!isMissing(peer)) theirs.push(await closedLoop(peer, peerOf(peer, '/live', false), SECONDS));
        }
        const [cpuMs, postMs] = [median(live.map((each) => each.cpuMs)), median(post)];
        rows.push({
          ...{ what: 'CPU per forecast', value: cpuMs, unit: 'ms', peer: 'POST of 501 entries', peerValue: postMs },
          ...{ ratio: postMs / cpuMs, target: '>= 2.86x (0.35 of it)' },
        });
        const perSecond = median(live.map((each) => each.perSecond));
        const theirRate = median(theirs.map((each) => each.perSecond));
        rows.push(
          isMissing(peer)
            ? { what: `forecasts a second; skipped: ${peer.name}: ${peer.missing}`, value: perSecond, unit: '/s' }
            : {
                ...{
                  what: 'forecasts a second, 8 connections',
                  value: perSecond,
                  unit: '/s',
                  peer: `${peer.runtime ?? peer.name} WebSocket`,
                },
                ...{ peerValue: theirRate, ratio: perSecond / theirRate, target: '>= 3x' },
              },
        );
      }
      if (wants('sealed')) {
        const sealed = { ...env, TRACK_RECORD_SEALED_LINES: '0' };
        const plain = rig.add(await startTickmark({ backend: 'auto', dataDir: path.join(rig.folder, 'plain'), env: sealed }));
        const cpuOf = async (side: Side): Promise<number> => (await closedLoop(side, peerOf(side, '/auth/live', true), SEALED_S)).cpuMs;
        const [ofOurs, ofPlain]: [number[], number[]] = [[], []];
        for (let round = 0; round < SEALED_ROUNDS; round++) {
          ofOurs.push(await cpuOf(ours));
          ofPlain.push(await cpuOf(plain));
        }
        const ratio = median(ofOurs.map((cpuMs, i) => cpuMs / ofPlain[i]));
        const what = `CPU per forecast with sealed forecasts, ${SEALED_ROUNDS} pairs of ${SEALED_S} s`;
        rows.push({
          ...{ what, value: median(ofOurs), unit: 'ms', peer: 'TRACK_RECORD_SEALED_LINES=0', peerValue: median(ofPlain), ratio },
          target: '<= 1.01x',
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
