import { EventEmitter, on } from 'node:events';
import { expect } from 'chai';
import { type Document, MongoServerError } from 'mongodb';
import { watchChanges } from '../../../../src/service/accounts/watchChanges.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A collection whose streams the test feeds and breaks. `refusal`: what it answers to the first command of a stream. */
function follow(refusal?: Error) {
  const [clock, ids, logged, pipelines] = [new FakeClock(), [] as unknown[], [] as string[], [] as Document[][]];
  let changes = new EventEmitter();
  const watch = (pipeline: Document[]) => {
    pipelines.push(pipeline);
    const end = new AbortController();
    const source = (changes = new EventEmitter());
    return {
      tryNext: () => (refusal === undefined ? Promise.resolve(null) : Promise.reject(refusal)),
      close: () => Promise.resolve(end.abort()),
      async *[Symbol.asyncIterator]() {
        for await (const [change] of on(source, 'change', { signal: end.signal })) yield change as Document;
      },
    };
  };
  const note = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
  const logger = { info: note('info'), warn: note('warn') };
  const stop = watchChanges({ collectionName: 'accounts', watch }, { onChange: (id) => ids.push(id), clock, logger });
  const change = (id: string): Promise<void> => {
    changes.emit('change', { documentKey: { _id: id } });
    return nextIteration();
  };
  const lose = (): Promise<void> => {
    changes.emit('error', new MongoServerError({ code: 286, message: 'Resume of change stream was not possible' }));
    return nextIteration();
  };
  return { clock, ids, logged, pipelines, stop, change, lose };
}

describe('watchChanges', () => {
  it('reports each change by its id alone, and nothing more once it is stopped', async () => {
    const { ids, logged, pipelines, stop, change } = follow();
    await nextIteration();
    await change('a@example.com');
    expect(pipelines).to.deep.equal([[{ $project: { documentKey: 1 } }]]);
    stop();
    await change('b@example.com');
    expect([ids, logged]).to.deep.equal([['a@example.com'], []]);
  });

  it('opens a stream again every five seconds, with one warning, if the server has lost its history', async () => {
    const { clock, ids, logged, pipelines, change, lose, stop } = follow();
    await nextIteration();
    for (let lost = 1; lost <= 3; lost++) {
      await lose();
      clock.advance(4999);
      expect(pipelines).to.have.length(lost);
      clock.advance(1);
      await nextIteration();
      expect(pipelines).to.have.length(lost + 1);
    }
    expect(logged).to.deep.equal(['warn: change stream broken; polling until it is open again']);
    await change('b@example.com');
    expect(ids).to.deep.equal(['b@example.com']);
    stop();
  });

  it('does not ask again where the server refuses change streams', async () => {
    const { clock, logged, pipelines } = follow(new MongoServerError({ code: 40573, message: 'only supported on replica sets' }));
    await nextIteration();
    clock.advance(3_600_000);
    expect([logged, pipelines.length]).to.deep.equal([['info: the database has no change streams; polling'], 1]);
  });
});
