import * as path from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { createMcpServer } from '../../src/cli/mcp/createMcpServer.ts';
import { MEMORY_REASONS, type MemoryReason } from '../../src/contract/reasons.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { silentLogger } from '../../src/core/Logger.ts';
import type { Forecaster } from '../../src/engine/forecast/Forecaster.ts';
import { usesMemory } from '../../src/engine/forecast/memoryAt.ts';
import { DeskConnection } from '../../src/engine/live/DeskConnection.ts';
import { openLocalForecaster } from '../../src/service/app/openLocalForecaster.ts';
import { SeriesMemories } from '../../src/service/live/SeriesMemories.ts';
import { cliRun } from '../support/cliRun.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { MEMORY_LINE } from '../support/fakeForecaster.ts';
import { GOOD_KEY } from '../support/fakeParts.ts';
import { type LiveSocket, OPEN, realParts, STAMPS, TICKS, ticksMessage, withServer } from '../support/liveSocket.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { request } from '../support/request.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { until } from '../support/until.ts';
import { writeTicks } from '../support/writeTicks.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** What a reader of an answer sees of a memory that was not used: the field, or words. */
const SAID = /"memory_unused": ?"(\w+)"|memory not used \((\w+)\)|Memory of the series not used: ([^.\n]*\.)/g;
const said = (text: string): string[] => [...new Set(Array.from(text.matchAll(SAID), ([, field, code, words]) => field ?? code ?? words))];

const observed = (count: number) => ({ Timestamp: STAMPS.slice(0, count), Price: [...TICKS.prices.slice(0, count)] });
const body = { Timestamp: STAMPS.slice(0, 301), Price: [...TICKS.prices.slice(0, 300), 0] };
const lists = observed(300);

