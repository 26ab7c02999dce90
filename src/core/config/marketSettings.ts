import { oneOf, text, whole, type SettingRow } from './SettingRow.ts';

/** Markets that the service watches. */
export const MARKET_SETTINGS = {
  FEEDS: oneOf(
    ['on', 'off'],
    'on',
    'on: the service connects to the exchanges of the markets that accounts watch; off: it opens no connection to an exchange.',
  ),
  FEED_HOSTS: text(
    '',
    'Hosts of exchanges that the service may connect to, with commas between them, such as stream.binance.com,api.binance.com; for ccxt:NAME that name itself; empty: all of its table and of ccxt.',
  ),
  MARKETS_PER_ACCOUNT: whole(20, [0, 200], 'Markets that an account may have the service watch.'),
  MARKETS_MAX: whole(200, [0, 5000], 'Markets that the service watches for all accounts together.'),
  MARKET_FORECASTS: whole(10_000, [100, 1_000_000], 'Last forecasts that are kept of each watched market, about 0.5 kB each.'),
} satisfies Record<string, SettingRow>;
