import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import { expect } from 'chai';
import type { BrowserContext } from 'playwright-core';
import { buildEngine } from '../../scripts/buildEngine.js';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { checkCases, engineCases, RUN_CASES } from '../support/engineCases.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import type * as engines from '../../clients/engine/src/index.ts';
import type * as golden from './support/goldenRows.ts';
import { sharedChromium } from './support/sharedChromium.ts';

/** No code from texts, no styles, no requests: what the engine may need is its own files and WebAssembly. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";

describe('tickmark-engine in a page', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-engine-'));
  let server: Server;
  let context: BrowserContext | undefined;
  const asked: string[] = [];

  before(async function () {
    const browser = await sharedChromium();
    if (browser === undefined) return this.skip();
    buildEngine(folder);
    buildSync({
      ...{ entryPoints: [path.join(ROOT, 'test/browser/support/goldenRows.ts')], outfile: path.join(folder, 'golden.js') },
      ...{ bundle: true, format: 'esm', platform: 'browser', target: 'es2022' },
    });
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const name = path.basename(url);
      response.setHeader('Content-Security-Policy', POLICY);
      response.setHeader('Content-Type', name.endsWith('.js') ? 'text/javascript' : 'text/html');
      response.end(name === '' ? '<!doctype html><title>Engine</title>' : readFileSync(path.join(folder, name)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context = await browser.newContext();
  });
  after(async () => {
    await context?.close();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  const open = async (name = '') => {
    const page = await context!.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`);
    return page;
  };

  it('gives the answers of the service under a strict policy, and asks for its two files alone', async () => {
    const cases = await engineCases();
    const script = `import { openEngine } from './index.js';
${RUN_CASES}
export const run = async () => runCases(await openEngine(), ${JSON.stringify(cases)});`;
    writeFileSync(path.join(folder, 'run.js'), script);
    const page = await open();
    asked.length = 0;
    const answers = await page.evaluate(`import('/run.js').then(({ run }) => run()).then(JSON.stringify)`);
    expect(checkCases(cases, JSON.parse(answers as string) as { answers: unknown[]; windows: unknown[] })).to.equal(null);
    expect(asked).to.have.members(['/run.js', '/index.js', '/shipped.js']);
    await page.close();
  });

  it('prints the time of the first forecast of a cold page, of those after it and of a replay', async () => {
    const { timesUs, prices } = syntheticTicks({ seed: 46, count: 500 });
    const page = await open();
    const { firstMs, nextMs, replayMs, windows } = await page.evaluate(
      async ([file, ticks]) => {
        const startMs = performance.now();
        const { openEngine } = (await import(file)) as typeof engines;
        const engine = await openEngine();
        await engine.forecast(ticks, { horizon: '60s' });
        const firstMs = performance.now() - startMs;
        const COUNT = 1000;
        for (let i = 0; i < COUNT; i++) await engine.forecast(ticks, { horizon: '60s' });
        const nextMs = (performance.now() - startMs - firstMs) / COUNT;
        // One tick a second: a window every 11 ticks.
        const length = 2700;
        const Timestamp = Array.from({ length }, (_, i) => 1_704_187_920_000_000 + i * 1_000_000);
        const Price = Array.from({ length }, (_, i) => 100 + Math.sin(i / 70) + Math.sin(i * i) / 50);
        const replayStartMs = performance.now();
        let windows = 0;
        for await (const { outcome } of engine.replay({ Timestamp, Price }, { horizon: '10s', ticks: 500 }))
          windows += Number(outcome !== undefined);
        return { firstMs, nextMs, replayMs: performance.now() - replayStartMs, windows };
      },
      ['/index.js', { Timestamp: Array.from(timesUs), Price: Array.from(prices) }] as const,
    );
    process.stdout.write(
      `    first forecast of a cold page after ${firstMs.toFixed(0)} ms, then ${nextMs.toFixed(2)} ms each; ` +
        `20,000 windows in ${((replayMs / windows) * 20).toFixed(1)} s at the rate of ${windows}\n`,
    );
    expect(windows).to.equal(201);
    await page.close();
  });

  it('forecasts and replays a file in the page of examples/engine', async () => {
    const { timesUs, prices } = syntheticTicks({ seed: 46, count: 4000 });
    const lines = Array.from(timesUs, (timeUs, i) => `${formatTimestamp(timeUs)},${prices[i]}`);
    for (const name of ['page.html', 'page.js']) copyFileSync(path.join(ROOT, 'examples/engine', name), path.join(folder, name));
    const page = await open('page.html');
    await page.locator('#file:enabled').waitFor();
    asked.length = 0;
    const send = (text: string) =>
      page.locator('#file').setInputFiles({ name: 'ticks.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await send(['timestamp,price', ...lines].join('\n'));
    await page.locator('#out', { hasText: /^forecast: \w+, probability 0\.\d+\sreplay: [1-9]\d+ windows, \d+ moved/ }).waitFor();
    await send(['timestamp,price', ...lines.slice(0, 100)].join('\n'));
    await page.locator('#out', { hasText: 'Timestamp has 100 entries; 199 to 3000 are allowed.' }).waitFor();
    expect(asked).to.deep.equal([]);
    await page.close();
  });

  it('computes the golden rows of the shipped version within 1e-6', async () => {
    const parent = path.join(ROOT, 'models', readdirSync(path.join(ROOT, 'models'))[0]);
    const names = ['manifest.json', 'model.json', 'weights.bin', 'golden.json', 'card.md', 'inputs.json'];
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(parent, name)).toString('base64')]));
    const page = await open();
    const pairs = await page.evaluate(async ([file, given]) => ((await import(file)) as typeof golden).goldenRows(given), [
      '/golden.js',
      files,
    ] as const);
    expect(pairs).to.not.be.empty;
    for (const [got, wanted] of pairs) expect(got).to.be.closeTo(wanted, 1e-6 * Math.max(1, Math.abs(wanted)));
    await page.close();
  });
});
