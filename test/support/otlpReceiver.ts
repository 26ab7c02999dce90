import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

type Value = { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number };

/** A span as a collector gets it, in the JSON of OTLP. */
export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly links: readonly { readonly spanId: string }[];
};

export type OtlpReceiver = {
  readonly endpoint: string;
  /** All that was received, in the order of arrival. */
  readonly spans: readonly ReceivedSpan[];
  /** The bodies as they were sent. */
  readonly bodies: readonly string[];
  /** Resolves when a span of this name has arrived. */
  untilNamed(name: string): Promise<ReceivedSpan>;
  close(): Promise<void>;
};

/** A collector that keeps what it gets. `statusOf`: its answer to each request. */
export async function startOtlpReceiver(statusOf: () => number = () => 200): Promise<OtlpReceiver> {
  const [spans, bodies]: [ReceivedSpan[], string[]] = [[], []];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const status = request.url === '/v1/traces' ? statusOf() : 404;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
      if (status !== 200) return;
      bodies.push(text);
      const { resourceSpans } = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] };
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    untilNamed: async (name) => {
      await until(() => spans.some((span) => span.name === name));
      return spans.find((span) => span.name === name)!;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const attributesOf = ({ attributes }: ReceivedSpan): Record<string, string | number> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)] as const));
