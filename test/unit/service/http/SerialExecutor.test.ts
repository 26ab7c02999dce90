import { expect } from 'chai';
import { SerialExecutor } from '../../../../src/service/http/SerialExecutor.ts';

describe('SerialExecutor', () => {
  it('lets one task continue per iteration of the event loop, in order, and others in between', async () => {
    const executor = new SerialExecutor();
    const seen: string[] = [];
    const slow = Array.from({ length: 4 }, (_, i) => executor.enter().then(() => seen.push(`slow ${i}`)));
    let iterations = 0;
    const iteration = (): void => {
      seen.push(`iteration ${iterations++}`);
      if (iterations < 4) setImmediate(iteration);
    };
    setImmediate(iteration);
    await Promise.all(slow);
    expect(seen).to.deep.equal(['slow 0', 'iteration 0', 'slow 1', 'iteration 1', 'slow 2', 'iteration 2', 'slow 3']);
  });

  it('works again after it was empty', async () => {
    const executor = new SerialExecutor();
    await executor.enter();
    await executor.enter();
    await Promise.all([executor.enter(), executor.enter()]);
  });
});
