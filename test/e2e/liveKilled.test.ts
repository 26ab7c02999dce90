import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { TickmarkClient } from '../../clients/typescript/src/index.ts';
import { type DueForecast, LiveSeries, OutcomeBudget } from '../../src/engine/live/LiveSeries.ts';
import { PYTHON, pythonClient } from '../support/pythonClient.ts';
import { request } from '../support/request.ts';
import { serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';
import { walkTicks } from '../support/walkTicks.ts';

const { timesUs, prices } = walkTicks({ seed: 9, count: 1500 });
const TICKS = Array.from(prices, (price, i) => ({ timeUs: timesUs[i], price }));
/** Ticks that are pushed before the service is killed. */
const BEFORE = 800;
const PLAN = { horizon: '10s', every: '5s' };

/** A bot that pushes the rest of its ticks when a line arrives on standard input, and prints each message. */
const PYTHON_BOT = `
import asyncio, json, sys
from tickmark import AsyncTickmark

async def main():
    url, key, series, path = sys.argv[1:]
    ticks = [(int(us), price) for us, price in json.load(open(path))]
    async with AsyncTickmark(url, key) as client:
        async with client.live(first_wait_s=0.05, longest_wait_s=0.2) as live:
            live.open(series, [{"horizon": "10s", "every": "5s"}], memory_off=True)
            live.push(series, ticks[:${BEFORE}])
            async def more():
                await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
                live.push(series, ticks[${BEFORE}:])
            rest = asyncio.create_task(more())
            async for message in live:
                print(json.dumps(message), flush=True)

asyncio.run(main())
`;
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** How many forecasts and outcomes a series of these ticks has: neither depends on what is forecast. */
function countAll(): { forecasts: number; outcomes: number } {
  let [forecasts, outcomes] = [0, 0];
  const summary = {
    model: 'm',
    probability: 0.5,
    baselineProbability: 0.5,
    decisionThreshold: 0.5,
    minMoveBps: 1,
    reasons: [],
    medianGapS: 1,
  };
  const due = (forecast: DueForecast): void => {
    forecasts++;
    series.answer(forecast, { mark: null, summary });
  };
  const sink = { due, outcome: () => void outcomes++, tally: () => {} };
  const plan = { id: '10s', horizonMs: 10_000, everyMs: 5000, options: {} };
  const series = new LiveSeries([plan], sink, new OutcomeBudget(4096));
  for (const { timeUs, price } of TICKS) series.push(timeUs, price);
  return { forecasts, outcomes };
}

type Message = { readonly type: string; readonly n?: number; readonly series?: string };
type Bot = { readonly read: Message[]; pushRest(): void; stop(): Promise<void> };

/** Row 80 of docs/explanation/reliability.md. */
describe('live series of a service that is killed', function () {
  this.timeout(180_000);
  let folder: string;
  let served: ServedProcess;
  let key: string;

  const start = (port: string): Promise<ServedProcess> =>
    serveTickmark(folder, { PORT: port, RUNTIME_BACKEND: 'wasm', INFERENCE_PROCESS: 'false', LOG_LEVEL: 'error' });

  before(async () => {
    folder = temporaryFolder();
    served = await start('0');
    const body = { email: 'bot@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
    key = String((await request(served.url, '/signup', { body })).json['api_key']);
  });
  after(() => {
    served?.child.kill('SIGKILL');
  });

  function typescriptBot(series: string): Bot {
    const live = new TickmarkClient({ baseUrl: served.url, apiKey: key }).live({ WebSocket, firstWaitMs: 50, longestWaitMs: 200 });
    const read: Message[] = [];
    const reading = (async () => {
      for await (const message of live) read.push(message);
    })();
    // A process that is killed forgets up to a minute of what the series said.
    live.open({ series, forecasts: [PLAN], memoryOff: true });
    live.push(series, TICKS.slice(0, BEFORE));
    return {
      read,
      pushRest: () => live.push(series, TICKS.slice(BEFORE)),
      stop: () => {
        live.close();
        return reading;
      },
    };
  }

  function pythonBot(series: string): Bot {
    const file = path.join(folder, 'ticks.json');
    writeFileSync(file, JSON.stringify(TICKS.map(({ timeUs, price }) => [timeUs, price])));
    const child = spawn(PYTHON, ['-c', PYTHON_BOT, served.url, key, series, file], {
      env: { ...process.env, PYTHONPATH: pythonClient(), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const read: Message[] = [];
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()!;
      for (const line of lines) read.push(JSON.parse(line) as Message);
    });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    return {
      read,
      pushRest: () => void child.stdin.write('\n'),
      stop: () => {
        child.kill('SIGKILL');
        return ended;
      },
    };
  }

  const of = ({ read }: Bot, type: string): Message[] => read.filter((message) => message.type === type);

  /** What a bot read: forecasts and outcomes by number. `disturb` runs when the first outcome has come. */
  async function trade(bot: Bot, disturb: () => Promise<void>): Promise<Message[][]> {
    await until(() => of(bot, 'outcome').length > 0);
    await disturb();
    bot.pushRest();
    // Ten seconds of ticks have no outcome yet.
    const { forecasts, outcomes } = countAll();
    await until(() => of(bot, 'forecast').length >= forecasts && of(bot, 'outcome').length >= outcomes);
    await bot.stop();
    const plain = ({ series: _series, ...message }: Message): Message => message;
    return ['forecast', 'outcome'].map((type) =>
      of(bot, type)
        .map(plain)
        .sort((a, b) => a.n! - b.n!),
    );
  }

  async function killAndStart(): Promise<void> {
    const { port } = new URL(served.url);
    served.child.kill('SIGKILL');
    await served.ended;
    served = await start(port);
  }

  for (const [language, makeBot, isMissing] of [
    ['TypeScript', typescriptBot, () => false],
    ['Python', pythonBot, () => spawnSync(PYTHON, ['-c', 'import httpx, websockets']).status !== 0],
  ] as const)
    it(`give a ${language} bot each forecast and outcome once, under the same number, and lose none (row 80)`, async function () {
      if (isMissing()) {
        process.stdout.write(`    skipped: ${PYTHON} has no httpx and websockets (pip install './clients/python[live]', or set PYTHON)\n`);
        return this.skip();
      }
      const calm = await trade(makeBot('calm'), async () => {});
      expect(Math.min(...calm.map(({ length }) => length))).to.be.above(70);
      const bot = makeBot('rough');
      const rough = await trade(bot, killAndStart);
      // Named one by one: the difference of two long lists says nothing.
      const line = (message: Message): string => JSON.stringify(message);
      rough.forEach((list, at) => {
        const expected = new Map(calm[at].map((message) => [message.n, line(message)]));
        for (const message of list) expect(line(message)).to.equal(expected.get(message.n));
      });
      expect(rough).to.deep.equal(calm);
      expect(of(bot, 'disconnected')).to.not.have.length(0);
      expect(of(bot, 'error').length).to.be.below(20);
    });
});
