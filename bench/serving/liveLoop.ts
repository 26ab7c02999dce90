import type { WebSocket } from 'ws';
import { CpuMeter } from './CpuMeter.ts';
import { connectFeed, FeedSeries, type LivePeer } from './liveFeed.ts';
import type { Side } from './Side.ts';

/** Connections with one series each, and forecasts of each that may be pending. */
export const CONNECTIONS = 8;
const PENDING = 4;
/** Before what is measured. */
export const WARM_MS = 1500;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A side as a peer whose series have to be opened, or not. */
export const peerOf = ({ port, keys }: Side, route: string, opens: boolean): LivePeer => ({
  url: `ws://127.0.0.1:${port}${route}`,
  key: keys[0],
  opens,
});

export type Closed = { readonly perSecond: number; readonly cpuMs: number };

/**
 * Forecasts a second and CPU of each, with some pending on each connection: a forecast is answered by the ticks of the next one.
 * `onMeasured` is called when the measurement begins.
 */
export async function closedLoop(side: Side, peer: LivePeer, seconds: number, onMeasured?: () => Promise<void>): Promise<Closed> {
  let forecasts = 0;
  // The first ticks give forecasts too.
  let isWarm = false;
  const sockets = new Map<string, [WebSocket, FeedSeries]>();
  for (let i = 0; i < CONNECTIONS; i++) {
    const series = new FeedSeries(`s${i}`, i + 1);
    const socket = await connectFeed(peer, [series], () => {
      if (!isWarm) return;
      forecasts++;
      socket.send(series.next());
    });
    sockets.set(series.name, [socket, series]);
  }
  await sleep(WARM_MS);
  isWarm = true;
  for (const [socket, series] of sockets.values()) for (let i = 0; i < PENDING; i++) socket.send(series.next());
  await sleep(WARM_MS);
  const meter = new CpuMeter(side.process.pid!);
  const [from, startMs] = [forecasts, performance.now()];
  await Promise.all([sleep(1000 * seconds), onMeasured?.()]);
  const [count, ms] = [forecasts - from, performance.now() - startMs];
  const { treeMs } = meter.read();
  for (const [socket] of sockets.values()) socket.terminate();
  return { perSecond: (1000 * count) / ms, cpuMs: treeMs / count };
}
