import type { TProperties } from 'typebox';
import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import { Type } from '../core/schema.ts';
import { BARS_PATTERN, DURATION_PATTERN as DURATION } from './duration.ts';

/** A message, which its field `type` names. */
export const message = <T extends string, F extends TProperties>(type: T, description: string, fields: F) =>
  Type.Object({ type: Type.Literal(type), ...fields }, { description });
export const series = () =>
  Type.String({
    pattern: '^[A-Za-z0-9._:-]{1,64}$',
    description: 'Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -',
    examples: ['BTCUSDT'],
  });
export const horizon = () =>
  Type.String({
    pattern: `${DURATION}|${BARS_PATTERN}`,
    description: 'How far ahead: 10s, 60s, 5m, 1h, or of bars 3bars; one day at most.',
    examples: ['60s'],
  });
export const every = () =>
  Type.String({
    pattern: `${DURATION}|^tick$`,
    description: 'A forecast at the first tick of each multiple of this duration on the clock of the ticks, or `tick`: at each tick.',
    examples: ['5s'],
  });
export const windowTicks = () =>
  Type.Integer({
    minimum: MIN_ENTRIES - 1,
    maximum: MAX_ENTRIES - 1,
    description:
      'Last ticks that each forecast uses; default: 500 up to 60 s or with memory, else 3000. `window_ticks` of GET /models names the number that suits each horizon.',
    examples: [1000],
  });
export const id = () =>
  Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'Name of the forecast; default: its horizon.', examples: ['60s'] });
export const stamp = (description: string) => Type.String({ description, examples: ['2024-01-02 09:32:00.478'] });
/** HTTP answers name the future timestamp `timestamp`, so live messages and alerts name the last tick `last_tick`. */
export const oldName = (name: string) =>
  Type.String({ deprecated: true, description: `The same as \`${name}\`: its name in earlier releases.` });
export const probability = () => Type.Nullable(Type.Number({ minimum: 0, maximum: 1 }));
export const count = () => Type.Integer({ minimum: 0 });
