import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import type { Bench, BenchReport } from './Bench.ts';
import { CpuMeter } from './serving/CpuMeter.ts';
import { Generator } from './serving/Generator.ts';
import { quantile } from './serving/quantile.ts';
import { startTickmark } from './serving/startTickmark.ts';
import { tickBodies } from './serving/tickBodies.ts';
import { measureSpans } from './traces/measureSpans.ts';

const CONNECTIONS = 8;

/** A collector that takes everything and keeps nothing. */
async function startCollector(): Promise<{ endpoint: string; close(): void }> {
  const server = createServer((request, response) => request.resume().once('end', () => response.end('{}')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** The spans alone: a busy machine disturbs this less than the service. */
async function spansAlone(): Promise<BenchReport> {
  const collector = await startCollector();
  const lines: string[][] = [];
  for (const [name, fraction] of [
    ['off', 0],
    ['one of twenty', 0.05],
    ['all requests', 1],
  ] as const)
    lines.push([name, `${(await measureSpans(collector.endpoint, fraction)).toFixed(0)} µs`]);
  collector.close();
  return {
    about: ['The three spans of a forecast in a loop, with a collector in the same process; the least of 12 rounds of 4000.'],
    tables: [{ title: 'Spans alone', head: ['traces', 'CPU a request'], lines }],
  };
}

export const bench: Bench = {
  name: 'traces',
  about:
    'What traces cost: CPU of a forecast without them, with all, with a twentieth, and with a collector that does not answer; --only=spans: the spans alone.',
  async run(only = '', { quick = false } = {}) {
    if (only === 'spans') return spansAlone();
    const [rounds, seconds] = quick ? [2, 2] : [8, 3];
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-traces-'));
    const [collector, generator] = [await startCollector(), new Generator()];
    const closed = 'http://127.0.0.1:9';
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    const ways: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ['off', {}],
      ['all requests', on],
      ['one of twenty', { ...on, OTEL_TRACES_SAMPLER_ARG: '0.05' }],
      ['all requests, nothing listens', { OTEL_EXPORTER_OTLP_ENDPOINT: closed }],
    ];
    const sides = [];
    try {
      const bodiesFile = path.join(folder, 'bodies.json');
      writeFileSync(bodiesFile, JSON.stringify((await tickBodies()).even));
      for (const [name, env] of ways) {
        const side = await startTickmark({ backend: 'wasm', dataDir: path.join(folder, name), env: { WORKERS: '1', ...env } });
        sides.push({ name, side, cpuMs: [] as number[], p99Ms: [] as number[] });
      }
      // One round after the other, so that other load on the machine comes to all of them.
      for (let round = 0; round <= rounds; round++)
        for (const { side, cpuMs, p99Ms } of sides) {
          const meter = new CpuMeter(side.process.pid ?? 0);
          const load = { kind: 'closed', port: side.port, bodiesFile, keys: side.keys, connections: CONNECTIONS, seconds } as const;
          const { status, latencyMs } = await generator.make(load);
          // The first round warms up.
          if (round === 0) continue;
          cpuMs.push(meter.read().treeMs / status.filter((each) => each === 200).length);
          p99Ms.push(
            quantile(
              [...latencyMs].filter((ms) => !Number.isNaN(ms)),
              0.99,
            ),
          );
        }
      const least = Math.min(...(sides[0]?.cpuMs ?? []));
      return {
        about: [
          `${CONNECTIONS} connections in a closed loop, one worker on WebAssembly, ${rounds} rounds of ${seconds} s for each service in turn; the least CPU of the rounds, because other load only adds to it.`,
        ],
        tables: [
          {
            title: 'Traces',
            head: ['traces', 'CPU a forecast', 'more than off', 'p99, median of the rounds'],
            lines: sides.map(({ name, cpuMs, p99Ms }) => [
              name,
              `${Math.min(...cpuMs).toFixed(3)} ms`,
              `${(1000 * (Math.min(...cpuMs) - least)).toFixed(0)} µs`,
              `${quantile(p99Ms, 0.5).toFixed(1)} ms`,
            ]),
          },
        ],
      };
    } finally {
      generator.close();
      collector.close();
      for (const { side } of sides) side.process.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};
