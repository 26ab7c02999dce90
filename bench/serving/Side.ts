import type { ChildProcess } from 'node:child_process';
import type { Target } from './Load.ts';

/** A server that runs beside the others and is measured in turn. */
export type Side = {
  /** For the table. */
  readonly name: string;
  readonly port: number;
  readonly keys: readonly string[];
  /** What its load asks with; absent: no query. */
  readonly query?: string;
  readonly process: ChildProcess;
  /** Of a peer: what it runs on, and how far a logit of it is from ours at most. */
  readonly runtime?: string;
  readonly furthestLogit?: number;
  /** Of a tickmark service: where its metrics are, where it serves them. */
  readonly metricsPort?: number;
  /** Of a tickmark service: from its spawn until it said that it is ready, ms. */
  readonly startMs?: number;
};

/** A server that could not be started, and why. */
export type SideMissing = { readonly name: string; readonly missing: string };

export const isMissing = (side: Side | SideMissing): side is SideMissing => 'missing' in side;

export function targetOf({ port, keys, query }: Side, bodiesFile: string): Target {
  return { port, keys, bodiesFile, ...(query === undefined ? {} : { query }) };
}
