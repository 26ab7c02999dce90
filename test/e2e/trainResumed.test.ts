import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { TrainingFolder } from '../support/TrainingFolder.ts';
import { spawnTickmark, type Ended } from '../support/tickmarkProcess.ts';

const ID = 'base-1';

/** The manifest with the hashes of all files, without times: card and report contain speeds. */
function contentOf(models: string): Record<string, unknown> {
  const manifest = JSON.parse(readFileSync(path.join(models, ID, 'manifest.json'), 'utf8')) as { files: Record<string, string> };
  const files = Object.entries(manifest.files).filter(([name]) => name !== 'card.md' && name !== 'report.html');
  return { ...manifest, createdAt: '', files };
}

describe('tickmark train --base', function () {
  this.timeout(900_000);
  let rig: TrainingFolder;
  let args: string[];
  /** The version of one run, in a folder of its own. */
  let whole: string;
  before(async () => {
    rig = new TrainingFolder(11_000);
    args = ['train --base --epochs 1 --max-rows 230 --workers 1 --force --device wasm --name'.split(' '), [ID, '--data', rig.file]].flat();
    whole = path.join(rig.folder, 'whole');
    const made = await rig.run(...args, '--out', whole);
    expect(made.code, made.stderr).to.equal(0);
  });

  it('produces the same version if it is killed, resumed, stopped and resumed', async () => {
    const runDir = path.join(rig.dataDir, 'training', 'runs', ID);
    const results = (): number => readdirSync(runDir).filter((entry) => entry.endsWith('.result')).length;
    mkdirSync(runDir, { recursive: true });
    for (const [signal, least, more] of [
      ['SIGKILL', 1, []],
      ['SIGINT', 2, ['--resume']],
    ] as const) {
      const broken = spawnTickmark([...args, ...more], { DATA_DIR: rig.dataDir });
      const watcher = watch(runDir, () => {
        if (results() < least) return;
        watcher.close();
        broken.child.kill(signal);
      });
      const ended = await broken.ended;
      watcher.close();
      expect(ended.signal === 'SIGKILL' || ended.code === 1, `${signal}: ${ended.stderr}`).to.equal(true);
      if (signal === 'SIGINT') expect(ended.stderr).to.include('--resume');
      expect(existsSync(path.join(rig.dataDir, 'models', ID))).to.equal(false);
    }
    const resumed = await rig.run(...args, '--resume');
    expect(resumed.code, resumed.stderr).to.equal(0);
    expect(contentOf(path.join(rig.dataDir, 'models'))).to.deep.equal(contentOf(whole));
    const other = await rig.run(...args, '--resume', '--epochs', '3', '--replace');
    expect([other.code, /was started with different data, settings or code/.test(other.stderr)]).to.deep.equal([2, true]);
  });

  it('adds the inputs to a version that was trained on these ticks with these options', async () => {
    const inputsFile = path.join(whole, ID, 'inputs.json');
    const inputs = readFileSync(inputsFile, 'utf8');
    expect((JSON.parse(inputs) as { rows: number }).rows).to.be.above(500);
    const none = await rig.run('train', '--base', '--data', rig.file, '--name', 'none', '--add-inputs');
    expect([none.code, none.stderr.includes('There is no version none')]).to.deep.equal([2, true]);
    const adding = (...more: string[]): Promise<Ended> => rig.run(...args, '--out', whole, '--add-inputs', ...more);
    const had = await adding();
    expect([had.code, had.stderr.includes('already has inputs.json')]).to.deep.equal([2, true]);
    const made = await adding('--replace');
    expect([made.code, readFileSync(inputsFile, 'utf8')], made.stderr).to.deep.equal([0, inputs]);
    const others = await adding('--replace', '--seed', '2');
    expect([others.code, others.stderr.includes('was not trained on these ticks with these options')]).to.deep.equal([2, true]);
  });
});
