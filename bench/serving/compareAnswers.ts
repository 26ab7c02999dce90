import { ask } from './ask.ts';
import type { Side } from './Side.ts';

type Case = { readonly what: string; readonly body: string; readonly key?: string; readonly status: number };

/** The answer must contain every timestamp once, in order. */
function stampsOf(body: string): string[] {
  const { Timestamp } = JSON.parse(body) as { Timestamp: string[] };
  return [...new Set(Timestamp)];
}

function shortened(body: string): string {
  const { Timestamp, Price } = JSON.parse(body) as { Timestamp: string[]; Price: number[] };
  return JSON.stringify({ Timestamp, Price: Price.slice(1) });
}

/**
 * Checks each server before any load; throws if the answer has not one key per timestamp in order, or if an invalid request does not get
 * the expected status.
 */
export async function compareAnswers({ name, port, keys }: Side, bodies: readonly string[]): Promise<void> {
  const path = '/auth/ti-tick';
  for (const [i, body] of bodies.entries()) {
    const { status, text } = await ask(port, { path, body, key: keys[i % keys.length] });
    if (status !== 200) throw new Error(`${name}: ${status} for body ${i}: ${text.slice(0, 300)}`);
    const entries = Object.entries(JSON.parse(text) as Record<string, { trend_identified: unknown }>);
    const stamps = stampsOf(body);
    const isWhole = entries.length === stamps.length && entries.every(([stamp], at) => stamp === stamps[at]);
    const isPlain = entries.every(([, { trend_identified: mark }]) => mark === null || mark === 1);
    if (!isWhole || !isPlain) throw new Error(`${name}: the answer to body ${i} is not one entry for each timestamp in order`);
  }
  const body = bodies[0];
  const cases: Case[] = [
    { what: 'no key', body, status: 401 },
    { what: 'a bad key', body, key: 'x', status: 401 },
    { what: 'a price too few', body: shortened(body), key: keys[0], status: 422 },
  ];
  for (const { what, status, ...asked } of cases) {
    const answer = await ask(port, { path, ...asked });
    if (answer.status !== status) throw new Error(`${name}: ${answer.status} for ${what}, not ${status}: ${answer.text.slice(0, 300)}`);
  }
}
