import { BACKEND_CHOICES } from '../../core/config/settingTable.ts';
import type { Static } from 'typebox';
import { Type } from '../../core/schema.ts';
import { CLOCK_NAMES } from '../../ticks/import/plan/clockForms.ts';

const string = Type.String({ minLength: 1, maxLength: 4096 });
const strings = Type.Array(string, { minItems: 1, maxItems: 10_000 });
const text = Type.Optional(string);
const flag = Type.Optional(Type.Boolean());
const whole = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }));
const number = (maximum: number) => Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum }));
const oneOf = <const Words extends readonly string[]>(words: Words) => Type.Optional(Type.Unsafe<Words[number]>({ enum: words }));

/** JSON Schema of an experiment file. `docs/tutorial/training.md` shows one. */
export const EXPERIMENT_SCHEMA = Type.Object({
  data: Type.Optional(strings),
  zone: text,
  dateOrder: oneOf(['dmy', 'mdy', 'ymd']),
  columns: Type.Optional(
    Type.Object({
      ...{ time: text, date: text, clock: oneOf(CLOCK_NAMES), decimal: oneOf(['comma', 'point']) },
      ...{ ms: text, price: text, bid: text, ask: text, close: text },
    }),
  ),
  symbol: text,
  event: text,
  synthetic: flag,
  /** `60s`, `5m`. */
  horizon: text,
  preset: oneOf(['scalp', 'intraday', 'swing']),
  base: flag,
  from: text,
  name: text,
  out: text,
  groups: Type.Optional(Type.Record(Type.String(), strings, { maxProperties: 1000 })),
  sources: text,
  since: text,
  until: text,
  seed: whole(0, 2 ** 31 - 1),
  seeds: whole(1, 20),
  epochs: whole(1, 1000),
  batchSize: whole(1, 4096),
  learningRate: number(1),
  schedule: oneOf(['cosine', 'plateau']),
  patience: whole(1, 1000),
  maxRows: whole(1, 1_000_000),
  units: whole(4, 256),
  maxMinutes: number(100_000),
  workers: whole(1, 64),
  device: oneOf(BACKEND_CHOICES),
});

/** The settings of a training run: from options, an experiment file, or both (options take precedence). */
export type Experiment = Static<typeof EXPERIMENT_SCHEMA>;
