import { TickmarkClient, type LiveConnection, type LiveMessage, type LiveOptions } from '../../clients/typescript/src/index.ts';
import { PuppetSocket } from './PuppetSocket.ts';
import { until } from './until.ts';

export const T0 = Date.UTC(2024, 0, 2, 9);
export const PLAN = { horizon: '60s', every: '5s', minMoveBps: 2.5 };
export const forecast = (n: number, timestamp: string, given = {}): Record<string, unknown> => ({
  ...{ type: 'forecast', series: 's', id: '60s', n, timestamp, future: 'f', trend_identified: 1, probability: 0.5 },
  ...{ decision_threshold: 0.4, min_move_bps: 1, reasons: [], model: 'base-1' },
  ...given,
});
export const outcome = (n: number, given = {}): Record<string, unknown> => ({
  ...{ type: 'outcome', series: 's', id: '60s', n, moved: true, move_bps: 3 },
  ...given,
});
/** The answer to `score`, by which a client knows what the service has handled. */
export const HANDLED = { type: 'score', series: 's', scores: [] };
export const at = (second: number): string => `2024-01-02 09:00:${String(second).padStart(2, '0')}.000`;

/** Of the running test: the connection, the messages it has given, and how their loop ended. */
export let live: LiveConnection;
export let read: LiveMessage[];
export let failure: unknown;
export let ended: Promise<void>;

export function openRig(): void {
  PuppetSocket.made = [];
  failure = undefined;
  read = [];
}
export const closeRig = (): void => live?.close();

export function start(options: Partial<LiveOptions> = {}, reads = true): PuppetSocket {
  const client = new TickmarkClient({ baseUrl: 'https://desk.example.com/t/', apiKey: 'k', random: () => 0.5 });
  live = client.live({ WebSocket: PuppetSocket, firstWaitMs: 4, longestWaitMs: 8, ...options });
  if (reads)
    ended = (async () => {
      for await (const message of live) read.push(message);
    })().catch((error: unknown) => void (failure = error));
  return PuppetSocket.made[0] as PuppetSocket;
}
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
export const nextSocket = async (count: number): Promise<PuppetSocket> => {
  await until(() => PuppetSocket.made.length === count);
  return PuppetSocket.made[count - 1] as PuppetSocket;
};
export const resumeAfter = ({ sent }: PuppetSocket): unknown[] =>
  sent
    .filter(({ type }) => type === 'open')
    .flatMap(({ forecasts }) => (forecasts as Record<string, unknown>[]).map(({ resume_after: after }) => after));
export const numbers = (type: string): number[] => read.flatMap((message) => (message.type === type && 'n' in message ? [message.n] : []));
export const pricesOf = ({ sent }: PuppetSocket): number[] => sent.flatMap(({ Price }) => (Price as number[] | undefined) ?? []);
