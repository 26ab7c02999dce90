import type { IncomingMessage } from 'node:http';

/** Name and version of the tickmark client that sent the request; null: another program. The rest of the header is not read. */
export const clientOf = ({ headers }: IncomingMessage): string | null =>
  /^tickmark-client-[a-z]{1,16}\/\d{1,4}\.\d{1,4}\.\d{1,4}[\w.+-]{0,16}/.exec(headers['user-agent'] ?? '')?.[0] ?? null;
