import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { alertBody } from '../../src/service/alerts/AlertQueue.ts';
import { secretOf, signWebhook } from '../../src/service/alerts/signWebhook.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { suiteService } from '../support/accountService.ts';

import { FAULTS, startFaultServer, STALLS, type Fault } from '../support/faultServer.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const SECRET = secretOf(Buffer.alloc(32, 5));
const PYTHON = process.env['PYTHON'] ?? 'python3';
const hasPython = spawnSync(PYTHON, ['--version']).status === 0;
const program = (name: string): string => path.join(ROOT, 'examples', name);

/** Runs the programs of examples/ and the snippet of docs/how-to/alerts.md. */
describe('the examples', () => {
  before(function () {
    if (hasPython) return;
    process.stdout.write('    skipped: Python 3 is not installed (PYTHON names another one)\n');
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
    const run = spawnSync(PYTHON, ['-c', program], { input: JSON.stringify([SECRET, cases]), encoding: 'utf8' });
    expect([run.stdout, run.stderr]).to.deep.equal(['[True, False, False, False]\n', '']);
  });

  /** The packages of exchanges and platforms are replaced by those of test/support/bots, which read a generated feed. */
  describe('bots', () => {
    const folder = temporaryFolder();
    const rig = suiteService('sqlite');
    let env: NodeJS.ProcessEnv;

    before(async () => {
      env = {
        ...process.env,
        TICKMARK_URL: rig.service.url,
        TICKMARK_KEY: String((await rig.signUp('bot@example.com')).json['api_key']),
        FEED: writeFeed('feed.json', 2, 10 / 3),
        PYTHONPATH: path.join(ROOT, 'test/support/bots'),
        TICKMARK_TIMEOUT_S: '60',
        PYTHONDONTWRITEBYTECODE: '1',
        EVERY_S: '0',
      };
    });

    const run = (args: string[], given: NodeJS.ProcessEnv = {}): Promise<string[]> =>
      new Promise((resolve, reject) => {
        execFile(PYTHON, args, { env: { ...env, ...given }, cwd: folder }, (error, stdout, stderr) => {
          if (error === null) resolve(stdout.trim().split('\n'));
          else reject(new Error(stderr));
        });
      });

    const REFUSALS: Record<string, RegExp> = {
      ...Object.fromEntries(
        Object.keys(FAULTS).map((fault) => [fault, /status \d+ with a body that is not of tickmark|does not answer: /]),
      ),
      ...Object.fromEntries(STALLS.map((fault) => [fault, /did not answer within 2 s/])),
      'a cut body': /ended \d+ bytes early/,
      'a cut body in chunks': /does not answer: IncompleteRead/,
      'an endless nesting': /RecursionError|not of tickmark/,
    };
    /** Answers that are JSON, and no forecast. */
    const entry = { horizon: '60s', timestamp: '1', trend_identified: 1, status: 'identified', reason: null };
    const WRONG: readonly { readonly status?: number; readonly json: unknown }[] = [
      { json: {} },
      { json: [] },
      { json: null },
      { json: { forecasts: null } },
      { json: { forecasts: [] } },
      { json: { forecasts: [entry, entry] } },
      { json: { forecasts: ['identified'] } },
      { json: { forecasts: [{ ...entry, horizon: '10s' }] } },
      { json: { forecasts: [{ ...entry, trend_identified: null }] } },
      { json: { forecasts: [{ ...entry, trend_identified: true }] } },
      { json: { forecasts: [{ ...entry, status: 'none' }] } },
      { json: { forecasts: [{ ...entry, status: 'other' }] } },
      { status: 502, json: { forecasts: [entry] } },
      { status: 429, json: { code: 'limit.exceeded', detail: 'Too many.' } },
    ];
    type Wrong = Fault | (typeof WRONG)[number];
    const ALL: readonly Wrong[] = [...(Object.keys(FAULTS) as Fault[]), ...WRONG];
    /** The programs ask by the same code, examples/ask_tickmark.py. */
    const SOME: readonly Wrong[] = ['a page of a proxy with 502', 'a reset connection', ...WRONG.slice(-2)];

    /** Runs a program against a server that does this wrong, and answers at the end. */
    async function againstFaults(wrong: readonly Wrong[], args: string[], given: NodeJS.ProcessEnv): Promise<string[]> {
      const answers = [...wrong, { json: { forecasts: [entry] } }];
      const server = await startFaultServer(answers);
      try {
        const lines = await run(args, { TICKMARK_URL: server.url, TICKMARK_TIMEOUT_S: '2', ...given });
        expect(server.count(), 'requests').to.be.at.least(answers.length);
        return lines;
      } finally {
        server.close();
      }
    }

    /** Lines of refusals, one for each fault in order. */
    function expectRefusals(lines: readonly string[], wrong: readonly Wrong[]): void {
      expect(lines, lines.join('\n')).to.have.length(wrong.length);
      for (const [i, fault] of wrong.entries()) {
        const pattern = typeof fault === 'string' ? REFUSALS[fault] : /status \d+ with a body that is not of tickmark|limit\.exceeded/;
        expect(lines[i], JSON.stringify(fault))
          .to.match(/no forecast/)
          .and.match(pattern);
      }
    }

    /** A file of ticks for so many rounds of a program. */
    function writeFeed(name: string, seed: number, rounds: number, medianGapMs?: number): string {
      const { timesUs, prices } = syntheticTicks({ seed, count: 150 * rounds, ...(medianGapMs === undefined ? {} : { medianGapMs }) });
      const feed = path.join(folder, name);
      writeFileSync(feed, JSON.stringify(Array.from(timesUs, (us, i) => [us / 1000, prices[i]])));
      return feed;
    }

    it('ccxt: has no forecast where tickmark fails, and goes on', async () => {
      const rounds = ALL.length + 2;
      const settings = { EXCHANGE: 'recorded', ROUNDS: String(rounds), FEED: writeFeed('long.json', 3, rounds) };
      const lines = await againstFaults(ALL, [program('ccxt/bot.py')], settings);
      expectRefusals(lines.slice(1, -1), ALL);
      expect(lines.at(-1)).to.equal('1 BTC/USDT 60s: identified');
    });

    it('ccxt: has no forecast where the exchange fails or has nothing new, and goes on', async () => {
      const settings = {
        EXCHANGE: 'recorded',
        QUIET_S: '0',
        FAULTS: '[null,null,"down","broken","nothing new","nothing new",null]',
        ROUNDS: '7',
      };
      const lines = await run([program('ccxt/bot.py')], settings);
      expect(lines[0]).to.equal('150 trades; forecasts start at 199');
      expect(lines[1]).to.match(/^\d{13} BTC\/USDT/);
      expect(lines[2]).to.match(/^no forecast: recorded gives no trades: NetworkError: .*502/);
      expect(lines[3]).to.match(/^no forecast: recorded gives no trades: TypeError/);
      expect(lines[4]).to.equal('no forecast: recorded has no new trades for 0 s');
      expect(lines[5]).to.match(/^\d{13} BTC\/USDT/);
    });

    it('ccxt: places a paper stop at a price that is seldom reached, and compares how many were with the chances', async () => {
      const settings = {
        EXCHANGE: 'recorded',
        FEED: writeFeed('stops.json', 4, 60, 100),
        HORIZON: '10s',
        ROUNDS: '60',
        CHANCE: '0.9',
        STEP_BPS: '0.2',
        FAULTS: '[null,"down"]',
      };
      const lines = await run([program('ccxt/paper_stop.py')], settings);
      expect(lines[0]).to.match(/^no forecast: recorded gives no trades: NetworkError/);
      const bought = lines
        .map((line) => /bought at ([\d.]+), stop at ([\d.]+): reached with ([\d.]+) %$/.exec(line))
        .filter((found) => found !== null);
      for (const [, price, stop, chance] of bought)
        expect([Number(stop) < Number(price), Number(chance) <= 90]).to.deep.equal([true, true]);
      const ended = lines.filter((line) => /^\d{13} (stopped|kept to its end)$/.test(line));
      expect(bought.length).to.be.within(ended.length, ended.length + 1);
      expect(lines.at(-1)).to.equal(
        `stopped ${ended.filter((line) => line.endsWith('stopped')).length} of ${ended.length} positions; by the chances ` +
          `${(bought.slice(0, ended.length).reduce((sum, [, , , chance]) => sum + Number(chance), 0) / 100).toFixed(1)}`,
      );
      expect(ended.length).to.be.above(10);
    });

    it('ccxt: places no stop where tickmark fails, and goes on', async () => {
      const rounds = SOME.length + 2;
      const settings = { EXCHANGE: 'recorded', ROUNDS: String(rounds), FEED: writeFeed('longer.json', 3, rounds + 1) };
      const lines = await againstFaults(SOME, [program('ccxt/paper_stop.py')], settings);
      expectRefusals(lines.slice(0, -2), SOME);
      // The last answer is a forecast without chances.
      expect(lines.slice(-2)).to.deep.equal([
        'no forecast: status 200 with a body that is not of tickmark: no chances (KeyError)',
        'stopped 0 of 0 positions; by the chances 0.0',
      ]);
    });

    it('MetaTrader 5: has no forecast where tickmark fails, and goes on', async () => {
      const settings = { HELD: String(SOME.length + 2), HORIZONS: '60s', ROUNDS: String(SOME.length + 1) };
      const lines = await againstFaults(SOME, [program('metatrader5/bot.py')], settings);
      expectRefusals(lines.slice(0, -2), SOME);
      expect(lines.slice(-2)).to.deep.equal(['EURUSD 60s: identified', 'closed']);
    });

    it('MetaTrader 5: has no forecast where the terminal fails or has nothing new, and goes on', async () => {
      const faultsOf = ['down', 'broken', ...Array<null>(4).fill(null), ...Array<string>(4).fill('closed market'), null];
      const settings = { HELD: '20', HORIZONS: '60s', FAULTS: JSON.stringify(faultsOf), ROUNDS: '5' };
      const lines = await run([program('metatrader5/bot.py')], settings);
      expect(lines[0]).to.match(/^no forecast: MetaTrader 5 has no ticks of EURUSD/);
      expect(lines[1]).to.match(/^no forecast: MetaTrader 5 gives no ticks: OSError/);
      expect(lines[2]).to.match(/^EURUSD 60s: /);
      expect(lines[3]).to.equal('no forecast: EURUSD has no new tick');
      expect(lines[4]).to.match(/^EURUSD 60s: /);
    });

    it('Freqtrade: enters no trade whatever fails, and one after a mark', async () => {
      const script = path.join(ROOT, 'test/support/bots/run_freqtrade.py');
      const count = SOME.length - 1;
      const lines = await againstFaults(SOME, [script, program('freqtrade'), String(count)], { TICKMARK_HORIZON: '60s' });
      const entries = lines.filter((line) => /^(late|entry) /.test(line));
      expect(entries).to.deep.equal(['late False', ...Array<string>(count).fill('entry False')]);
      expectRefusals(lines.filter((line) => line.includes('no forecast, so no entry')).slice(0, SOME.length), SOME);
      const others = lines.slice(lines.lastIndexOf('entry False') + 1);
      const said = others.filter((line) => / (True|False)$/.test(line));
      // The server knows no keys.
      expect(said.filter((line) => line.endsWith('True'))).to.deep.equal(['back: True', 'wrong key True']);
      expect(said).to.have.length(15);
      for (const reason of [
        /ZeroDivisionError/,
        /KeyError: 'open'/,
        /AttributeError: 'NoneType'/,
        /0 candles; entries start at 199/,
        /ValueError: Out of range float values/,
        /the last candle ended 360\d s ago/,
        /the last candle ended -3[56]\d\d s ago/,
        /TICKMARK_KEY must be an API key of POST \/signup; it is not set/,
        /http:\/\/127\.0\.0\.1:1 does not answer/,
        /TICKMARK_URL must be an address/,
      ])
        expect(others.join('\n')).to.match(reason);
      expect(others.join('\n')).to.not.include('tkm_x\n');
    });

    for (const name of ['ccxt/bot.py', 'metatrader5/bot.py']) {
      it(`${name}: does not start without a key or with settings that cannot be right`, async () => {
        const wrong = { TICKMARK_KEY: '', TICKMARK_URL: '127.0.0.1:8080', TICKMARK_TIMEOUT_S: 'ten' };
        for (const [setting, value] of Object.entries(wrong)) {
          const failed = await run([program(name)], { EXCHANGE: 'recorded', [setting]: value }).catch((error: Error) => error.message);
          expect(failed).to.match(new RegExp(`^${setting} must be `));
        }
      });
    }

    it('Freqtrade: does not start without a key', async () => {
      const script = path.join(ROOT, 'test/support/bots/run_freqtrade.py');
      const failed = await run([script, program('freqtrade')], { TICKMARK_KEY: '' }).catch((error: Error) => error.message);
      expect(failed).to.match(/Refused: TICKMARK_KEY must be an API key/);
    });

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
      const lines = await run([script, program('freqtrade')], { TICKMARK_HORIZON: '5m', TICKMARK_COST_BPS: '0.5' });
      expect(lines.slice(0, 2)).to.deep.equal(['BTC/USDT: 101 candles; entries start at 199', 'early False']);
      expect(lines[2]).to.match(/^BTC\/USDT: (?:identified |none below_threshold|abstained \w+)$/);
      const isIdentified = lines[2] === 'BTC/USDT: identified ';
      expect(lines[3]).to.equal(`late ${isIdentified ? 'True' : 'False'}`);
      expect(lines.join('\n')).to.match(/no forecast, so no entry: auth.key_refused.*\nwrong key False/);
      const high = await run([script, program('freqtrade')], { TICKMARK_HORIZON: '5m', TICKMARK_COST_BPS: '5000' });
      expect(high[3]).to.equal('late False');
    });
  });
});
