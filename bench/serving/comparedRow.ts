import type { BenchRow } from '../Bench.ts';
import { median } from './quantile.ts';
import type { Side } from './Side.ts';

/** Figures of one server under one load, one per round. */
type Rounds = { readonly values: number[]; disturbed: number };

export type Measure = {
  readonly what: string;
  readonly unit: string;
  /** True if higher is better. */
  readonly isRate?: true;
};

export type Compared = { readonly side: Pick<Side, 'name'>; readonly rounds: Rounds };

export const isOurs = ({ name }: Pick<Side, 'name'>): boolean => name.startsWith('tickmark');

/** A figure next to that of the peer, if it was measured; the target counts only then. A ratio above 1 is in favour of tickmark. */
export function comparedRow({ what, unit, isRate }: Measure, { rounds }: Compared, peer: Compared | undefined, target?: string): BenchRow {
  const value = median(rounds.values);
  const title = `${what}${disturbedNote(rounds.disturbed + (peer?.rounds.disturbed ?? 0))}`;
  if (peer === undefined) return { what: title, value, unit };
  const peerValue = median(peer.rounds.values);
  const ratio = isRate === true ? value / peerValue : peerValue / value;
  return { what: title, value, unit, peer: peer.side.name, peerValue, ratio, ...(target === undefined ? {} : { target }) };
}

/** Note at a figure whose rounds were disturbed by other processes. */
export const disturbedNote = (count: number): string => (count === 0 ? '' : ` [disturbed rounds: ${count}]`);
