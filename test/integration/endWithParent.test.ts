import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { bundleScript } from '../support/bundleScript.ts';
import { isAlive } from '../support/childrenOf.ts';
import { until } from '../support/until.ts';

const PROGRAM = await bundleScript('test/support/loopingChild.ts');

describe('a child process', () => {
  it('that is in an endless loop ends with a parent that is killed', async () => {
    const parent = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line);
    expect(isAlive(pid)).to.equal(true);
    parent.kill('SIGKILL');
    await until(() => !isAlive(pid));
  });
});
