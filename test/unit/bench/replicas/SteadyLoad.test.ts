import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { countStatus, SteadyLoad, type SteadyLoadOptions } from '../../../../bench/replicas/SteadyLoad.ts';
import { until } from '../../../support/until.ts';

type Answer = { status: number; text: string } | 'breaks' | 'waits';

describe('SteadyLoad', () => {
  let server: http.Server;
  let answers: (at: number) => Answer;
  let keys: string[];
  const held: http.ServerResponse[] = [];

  before(async () => {
    server = http.createServer((request, response) => {
      keys.push(String(request.headers['api-key']));
      const answer = answers(keys.length - 1);
      if (answer === 'breaks') request.socket.destroy();
      else if (answer === 'waits') held.push(response);
      else response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => (keys = []));
  after(() => server.close());

  const start = (over: Partial<SteadyLoadOptions> = {}): SteadyLoad =>
    new SteadyLoad({ port: (server.address() as AddressInfo).port, keys: ['a', 'b'], bodies: ['{}'], rate: 100, ...over });
  const sent = (load: SteadyLoad, count: number): Promise<void> => until(() => load.sent.length >= count);

  it('sends at its rate whether earlier requests are answered or not, with the keys in turn', async () => {
    answers = () => 'waits';
    const load = start();
    await until(() => held.length >= 5);
    expect(load.inFlight).to.be.at.least(5);
    for (const [at, { dueMs }] of load.sent.entries()) expect(dueMs - load.sent[0].dueMs).to.be.closeTo(10 * at, 1e-6);
    answers = () => ({ status: 200, text: '{}' });
    const done = load.stop();
    for (const response of held.splice(0)) response.end('{}');
    expect(new Set((await done).map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(keys.slice(0, 4).sort()).to.deep.equal(['a', 'a', 'b', 'b']);
  });

  it('reports each failure: the code of a problem, an answer of a proxy, a broken connection', async () => {
    const failures: Answer[] = [{ status: 503, text: '{"code":"inference.overloaded"}' }, { status: 502, text: '<html>' }, 'breaks'];
    answers = (at) => failures[at] ?? { status: 200, text: '{}' };
    const load = start({ rate: 50 });
    await sent(load, 4);
    const text = countStatus(await load.stop());
    expect(text).to.match(/^\d+ × 200, 1 × 502 proxy, 1 × 503 inference\.overloaded, 1 × broken$/);
  });

  it('tries again only if it is told to, and then what a client would', async () => {
    const script: Answer[] = ['breaks', { status: 503, text: '{}' }, { status: 429, text: '{"code":"limit.exceeded"}' }];
    // Of the first request alone, known by its key: any number of others may be sent before its next attempt.
    answers = (at) => (keys[at] === 'first' && script[keys.filter((key) => key === 'first').length - 1]) || { status: 200, text: '{}' };
    const load = start({ keys: ['first', ...Array<string>(500).fill('other')], retries: 4 });
    await sent(load, 1);
    const [first] = await load.stop();
    expect([first?.attempts, first?.status, first?.code]).to.deep.equal([3, 429, 'limit.exceeded']);
  });

  it('reads the version that a full answer names', async () => {
    answers = () => ({ status: 200, text: '{"x":{"detail":{"model":{"id":"mine-1"}}}}' });
    const load = start({ query: '?detail=full' });
    await sent(load, 2);
    expect((await load.stop()).map(({ model }) => model).slice(0, 2)).to.deep.equal(['mine-1', 'mine-1']);
  });
});
