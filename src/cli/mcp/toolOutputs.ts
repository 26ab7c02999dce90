import type { TSchema } from 'typebox';
import { Type } from '../../core/schema.ts';
import { ForecastDetailSchema } from '../../contract/forecastDetail.ts';
import { SERVER_MESSAGES } from '../../contract/live.ts';
import { OUTLOOK_FIELDS } from '../../contract/outlook.ts';
import { TickRequestSchema, TrendSchema } from '../../contract/tickForecast.ts';
import { MarketListSchema } from '../../contract/markets.ts';
import { TrackRecordSchema } from '../../contract/trackRecord.ts';

const { opportunity, reasons, model, input } = ForecastDetailSchema.properties;
const future = Type.String({ description: 'The future timestamp, UTC.' });
const horizon = Type.String({ description: 'As it was sent.' });

/** One forecast, or `forecasts` for the argument horizons. */
function oneOrSeveral<T extends Record<string, TSchema>>(fields: T, optional: Record<string, TSchema> = {}) {
  const several = Type.Array(Type.Object({ horizon, ...fields, ...optional }), {
    description: 'With horizons: one for each, in their order.',
  });
  const required = Object.keys(fields).map((name) => name);
  return {
    ...{ type: 'object', additionalProperties: false, properties: { ...fields, ...optional, forecasts: several } },
    anyOf: [{ required }, { required: ['forecasts'] }],
  };
}

const { rows, ...record } = TrackRecordSchema.properties;

/** The result of each tool. */
export const TOOL_OUTPUTS = {
  forecast: oneOrSeveral(
    { future, trend_identified: TrendSchema, opportunity, reasons, notes: input.properties.notes, model },
    OUTLOOK_FIELDS,
  ),
  explain: oneOrSeveral({ future, trend_identified: TrendSchema, detail: ForecastDetailSchema }),
  sample: TickRequestSchema,
  live: Type.Object({
    ticks: Type.Integer({ description: 'Ticks that were replayed.' }),
    from: Type.String(),
    to: Type.String(),
    seen_in_training: Type.Boolean({ description: 'Whether the version was trained on these ticks: the score is then too good.' }),
    scores: SERVER_MESSAGES.score.properties.scores,
    last_forecasts: Type.Array(SERVER_MESSAGES.forecast),
    last_outcomes: Type.Array(SERVER_MESSAGES.outcome),
  }),
  track_record: Type.Object({
    ...record,
    rows_in_all: Type.Integer({ minimum: 0 }),
    newest_rows: Type.Array(rows.items, { description: 'The newest 30.' }),
  }),
  markets: MarketListSchema,
} as const;
