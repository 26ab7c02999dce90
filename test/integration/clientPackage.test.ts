import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const CLIENT = path.join(ROOT, 'clients', 'typescript');

describe('the package tickmark-client', function () {
  this.timeout(180_000);
  const sources = readdirSync(path.join(CLIENT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

  it('has the version of the service, and no dependency', () => {
    const read = (file: string): Record<string, unknown> =>
      JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as Record<string, unknown>;
    const { version, dependencies, peerDependencies, optionalDependencies } = read('clients/typescript/package.json');
    expect(version).to.equal(read('package.json')['version']);
    expect([dependencies, peerDependencies, optionalDependencies]).to.deep.equal([undefined, undefined, undefined]);
  });

  it('imports only itself, also for types, and nothing of Node.js', () => {
    // The package has the types of wire.ts written out.
    for (const name of sources.filter((source) => source !== 'wire.ts')) {
      const text = readFileSync(path.join(CLIENT, 'src', name), 'utf8');
      const targets = [...text.matchAll(/^(?:import|export)\s[^;]*?from\s+'([^']+)'/gm)].map((match) => match[1] as string);
      for (const target of targets) {
        const file = path.join(path.dirname(name), target);
        expect(sources, `${name}: ${target}`).to.include(file);
      }
      expect(text, name).to.not.match(/'node:|\bBuffer\b|\bprocess\./);
    }
  });

  it('installs into an empty project without the registry, and works there in JavaScript and in strict TypeScript', () => {
    const project = temporaryFolder();
    const run = (command: string, ...args: string[]): string =>
      execFileSync(command, args, {
        cwd: project,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, REVISION: '0123456789abcdef' },
      });
    const file = run(process.execPath, path.join(ROOT, 'scripts', 'packClient.js'), project).trim();
    expect(statSync(file).size, 'bytes of the packed file').to.be.below(60_000);
    writeFileSync(path.join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
    run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', file);
    expect(readdirSync(path.join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).to.deep.equal(['tickmark-client']);
    const installed = readdirSync(path.join(project, 'node_modules', 'tickmark-client'), { recursive: true, encoding: 'utf8' });
    expect(installed).to.include.members(['LICENSE', 'README.md', 'package.json', path.join('dist', 'index.d.ts')]);
    expect(installed.filter((name) => /\.test\.|(?<!\.d)\.ts$|\.map$|tsconfig/.test(name))).to.deep.equal([]);
    writeFileSync(
      path.join(project, 'use.js'),
      `import { buildTickBody, ConnectionError, TickmarkClient } from 'tickmark-client';
const body = buildTickBody([{ timeMs: 1704187920000, price: 2 }], { timeMs: 1704187920003 });
const agents = [];
const asked = new TickmarkClient({ baseUrl: 'http://127.0.0.1:1', fetch: async (_url, { headers }) => {
agents.push(headers['User-Agent']);
return new Response('{"models":[]}', { headers: { 'Content-Type': 'application/json' } });
} });
await asked.models();
const error = await new TickmarkClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 }).forecast(body).catch((thrown) => thrown);
console.log(JSON.stringify({ body, isConnection: error instanceof ConnectionError, agents }));
`,
    );
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'clients', 'typescript', 'package.json'), 'utf8')) as { version: string };
    expect(JSON.parse(run(process.execPath, 'use.js'))).to.deep.equal({
      body: { Timestamp: ['2024-01-02 09:32:00.000', '2024-01-02 09:32:00.003'], Price: [2, 0] },
      isConnection: true,
      agents: [`tickmark-client-typescript/${version}+0123456789ab`],
    });
    const typed = `import { isApiError, TickmarkClient, type Forecast } from 'tickmark-client';
const client = new TickmarkClient({ baseUrl: 'http://127.0.0.1:1' });
export const mark: Promise<1 | null> = client.sampleForecast().then((made: Forecast) => made.trend_identified);
// @ts-expect-error no such code
export const isWrong = isApiError(new Error(), 'no.such_code');
// @ts-expect-error a sign-up needs a password
void client.signUp({ email: 'a@example.com' });
export const touches = async (): Promise<number | undefined> => (await client.sampleForecast()).detail?.levels[0]?.touches;
`;
    for (const name of ['use.ts', 'use.cts']) writeFileSync(path.join(project, name), typed);
    writeFileSync(
      path.join(project, 'use.cjs'),
      `const { buildTickBody, isApiError, TickmarkClient, verifyWebhook } = require('tickmark-client');
console.log(JSON.stringify([new TickmarkClient().live.length, isApiError(1), typeof verifyWebhook,
buildTickBody([], { timeMs: 1704187920003 }).Price]));
`,
    );
    expect(JSON.parse(run(process.execPath, 'use.cjs'))).to.deep.equal([0, false, 'function', [0]]);
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const strict = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'];
    for (const module of ['node16', 'nodenext', 'bundler']) {
      const ways = ['--module', module === 'bundler' ? 'esnext' : module, '--moduleResolution', module];
      // The last one is CommonJS.
      run(process.execPath, tsc, ...ways, ...strict, 'use.ts', 'use.cts');
    }
  });
});
