import type { BenchRow } from '../Bench.ts';
import { median } from './quantile.ts';
import type { Side } from './Side.ts';

/** Figures of one server under one load, one per round. */
export type Rounds = { readonly values: number[]; disturbed: number };

export type Measure = {
  readonly what: string;
  readonly unit: string;
  /** True if higher is better. */
  readonly isRate?: true;
};

type Named = Pick<Side, 'name'>;
export type Compared = { readonly side: Named; readonly rounds: Rounds };

export const isOurs = ({ name }: Named): boolean => name.startsWith('tickmark');
export const isFastApi = ({ name }: Named): boolean => name.startsWith('FastAPI');

/** One row per peer, or a single row without peers. A ratio above 1 is in favour of tickmark. */
export function comparedRows(
  { what, unit, isRate }: Measure,
  ours: Compared,
  peers: readonly Compared[],
  targetOf: (peer: Named | undefined) => string | undefined,
): BenchRow[] {
  const value = median(ours.rounds.values);
  const row = (peer: Compared | undefined): BenchRow => {
    const target = targetOf(peer?.side);
    const disturbed = ours.rounds.disturbed + (peer?.rounds.disturbed ?? 0);
    const rest = target === undefined ? {} : { target };
    const title = `${what}${disturbedNote(disturbed)}`;
    if (peer === undefined) return { what: title, value, unit, ...rest };
    const peerValue = median(peer.rounds.values);
    const ratio = isRate === true ? value / peerValue : peerValue / value;
    return { what: title, value, unit, peer: peer.side.name, peerValue, ratio, ...rest };
  };
  return peers.length === 0 ? [row(undefined)] : peers.map(row);
}

/** Note at a figure whose rounds were disturbed by other processes. */
export const disturbedNote = (count: number): string => (count === 0 ? '' : ` [disturbed rounds: ${count}]`);
