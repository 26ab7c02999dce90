import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { binanceTrades } from '../../bench/serving/binanceFeed.ts';
import { cliRun } from '../support/cliRun.ts';
import { request } from '../support/request.ts';
import { ROOT, serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

type Message = { readonly type: string; readonly series: string; readonly n: number; readonly scores?: Record<string, number>[] };

describe('tickmark live', function () {
  this.timeout(180_000);
  let folder: string;
  let file: string;
  let served: ServedProcess;
  let key: string;
  const newKey = async (name: string): Promise<string> => {
    const body = { email: `${name}@example.com`, password: 'correct horse 42', confirm_password: 'correct horse 42' };
    return String((await request(served.url, '/signup', { body })).json['api_key']);
  };
  const env = { RUNTIME_BACKEND: 'wasm', INFERENCE_PROCESS: 'false', LOG_LEVEL: 'error' };

  before(async () => {
    folder = temporaryFolder();
    file = path.join(folder, 'feed.ndjson');
    writeFileSync(file, [...binanceTrades({ messages: 6000, symbols: ['BTCUSDT', 'ETHUSDT'], perSecond: 40 })].join(''));
    served = await serveTickmark(folder, env);
    key = await newKey('desk');
  });
  after(() => {
    served?.child.kill('SIGKILL');
  });

  async function live(...args: string[]): Promise<string> {
    const { code, out, err } = await cliRun(env, 'live', ...args);
    expect([code, err]).to.deep.equal([0, '']);
    return out;
  }
  const messagesOf = (text: string): Message[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Message)
      .sort((a, b) => `${a.type} ${a.series}`.localeCompare(`${b.type} ${b.series}`) || a.n - b.n);

  it('makes the same forecasts, outcomes and scores in its own process and by a service', async () => {
    const options = [file, '--horizon', '10s', '--every', '5s', '--json'];
    const own = messagesOf(await live(...options));
    // An account whose series have no past, as in the process of the command.
    const byService = messagesOf(await live(...options, '--url', served.url, '--key', await newKey('new')));
    expect(own.filter(({ type }) => type === 'forecast')).to.have.length.above(40);
    expect(new Set(own.map(({ series }) => series))).to.deep.equal(new Set(['BTCUSDT', 'ETHUSDT']));
    expect(byService).to.have.length(own.length);
    for (const [i, message] of own.entries()) expect(byService[i]).to.deep.equal(message);
    for (const { scores } of own.filter(({ type }) => type === 'score')) expect(scores![0]['outcomes']).to.be.above(15);
    const windowTicks = async (horizonS: number): Promise<number> => {
      const { models } = (await request(served.url, '/models')).json as {
        models: { window_ticks: { up_to_s: number | null; with_memory: number }[] }[];
      };
      return models[0].window_ticks.find(({ up_to_s: upToS }) => upToS === null || horizonS <= upToS)!.with_memory;
    };
    // The number that suits the horizon, in both.
    expect(messagesOf(await live(...options, '--ticks', `${await windowTicks(10)}`))).to.deep.equal(own);
    const fewer = [...options, '--ticks', '300', '--no-memory'];
    const [ownFewer, byServiceFewer] = [await live(...fewer), await live(...fewer, '--url', served.url, '--key', key)].map(messagesOf);
    expect(ownFewer).to.deep.equal(byServiceFewer).and.to.not.deep.equal(own);
  });

  it('prints a line for each forecast and outcome, and the score', async () => {
    const text = await live(file, '--horizon', '10s,60s', '--every', '10s');
    expect(text).to.match(/BTCUSDT 10s #0 {2}(?:no )?mark/);
    expect(text).to.match(/outcome of ETHUSDT 10s #0: moved -?[\d.]+ bps, (?:not )?above its threshold/);
    expect(text).to.match(/\nBTCUSDT 60s: \d+ forecasts, \d+ outcomes, \d+ unscored; \d+ marks, \d+ came true/);
  });

  it('forecasts a pipe while it is open, and scores what it has at Ctrl-C', async () => {
    const child = spawn(
      process.execPath,
      [path.join(ROOT, 'bin', 'tickmark.js'), 'live', '-', '--horizon', '2s', '--every', '1s', '--json'],
      {
        env: { ...process.env, ...env },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    let text = '';
    const first = new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('"outcome"')) resolve();
      }),
    );
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.stdin.write([...binanceTrades({ messages: 500, perSecond: 40 })].join(''));
    await first;
    child.kill('SIGINT');
    expect(await ended).to.equal(0);
    expect(messagesOf(text).at(-1)).to.include({ type: 'score', series: 'BTCUSDT' });
  });

  it('replays at the speed that is asked for', async () => {
    const short = path.join(folder, 'short.ndjson');
    const lines = [...binanceTrades({ messages: 400, perSecond: 40 })];
    writeFileSync(short, lines.join(''));
    const spanMs = (JSON.parse(lines.at(-1)!) as { T: number }).T - (JSON.parse(lines[0]) as { T: number }).T;
    const startMs = performance.now();
    await live(short, '--horizon', '2s', '--every', '1s', '--speed', '4');
    expect(performance.now() - startMs).to.be.above(spanMs / 4);
  });

  it('refuses wrong options, a service that does not answer, and one that refuses the key or the version', async () => {
    const nowhere = ['--url', 'http://127.0.0.1:9', '--key', 'tkm_live_no'];
    for (const [args, words, code] of [
      [[], 'required option', 2],
      [['--horizon', '2d'], 'at most one day', 2],
      [['--horizon', '2s', '--every', '5'], 'or tick', 2],
      [['--horizon', '2s', '--series', 'a b'], '1 to 64', 2],
      [['--horizon', '2s', '--url', served.url], 'TICKMARK_KEY', 2],
      [['--horizon', '2s', '--url', '127.0.0.1:8080', '--key', key], 'starts with http://', 2],
      [['--horizon', '2s', '--url', served.url, '--key', 'tkm_live_no\n'], 'white space', 2],
      [['--horizon', '2s', '--url', served.url, '--key', 'tkm_live_no'], 'Give a valid key with --key', 1],
      [['--horizon', '2s', '--url', served.url, '--key', key, '--model', 'nope'], 'No model "nope" is loaded', 1],
      [['--horizon', '2s', ...nowhere], 'No service answers at http://127.0.0.1:9', 1],
      [['--horizon', '2s', '--ticks', '500', ...nowhere], 'Start the service, or correct --url', 1],
    ] as const) {
      const ended = await cliRun(env, 'live', file, ...args);
      expect(ended.err).to.include(words).and.not.include('connecting again');
      expect(ended.code, ended.err).to.equal(code);
    }
  });
});
