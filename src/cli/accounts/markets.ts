import { InvalidArgumentError, type Command } from 'commander';
import { isApiError, TickmarkClient } from '../../../clients/typescript/src/index.ts';
import type { MarketAnswer, MarketChangeBody, MarketRequestBody } from '../../contract/markets.ts';
import { processEnvironment } from '../../core/config/processEnvironment.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { act, jsonLine, type CliContext, type GlobalOptions, plain } from '../CliContext.ts';
import { exampleText, positiveNumber } from '../parseOptions.ts';

const HELP = `
Examples:
  $ export TICKMARK_KEY=tkm_live_…
  $ tickmark markets add --exchange binance --symbol BTC/USDT --horizon 60s,5m --cost 8.1
  $ tickmark markets list
  $ tickmark markets set binance:BTC-USDT --cost 6.5
  $ tickmark markets remove binance:BTC-USDT

The service of --url watches the markets of the account of the key, with no client connected.`;

const DEFAULT_URL = 'http://127.0.0.1:8080';

type Target = GlobalOptions & { readonly url: string; readonly key?: string };
type Changes = { readonly horizon?: readonly string[]; readonly every?: string; readonly cost?: number | 'none' };
type Addition = Changes & {
  readonly exchange: string;
  readonly symbol: string;
  readonly kind?: MarketRequestBody['kind'];
  readonly period?: string;
};

const parseList = (text: string): readonly string[] => text.split(',').map((part) => part.trim());
const parseCost = (text: string): number | 'none' => (text === 'none' ? text : positiveNumber(10_000)(text));
function parseKind(text: string): MarketRequestBody['kind'] {
  if (text !== 'trades' && text !== 'quotes' && text !== 'bars') throw new InvalidArgumentError('Write trades, quotes or bars.');
  return text;
}

export function addMarkets(program: Command, context: CliContext): void {
  const markets = program
    .command('markets')
    .description('list, add, change and remove the markets that a service watches')
    .addHelpText('after', HELP);
  const command = (name: string, about: string, example: string): Command =>
    markets
      .command(name)
      .description(about)
      .option('--url <url>', 'address of the service', DEFAULT_URL)
      .option('--key <key>', 'API key (default: the environment variable TICKMARK_KEY)')
      .addHelpText('after', exampleText(example));
  const changeable = (of: Command): Command =>
    of
      .option('--horizon <durations>', 'how far ahead, separated by commas: 60s, 5m, 1h', parseList)
      .option('--every <duration>', 'time between forecasts, or tick')
      .option('--cost <bps>', 'your cost there and back, basis points: the threshold; none: that of each window', parseCost);
  command('list', 'list the markets with their state and last forecasts', 'markets list').action(act(context, list));
  changeable(command('add', 'watch a market', 'markets add --exchange binance --symbol BTC/USDT --horizon 60s,5m --cost 8.1'))
    .requiredOption('--exchange <name>', 'name of an exchange, or ccxt:NAME')
    .requiredOption('--symbol <symbol>', 'such as BTC/USDT')
    .option('--kind <kind>', 'trades, quotes or bars (default: trades)', parseKind)
    .option('--period <duration>', 'length of the bars (default: 1m)')
    .action(async (_options: unknown, own: Command) => {
      const { exchange, symbol, kind, period, ...flags } = own.optsWithGlobals<Target & Addition>();
      const { horizon } = flags;
      if (horizon === undefined) own.error("error: required option '--horizon <durations>' not specified");
      const body = { exchange, symbol, kind, period, ...changesOf(flags), horizons: [...horizon] };
      await show(context, flags, (client) => client.addMarket(body));
    });
  changeable(command('set', 'change a market, from its next forecast on', 'markets set binance:BTC-USDT --cost 6.5'))
    .argument('<market>', 'series or id, from markets list')
    .action((market: string, _options: unknown, own: Command) => {
      const flags = own.optsWithGlobals<Target & Changes>();
      return show(context, flags, async (client) => client.changeMarket(await idOf(client, market), changesOf(flags)));
    });
  command('remove', 'stop watching a market', 'markets remove binance:BTC-USDT')
    .argument('<market>', 'series or id, from markets list')
    .action((market: string, _options: unknown, own: Command) =>
      show(context, own.optsWithGlobals<Target>(), async (client) => client.removeMarket(await idOf(client, market))),
    );
}

const changesOf = ({ horizon, every, cost }: Changes): MarketChangeBody => ({
  horizons: horizon && [...horizon],
  every,
  cost_bps: cost === 'none' ? null : cost,
});

/** Throws ServiceError `server.unreachable`, or `command.invalid` with what the service answered. */
async function called<T>(
  { url, key = processEnvironment()['TICKMARK_KEY'] }: Target,
  call: (client: TickmarkClient) => Promise<T>,
): Promise<T> {
  if (key === undefined || key === '') throw new ServiceError('command.invalid', 'A key is needed: --key, or TICKMARK_KEY.');
  try {
    return await call(new TickmarkClient({ baseUrl: url, apiKey: key }));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const { message } = error as Error;
    if (!isApiError(error)) throw new ServiceError('server.unreachable', `No service answers at ${url}: ${message}`, { cause: error });
    const details = error.fieldErrors.map(({ detail }) => detail).join(' ');
    throw new ServiceError('command.invalid', `The service ${url} says: ${details === '' ? message : details}`, { cause: error });
  }
}

async function idOf(client: TickmarkClient, name: string): Promise<string> {
  const { markets } = await client.markets();
  const found = markets.find(({ id, series }) => id === name || series === name);
  if (found !== undefined) return found.id;
  const known = markets.map(({ series }) => series).join(', ');
  throw new ServiceError('command.invalid', `The account watches no market ${JSON.stringify(name)}; it watches ${known || 'none'}.`);
}

async function list({ out }: CliContext, target: Target): Promise<void> {
  const { markets } = await called(target, (client) => client.markets());
  if (target.json === true) return out(markets.map((market) => jsonLine(market)).join(''));
  out(markets.length === 0 ? 'The account watches no market.\n' : markets.map(textOf).join(''));
}

async function show({ out }: CliContext, target: Target, call: (client: TickmarkClient) => Promise<MarketAnswer>): Promise<void> {
  const market = await called(target, call);
  out(target.json === true ? jsonLine(market) : textOf(market));
}

const percent = (fraction: number): string => `${(100 * fraction).toFixed(0)} %`;

function textOf({ series, state, reason, price, last_tick: lastTick, cost_bps: cost, forecasts }: MarketAnswer): string {
  const threshold = cost === null ? 'an unusually large move' : `a move beyond ${cost} bps`;
  const lines = [
    `${plain(series)}  ${state}${reason === null ? '' : ` (${plain(reason)})`}${price === null ? '' : `  ${price} at ${lastTick}`}`,
  ];
  for (const { horizon, last, score } of forecasts) {
    const chance = typeof last?.probability === 'number' ? `${threshold}: ${percent(last.probability)}` : 'no forecast yet';
    const usual = score === null || score.base_rate === null ? '' : `, so far ${percent(score.base_rate)} of ${score.outcomes}`;
    lines.push(`  ${horizon.padEnd(6)}${chance}${usual}`);
  }
  return `${lines.join('\n')}\n`;
}
