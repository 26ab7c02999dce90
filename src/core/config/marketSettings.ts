import type { SettingRow } from './SettingRow.ts';

/** Markets that the service watches. */
export const MARKET_SETTINGS = {
  FEEDS: {
    kind: { oneOf: ['on', 'off'] },
    default: 'on',
    about: 'on: the service connects to the exchanges of the markets that accounts watch; off: it opens no connection to an exchange.',
  },
  FEED_HOSTS: {
    kind: 'text',
    default: '',
    about:
      'Hosts of exchanges that the service may connect to, with commas between them, such as stream.binance.com,api.binance.com; for ccxt:NAME that name itself; empty: all of its table and of ccxt.',
  },
  MARKETS_PER_ACCOUNT: { kind: 'integer', default: '20', min: 0, max: 200, about: 'Markets that an account may have the service watch.' },
  MARKETS_MAX: { kind: 'integer', default: '200', min: 0, max: 5000, about: 'Markets that the service watches for all accounts together.' },
  MARKET_FORECASTS: {
    kind: 'integer',
    default: '10000',
    min: 100,
    max: 1000000,
    about: 'Last forecasts that are kept of each watched market, about 0.5 kB each.',
  },
} as const satisfies Record<string, SettingRow>;
