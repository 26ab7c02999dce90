import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import { DURATION_PATTERN } from './duration.ts';
import { CUTS, MOVES_BPS } from './forecastOptions.ts';
import { PRICE_LIMIT } from './outlook.ts';

/** What a target gets: the signed JSON, or a message in words in the form of a service. */
export const ALERT_FORMATS = ['json', 'telegram', 'slack', 'discord', 'ntfy'] as const;
export type AlertFormat = (typeof ALERT_FORMATS)[number];

/** Longest pause between two alerts of a series. */
const MOST_PAUSE_MINUTES = 1440;

const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]';

/** Which forecasts a target of alerts, or a watched market, is told. */
export const AlertRuleSchema = Type.Object(
  {
    series: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: 'Only forecasts of this series.' })),
    horizon: Type.Optional(Type.String({ pattern: DURATION_PATTERN, description: 'Only forecasts this far ahead: 60s, 5m, 1h.' })),
    min_probability: Type.Optional(
      Type.Number({ ...CUTS, description: 'Of the move or the touch. Default: that of a mark; of a touch 0.5.' }),
    ),
    min_move_bps: Type.Optional(Type.Number({ ...MOVES_BPS, description: 'Your cost: the least threshold of a forecast.' })),
    touch: Type.Optional(
      Type.Number({
        ...{ exclusiveMinimum: 0, exclusiveMaximum: PRICE_LIMIT },
        description: 'In place of moves: this price is likely to be reached. Forecasts must ask for it with touch.',
      }),
    ),
    pause_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_PAUSE_MINUTES, description: 'At most one alert of a series in this time.' }),
    ),
    quiet_hours: Type.Optional(
      Type.String({
        ...{ pattern: `^${TIME}-${TIME}$` },
        description: 'No alert from this time up to that one, HH:MM-HH:MM, UTC.',
      }),
    ),
  },
  { description: 'Which forecasts are told; default: marks. All that is named must hold.' },
);

export type AlertRule = Static<typeof AlertRuleSchema>;

export const ALERT_RULE_EXAMPLE: AlertRule = {
  ...{ horizon: '5m', min_probability: 0.4, min_move_bps: 2.5 },
  quiet_hours: '22:00-06:00',
};
