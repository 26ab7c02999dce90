import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { runPart } from '../../../src/cli/parseOptions.ts';
import { cliRun } from '../../support/cliRun.ts';
import { helmTools } from '../../support/helmTools.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

const FOLDER = path.join(ROOT, 'deploy', 'training');
type Job = {
  kind: string;
  metadata: { name: string };
  spec: { completions?: number; template: { spec: { containers: [{ args: string[] }] } } };
};

/** A `node` that prints its arguments instead of running them, and the script that calls it. */
function runScript(script: readonly string[], env: Record<string, string>): string[] {
  const bin = mkdtempSync(path.join(tmpdir(), 'tickmark-node-'));
  try {
    writeFileSync(path.join(bin, 'node'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const [program = '', ...args] = script;
    const { status, stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: { PATH: `${bin}:/usr/bin:/bin`, HOME: bin, ...env },
    });
    expect(status, stderr).to.equal(0);
    return stdout.trim().split('\n').slice(1);
  } finally {
    rmSync(bin, { recursive: true, force: true });
  }
}

describe('the templates for training on a cluster', () => {
  const text = readFileSync(path.join(FOLDER, 'indexed-job.yaml'), 'utf8');
  const jobs = parseAllDocuments(text)
    .map((document) => document.toJS() as Job)
    .filter(({ kind }) => kind === 'Job');
  const argsOf = (job: Job | undefined): string[] => job?.spec.template.spec.containers[0].args ?? [];
  const slurm = path.join(FOLDER, 'slurm-array.sh');

  /** The options that a part and the join must have in common. */
  const withoutPart = (args: readonly string[]): string[] => {
    const at = args.indexOf('--part');
    return args.filter((arg, i) => i !== at && (at < 0 || i !== at + 1) && arg !== '--join' && arg !== '--resume');
  };
  async function expectKnown(args: readonly string[]): Promise<void> {
    const { out } = await cliRun({}, 'train', '--help');
    for (const option of args.filter((arg) => arg.startsWith('--'))) expect(out).to.match(new RegExp(`${option}(?![\\w-])`));
  }

  it('are manifests that Kubernetes accepts', async function () {
    expect((await helmTools(this)).decode(text)).to.have.length(3);
  });

  it('train every part once on Kubernetes, and join with the same options', async () => {
    const [parts, join] = jobs;
    const count = parts?.spec.completions ?? 0;
    const script = argsOf(parts)[0] ?? '';
    for (const index of [0, count - 1]) {
      const args = runScript(['/bin/sh', '-c', script], { JOB_COMPLETION_INDEX: String(index) });
      expect(runPart(args[args.indexOf('--part') + 1] ?? '')).to.deep.equal({ index: index + 1, count });
      expect(withoutPart(args)).to.deep.equal(withoutPart(argsOf(join)));
      await expectKnown(args);
    }
    expect(script).to.include(`.part-$part-of-${count}/run.json`);
  });

  it('train every part once on Slurm, resume one that was stopped, and join with the same options', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tickmark-slurm-'));
    try {
      const env = { DATA_DIR: dataDir, SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_MAX: '8' };
      const args = runScript([slurm], env);
      expect(args.slice(-2)).to.deep.equal(['--part', '3/8']);
      expect(withoutPart(args)).to.deep.equal(withoutPart(runScript([slurm, 'join'], { DATA_DIR: dataDir })));
      await expectKnown(args);
      const run = path.join(dataDir, 'training', 'runs', 'base-mine.part-3-of-8');
      mkdirSync(run, { recursive: true });
      writeFileSync(path.join(run, 'run.json'), '{}');
      expect(runScript([slurm], env)).to.include('--resume');
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
