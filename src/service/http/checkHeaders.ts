import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../core/errorTable.ts';
import { isLocalHost } from '../../core/hostNames.ts';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';

/** Node.js drops no header field with its limit off; more fields than this get 431, so that an Api-Key is never lost silently. */
const MAX_HEADER_FIELDS = 100;

/** Fields of which Node.js keeps the first: another one may be meant for a proxy, or be someone else's. */
const ONCE = new Set(['host', 'authorization', 'content-type']);

/**
 * Throws ServiceError `request.headers_too_large`, `request.malformed_http`, `request.host_refused` for what Node.js accepts and this service
 * refuses. `hostNames`: names that the service has besides those of its machine; undefined: any name.
 */
export function checkHeaders(request: IncomingMessage, hostNames: readonly string[] | undefined): void {
  const fields = request.rawHeaders.length / 2;
  if (fields > MAX_HEADER_FIELDS)
    throw refused('request.headers_too_large', `A request may have ${MAX_HEADER_FIELDS} header fields; it has ${fields}.`);
  const repeated = repeatedField(request.rawHeaders);
  if (repeated !== undefined)
    throw refused('request.malformed_http', `The header ${repeated} may be sent once; it was sent more than once.`);
  const { url = '' } = request;
  // A proxy sends the whole URL.
  if (!url.startsWith('/') && url !== '*' && !(/^https?:\/\//i.test(url) && URL.canParse(url))) {
    throw refused('request.malformed_http', `The target of the request must be a path or a URL; it is ${quoteValue(url)}.`);
  }
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw refused('request.malformed_http', 'An HTTP/1.1 request needs a Host header.');
  const { host } = request.headers;
  if (host !== undefined && hostNames !== undefined && !isLocalHost(host, hostNames)) {
    const detail = `Host is ${quoteValue(host)}; this service listens on a loopback address and answers as localhost, 127.0.0.1 and [::1]. If a proxy sends this name, HOST_NAMES must list it.`;
    throw refused('request.host_refused', detail);
  }
  // Node.js removes the chunked framing and passes on what is inside.
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw refused('request.malformed_http', `Transfer-Encoding must be chunked or absent; it is ${quoteValue(coding)}.`);
  }
}

const refused = (code: ErrorCode, detail: string): ServiceError => new ServiceError(code, detail, { headers: { Connection: 'close' } });

function repeatedField(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase();
    if (ONCE.has(name) && seen.size === seen.add(name).size) return name;
  }
  return undefined;
}
