import { TickmarkClient } from '../../../clients/typescript/src/index.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { toolInput } from './toolInputs.ts';

export type TrackRecordInput = { readonly series?: string; readonly model?: string; readonly from?: string; readonly to?: string };

/** The service whose track record is read, and a key of the account. */
export type RecordSource = { readonly url: string; readonly key: string };

const TIMEOUT_MS = 20_000;
/** Rows in the result, the newest; the sum has all. */
const SHOWN = 30;

export const trackRecordInput = toolInput<TrackRecordInput>({
  type: 'object',
  properties: {
    series: { type: 'string', description: 'Only this series.' },
    model: { type: 'string', description: 'Only this model version.' },
    from: { type: 'string', description: 'First UTC day, YYYY-MM-DD.' },
    to: { type: 'string', description: 'Last UTC day, YYYY-MM-DD.' },
  },
  additionalProperties: false,
});

/** The track record of the account, from its service. Throws ServiceError `command.invalid` with what the service answered. */
export const readTrackRecord = (input: TrackRecordInput, source: RecordSource | undefined): Promise<object> =>
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
