const VERSION = '0.1.0';
/** Filled in by `npm run pack:client`. */
const COMMIT: string = '';

/** Browsers and their workers send their own; another one would need a preflight. */
const isBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

/** Names the client in the log of the service. */
export const AGENT_HEADERS: Readonly<Record<string, string>> = isBrowser
  ? {}
  : { 'User-Agent': `tickmark-client-typescript/${VERSION}${COMMIT && `+${COMMIT}`}` };
