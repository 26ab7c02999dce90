import * as markets from './markets.ts';
import { BODY_CODES, GZIP_FROM_BYTES, KEY_CODES, type RouteSpec } from './routeSpec.ts';

const CODES = ['request.invalid', ...KEY_CODES, 'service.not_ready'] as const;
const COMMON = { tag: 'Markets', needsKey: true, query: [] } as const;
const ONE = { ...COMMON, path: '/account/markets/{id}', idExample: markets.MARKET_EXAMPLE.id } as const;
const answer = (status: 200 | 201, description: string) => ({
  status,
  description,
  schema: markets.MarketSchema,
  example: markets.MARKET_EXAMPLE,
});

/** Markets that the service watches. */
export const MARKET_ROUTES = {
  marketList: {
    ...COMMON,
    method: 'GET',
    path: '/account/markets',
    summary: 'List the watched markets of the account',
    answer: {
      ...{ status: 200, description: 'Oldest first.', schema: markets.MarketListSchema },
      ...{ example: { markets: [] }, gzipFromBytes: GZIP_FROM_BYTES },
    },
    errors: CODES,
  },
  addMarket: {
    ...COMMON,
    method: 'POST',
    path: '/account/markets',
    summary: 'Watch a market of an exchange',
    description: 'Forecast and scored, with alerts, while no client is connected. At most MARKETS_PER_ACCOUNT.',
    body: {
      schema: markets.MarketRequestSchema,
      example: () => ({ exchange: 'binance', symbol: 'BTC/USDT', horizons: ['60s', '5m'], cost_bps: 8.1 }),
      limit: 'account',
    },
    answer: answer(201, 'The market.'),
    links: [
      { to: 'market', id: '/id' },
      { to: 'changeMarket', id: '/id' },
      { to: 'marketForecasts', id: '/id' },
      { to: 'removeMarket', id: '/id' },
    ],
    errors: [...BODY_CODES, ...KEY_CODES, 'service.not_ready', 'account.too_many_markets', 'market.exists', 'market.unknown'],
  },
  market: {
    ...ONE,
    method: 'GET',
    summary: 'Get a watched market',
    answer: answer(200, 'The market.'),
    errors: [...CODES, 'market.unknown'],
  },
  changeMarket: {
    ...ONE,
    method: 'PATCH',
    summary: 'Change horizons, interval or cost of a watched market',
    body: { schema: markets.MarketChangeSchema, example: () => ({ cost_bps: 6.5 }), limit: 'account' },
    answer: answer(200, 'The market as it is now.'),
    errors: [...BODY_CODES, ...KEY_CODES, 'service.not_ready', 'market.unknown'],
  },
  marketForecasts: {
    ...ONE,
    method: 'GET',
    path: '/account/markets/{id}/forecasts',
    summary: 'Get the forecasts of a watched market, and their outcomes',
    description: `At most ${markets.MARKET_PAGE} that changed after \`after\`. MARKET_FORECASTS are kept of a market; the oldest go first.`,
    query: ['after', 'ticks_from'],
    answer: {
      ...{ status: 200, description: 'A page.', schema: markets.MarketForecastsSchema, example: markets.MARKET_FORECASTS_EXAMPLE },
      gzipFromBytes: GZIP_FROM_BYTES,
    },
    errors: [...CODES, 'market.unknown'],
  },
  removeMarket: {
    ...ONE,
    method: 'DELETE',
    summary: 'Stop watching a market, and delete its forecasts',
    description: 'The track record and the memory of its series stay.',
    answer: answer(200, 'The market that was removed.'),
    errors: [...CODES, 'market.unknown'],
  },
} as const satisfies Record<string, RouteSpec>;
