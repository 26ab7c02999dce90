import type { Static } from 'typebox';
import { TickmarkClient } from '../../../clients/typescript/src/index.ts';
import { Type } from '../../core/schema.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { text, toolInput } from './toolInputs.ts';

/** The service whose track record is read, and a key of the account. */
export type RecordSource = { readonly url: string; readonly key: string };

const TIMEOUT_MS = 20_000;
/** Rows in the result, the newest; the sum has all. */
const SHOWN = 30;

const TrackRecordSchema = Type.Object({
  series: text('Only this series.'),
  model: text('Only this model version.'),
  from: text('First UTC day, YYYY-MM-DD.'),
  to: text('Last UTC day, YYYY-MM-DD.'),
});

export const trackRecordInput = toolInput(TrackRecordSchema);

/** The track record of the account, from its service. Throws ServiceError `command.invalid` with what the service answered. */
export const readTrackRecord = (input: Static<typeof TrackRecordSchema>, source: RecordSource | undefined): Promise<object> =>
  askService(source, 'the track record', async (client) => {
    const { rows, ...rest } = await client.trackRecord(input);
    return { ...rest, rows_in_all: rows.length, newest_rows: rows.slice(-SHOWN) };
  });

/** The markets that the service watches for the account. Throws as `readTrackRecord`. */
export const readMarkets = (source: RecordSource | undefined): Promise<object> =>
  askService(source, 'the watched markets', (client) => client.markets());

async function askService<T>(source: RecordSource | undefined, what: string, ask: (client: TickmarkClient) => Promise<T>): Promise<T> {
  if (source === undefined)
    throw new ServiceError(
      'command.invalid',
      `This server was started without a service, of which it could read ${what}: the option --url and the environment variable TICKMARK_KEY.`,
      {
        remedy:
          'Tell the user to add --url and TICKMARK_KEY to the configuration of this server. The tool live scores a file without a service.',
      },
    );
  try {
    return await ask(new TickmarkClient({ baseUrl: source.url, apiKey: source.key, timeoutMs: TIMEOUT_MS, retries: 1 }));
  } catch (error) {
    throw new ServiceError('command.invalid', `The service did not return ${what}: ${(error as Error).message}`, { cause: error });
  }
}
