import { createHmac } from 'node:crypto';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { formatTimestamp, parseTimestampUs } from '../../src/ticks/timestamps.ts';
import { type AccountRig, PASSWORD, suiteService } from '../support/accountService.ts';
import { LiveSocket } from '../support/liveSocket.ts';
import { expectDocumentedAlert, type Answer } from '../support/request.ts';
import { until } from '../support/until.ts';

type Received = { path: string; headers: http.IncomingHttpHeaders; body: string };
type Alert = { type: string; timestamp: string; data: Record<string, unknown> };

describe('alerts over HTTP', () => {
  const rig = suiteService('sqlite', {
    WEBHOOK_PRIVATE_ADDRESSES: 'true',
    WEBHOOK_TIMEOUT_MS: '20000',
  });
  let target: http.Server;
  let targetUrl: string;
  let received: Received[];
  let status = 200;

  before(async () => {
    target = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ path: String(request.url), headers: request.headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook?token=in-the-url`;
  });
  beforeEach(() => {
    received = [];
    status = 200;
  });
  after(() => {
    target?.close();
    target?.closeAllConnections();
  });

  const own = (email: string, path: string, how: Parameters<AccountRig['asOwner']>[2] = {}): Promise<Answer> =>
    rig.asOwner(email, path, how);
  const isSigned = ({ headers, body }: Received, secret: string): boolean => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  };
  /** Of the targets whose path has `part`: those of the test before may still come. */
  const of = (part: string): Received[] => received.filter(({ path }) => path.includes(part));
  const alerts = (part = '/hook'): Alert[] => of(part).map(({ body }) => JSON.parse(body) as Alert);
  afterEach(() => alerts().forEach(expectDocumentedAlert));
  /** Ticks that the small network marks for 60 s ahead, as in test/golden/contract.json. */
  const marked = (lateMs = 0): TickRequestBody => {
    const { timesUs, prices } = syntheticTicks({ seed: 2, count: 500 });
    const shiftUs = 1000 * (Date.now() - lateMs) - timesUs.at(-1)!;
    const future = timesUs.at(-1)! + 60e6;
    return { Timestamp: [...timesUs, future].map((us) => formatTimestamp(us + shiftUs)), Price: [...prices, 0] };
  };

  it('adds, lists, changes, tests and removes a target; the secret is in one answer only', async () => {
    await rig.signUp('list@example.com');
    const added = await own('list@example.com', '/account/webhooks', { body: { url: targetUrl, events: ['forecast.marked'] } });
    expect([added.status, added.headers['cache-control']]).to.deep.equal([201, 'no-store']);
    const { id, secret } = added.json as { id: string; secret: string };
    const listed = await own('list@example.com', '/account/webhooks');
    expect(listed.json['webhooks']).to.deep.equal([
      { id, url: targetUrl, events: ['forecast.marked'], created_at: added.json['created_at'] },
    ]);
    const change = { url: `${targetUrl}&new=1`, rule: { horizon: '5m' } };
    const changed = await own('list@example.com', `/account/webhooks/${id}`, { method: 'PATCH', body: change });
    const isNow = { id, events: ['forecast.marked'], created_at: added.json['created_at'], ...change };
    expect([changed.status, changed.json]).to.deep.equal([200, isNow]);
    expect((await own('list@example.com', '/account/webhooks')).json['webhooks']).to.deep.equal([isNow]);
    const tested = await own('list@example.com', `/account/webhooks/${id}/test`, { method: 'POST' });
    expect(tested.json).to.deep.equal({ delivered: true, status: 200, error: null });
    expect(received[0].path).to.include('&new=1');
    expect([received.length, alerts()[0].type, isSigned(received[0], secret)]).to.deep.equal([1, 'webhook.test', true]);
    status = 302;
    const moved = await own('list@example.com', `/account/webhooks/${id}/test`, { method: 'POST' });
    expect(moved.json).to.deep.equal({ delivered: false, status: 302, error: 'status 302: redirects are not followed' });
    expect((await own('list@example.com', `/account/webhooks/${id}/failed`)).json).to.deep.equal({ failed: [] });
    expect((await own('list@example.com', `/account/webhooks/${id}`, { method: 'DELETE' })).json['id']).to.equal(id);
    expect((await own('list@example.com', `/account/webhooks/${id}`, { method: 'DELETE' })).json['code']).to.equal('webhook.unknown');
    expect((await own('list@example.com', '/account/webhooks')).json).to.deep.equal({ webhooks: [] });
    expect(rig.answered.filter((text) => text.includes(secret))).to.have.length(1);
    expect(rig.logged.join('\n')).to.not.include(secret).and.not.include('in-the-url');
  });

  it('allows five targets of an account, and to no other account', async () => {
    await rig.signUp('five@example.com');
    await rig.signUp('other@example.com');
    const add = (): Promise<Answer> => own('five@example.com', '/account/webhooks', { body: { url: targetUrl } });
    const answers = await Promise.all(Array.from({ length: 7 }, add));
    expect(answers.map(({ status: each }) => each).sort()).to.deep.equal([201, 201, 201, 201, 201, 409, 409]);
    const { id } = answers.find(({ status: each }) => each === 201)!.json as { id: string };
    for (const [path, method] of [
      [`${id}/test`, 'POST'],
      [`${id}/failed`, 'GET'],
      [id, 'PATCH'],
      [id, 'DELETE'],
    ] as const)
      // prettier-ignore
      expect((await own('other@example.com', `/account/webhooks/${path}`, { method, ...(method === 'PATCH' && { body: {} }) })).json['code'], path).to.equal('webhook.unknown');
    expect((await rig.ask('/account/webhooks')).status).to.equal(401);
  });

  it('refuses targets and events that it does not accept', async () => {
    await rig.signUp('bad@example.com');
    const cases: [unknown, string, string][] = [
      [{ url: 'https://169.254.169.254/latest' }, '/url', 'webhook.url_refused'],
      [{ url: 'http://[::ffff:10.0.0.1]/' }, '/url', 'webhook.url_refused'],
      [{ url: 'ftp://hooks.example.com/' }, '/url', 'webhook.url_refused'],
      [{ url: 'https://u:p@hooks.example.com/' }, '/url', 'webhook.url_refused'],
      [{ url: targetUrl, events: [] }, '/events', 'webhook.event_unknown'],
      [{ url: targetUrl, events: ['forecast.marked', 'all'] }, '/events/1', 'webhook.event_unknown'],
      [{ url: targetUrl, events: ['record.worse', 'record.worse'] }, '/events/1', 'webhook.event_unknown'],
      [{ url: 5 }, '/url', 'field.wrong_type'],
      [{}, '/url', 'field.missing'],
      [{ url: targetUrl, format: 'telegram' }, '/chat_id', 'field.missing'],
      [{ url: targetUrl, rule: { horizon: 'soon' } }, '/rule/horizon', 'field.malformed'],
      [{ url: targetUrl, rule: { quiet_hours: '24:00-06:00' } }, '/rule/quiet_hours', 'field.malformed'],
      [{ url: targetUrl, secret: 'whsec_mine' }, '/secret', 'field.unknown'],
    ];
    for (const [body, pointer, code] of cases) {
      const answer = await own('bad@example.com', '/account/webhooks', { body });
      const [first] = answer.json['errors'] as { pointer: string; code: string }[];
      expect([answer.status, first?.pointer, first?.code], JSON.stringify(body)).to.deep.equal([422, pointer, code]);
    }
  });

  it('sends a mark of a request with ?series=, and what came true after it, signed', async () => {
    const key = (await rig.signUp('mark@example.com')).json['api_key'];
    const { secret } = (await own('mark@example.com', '/account/webhooks', { body: { url: targetUrl } })).json as { secret: string };
    const body = marked();
    const ask = (sent: unknown): Promise<Answer> => rig.withKey(key, '/auth/ti-tick?series=eurusd&answer=last', { body: sent });
    expect((await ask(body)).json['trend_identified']).to.equal(1);
    // The next request contains the last tick of the first one, a jump, and ticks beyond its future timestamp.
    const lastUs = parseTimestampUs(body.Timestamp.at(-2)!);
    const stamps = Array.from({ length: 100 }, (_, i) => formatTimestamp(lastUs + (i + 1) * 1e6));
    const Timestamp = [...body.Timestamp.slice(0, -1), ...stamps, formatTimestamp(lastUs + 300e6)];
    const Price = [...body.Price.slice(0, -1), ...stamps.map((_, i) => body.Price.at(-2)! * (i > 30 ? 1.02 : 1)), 0];
    expect((await ask({ Timestamp, Price })).status).to.equal(200);
    await until(() => alerts().some(({ type }) => type === 'forecast.settled'));
    const [mark, settled] = ['forecast.marked', 'forecast.settled'].map((type) => alerts().find((alert) => alert.type === type)!);
    const { model, ...data } = mark!.data;
    expect(data).to.include({
      series: 'eurusd',
      last_tick: body.Timestamp.at(-2),
      timestamp: body.Timestamp.at(-2),
      future: body.Timestamp.at(-1),
      own_threshold: false,
      cost_bps: null,
    });
    expect(data['text']).to.match(
      /^An unusually large move for this market, of more than .+ bps, below .+ or above .+, within 1 min \(by .+ UTC\) .+ %\.$/,
    );
    expect(model).to.equal('small');
    expect(settled!.data).to.deep.include({ ...mark!.data, moved: true });
    expect(received.every((each) => isSigned(each, secret))).to.equal(true);
  });

  it('sends the marks of a live series and their outcomes', async () => {
    const key = (await rig.signUp('live@example.com')).json['api_key'];
    await own('live@example.com', '/account/webhooks', { body: { url: targetUrl } });
    const sample = (await rig.ask('/sample')).json as TickRequestBody;
    const [Price, shiftUs] = [sample.Price, 1000 * Date.now() - parseTimestampUs(sample.Timestamp[0]!)];
    const Timestamp = sample.Timestamp.map((text) => formatTimestamp(parseTimestampUs(text) + shiftUs));
    const socket = new LiveSocket(rig.service.url, { key: String(key) });
    await socket.opened;
    socket.send({ type: 'open', series: 'BTC:1', forecasts: [{ horizon: '10s', every: '5s' }] });
    socket.send({ type: 'ticks', series: 'BTC:1', Timestamp: Timestamp.slice(0, -1), Price: Price.slice(0, -1) });
    await until(() => alerts().some(({ type }) => type === 'forecast.settled'));
    const settled = alerts().find(({ type }) => type === 'forecast.settled')!.data;
    // Deliveries have no order.
    await until(() => alerts().some(({ type, data }) => type === 'forecast.marked' && data['timestamp'] === settled['timestamp']));
    socket.socket.terminate();
    expect(settled['series']).to.equal('BTC:1');
  });

  it('sends no alert of a forecast whose future has passed, and of the others what the rule of each target wants', async () => {
    const key = (await rig.signUp('rules@example.com')).json['api_key'];
    const rules = [{ min_probability: 0.01, pause_minutes: 5 }, { series: 'other' }, { touch: 100.02, min_probability: 0.01 }];
    for (const [i, rule] of rules.entries()) {
      const { json } = await own('rules@example.com', '/account/webhooks', {
        body: { url: targetUrl.replace('/hook', `/rule${i}`), events: ['forecast.marked'], rule, format: 'json' },
      });
      expect(json['rule']).to.deep.equal(rule);
    }
    const ask = async (series: string, body: TickRequestBody): Promise<void> => {
      const path = `/auth/ti-tick?series=${series}&min_move_bps=1&touch=100.02`;
      expect((await rig.withKey(key, path, { body })).status).to.equal(200);
    };
    await ask('past', marked(120_000));
    for (const series of ['eurusd', 'eurusd', 'gold']) await ask(series, marked());
    await until(() => of('/rule').length === 5);
    alerts('/rule').forEach(expectDocumentedAlert);
    const told = alerts('/rule').map(({ data }) => `${String(data['series'])} ${String(data['touch'])}`);
    expect(told.sort()).to.deep.equal(['eurusd 100.02', 'eurusd 100.02', 'eurusd undefined', 'gold 100.02', 'gold undefined']);
  });

  it('sends messages in words to services that take no signed JSON', async () => {
    const key = (await rig.signUp('words@example.com')).json['api_key'];
    const formats: [string, object][] = [
      ['slack', {}],
      ['discord', {}],
      ['ntfy', {}],
      ['telegram', { chat_id: '42' }],
    ];
    for (const [format, more] of formats)
      await own('words@example.com', '/account/webhooks', {
        body: { url: targetUrl.replace('/hook', `/words/${format}`), format, ...more },
      });
    expect((await rig.withKey(key, '/auth/ti-tick?series=eurusd', { body: marked() })).status).to.equal(200);
    await until(() => of('/words').length === 4);
    const bodies = of('/words').map(({ headers, body }) =>
      headers['content-type'] === 'application/json' ? (JSON.parse(body) as object) : body,
    );
    const words = bodies.find((body) => typeof body === 'string')!;
    expect(words).to.match(/^eurusd: An unusually large move .+ %\.$/);
    expect(bodies.map((body) => JSON.stringify(body)).sort()).to.deep.equal(
      [words, { text: words }, { content: words }, { chat_id: '42', text: words }].map((body) => JSON.stringify(body)).sort(),
    );
  });

  it('deletes the targets with the account', async () => {
    const { secret } = (await own('live@example.com', '/account/webhooks', { body: { url: targetUrl } })).json as { secret: string };
    expect((await own('live@example.com', '/account', { method: 'DELETE', password: PASSWORD })).status).to.equal(200);
    expect(await rig.place.dump()).to.not.include(secret);
  });
});
