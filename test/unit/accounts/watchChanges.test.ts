import { EventEmitter, on } from 'node:events';
import { expect } from 'chai';
import { MongoServerError, type Document } from 'mongodb';
import { watchChanges } from '../../../src/accounts/watchChanges.ts';
import { FakeClock } from '../../support/FakeClock.ts';
import { until } from '../../support/until.ts';

/** A collection whose streams the test feeds and breaks. */
function makeCollection() {
  const streams: { feed: EventEmitter; pipeline: Document[]; isClosed: boolean }[] = [];
  return {
    streams,
    get feed(): EventEmitter {
      return (streams.at(-1) as { feed: EventEmitter }).feed;
    },
    collectionName: 'accounts',
    watch(pipeline: Document[]) {
      const stream = { feed: new EventEmitter(), pipeline, isClosed: false };
      streams.push(stream);
      const changes = on(stream.feed, 'change');
      return {
        async *[Symbol.asyncIterator](): AsyncIterator<Document> {
          for await (const [change] of changes as AsyncIterable<Document[]>) yield change as Document;
        },
        close: async () => {
          stream.isClosed = true;
          stream.feed.emit('error', new Error('ChangeStream is closed'));
        },
      };
    },
  };
}

describe('watchChanges', () => {
  const begin = () => {
    const [collection, clock, ids, logged] = [makeCollection(), new FakeClock(), [] as unknown[], [] as string[]];
    const note = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
    const logger = { info: note('info'), warn: note('warn') };
    const stop = watchChanges(collection, { onChange: (id) => ids.push(id), clock, logger });
    return { collection, clock, ids, logged, stop };
  };

  it('reports the id of each changed document, and asks the server for nothing else of it', async () => {
    const { collection, ids, stop } = begin();
    collection.feed.emit('change', { _id: {}, documentKey: { _id: 'a@example.com' } });
    collection.feed.emit('change', { _id: {}, documentKey: { _id: 'b@example.com' } });
    await until(() => ids.length === 2);
    expect(ids).to.deep.equal(['a@example.com', 'b@example.com']);
    expect(collection.streams[0]?.pipeline).to.deep.equal([{ $project: { documentKey: 1 } }]);
    stop();
  });

  it('ends with one line where the server has no change streams', async () => {
    const { collection, clock, logged } = begin();
    const message = 'The $changeStream stage is only supported on replica sets';
    collection.feed.emit('error', new MongoServerError({ message, code: 40573 }));
    await until(() => logged.length > 0);
    clock.advance(3_600_000);
    expect([logged, collection.streams.length]).to.deep.equal([['info: the database has no change streams; polling'], 1]);
  });

  it('opens a broken stream again every five seconds, and warns once until it works', async () => {
    const { collection, clock, ids, logged, stop } = begin();
    for (let broken = 1; broken <= 3; broken++) {
      collection.feed.emit('error', new Error('connection closed'));
      await until(() => {
        clock.advance(1000);
        return collection.streams.length === broken + 1;
      });
    }
    expect(logged).to.deep.equal(['warn: change stream broken; polling until it is open again']);
    collection.feed.emit('change', { documentKey: { _id: 'a' } });
    await until(() => ids.length === 1);
    stop();
  });

  it('closes the stream when it is stopped, and opens no other', async () => {
    const { collection, clock, logged, stop } = begin();
    stop();
    await until(() => collection.streams[0]?.isClosed === true);
    clock.advance(60_000);
    expect([collection.streams.length, logged]).to.deep.equal([1, []]);
  });
});
