import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import type { ForecastDetail } from '../../src/contract/forecastDetail.ts';
import { sampleRequest } from '../../src/ticks/sampleRequest.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { cliRun } from '../support/cliRun.ts';
import { walkTicks } from '../support/walkTicks.ts';
import { writeTicks } from '../support/writeTicks.ts';
import { ROOT, serveTickmark } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const COMMAND = [path.join(ROOT, 'bin', 'tickmark.js'), 'mcp'];

type Called = { isError?: boolean; content: { type: string; text: string }[]; structuredContent?: Record<string, unknown> };
type Problem = { code: string; detail: string; remedy: string };
/** What a model without a command line and without HTTP cannot do. */
const NOT_FOR_MODELS = /--|GET \/|tickmark doctor|Retry-After/;

describe('tickmark mcp', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const { Timestamp, Price } = sampleRequest();
  const file = path.join(folder, 'ticks.csv');
  const environment = { ...process.env, DATA_DIR: path.join(folder, 'data') } as Record<string, string>;
  let client: Client;

  before(async () => {
    const rows = Timestamp.slice(0, -1).map((stamp, i) => `${stamp},${Price[i]}`);
    writeFileSync(file, ['timestamp,price', ...rows, ''].join('\n'));
    for (const name of ['secret.txt', 'secret.json', 'secret.pem']) writeFileSync(path.join(folder, name), '{"key": "hunter2hunter2"}\n');
    writeFileSync(
      path.join(folder, 'ticks.jsonl'),
      rows.map((row) => JSON.stringify({ timestamp: row.split(',')[0], price: Number(row.split(',')[1]) })).join('\n'),
    );
    client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: COMMAND, env: environment }));
  });
  after(async () => {
    await client.close();
  });

  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Called> =>
    (await client.callTool({ name, arguments: args })) as Called;
  const value = ({ content }: Called): Record<string, unknown> => JSON.parse(content[0]?.text ?? '') as Record<string, unknown>;

  it('describes itself and lists its tools, which are read-only', async () => {
    expect(client.getServerVersion()).to.include({ name: 'tickmark' });
    expect(client.getInstructions()).to.include('not investment advice');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).to.deep.equal(['explain', 'forecast', 'live', 'markets', 'sample', 'track_record']);
    for (const { inputSchema, outputSchema, annotations } of tools) {
      expect(outputSchema).to.include({ type: 'object' });
      expect(inputSchema.type).to.equal('object');
      expect(annotations).to.include({ readOnlyHint: true });
    }
  });

  it('forecasts its own sample, and explains the same forecast', async () => {
    const sample = await call('sample');
    expect(value(sample)).to.deep.equal({ Timestamp, Price });
    const forecast = await call('forecast', value(sample));
    expect(forecast.isError).to.not.equal(true);
    expect(forecast.structuredContent).to.deep.equal(value(forecast));
    const { trend_identified: mark, future, opportunity } = value(forecast);
    expect([mark === null || mark === 1, future]).to.deep.equal([true, Timestamp.at(-1)]);
    const explained = value(await call('explain', value(sample)));
    const detail = explained['detail'] as { opportunity: unknown; rules: unknown[] };
    expect([explained['trend_identified'], detail.opportunity]).to.deep.equal([mark, opportunity]);
    expect(detail.rules).to.have.length.above(0);
  });

  it('reads the end of a tick file: the same answer as for the same ticks in the call', async () => {
    const fromCall = value(await call('forecast', { Timestamp, Price, min_move_bps: 2.5 }));
    const fromFile = value(await call('forecast', { file, horizon: '60s', min_move_bps: 2.5 }));
    expect(fromFile).to.deep.equal(fromCall);
    const fewer = value(await call('forecast', { file, horizon: '60s', ticks: 199, min_move_bps: 2.5 }));
    expect(fewer['opportunity']).to.not.deep.equal(fromFile['opportunity']);
  });

  it('reports errors of a call to the model, and continues', async () => {
    const cases: [Record<string, unknown>, string, string][] = [
      [{}, 'command.invalid', 'Give file and horizon'],
      [{ Timestamp, Price, file }, 'command.invalid', 'not both'],
      [{ Timestamp, Price, horizon: '60s' }, 'command.invalid', 'belong to file'],
      [{ Timestamps: [] }, 'request.invalid', 'Timestamps'],
      [{ file }, 'request.invalid', 'horizon is required'],
      [{ file, horizon: '60' }, 'command.invalid', '10s, 60s'],
      [{ file: path.join(folder, 'secret.pem'), horizon: '60s' }, 'command.invalid', '.csv'],
      [{ file: path.join(folder, 'none.csv'), horizon: '60s' }, 'file.unreadable', 'none.csv'],
      [{ Timestamp: Timestamp.slice(0, 5), Price: Price.slice(0, 5) }, 'request.invalid', 'at least 200'],
      [{ Timestamp, Price, model: 'nothing' }, 'model.unknown', 'nothing'],
      [{ ticks: 'many' }, 'request.invalid', 'ticks must be an integer'],
      [{ Timestamp: 'now', Price }, 'request.invalid', 'Timestamp must be an array'],
      [{ Timestamp, Price, min_move_bps: 'x' }, 'request.invalid', 'min_move_bps'],
      [{ Timestamp, Price, min_probability: 2 }, 'request.invalid', 'at most 0.99'],
      [{ Timestamp, Bid: Price }, 'request.invalid', 'Ask is required'],
      [{ Timestamp, Price, Bid: Price, Ask: Price }, 'request.invalid', '"Bid"'],
      [{ Timestamp, Price, min_move_bps: 'cost' }, 'request.invalid', 'Bid and Ask'],
      [{ file, horizons: ['10s', '10s'] }, 'request.invalid', 'twice'],
      [{ file, horizons: [] }, 'request.invalid', 'horizons'],
      [{ file, horizon: '10s', horizons: ['10s'] }, 'command.invalid', 'not both'],
      [{ Timestamp, Price, horizons: ['10s'] }, 'request.invalid', 'future entry is left out'],
    ];
    for (const [args, code, words] of cases) {
      const answer = await call('forecast', args);
      const problem = value(answer) as unknown as Problem;
      expect([answer.isError, problem.code], words).to.deep.equal([true, code]);
      expect(JSON.stringify(problem).replaceAll('\\"', '"'), words).to.include(words);
      expect(problem.remedy, words).to.be.a('string').and.not.match(NOT_FOR_MODELS);
      expect(JSON.stringify(answer)).to.not.include('a secret');
    }
    expect((await call('sample')).isError).to.not.equal(true);
  });

  it('answers every form of ticks and several horizons as single calls', async () => {
    const ms = Timestamp.map((stamp) => Date.parse(`${stamp.replace(' ', 'T')}Z`));
    const plain = value(await call('forecast', { Timestamp, Price }));
    for (const lists of [
      { Timestamp: ms.map((each) => each * 1000), Price },
      { Timestamp: Timestamp.map((stamp) => `${stamp.replace(' ', 'T')}+00:00`), Bid: Price, Ask: Price },
    ])
      expect(value(await call('forecast', lists))['future']).to.equal(plain['future']);
    expect(value(await call('forecast', { Timestamp: ms, Price }))).to.deep.equal(plain);
    const observed = { Timestamp: Timestamp.slice(0, -1), Price: Price.slice(0, -1) };
    const sent = value(await call('forecast', { ...observed, horizons: ['60s', '5m'] }))['forecasts'] as object[];
    expect([sent[0], sent.length]).to.deep.equal([{ horizon: '60s', ...plain }, 2]);
    const read = value(await call('explain', { file, horizons: ['10s', '60s'] }))['forecasts'] as { horizon: string; detail: object }[];
    expect(read.map(({ horizon }) => horizon)).to.deep.equal(['10s', '60s']);
    expect(read[0].detail).to.have.property('rules');
  });

  it('writes only JSON lines to standard output, and ends with 0 when its input ends', async () => {
    const child = spawn(process.execPath, COMMAND, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const until = (id: number): Promise<void> =>
      new Promise((resolve) => child.stdout.on('data', () => out.includes(`"id":${id}`) && resolve()));
    const answered = until(2);
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } };
    send({ id: 1, method: 'initialize', params });
    send({ method: 'notifications/initialized' });
    child.stdin.write('this is no JSON\n');
    send({ id: 2, method: 'tools/call', params: { name: 'forecast', arguments: { file, horizon: '60s' } } });
    await answered;
    child.stdin.end();
    expect(await ended).to.equal(0);
    const lines = out.trim().split('\n');
    const messages = lines.map((line) => JSON.parse(line) as { jsonrpc: string; id: number | null; result?: Record<string, unknown> });
    expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).to.equal(true);
    expect(messages.find(({ id }) => id === 1)?.result).to.include({ protocolVersion: '2025-06-18' });
    expect(messages.find(({ id }) => id === 2)?.result).to.have.property('structuredContent');
  });

  it('reads every form of tick file, and quotes nothing of a file that is none', async () => {
    const [csv, lines] = await Promise.all(
      ['ticks.csv', 'ticks.jsonl'].map((name) => call('forecast', { file: path.join(folder, name), horizon: '60s' })),
    );
    expect(value(lines!)['opportunity']).to.deep.equal(value(csv!)['opportunity']);
    for (const name of ['secret.txt', 'secret.json']) {
      const refused = await call('forecast', { file: path.join(folder, name), horizon: '60s' });
      expect(refused.isError, name).to.equal(true);
      expect(refused.content[0].text, name).to.not.include('hunter2');
    }
  });

  it('uses the number of ticks that suits the horizon where none is named', async () => {
    const long = path.join(folder, 'long.csv');
    writeTicks(long, walkTicks({ seed: 4, count: 4000 }));
    const opportunity = async (args: object): Promise<unknown> => value(await call('forecast', { file: long, ...args }))['opportunity'];
    for (const [horizon, ticks] of [
      ['10s', 1000],
      ['60s', 3000],
    ] as const) {
      // prettier-ignore
      expect(await opportunity({ horizon }), horizon).to.deep.equal(await opportunity({ horizon, ticks }));
      expect(await opportunity({ horizon }), horizon).to.not.deep.equal(await opportunity({ horizon, ticks: 500 }));
    }
    const { detail } = value(await call('explain', { file: long, horizon: '10s' })) as { detail: ForecastDetail };
    const predicted = await cliRun({}, 'predict', long, '--horizon', '10s', '--json');
    const { logit, memory } = (JSON.parse(predicted.out) as { detail: ForecastDetail }).detail;
    expect([detail.memory?.used, detail.memory, detail.logit]).to.deep.equal([true, memory, logit]);
    const alone = value(await call('explain', { file: long, horizon: '10s', memory: 'off' })) as { detail: ForecastDetail };
    expect([alone.detail.memory, alone.detail.logit!.network]).to.deep.equal([undefined, logit!.network]);
    const price = walkTicks({ seed: 4, count: 4000 }).prices.at(-1)!;
    const { range, above } = value(await call('forecast', { file: long, horizon: '60s', range: [0.9], above: price }));
    expect((range as { level: number; low: number }[])[0].low).to.be.above(1);
    expect((above as { probability: number }).probability).to.equal(0.5);
    const replayed = value(await call('live', { file: long, horizons: ['10s'], every: '5s', ticks: 4000, memory: 'off' }));
    const last = (replayed['last_forecasts'] as { timestamp: string; future: string; probability: number }[]).at(-1)!;
    const { timesUs, prices } = walkTicks({ seed: 4, count: 4000 });
    const stamps = Array.from(timesUs, (us) => formatTimestamp(us));
    const to = stamps.indexOf(last.timestamp) + 1;
    const lists = { Timestamp: [...stamps.slice(to - 1000, to), last.future], Price: [...prices.slice(to - 1000, to), 0] };
    expect((value(await call('forecast', lists))['opportunity'] as { probability: number }).probability).to.equal(last.probability);
  });

  it('replays a file as a live series, with its score', async () => {
    const replayed = value(await call('live', { file, horizons: ['10s', '30s'], every: '5s' }));
    const scores = replayed['scores'] as { id: string; forecasts: number; outcomes: number; conclusion: string }[];
    expect(scores.map(({ id, conclusion }) => [id, conclusion])).to.deep.equal([['10s', 'too_few'], ['30s', 'too_few']]); // prettier-ignore
    expect(replayed['ticks']).to.equal(Price.length - 1);
    for (const { forecasts, outcomes } of scores) expect(forecasts).to.be.above(5).and.at.least(outcomes);
    expect(replayed['last_forecasts']).to.have.length(10);
    const cases: [Record<string, unknown>, string][] = [
      [{ file, horizons: ['10s', '10s'] }, 'request.invalid'],
      [{ file, horizons: ['soon'] }, 'request.invalid'],
      [{ file, horizons: ['10s'], every: '1ms', ticks: 20_000 }, 'ok'],
      [{ file: path.join(folder, 'secret.pem'), horizons: ['10s'] }, 'command.invalid'],
    ];
    for (const [args, code] of cases) {
      const answer = await call('live', args);
      expect(answer.isError === true ? (value(answer) as Problem).code : 'ok', JSON.stringify(args)).to.equal(code);
    }
  });

  it('says what the track record needs, and reads it and the watched markets from a service', async () => {
    const without = await call('track_record');
    expect((value(without) as Problem).detail).to.include('--url');
    const service = await serveTickmark(path.join(folder, 'service'), { METRICS_PORT: '0', LOG_LEVEL: 'silent' });
    const account = JSON.stringify({ email: 'mcp@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' });
    const signed = await fetch(`${service.url}/signup`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: account });
    const { api_key: key } = (await signed.json()) as { api_key: string };
    const other = new Client({ name: 'test', version: '1.0.0' });
    try {
      const env = { ...environment, TICKMARK_KEY: key };
      await other.connect(new StdioClientTransport({ command: process.execPath, args: [...COMMAND, '--url', service.url], env }));
      const record = (await other.callTool({ name: 'track_record', arguments: { series: 'eurusd' } })) as Called;
      expect(value(record)).to.deep.include({ kept: true, conclusion: 'too_few', rows_in_all: 0 });
      const watched = (await other.callTool({ name: 'markets', arguments: {} })) as Called;
      expect(value(watched)).to.deep.equal({ markets: [] });
      const refused = (await other.callTool({ name: 'track_record', arguments: { from: 'yesterday' } })) as Called;
      expect((value(refused) as Problem).detail).to.include('from must be a day');
    } finally {
      await other.close();
      service.child.kill('SIGINT');
      await service.ended;
    }
  });
});
