import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { formatTimestamp } from '../../src/ticks/formatTimestamp.ts';
import { nextSteps } from '../../src/cli/nextSteps.ts';
import { ROOT, serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';

/** What the harness does itself (install, start), and what takes minutes (set-up, training). */
const NOT_RUN = /^(npm ci|npm start|npm run setup:native|npm run train\b.*|MODEL=.*|npx tickmark models show.*)$/;

/** The commands of a page's ```bash blocks, one script. */
function commandsOf(markdown: string): string {
  const blocks = [...markdown.matchAll(/^```bash\n([^]*?)^```/gm)].map((match) => match[1] as string);
  return blocks
    .join('')
    .split('\n')
    .filter((line) => !NOT_RUN.test(line))
    .join('\n');
}

/** A JSON value with what differs from run to run taken out: ids, keys, times, the e-mail. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, VOLATILE.test(name) ? typeof member : shapeOf(member)]));
  return value;
}

const VOLATILE = /^(id|api_key|prefix|email|created_at|revoked_at|works_until)$/;

function runBash(script: string, cwd: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile('bash', ['-euo', 'pipefail', '-c', script], { cwd, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

describe('the commands of the pages', function () {
  this.timeout(300_000);
  let folder: string;
  let service: ServedProcess | undefined;
  before(async function () {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-readme-'));
    if (spawnSync('curl', ['--version']).status !== 0) {
      process.stdout.write('    skipped: curl is not installed\n');
      this.skip();
    }
    const { timesUs, prices } = syntheticTicks({ seed: 7, count: 800 });
    const rows = [...prices].map((price, i) => `${formatTimestamp(timesUs[i] as number)},${price}`);
    writeFileSync(path.join(folder, 'ticks.csv'), ['timestamp,price', ...rows, ''].join('\n'));
    service = await serveTickmark(path.join(folder, 'data'));
  });
  after(async () => {
    service?.child.kill('SIGINT');
    await service?.ended;
    rmSync(folder, { recursive: true, force: true });
  });

  async function expectToWork(script: string, email: string): Promise<string> {
    const here = script
      .replaceAll('http://127.0.0.1:8080', service?.url ?? '')
      .replaceAll('you@example.com', email)
      .replaceAll('npx tickmark', `'${process.execPath}' '${path.join(ROOT, 'bin', 'tickmark.js')}'`);
    const { code, stdout, stderr } = await runBash(here, folder);
    expect(code, stderr).to.equal(0);
    expect(stdout + stderr).to.not.include('requestId');
    expect(stdout, 'the sign-up is shown').to.include('"api_key":');
    expect(stdout.match(/"trend_identified":/g), stdout.slice(0, 500)).to.have.length.above(400);
    return stdout;
  }

  it('of README.md work by copy and paste', async () => {
    await expectToWork(commandsOf(readFileSync(path.join(ROOT, 'README.md'), 'utf8')), 'readme@example.com');
  });

  it('of docs/quickstart.md work by copy and paste', async () => {
    const stdout = await expectToWork(commandsOf(readFileSync(path.join(ROOT, 'docs', 'quickstart.md'), 'utf8')), 'quickstart@example.com');
    expect(stdout).to.include('quickstart@example.com').and.include('"counterfactual":').and.include('Logit:');
  });

  it('of docs/accounts.md answer as the page shows', async () => {
    const page = readFileSync(path.join(ROOT, 'docs', 'accounts.md'), 'utf8');
    const pairs = [...page.matchAll(/^```bash\n([^]*?)^```\n\n```json\n([^]*?)^```/gm)];
    expect(pairs).to.have.length.above(7);
    const script = pairs.map(([, commands]) => `${commands}echo; echo '=== next'`).join('\n');
    const here = script.replaceAll('http://127.0.0.1:8080', service?.url ?? '').replaceAll('you@example.com', 'accounts@example.com');
    const { code, stdout, stderr } = await runBash(here, folder);
    expect(code, stderr).to.equal(0);
    const answers = stdout.split('=== next\n');
    for (const [i, [, commands, shown = '']] of pairs.entries())
      expect(shapeOf(JSON.parse(answers[i] ?? '')), commands).to.deep.equal(shapeOf(JSON.parse(shown)));
  });

  it('that serve prints work by copy and paste', async () => {
    const printed = nextSteps('http://127.0.0.1:8080', '0').split('\n');
    await expectToWork(printed.filter((line) => line.startsWith('  ')).join('\n'), 'printed@example.com');
  });
});
