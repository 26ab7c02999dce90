import type { ReplicaRig } from './ReplicaRig.ts';

/** How much a run does: `short` is for CI, below a minute on idle processors. */
export type Effort = {
  /** Keys that are revoked, rotated or deleted. */
  readonly keyTries: number;
  /** Promotions with a rollback each; 0: not tried. */
  readonly versionRounds: number;
  /** Time under load before and after a disturbance. */
  readonly calmMs: number;
  readonly outageMs: number;
  /** After the database is back. */
  readonly recoveryMs: number;
  /** Forecasts of one key that are admitted in a minute. */
  readonly quota: number;
  readonly kneeS: number;
  /** Forecasts a second, at most. */
  readonly mostRate: number;
};

export const EFFORTS = {
  full: {
    ...{ keyTries: 20, versionRounds: 3, calmMs: 2000, outageMs: 20_000, recoveryMs: 10_000 },
    ...{ quota: 3000, kneeS: 8, mostRate: 150 },
  },
  quick: {
    ...{ keyTries: 20, versionRounds: 1, calmMs: 2000, outageMs: 8000, recoveryMs: 10_000 },
    ...{ quota: 600, kneeS: 2, mostRate: 150 },
  },
  short: {
    ...{ keyTries: 3, versionRounds: 0, calmMs: 500, outageMs: 3000, recoveryMs: 3000 },
    ...{ quota: 150, kneeS: 1, mostRate: 30 },
  },
} as const satisfies Record<string, Effort>;

/** What a proof may use, and how long it lasts. */
export type ProofContext = {
  readonly rig: ReplicaRig;
  readonly keys: readonly string[];
  readonly bodies: readonly string[];
  /** Forecasts a second. */
  readonly rate: number;
  readonly effort: Effort;
};

export type ProofResult = {
  readonly what: string;
  readonly promised: string;
  readonly measured: string;
  readonly isHeld: boolean;
};
