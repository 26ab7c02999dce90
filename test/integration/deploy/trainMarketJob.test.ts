import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { cliRun } from '../../support/cliRun.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

const SCRIPT = readFileSync(path.join(ROOT, 'deploy', 'helm', 'tickmark', 'files', 'train-market.sh'), 'utf8');
/** Writes its arguments to a file, as a list, and ends with the exit code of its first one. */
const PROGRAM = `require('node:fs').appendFileSync(process.env.CALLS, JSON.stringify(process.argv.slice(2)) + '\\n');
process.exit(Number(process.env['CODE_' + process.argv[2]] ?? 0));`;

describe('the Job that trains many markets', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-job-'));
    writeFileSync(path.join(folder, 'tickmark.cjs'), PROGRAM);
    mkdirSync(path.join(folder, 'ticks', 'silver'), { recursive: true });
    writeFileSync(
      path.join(folder, 'ticks', 'silver', 'a.csv'),
      'timestamp,price\n2026-01-01T09:30:00.5Z,1\n2026-01-01T09:30:01.5Z,1.01\n',
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const job = (index: number, codes: Readonly<Record<string, string>> = {}) => {
    const calls = path.join(folder, 'calls');
    writeFileSync(calls, '');
    const env = {
      ...process.env,
      ...{
        MARKETS: 'eurusd silver btc.usd',
        JOB_COMPLETION_INDEX: String(index),
        TICKS: path.join(folder, 'ticks'),
        WEEKS: '13',
        KEEP: '2',
      },
      ...{ OPTIONS: '--workers 2 --zone UTC', TICKMARK: path.join(folder, 'tickmark.cjs'), CALLS: calls },
      ...codes,
    };
    const { status, stdout } = spawnSync('sh', ['-c', SCRIPT], { env, encoding: 'utf8' });
    const lines = readFileSync(calls, 'utf8').split('\n').slice(0, -1);
    return { status, out: stdout, calls: lines.map((line) => JSON.parse(line) as string[]) };
  };

  it('trains the market of its index on the newest weeks, and pushes the version; the command has each of the options', async () => {
    const { status, calls } = job(1);
    const [train, push] = calls as [string[], string[]];
    const id = /^silver-\d{4}-\d\d-\d\d$/.exec(train[train.indexOf('--name') + 1] ?? '')?.[0];
    expect([status, calls.length, train.slice(0, 2)]).to.deep.equal([0, 2, ['train', '--market']]);
    expect(train)
      .to.include(path.join(folder, 'ticks', 'silver'))
      .and.to.include('--workers');
    expect(push).to.deep.equal(['models', 'push', id, '--keep', '2']);
    const day = (name: string): number => Date.parse(name.slice(-10));
    const sinceMs = day(train[train.indexOf('--since') + 1]!);
    expect(day(id!) - sinceMs).to.be.oneOf([0, 1].map((days) => (13 * 7 + days) * 86_400e3));
    const env = { DATA_DIR: path.join(folder, 'data') };
    expect((await cliRun(env, ...train)).err)
      .to.include('too little data')
      .and.not.to.include('option');
    expect((await cliRun(env, ...push)).err)
      .to.include(id)
      .and.not.to.include('option');
  });

  it('ends well where a version is not better, and says so; fails where training or the registry does', () => {
    expect(job(2, { CODE_train: '3' })).to.deep.include({
      status: 0,
      out: 'btc.usd: not better than the base. The version before stays, if there is one.\n',
    });
    expect(job(2, { CODE_train: '3' }).calls).to.have.length(1);
    expect([job(0, { CODE_train: '1' }), job(0, { CODE_models: '1' })].map(({ status, calls }) => [status, calls.length])).to.deep.equal([
      [1, 1],
      [1, 2],
    ]);
    // More indexes than markets: a mistake in the manifest.
    expect(job(3).status).to.not.equal(0);
  });
});
