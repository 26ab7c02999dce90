import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import type { MARKET_ROUTES } from '../../../contract/marketRoutes.ts';
import type { MarketAnswer } from '../../../contract/markets.ts';
import { type MarketKey, seriesOf } from '../../markets/Market.ts';
import type { KnownMarket } from '../../markets/MarketService.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import type { RequestContext } from '../RequestContext.ts';
import { type Handlers, idOf, isoTime, present } from './handlerParts.ts';

function marketAnswer({ market, state, stopped }: KnownMarket): MarketAnswer {
  const { costBps, createdAtMs, horizons, ...rest } = market;
  const created = isoTime(createdAtMs);
  const none = { reason: null, since: created, last_tick: null, price: null, ticks: 0, spread_bps: null, forecasts: [] };
  const { tallies: _tallies, alerts: _alerts, ...known } = state ?? { state: 'connecting', ...none, tallies: {} };
  const forecasts = horizons.map(
    (horizon) => known.forecasts.find((one) => one.horizon === horizon) ?? { horizon, last: null, score: null },
  );
  return {
    ...rest,
    horizons: [...horizons],
    cost_bps: costBps,
    series: seriesOf(market),
    created_at: created,
    ...known,
    forecasts,
    ...(stopped === undefined ? {} : { state: 'stopped', reason: stopped }),
  };
}

const keyOf = (request: RequestContext): MarketKey => ({ accountId: present(request.caller).accountId, id: idOf(request) });
const answerOf = async (known: Promise<KnownMarket>): Promise<MarketAnswer> => marketAnswer(await known);

/** The handlers of watched markets. */
export function marketHandlers(checks: Pick<BodyChecks, 'marketRequest' | 'marketChange'>): Handlers<typeof MARKET_ROUTES> {
  return {
    marketList: async ({ parts, caller }) => ({ markets: (await parts.markets.list(present(caller).accountId)).map(marketAnswer) }),
    addMarket: async (request) => {
      const body = checks.marketRequest(parseJsonBody(await request.bytes()));
      return answerOf(request.parts.markets.add(present(request.caller).accountId, body));
    },
    market: (request) => answerOf(request.parts.markets.get(keyOf(request))),
    changeMarket: async (request) => {
      const body = checks.marketChange(parseJsonBody(await request.bytes()));
      return answerOf(request.parts.markets.change(keyOf(request), body));
    },
    marketForecasts: async (request) => {
      const { after = 0, ticksFrom } = request.query;
      const page = await request.parts.markets.forecasts(keyOf(request), after, ticksFrom);
      return { last: page.forecasts.at(-1)?.change ?? after, ...page };
    },
    removeMarket: (request) => answerOf(request.parts.markets.remove(keyOf(request))),
  };
}
