import type { ChildProcess } from 'node:child_process';
import type { Target } from './Load.ts';

/** A server that runs next to the others and is measured round-robin. */
export type Side = {
  /** Name in the table. */
  readonly name: string;
  readonly port: number;
  readonly keys: readonly string[];
  /** Query of its requests; none if absent. */
  readonly query?: string;
  readonly process: ChildProcess;
  /** Of a peer: its runtime, and the largest difference of a logit from that of tickmark. */
  readonly runtime?: string;
  readonly furthestLogit?: number;
  /** Of a tickmark service: URL of its metrics, if it serves them. */
  readonly metricsPort?: number;
};

/** A server that could not be started, with the reason. */
export type SideMissing = { readonly name: string; readonly missing: string };

export const isMissing = (side: Side | SideMissing): side is SideMissing => 'missing' in side;

export function targetOf({ port, keys, query }: Side, bodiesFile: string): Target {
  return { port, keys, bodiesFile, query };
}
