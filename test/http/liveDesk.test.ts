import { expect } from 'chai';
import { silentLogger } from '../../src/core/Logger.ts';
import type { ServerMessage } from '../../src/contract/live.ts';
import { DeskConnection } from '../../src/engine/live/DeskConnection.ts';
import { SeriesMemories } from '../../src/service/live/SeriesMemories.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { fakeForecaster, MEMORY_LINE } from '../support/fakeForecaster.ts';
import { realParts, STAMPS, TICKS, withServer } from '../support/liveSocket.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { until } from '../support/until.ts';

const PRICES = [...TICKS.prices];
const quotes = (halfOf: (i: number) => number): object => ({
  ...{ Bid: PRICES.map((price, i) => price * (1 - halfOf(i))), Ask: PRICES.map((price, i) => price * (1 + halfOf(i))) },
});

type Case = { readonly forecast?: object; readonly prices?: object; readonly usesMemory?: boolean };
/** Where its adapter differs from that of the service: what a failed forecast is, and whose memory a series has. */
const CASES: Record<string, Case> = {
  'quotes without a spread at first, so that forecasts are skipped': {
    forecast: { min_move_bps: 'cost' },
    prices: quotes((i) => (i < 500 ? 0 : 1e-4)),
  },
  'prices alone, whose spread is asked for': { forecast: { min_move_bps: 'cost' } },
  'the memory of the series': { usesMemory: true },
};
const TYPES: readonly ServerMessage['type'][] = ['forecast', 'outcome', 'score', 'error', 'status'];

/** What both must say alike, in the order of the forecasts. */
function told(messages: readonly ServerMessage[]): readonly unknown[] {
  const lines = messages.flatMap((message) => {
    if (!TYPES.includes(message.type) || (message.type === 'status' && message.code !== 'skipped')) return [];
    const { requestId: _, ...kept } = message as { requestId?: string };
    return JSON.stringify(kept);
  });
  return lines.toSorted();
}

describe('a live connection without a service', () => {
  for (const [name, { forecast = {}, prices, usesMemory = false }] of Object.entries(CASES))
    it(`says what the service says: ${name}`, async () => {
      const options = usesMemory ? { memory: MEMORY_LINE } : {};
      const sent: object[] = [
        {
          type: 'open',
          series: 'a',
          forecasts: [
            { horizon: '10s', every: '5s', ...forecast },
            { horizon: '60s', every: '20s', ...forecast },
          ],
        },
      ];
      for (let at = 0; at < STAMPS.length; at += 250) {
        const columns = Object.entries(prices ?? { Price: PRICES }).map(([key, values]) => [key, (values as number[]).slice(at, at + 250)]);
        sent.push(
          { type: 'ticks', series: 'a', Timestamp: STAMPS.slice(at, at + 250), ...Object.fromEntries(columns) },
          { type: 'score', series: 'a' },
        );
      }
      sent.push({ type: 'close', series: 'a' });
      const scores = sent.filter((message) => ['score', 'close'].includes((message as { type: string }).type)).length;

      const memories = new SeriesMemories({ store: new MemoryStore(), clock: new FakeClock(), logger: silentLogger });
      const parts = realParts({ memories }, options);
      let ofService: readonly unknown[] = [];
      await withServer({ ...parts, models: { ...parts.models, usesMemory: () => usesMemory } }, {}, async (_server, connect) => {
        const client = await connect();
        for (const message of sent) client.send(message);
        await client.next('score', scores);
        ofService = told(client.messages);
      });

      const { forecaster } = fakeForecaster(options);
      const answers: ServerMessage[] = [];
      const desk = new DeskConnection({ usesMemory, compute: (request, wanted) => forecaster.forecast(request, wanted) }, (message) =>
        answers.push(message),
      );
      for (const message of sent) desk.receive(JSON.stringify(message));
      await until(() => answers.filter(({ type }) => type === 'score').length === scores);
      expect(ofService.length).to.be.above(scores);
      expect(told(answers)).to.deep.equal(ofService);
    });
});
