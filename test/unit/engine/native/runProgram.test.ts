import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { runProgram } from '../../../../src/engine/native/runProgram.ts';
import { withProgress } from '../../../../src/engine/native/SetupStep.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

const environment = { PATH: '/usr/bin:/bin' };

describe('running a program', () => {
  it('returns its exit code, both outputs and each line, without a shell', async () => {
    const lines: string[] = [];
    const ran = await runProgram('sh', ['-c', 'echo one; echo "$1" >&2; exit 3', 'sh', '$HOME; two'], {
      environment,
      onLine: (line) => lines.push(line),
    });
    expect(ran.code).to.equal(3);
    expect(lines.sort()).to.deep.equal(['$HOME; two', 'one']);
  });

  it('returns null if there is no such program', async () => {
    const { code, output } = await runProgram('no-such-program', [], { environment });
    expect([code, output.includes('ENOENT')]).to.deep.equal([null, true]);
  });

  it('also ends its child programs when it is stopped', async function () {
    if (process.platform !== 'linux') {
      process.stdout.write('    skipped: looks into /proc\n');
      this.skip();
    }
    const stop = new AbortController();
    let below = 0;
    const { code } = await runProgram('sh', ['-c', 'sleep 600 & echo $!; wait'], {
      environment,
      signal: stop.signal,
      onLine: (line) => {
        below = Number(line);
        stop.abort();
      },
    });
    expect(code).to.equal(null);
    expect(isAlive(below)).to.equal(false);
  });

  it('starts nothing after it was stopped', async () => {
    expect(await runProgram('sh', ['-c', 'exit 0'], { environment, signal: AbortSignal.abort() })).to.deep.include({ code: null });
  });
});

/** Also false for a zombie process. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

it('reports progress every second for work that takes longer, and stops with it', async () => {
  const clock = new FakeClock();
  const shown: string[] = [];
  let end = (_value: string): void => {};
  const work = new Promise<string>((resolve) => (end = resolve));
  const progress = (text: string, isPassing: boolean): void => void shown.push(`${text} ${isPassing}`);
  const showing = withProgress({ clock, progress }, (seconds) => `${seconds} s`, work);
  for (let second = 0; second < 3; second++) clock.advance(1000);
  end('done');
  expect(await showing).to.equal('done');
  clock.advance(5000);
  expect(shown).to.deep.equal(['1 s true', '2 s true', '3 s true']);
});
