import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import type { MARKET_ROUTES } from '../../../contract/marketRoutes.ts';
import type { MarketAnswer, MarketForecastsAnswer, MarketListAnswer } from '../../../contract/markets.ts';
import { type MarketKey, seriesOf } from '../../markets/Market.ts';
import type { KnownMarket } from '../../markets/MarketService.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import type { RequestContext } from '../RequestContext.ts';
import { present } from './ownerOf.ts';

function marketAnswer({ market, state, stopped }: KnownMarket): MarketAnswer {
  const { costBps, createdAtMs, horizons, ...rest } = market;
  const created = new Date(createdAtMs).toISOString();
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

const keyOf = ({ caller, params }: RequestContext): MarketKey => ({ accountId: present(caller).accountId, id: params['id'] ?? '' });
const answerOf = async (known: Promise<KnownMarket>): Promise<string> => JSON.stringify(marketAnswer(await known));

/** The handlers of watched markets. */
export function marketHandlers(
  checks: Pick<BodyChecks, 'marketRequest' | 'marketChange'>,
): Record<keyof typeof MARKET_ROUTES, (request: RequestContext) => Promise<string>> {
  return {
    marketList: async ({ parts, caller }) => {
      const answer: MarketListAnswer = { markets: (await parts.markets.list(present(caller).accountId)).map(marketAnswer) };
      return JSON.stringify(answer);
    },
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
      const answer: MarketForecastsAnswer = { last: page.forecasts.at(-1)?.change ?? after, ...page };
      return JSON.stringify(answer);
    },
    removeMarket: (request) => answerOf(request.parts.markets.remove(keyOf(request))),
  };
}
