import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { checkCases, engineCases, RUN_CASES } from '../support/engineCases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

describe('the package tickmark-engine', function () {
  this.timeout(180_000);

  it('has the version of the service, and no dependency', () => {
    const read = (file: string): Record<string, unknown> =>
      JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as Record<string, unknown>;
    const { version, dependencies, peerDependencies, optionalDependencies } = read('clients/engine/package.json');
    expect(version).to.equal(read('package.json')['version']);
    expect([dependencies, peerDependencies, optionalDependencies]).to.deep.equal([undefined, undefined, undefined]);
  });

  it('installs into an empty project, and gives the answers of the service there, in 265 kB', async () => {
    const project = temporaryFolder();
    const run = (env: NodeJS.ProcessEnv, command: string, ...args: string[]): string =>
      execFileSync(command, args, {
        ...{ cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 },
        env: { ...process.env, ...env },
      });
    const packed = execFileSync(process.execPath, ['scripts/packEngine.js', project], { cwd: ROOT, encoding: 'utf8' });
    const file = packed.trim();
    writeFileSync(path.join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
    run({}, 'npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', file);
    const installed = path.join(project, 'node_modules', 'tickmark-engine');
    const code = readdirSync(path.join(installed, 'dist')).filter((name) => name.endsWith('.js'));
    expect(code).to.have.members(['index.js', 'shipped.js']);
    const bytes = code.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(installed, 'dist', name))).length, 0);
    expect(bytes, 'bytes with gzip').to.be.at.most(265_000);
    const cases = await engineCases();
    writeFileSync(path.join(project, 'cases.json'), JSON.stringify(cases));
    writeFileSync(
      path.join(project, 'use.js'),
      `import { readFileSync } from 'node:fs';
import { openEngine } from 'tickmark-engine';
${RUN_CASES}
console.log(JSON.stringify(await runCases(await openEngine(), JSON.parse(readFileSync('cases.json', 'utf8')))));
`,
    );
    const got = JSON.parse(run({}, process.execPath, 'use.js')) as { answers: { trend_identified: 1 | null }[]; windows: unknown[] };
    expect(got.windows.length).to.be.above(20);
    expect(new Set(got.answers.map(({ trend_identified }) => trend_identified))).to.deep.equal(new Set([1, null]));
    expect(checkCases(cases, got)).to.equal(null);
    // docs/how-to/engine.md: its blocks in order, as one program.
    const blocks = [...readFileSync(path.join(ROOT, 'docs/how-to/engine.md'), 'utf8').matchAll(/```js\n([\s\S]+?)```/g)];
    writeFileSync(path.join(project, 'page.js'), blocks.map(([, block]) => block).join('\n'));
    const version = readdirSync(path.join(ROOT, 'models'))[0];
    const printed = run({ VERSION_FOLDER: path.join(ROOT, 'models', version) }, process.execPath, 'page.js')
      .trim()
      .split('\n');
    expect(printed[0]).to.match(/^2024-01-02 09:33:04\.750 (1 null|null \w+) 0\.\d+$/);
    expect(printed[1]).to.match(/^(identified|none|abstained) 501$/);
    expect(printed[2]).to.equal(String(30 * 60_000));
    expect(Number(printed[3])).to.equal(printed.length - 5);
    expect(printed.at(-1)).to.equal(version);

    const { timesUs, prices } = syntheticTicks({ seed: 46, count: 4000 });
    const lines = Array.from(timesUs, (timeUs, i) => `${formatTimestamp(timeUs)},${prices[i]}`);
    copyFileSync(path.join(ROOT, 'examples/engine/bot.js'), path.join(project, 'bot.js'));
    const told = execFileSync(process.execPath, ['bot.js'], {
      cwd: project,
      encoding: 'utf8',
      input: ['timestamp,price', ...lines].join('\n'),
    });
    expect(told).to.match(/^(?:2024-01-02 \d\d:\d\d:\d\d\.\d{3} (?:1|below_threshold|\w+) (?:0\.\d+|null)\n)+$/);

    writeFileSync(
      path.join(project, 'use.ts'),
      `import { type Engine, EngineError, openEngine, openMemory, Series, type ForecastDetail } from 'tickmark-engine';
const engine: Engine = await openEngine({ version: 'base' });
const series = new Series(engine, openMemory(new Uint8Array()));
series.push([{ timeMs: 1704187920000, bid: 1, ask: 2 }]);
const { trend_identified: mark, detail } = await series.forecast({ horizon: '60s', minMoveBps: 'cost' });
export const both: readonly [1 | null, ForecastDetail] = [mark, detail];
for await (const { outcome } of engine.replay({ Timestamp: [1], Price: [1] }, { horizon: '60s' })) if (outcome === 1) break;
export const isFew = (error: unknown): boolean => error instanceof EngineError && error.code === 'request.invalid';
// @ts-expect-error a forecast needs a horizon
void engine.forecast([], {});
`,
    );
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const strict = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023', '--types', ''];
    for (const [module, resolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const)
      run({}, process.execPath, tsc, '--module', module, '--moduleResolution', resolution, ...strict, 'use.ts');
  });
});