/** Paths, bodies, and the number of answers of the forms over HTTP; each of the answers says why. */
const REQUESTS: readonly (readonly [string, object, number])[] = [
  ['/auth/ti-tick?series=s0', body, 1],
  ['/auth/ti-tick?series=s1&range=0.9', body, 1],
  ['/auth/ti-tick?series=s2&detail=full', body, 1],
  ['/auth/ti-tick?series=s3&answer=last', body, 1],
  ['/auth/ti-tick?series=s4&answer=summary', body, 1],
  ['/auth/ti-tick?series=s5&horizons=10s,60s', lists, 2],
  ['/auth/ti-tick/batch?series=s6', { items: [body, body] }, 2],
  ['/auth/ti-tick/batch?series=s7,t7&horizons=10s', { items: [lists, lists] }, 2],
];
const SERIES = ['a', 's0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 't7'];

describe('a memory of a series that was not used', function () {
  this.timeout(20_000);

  /** `use`: with a service whose memories fail for this reason; undefined: they do not. */
  async function serve(
    reason: MemoryReason | undefined,
    use: (ask: (path: string, sent: object) => Promise<string>, connect: () => Promise<LiveSocket>) => Promise<void>,
  ): Promise<void> {
    const store = new MemoryStore();
    if (reason === 'store_unavailable') store.failure = new Error('no answer');
    if (reason === 'too_many_series') store.writeMemory = () => Promise.resolve('full');
    const clock = new FakeClock();
    const parts = realParts({ memories: new SeriesMemories({ store, clock, logger: silentLogger }) }, { memory: MEMORY_LINE });
    const models = { ...parts.models, usesMemory: () => reason !== 'version_without_memory' };
    await withServer({ ...parts, models }, {}, async ({ url }, connect) => {
      const ask = async (route: string, sent: object): Promise<string> => {
        const headers = { 'Content-Type': 'application/json', 'Api-Key': GOOD_KEY };
        const { status, text } = await request(url, route, { headers, body: sent });
        expect(status, text).to.equal(200);
        return text;
      };
      // The first write of a series finds out that there is no room.
      if (reason === 'too_many_series') for (const series of SERIES) await ask(`/auth/ti-tick?series=${series}`, body);
      await use(ask, connect);
    });
  }

  for (const reason of ['store_unavailable', 'version_without_memory', 'too_many_series', undefined] as const)
    it(`${reason === undefined ? 'is not told where it was used' : `is told: ${reason}`}, by every route`, () =>
      serve(reason, async (ask) => {
        for (const [route, sent, answers] of REQUESTS) {
          const text = await ask(route, sent);
          expect(said(text), route).to.deep.equal(reason === undefined ? [] : [reason]);
          // The explanation has it too.
          const places = (route.includes('detail') ? 2 : 1) * answers;
          expect(text.split('memory_unused'), route).to.have.length(1 + (reason === undefined ? 0 : places));
        }
      }));

  for (const [reason, memory] of [
    ['store_unavailable', undefined],
    ['version_without_memory', undefined],
    [undefined, undefined],
    [undefined, 'off'],
  ] as const)
    it(`is told by live messages, and an answer to ask: ${reason ?? 'nothing'}, memory ${memory ?? 'on'}`, () =>
      serve(reason, async (_ask, connect) => {
        const client = await connect();
        client.send({ ...OPEN, ...(memory === undefined ? {} : { memory }) });
        client.send(ticksMessage(0, 400));
        await until(() => client.of('forecast').length > 2);
        client.send({ type: 'ask', series: 'a', horizon: '60s' });
        await until(() => client.of('forecast').some(({ id }) => id === 'ask'));
        expect(new Set(client.of('forecast').map(({ memory_unused: why }) => why))).to.deep.equal(new Set([reason]));
      }));

  describe('without a service', () => {
    const folder = temporaryFolder();
    const models = path.join(folder, 'models');
    const file = path.join(folder, 'walk.csv');
    const without = MEMORY_REASONS.version_without_memory;
    before(async () => {
      await saveSmallModel(models, 'without');
      await saveSmallModel(models, 'with', {}, 7, {}, undefined, MEMORY_LINE);
      writeTicks(file, TICKS);
    });

    const settingsOf = (model: string) => ({ DATA_DIR: folder, MODELS_DIR: models, MODEL: model, RUNTIME_BACKEND: 'wasm' });
    const command =
      (...argv: string[]) =>
      async (model: string) => {
        const { code, out, err } = await cliRun(settingsOf(model), ...argv, '--horizon', '10s');
        expect(code, err).to.equal(0);
        return out;
      };
    const tool = (name: string, args: object) => async (model: string) => {
      const opened = await openLocalForecaster(readSettings(settingsOf(model)));
      const server = createMcpServer({ version: '0', open: () => Promise.resolve(opened) });
      const client = new Client({ name: 'test', version: '0' });
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      try {
        await Promise.all([server.connect(theirs as never), client.connect(ours)]);
        return JSON.stringify((await client.callTool({ name, arguments: { file, ...args } })).structuredContent);
      } finally {
        await client.close();
        await opened.close();
      }
    };

    const FORMS: readonly (readonly [string, (model: string) => Promise<string>, string])[] = [
      ['predict', command('predict', file), without],
      ['replay', command('replay', file), without],
      ['live --json', command('live', file, '--json'), 'version_without_memory'],
      ['the tool forecast', tool('forecast', { horizon: '10s' }), 'version_without_memory'],
      ['the tool live', tool('live', { horizons: ['10s'] }), 'version_without_memory'],
      [
        'a stream in the page',
        async (model) => {
          const texts: string[] = [];
          const opened = await openLocalForecaster(readSettings(settingsOf(model)));
          const desk = {
            usesMemory: usesMemory(opened.models.find(model)!),
            compute: (...asked: Parameters<Forecaster['forecast']>) => opened.forecaster.forecast(...asked),
          };
          const stream = new DeskConnection(desk, (message) => void texts.push(JSON.stringify(message)));
          for (const message of [OPEN, ticksMessage(0, 400), { type: 'close', series: 'a' }]) stream.receive(JSON.stringify(message));
          await until(() => texts.some((text) => text.includes('"type":"score"')));
          await opened.close();
          return texts.join('\n');
        },
        'version_without_memory',
      ],
    ];
    for (const [name, answer, expected] of FORMS)
      it(`is told by ${name}`, async () => {
        expect(said(await answer('without')), 'without').to.deep.equal([expected]);
        expect(said(await answer('with')), 'with').to.deep.equal([]);
      });
  });
});
