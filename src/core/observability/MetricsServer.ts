import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isLocalHost } from '../hostNames.ts';
import { ServiceError } from '../ServiceError.ts';

/** In the text format of Prometheus. */
export type MetricsText = { text(): Promise<string>; readonly contentType: string };

const MAX_CONNECTIONS = 32;
const TIMEOUT_MS = 10_000;

/**
 * Answers GET /metrics, and nothing else, on a separate address: clients of the API need no access to it. A connection that does not wait
 * for its answer is closed, and requests that arrive together get one text.
 */
export class MetricsServer {
  readonly #server: Server;
  readonly #busy = new WeakSet<Socket>();
  #text: Promise<string> | undefined;

  /** `hostNames`: names that a request may have in Host besides those of this machine; undefined: any. */
  constructor(metrics: MetricsText, hostNames?: readonly string[]) {
    this.#server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
      const { socket } = request;
      if (this.#busy.has(socket)) socket.destroy();
      if (socket.destroyed) return;
      this.#busy.add(socket);
      response.once('close', () => this.#busy.delete(socket));
      if (hostNames !== undefined && !isLocalHost(request.headers.host ?? 'localhost', hostNames)) {
        response.writeHead(421, { Connection: 'close' }).end();
        return;
      }
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      this.#text ??= metrics.text().finally(() => (this.#text = undefined));
      this.#text.then(
        (text) => response.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Resolves to the port. Throws ServiceError `server.cannot_listen`. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (cause) => {
        const detail = `Cannot listen for metrics on ${host}, port ${port}: ${cause.message}. Set METRICS_PORT to a free one, or to 0 for none.`;
        reject(new ServiceError('server.cannot_listen', detail, { cause }));
      });
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
