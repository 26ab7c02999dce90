import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { UnhandledErrors } from '../../../src/cli/processEvents.ts';

describe('UnhandledErrors', () => {
  it('reports a rejected promise and goes on, reports an exception and ends, whatever was thrown', async () => {
    const source = new EventEmitter();
    const reported: unknown[] = [];
    const unhandled = new UnhandledErrors((_message, error) => void reported.push(error), source);
    source.emit('unhandledRejection', 7);
    const isFatal = await Promise.race([unhandled.fatal, Promise.resolve('alive')]);
    expect(isFatal).to.equal('alive');
    source.emit('uncaughtException', 'text');
    expect(await unhandled.fatal).to.equal('fatal');
    expect(reported).to.deep.equal([7, 'text']);
    unhandled.close();
    expect(source.eventNames()).to.deep.equal([]);
  });
});
