import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { TrainingFolder } from '../support/TrainingFolder.ts';
import { spawnTickmark, type Ended } from '../support/tickmarkProcess.ts';

describe('tickmark train, interrupted', function () {
  this.timeout(900_000);
  let rig: TrainingFolder;
  before(() => {
    rig = new TrainingFolder(24_000);
  });
  after(() => rig.remove());

  it('produces the same weights if it is killed or stopped in between and resumed', async () => {
    const args = [
      'train',
      '--base',
      '--data',
      rig.file,
      '--epochs',
      '1',
      '--max-rows',
      '300',
      '--workers',
      '1',
      '--force',
      '--device',
      'wasm',
    ];
    const whole = await rig.run(...args, '--name', 'whole');
    expect(whole.code, whole.stderr).to.equal(0);

    const inputsFile = path.join(rig.dataDir, 'models', 'whole', 'inputs.json');
    const inputs = readFileSync(inputsFile, 'utf8');
    expect((JSON.parse(inputs) as { rows: number }).rows).to.be.above(500);
    const none = await rig.run(...args, '--name', 'none', '--add-inputs');
    expect([none.code, none.stderr.includes('There is no version none')]).to.deep.equal([2, true]);
    const adding = (...more: string[]): Promise<Ended> => rig.run(...args, '--name', 'whole', '--add-inputs', ...more);
    const had = await adding();
    expect([had.code, had.stderr.includes('already has inputs.json')]).to.deep.equal([2, true]);
    const made = await adding('--replace');
    expect([made.code, readFileSync(inputsFile, 'utf8')], made.stderr).to.deep.equal([0, inputs]);
    const others = await adding('--replace', '--seed', '2');
    expect([others.code, others.stderr.includes('was not trained on these ticks with these options')]).to.deep.equal([2, true]);

    for (const [name, signal] of [
      ['killed', 'SIGKILL'],
      ['stopped', 'SIGINT'],
    ] as const) {
      const runDir = path.join(rig.dataDir, 'training', 'runs', name);
      mkdirSync(runDir, { recursive: true });
      const broken = spawnTickmark([...args, '--name', name], { DATA_DIR: rig.dataDir });
      const watcher = watch(runDir, () => {
        if (!readdirSync(runDir).some((entry) => entry.endsWith('.result'))) return;
        watcher.close();
        broken.child.kill(signal);
      });
      const ended = await broken.ended;
      expect(ended.signal === 'SIGKILL' || ended.code === 1, `${name}: ${ended.stderr}`).to.equal(true);
      if (signal === 'SIGINT') expect(ended.stderr).to.include('--resume');
      expect(existsSync(path.join(rig.dataDir, 'models', name))).to.equal(false);
      const resumed = await rig.run(...args, '--name', name, '--resume');
      expect(resumed.code, resumed.stderr).to.equal(0);
      expect(rig.weightsOf(name)).to.equal(rig.weightsOf('whole'));
    }
    const other = await rig.run(...args, '--name', 'killed', '--resume', '--epochs', '3', '--replace');
    expect([other.code, /was started with different data, settings or code/.test(other.stderr)]).to.deep.equal([2, true]);
  });
});
