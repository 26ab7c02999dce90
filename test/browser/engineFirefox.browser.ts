import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { buildEngine } from '../../scripts/buildEngine.js';
import { checkCases, engineCases, RUN_CASES } from '../support/engineCases.ts';

/** `FIREFOX_PATH`, or the one on the PATH. */
const firefox = process.env['FIREFOX_PATH'] ?? 'firefox';

describe('tickmark-engine in Firefox', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-firefox-'));

  before(function () {
    const { status, error, stderr } = spawnSync(firefox, ['--version'], { encoding: 'utf8' });
    if (status === 0) return;
    process.stdout.write(`    skipped: no Firefox at ${firefox} (set FIREFOX_PATH): ${error?.message ?? stderr}\n`);
    this.skip();
  });
  after(() => rmSync(folder, { recursive: true }));

  it('gives the answers of the service: the page sends them back', async () => {
    buildEngine(folder);
    const cases = await engineCases();
    writeFileSync(
      path.join(folder, 'run.js'),
      `import { openEngine } from './index.js';
${RUN_CASES}
const answers = openEngine().then((engine) => runCases(engine, ${JSON.stringify(cases)}));
const body = await answers.then(JSON.stringify, (error) => String(error.stack));
await fetch('/answers', { method: 'POST', body });
`,
    );
    let told: (body: string) => void = () => {};
    const answers = new Promise<string>((resolve) => (told = resolve));
    const server = createServer((request, response) => {
      if (request.method === 'POST') void text(request).then((body) => told(body) as void);
      const name = path.basename(request.url ?? '');
      response.setHeader('Content-Type', name.endsWith('.js') ? 'text/javascript' : 'text/html');
      response.end(
        name.endsWith('.js') ? readFileSync(path.join(folder, name)) : '<!doctype html><script type="module" src="run.js"></script>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const child = spawn(firefox, ['--headless', '--no-remote', '--profile', folder, url], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      const got = await answers;
      expect(checkCases(cases, JSON.parse(got) as { answers: unknown[]; windows: unknown[] })).to.equal(null);
    } finally {
      child.kill();
      await ended;
      server.closeAllConnections();
      server.close();
    }
  });
});
