import type { TSchema } from 'typebox';
import { MarketForecastSchema, MarketSchema } from '../../../contract/markets.ts';
import { Type } from '../../../core/schema.ts';

const { state, reason, since, last_tick, price, ticks, spread_bps, forecasts } = MarketSchema.properties;

/** What the service knows of a watched market. `tally`: of a row of the track record. */
export const marketStateSchema = <Tally extends TSchema>(tally: Tally) =>
  Type.Object({
    ...{ state, reason, since, last_tick, price, ticks, spread_bps, forecasts },
    alerts: Type.Optional(
      Type.Record(Type.String(), Type.Object({ sentMs: Type.Number(), open: Type.Array(Type.String(), { maxItems: 100 }) })),
    ),
    tallies: Type.Record(Type.String(), Type.Object({ since: Type.String(), threshold: Type.Nullable(Type.Number()), tally })),
  });

export const MarketRowSchema = Type.Object({
  accountId: Type.String(),
  id: Type.String(),
  forecast: MarketForecastSchema,
  pending: Type.Nullable(
    Type.Object({
      originUs: Type.Number(),
      entry: Type.Nullable(Type.Number()),
      baselineProbability: Type.Nullable(Type.Number()),
      medianGapS: Type.Nullable(Type.Number()),
      costBps: Type.Nullable(Type.Number()),
      isOwn: Type.Boolean(),
    }),
  ),
});
