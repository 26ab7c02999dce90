import { expect } from 'chai';
import { type ModelLimits, ModelFault, ModelProcess } from '../../../../training/models/ModelProcess.ts';
import { systemClock } from '../../../../src/core/Clock.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

const LIMITS: ModelLimits = { answerMs: 1000, startMs: 0 };
/** A program that runs `each` for every line of its input, with the line as `m`. */
const program = (each: string): string =>
  `node -e '${`require("readline").createInterface({input:process.stdin}).on("line",(l)=>{const m=JSON.parse(l);const say=(x)=>process.stdout.write(x+"\\n");${each}})`}'`;

async function faultOf(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof ModelFault) return error.message;
    throw error;
  }
  return 'no fault';
}

describe('ModelProcess', function () {
  this.timeout(30_000);

  it('gives the answers of a command, which ends with its input', async () => {
    const model = new ModelProcess(program('if (m.id) say(JSON.stringify({id:m.id,probability:m.id/10}))'), LIMITS, new FakeClock());
    expect(await model.ask(['{"ticks":1}', '{"id":1}'], 1)).to.equal(0.1);
    await model.tell(['{"ticks":1}']);
    expect(await model.ask(['{"id":2}'], 2)).to.equal(0.2);
    await model.close();
  });

  const wrong: [what: string, command: string, expected: RegExp][] = [
    ['NaN', program('say(`{"id":1,"probability":NaN}`)'), /answered window 1 with NaN, which is no probability from 0 to 1/],
    ['a value above 1', program('say(`{"id":1,"probability":1.01}`)'), /with 1.01, which is no probability/],
    ['a value below 0', program('say(`{"id":1,"probability":-0.1}`)'), /with -0.1, which is no probability/],
    ['a text', program('say(`{"id":1,"probability":"0.5"}`)'), /with 0.5, which is no probability/],
    ['null', program('say(`null`)'), /answered window undefined when asked for 1/],
    ['another window', program('say(`{"id":2,"probability":0.5}`)'), /answered window 2 when asked for 1/],
    ['no JSON', program('say(`fitting...`)'), /a line that is not JSON: fitting/],
    ['an endless line', program('process.stdout.write("x".repeat(5000))'), /a line of more than 1000 bytes/],
    ['an exit', program('process.stderr.write("no weights\\n");process.exit(4)'), /ended with code 4 after 0 answers: no weights/],
    ['a command that is not there', 'no-such-program-of-anyone', /ended with code 127 after 0 answers: .*not found/],
    ['closed outputs', program('process.stdout.destroy();process.exit(0)'), /ended with code 0 after 0 answers/],
  ];
  for (const [what, command, expected] of wrong)
    it(`names ${what}, and fails every later call`, async () => {
      const model = new ModelProcess(command, LIMITS, new FakeClock());
      expect(await faultOf(() => model.ask(['{"id":1}'], 1))).to.match(expected);
      expect(await faultOf(() => model.ask(['{"id":2}'], 2))).to.match(expected);
      expect(await faultOf(() => model.close())).to.match(expected);
    });

  it('names a command that answers twice', async () => {
    const model = new ModelProcess(program('say(`{"id":1,"probability":0.5}`);say(`{"id":1,"probability":0.5}`)'), LIMITS, new FakeClock());
    const fault = await faultOf(async () => {
      await model.ask(['{"id":1}'], 1);
      await model.close();
    });
    expect(fault).to.include('wrote more lines than it was sent windows');
  });

  it('kills a command that does not answer in time', async () => {
    const clock = new FakeClock();
    const model = new ModelProcess('sleep 1000', LIMITS, clock);
    const fault = faultOf(() => model.ask(['{"id":1}'], 1));
    clock.advance(0);
    await new Promise(setImmediate);
    clock.advance(1000);
    expect(await fault).to.equal('had no answer to window 1 after 1 s');
    await faultOf(() => model.close());
  });

  it('kills a command that does not read, and holds no more than its pipe', async () => {
    let pulled = 0;
    function* endless(): Generator<string> {
      for (;;) {
        pulled++;
        yield 'x'.repeat(100_000);
      }
    }
    const model = new ModelProcess('sleep 1000', { answerMs: 50, startMs: 0 }, systemClock);
    expect(await faultOf(() => model.tell(endless()))).to.equal('did not read its input after 0.05 s');
    expect(pulled).to.be.below(50);
    await faultOf(() => model.close());
  });
});
