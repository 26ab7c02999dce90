import type { ColumnMap } from '../../ticks/import/ImportReport.ts';
import { CLOCK_NAMES } from '../../ticks/import/plan/clockForms.ts';
import { BACKEND_CHOICES, type BackendChoice } from '../../core/config/backendChoices.ts';

/** The settings of a training run: from options, an experiment file, or both (options take precedence). */
export type Experiment = {
  readonly data?: readonly string[];
  readonly zone?: string;
  readonly dateOrder?: 'dmy' | 'mdy' | 'ymd';
  readonly columns?: ColumnMap;
  readonly symbol?: string;
  readonly event?: string;
  readonly synthetic?: boolean;
  /** `60s`, `5m`. */
  readonly horizon?: string;
  readonly preset?: string;
  readonly base?: boolean;
  readonly from?: string;
  readonly name?: string;
  readonly out?: string;
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly sources?: string;
  readonly since?: string;
  readonly until?: string;
  readonly seed?: number;
  readonly seeds?: number;
  readonly epochs?: number;
  readonly batchSize?: number;
  readonly learningRate?: number;
  readonly schedule?: 'cosine' | 'plateau';
  readonly patience?: number;
  readonly maxRows?: number;
  readonly units?: number;
  readonly maxMinutes?: number;
  readonly workers?: number;
  readonly device?: BackendChoice;
};

const text = { type: 'string', minLength: 1, maxLength: 4096 } as const;
const texts = { type: 'array', items: text, minItems: 1, maxItems: 10_000 } as const;
const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;

/** JSON Schema of an experiment file. `docs/tutorial/training.md` shows one. */
export const EXPERIMENT_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    data: texts,
    zone: text,
    dateOrder: { enum: ['dmy', 'mdy', 'ymd'] },
    columns: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...{ time: text, date: text, clock: { enum: CLOCK_NAMES }, decimal: { enum: ['comma', 'point'] } },
        ...{ ms: text, price: text, bid: text, ask: text, close: text },
      },
    },
    symbol: text,
    event: text,
    synthetic: { type: 'boolean' },
    horizon: text,
    preset: { enum: ['scalp', 'intraday', 'swing'] },
    base: { type: 'boolean' },
    from: text,
    name: text,
    out: text,
    groups: { type: 'object', additionalProperties: texts, maxProperties: 1000 },
    sources: text,
    since: text,
    until: text,
    seed: whole(0, 2 ** 31 - 1),
    seeds: whole(1, 20),
    epochs: whole(1, 1000),
    batchSize: whole(1, 4096),
    learningRate: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    schedule: { enum: ['cosine', 'plateau'] },
    patience: whole(1, 1000),
    maxRows: whole(1, 1_000_000),
    units: whole(4, 256),
    maxMinutes: { type: 'number', exclusiveMinimum: 0, maximum: 100_000 },
    workers: whole(1, 64),
    device: { enum: BACKEND_CHOICES },
  },
} as const;
