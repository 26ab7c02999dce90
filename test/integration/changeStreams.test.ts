import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { HEARTBEAT } from '../../src/service/accounts/openMongo.ts';
import { watchChanges } from '../../src/service/accounts/watchChanges.ts';
import { startChangeStreamServer } from '../support/changeStreamServer.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { until } from '../support/until.ts';

const HISTORY_LOST = 286;

/** The MongoDB driver against a server whose streams the test feeds and breaks: no mongod is needed. */
describe('change streams through the driver', () => {
  const begin = async () => {
    const server = await startChangeStreamServer();
    const client = new MongoClient(server.uri, { serverSelectionTimeoutMS: 60_000, ...HEARTBEAT });
    const [clock, ids, logged] = [new FakeClock(), [] as unknown[], [] as string[]];
    const note = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
    const follow = (): (() => void) =>
      watchChanges(client.db().collection('accounts'), {
        onChange: (id) => ids.push(id),
        clock,
        logger: { info: note('info'), warn: note('warn') },
      });
    const end = async (): Promise<void> => {
      await client.close();
      await server.close();
    };
    return { server, clock, ids, logged, follow, end };
  };

  it('report a change, and what changed while the connection was down', async () => {
    const { server, ids, logged, follow, end } = await begin();
    const stop = follow();
    await until(() => server.pipelines.length === 1);
    server.change('a@example.com');
    await until(() => ids.length === 1);
    server.disconnect();
    server.change('b@example.com');
    await until(() => ids.length === 2);
    expect([ids, logged]).to.deep.equal([['a@example.com', 'b@example.com'], []]);
    expect(server.pipelines[1]?.[0]).to.deep.equal({ $changeStream: { resumeAfter: { _data: '1' } } });
    expect(server.pipelines[0]?.[1]).to.deep.equal({ $project: { documentKey: 1 } });
    stop();
    await end();
  });

  it('are opened again every five seconds, with one warning, if the server has lost their history', async () => {
    const { server, clock, ids, logged, follow, end } = await begin();
    const stop = follow();
    await until(() => server.pipelines.length === 1);
    server.change('a@example.com');
    await until(() => ids.length === 1);
    for (let lost = 1; lost <= 3; lost++) {
      server.fail(HISTORY_LOST, 'Resume of change stream was not possible');
      await until(() => {
        clock.advance(1000);
        return server.pipelines.length === lost + 1;
      });
    }
    expect(logged).to.deep.equal(['warn: change stream broken; polling until it is open again']);
    server.change('b@example.com');
    await until(() => ids.length === 2);
    expect(server.pipelines[3]?.[0]).to.deep.equal({ $changeStream: {} });
    stop();
    await end();
  });

  it('are not asked for again where the server refuses them', async () => {
    const { server, clock, logged, follow, end } = await begin();
    server.fail(40573, 'The $changeStream stage is only supported on replica sets');
    follow();
    await until(() => logged.length > 0);
    clock.advance(3_600_000);
    expect([logged, server.pipelines.length]).to.deep.equal([['info: the database has no change streams; polling'], 1]);
    await end();
  });

  it('report nothing more once they are stopped', async () => {
    const { server, ids, logged, follow, end } = await begin();
    const stop = follow();
    await until(() => server.pipelines.length === 1);
    server.change('a@example.com');
    await until(() => ids.length === 1);
    stop();
    await until(() => server.waiting === 0);
    server.change('b@example.com');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([ids, logged]).to.deep.equal([['a@example.com'], []]);
    await end();
  });
});
