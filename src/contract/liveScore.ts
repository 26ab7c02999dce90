import { Type } from '../core/schema.ts';
import { BASE_RATE_BRIER, BASE_RATE_FIELDS } from './comparison.ts';
import { oneOf } from './reasons.ts';
import { count, id, stamp } from './liveFields.ts';

/** The score of one forecast of a live series. */
export const LiveScoreSchema = Type.Object({
  id: id(),
  since: Type.Nullable(stamp('What the score covers begins here: the first tick of the series, or `resume_after` if that is later.')),
  forecasts: count(),
  outcomes: Type.Integer({ minimum: 0, description: 'Forecasts whose outcome is known and that had a probability.' }),
  unscored: Type.Integer({ minimum: 0, description: 'Forecasts that will never have an outcome. The rest is pending.' }),
  marks: count(),
  hits: Type.Integer({ minimum: 0, description: 'Marks that came true.' }),
  hit_interval: Type.Nullable(
    Type.Array(Type.Number(), {
      minItems: 2,
      maxItems: 2,
      description: '90 % interval of hits / marks; marks that overlap in time count as one as far as they overlap.',
    }),
  ),
  base_rate: Type.Nullable(Type.Number({ description: 'Moves per outcome: the precision of marking all.' })),
  brier: Type.Nullable(Type.Number({ description: 'Mean of (probability - moved)^2; smaller is better.' })),
  baseline_brier: Type.Nullable(
    Type.Number({
      description: 'The same for the volatility baseline, whose slope and intercept follow earlier outcomes.',
    }),
  ),
  base_rate_brier: BASE_RATE_BRIER,
  difference: Type.Nullable(Type.Number({ description: 'baseline_brier - brier; above 0: better than the baseline.' })),
  interval: Type.Nullable(
    Type.Array(Type.Number(), {
      minItems: 2,
      maxItems: 2,
      description: '99 % interval of difference; overlapping outcomes count as one.',
    }),
  ),
  ...BASE_RATE_FIELDS,
  conclusion: oneOf(
    ['better', 'worse', 'too_few'],
    'Against the rival; too_few: the interval contains 0, or fewer than 40 moves or other outcomes.',
  ),
});
