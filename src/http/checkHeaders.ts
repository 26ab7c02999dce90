import type { IncomingMessage } from 'node:http';
import { ServiceError, quoteValue } from '../core/ServiceError.ts';

/** Node.js drops no header field with its limit off; more fields than this get 431, so that an Api-Key is never lost silently. */
const MAX_HEADER_FIELDS = 100;

/** Throws ServiceError `request.headers_too_large`, `request.malformed_http` for what Node.js accepts and this service refuses. */
export function checkHeaders(request: IncomingMessage): void {
  const fields = request.rawHeaders.length / 2;
  if (fields > MAX_HEADER_FIELDS) {
    throw new ServiceError('request.headers_too_large', `A request may have ${MAX_HEADER_FIELDS} header fields; it has ${fields}.`, {
      headers: { Connection: 'close' },
    });
  }
  if (request.httpVersion === '1.1' && request.headers.host === undefined) {
    throw new ServiceError('request.malformed_http', 'An HTTP/1.1 request needs a Host header.', { headers: { Connection: 'close' } });
  }
  // Node.js removes the chunked framing and passes on what is inside.
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new ServiceError('request.malformed_http', `Transfer-Encoding must be chunked or absent; it is ${quoteValue(coding)}.`, {
      headers: { Connection: 'close' },
    });
  }
}
