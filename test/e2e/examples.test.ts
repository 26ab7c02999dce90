import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { alertBody } from '../../src/alerts/AlertQueue.ts';
import { postWebhook, type PostResult } from '../../src/alerts/postWebhook.ts';
import { secretOf, signWebhook } from '../../src/alerts/signWebhook.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

const SECRET = secretOf(Buffer.alloc(32, 5));
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Runs the programs of examples/ and the snippet of docs/how-to/alerts.md. */
describe('the examples', () => {
  before(function () {
    if (hasPython) return;
    process.stdout.write('    skipped: python3 is not installed\n');
    this.skip();
  });

  it('alerts.md: its snippet accepts a genuine alert and refuses a changed or an old one', () => {
    const page = readFileSync(path.join(ROOT, 'docs/how-to/alerts.md'), 'utf8');
    const [, snippet = ''] = /```python\n([\s\S]+?)```/.exec(page) ?? [];
    const body = alertBody('forecast.marked', Date.now(), { series: 'eurusd' });
    const now = signWebhook(SECRET, 'msg_1', Date.now(), body);
    const old = signWebhook(SECRET, 'msg_1', Date.now() - 600_000, body);
    const cases = [[now, body], [now, `${body} `], [old, body], [{ ...now, 'webhook-id': 'msg_2' }, body]]; // prettier-ignore
    const program = `import json, sys\n${snippet}\nsecret, cases = json.load(sys.stdin)\nprint([is_genuine(secret, h, b.encode()) for h, b in cases])`;
    const run = spawnSync('python3', ['-c', program], { input: JSON.stringify([SECRET, cases]), encoding: 'utf8' });
    expect([run.stdout, run.stderr]).to.deep.equal(['[True, False, False, False]\n', '']);
  });

  describe('telegram/forward.py', () => {
    let telegram: http.Server;
    let forwarder: ChildProcess | undefined;
    let url = '';
    let messages: { path: string; body: unknown }[];
    let status = 200;

    before(async () => {
      telegram = http.createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          messages.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) as unknown });
          response.writeHead(status).end('{}');
        });
      });
      await new Promise<void>((resolve) => telegram.listen(0, '127.0.0.1', resolve));
      const api = `http://127.0.0.1:${(telegram.address() as AddressInfo).port}`;
      const settings = { WEBHOOK_SECRET: SECRET, TELEGRAM_TOKEN: '123:abc', TELEGRAM_CHAT: '42', TELEGRAM_API: api, PORT: '0' };
      forwarder = spawn('python3', [path.join(ROOT, 'examples/telegram/forward.py')], {
        env: { ...process.env, ...settings },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      for await (const line of createInterface({ input: forwarder.stdout! })) {
        url = /http:\S+/.exec(line)?.[0] ?? '';
        break;
      }
    });
    beforeEach(() => {
      messages = [];
      status = 200;
    });
    after(() => {
      forwarder?.kill();
      telegram?.close();
      telegram?.closeAllConnections();
    });

    const forward = (id: string, type: string, data: unknown, secret = SECRET): Promise<PostResult> => {
      const body = alertBody(type, Date.now(), data);
      const fields = signWebhook(secret, id, Date.now(), body);
      return postWebhook(url, fields, body, { clock: systemClock, timeoutMs: 20_000, allowsPrivate: true });
    };
    const mark = {
      series: 'eurusd',
      timestamp: 't',
      future: '2024-01-02 09:34:18.000',
      probability: 0.4123,
      min_move_bps: 1.5,
      model: 'm',
    };

    it('sends a message for each alert once, in words', async () => {
      for (const id of ['msg_1', 'msg_1']) expect((await forward(id, 'forecast.marked', mark)).status).to.equal(200);
      await forward('msg_2', 'forecast.settled', { ...mark, moved: true, move_bps: -2.25 });
      await forward('msg_3', 'record.worse', { from: '2024-01-01', outcomes: 400, marks: 100, hits: 20 });
      await forward('msg_4', 'webhook.test', { message: 'A test.' });
      expect(messages.map(({ path: to }) => to)).to.deep.equal(Array(4).fill('/bot123:abc/sendMessage'));
      expect(messages.map(({ body }) => body)).to.deep.equal([
        { chat_id: '42', text: 'eurusd: a move of more than 1.50 bps by 2024-01-02 09:34:18.000 UTC, probability 0.41' },
        { chat_id: '42', text: 'eurusd: the mark for 2024-01-02 09:34:18.000 UTC came true, -2.25 bps' },
        { chat_id: '42', text: 'The record since 2024-01-01 is worse than the baseline: 400 outcomes, 20 of 100 marks came true' },
        { chat_id: '42', text: 'A test.' },
      ]);
    });

    it('refuses what another secret has signed, and asks for another attempt while Telegram is away', async () => {
      expect((await forward('msg_5', 'forecast.marked', mark, secretOf(Buffer.alloc(32, 6)))).status).to.equal(401);
      expect(messages).to.deep.equal([]);
      status = 500;
      expect((await forward('msg_6', 'forecast.marked', mark)).status).to.equal(502);
      status = 200;
      expect((await forward('msg_6', 'forecast.marked', mark)).status).to.equal(200);
      expect(messages).to.have.length(2);
    });
  });

  /** The packages of exchanges and platforms are replaced by those of test/support/bots, which read a generated feed. */
  describe('bots', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-bots-'));
    let place: StoreLocation;
    let rig: AccountRig;
    let env: NodeJS.ProcessEnv;

    before(async function () {
      place = await makeStoreLocation('sqlite', this);
      rig = await startAccountService(place);
      const { timesUs, prices } = syntheticTicks({ seed: 2, count: 500 });
      writeFileSync(path.join(folder, 'feed.json'), JSON.stringify(Array.from(timesUs, (us, i) => [us / 1000, prices[i]])));
      env = {
        ...process.env,
        TICKMARK_URL: rig.service.url,
        TICKMARK_KEY: String((await rig.signUp('bot@example.com')).json['api_key']),
        FEED: path.join(folder, 'feed.json'),
        PYTHONPATH: path.join(ROOT, 'test/support/bots'),
        PYTHONDONTWRITEBYTECODE: '1',
        EVERY_S: '0',
      };
    });
    after(async () => {
      await rig?.close();
      await place?.dispose();
      rmSync(folder, { recursive: true, force: true });
    });

    const run = (args: string[], given: NodeJS.ProcessEnv = {}): Promise<string[]> =>
      new Promise((resolve, reject) => {
        execFile('python3', args, { env: { ...env, ...given }, cwd: folder }, (error, stdout, stderr) => {
          if (error === null) resolve(stdout.trim().split('\n'));
          else reject(new Error(stderr));
        });
      });
    const program = (name: string): string => path.join(ROOT, 'examples', name);

    it('ccxt: collects trades without repetition, and prints each change of the forecast', async () => {
      const lines = await run([program('ccxt/bot.py')], { EXCHANGE: 'recorded', ROUNDS: '5', COST_BPS: '0.5' });
      expect(lines[0]).to.equal('150 trades; forecasts start at 199');
      expect(lines.slice(1)).to.not.deep.equal([]);
      for (const line of lines.slice(1)) expect(line).to.match(/^\d{13} BTC\/USDT 60s: (identified|none below_threshold|abstained \w+)$/);
      const states = lines.slice(1).map((line) => line.split(': ')[1]);
      expect(states.every((state, i) => i === 0 || state !== states[i - 1])).to.equal(true);
      const record = (await rig.withKey(env['TICKMARK_KEY'], '/auth/track-record?series=BTC-USDT')).json['sum'] as { forecasts: number };
      expect(record.forecasts).to.be.above(0);
    });

    it('ccxt: says why there is no forecast, and goes on', async () => {
      const settings = { EXCHANGE: 'recorded', ROUNDS: '3', TICKMARK_KEY: 'tkm_live_wrong' };
      const refused = await run([program('ccxt/bot.py')], settings);
      expect(refused.slice(1)).to.have.length(2);
      for (const line of refused.slice(1)) expect(line).to.match(/^no forecast: auth.key_refused: /);
      const away = await run([program('ccxt/bot.py')], { ...settings, TICKMARK_URL: 'http://127.0.0.1:1' });
      expect(away[1]).to.match(/^no forecast: http:\/\/127.0.0.1:1 does not answer/);
    });

    it('MetaTrader 5: prints the forecast of each horizon at the current spread', async () => {
      const lines = await run([program('metatrader5/bot.py')], { ROUNDS: '1' });
      expect(lines).to.have.length(4);
      for (const [i, horizon] of ['10s', '60s', '5m'].entries())
        expect(lines[i]).to.match(new RegExp(`^EURUSD ${horizon}: (identified|none below_threshold|abstained \\w+)$`));
      expect(lines[3]).to.equal('closed');
    });

    it('Freqtrade: confirms an entry only where the service identifies a move, and never without an answer', async () => {
      const script = path.join(ROOT, 'test/support/bots/run_freqtrade.py');
      const lines = await run([script, program('freqtrade')], { TICKMARK_HORIZON: '60s', TICKMARK_COST_BPS: '0.5' });
      expect(lines.slice(0, 2)).to.deep.equal(['BTC/USDT: 101 ticks; entries start at 199', 'early False']);
      const isIdentified = lines[2] === 'BTC/USDT: identified ';
      expect(lines[3]).to.equal(`late ${isIdentified ? 'True' : 'False'}`);
      expect(lines[4]).to.match(/no forecast, so no entry: auth.key_refused/);
      expect(lines[5]).to.equal('wrong key False');
      const high = await run([script, program('freqtrade')], { TICKMARK_HORIZON: '60s', TICKMARK_COST_BPS: '5000' });
      expect(high[3]).to.equal('late False');
    });
  });
});
