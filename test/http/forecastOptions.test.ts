import { expect } from 'chai';
import { FORECAST_OPTIONS, type OptionRow } from '../../src/contract/forecastOptions.ts';
import { FORECAST_ROUTES } from '../../src/contract/forecastRoutes.ts';
import { readQuery } from '../../src/contract/query.ts';
import { fieldsOf } from '../../src/contract/readOptions.ts';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { GOOD_KEY } from '../support/fakeParts.ts';
import { OPEN, realParts, STAMPS, TICKS, ticksMessage, withServer } from '../support/liveSocket.ts';
import { request } from '../support/request.ts';
import { until } from '../support/until.ts';

describe('the options of a forecast', () => {
  it('go unchanged from every kind of request to the engine', async () => {
    const real = realParts();
    const asked: Readonly<Record<string, unknown>>[] = [];
    const parts: HttpParts = {
      ...real,
      forecast: (ticks, { model, ...call }) => {
        asked.push({ model, ...call });
        return real.forecast(ticks, call);
      },
    };
    await withServer(parts, {}, async ({ url }, connect) => {
      const headers = { 'Api-Key': GOOD_KEY };
      const observed = { Timestamp: STAMPS.slice(0, 300), Price: [...TICKS.prices.slice(0, 300)] };
      const body = { Timestamp: [...observed.Timestamp, formatTimestamp(TICKS.timesUs[299] + 10e6)], Price: [...observed.Price, 0] };
      for (const [name, row] of Object.entries<OptionRow>(FORECAST_OPTIONS)) {
        const { key, form, example, where, needs } = row;
        const needed = needs === undefined || needs.name === 'series' ? '' : `&${needs.name}=${needs.example}`;
        const query = `series=${name}&${name}=${String(example)}${needed}`;
        const reaches = (kind: string, count = 1): void => {
          const found = asked.splice(0);
          expect(found.length, `${name}: ${kind}`).to.be.at.least(count);
          for (const call of found) expect(call[key], `${name}: ${kind}`).to.deep.equal(form.parse(String(example)));
        };
        await request(url, `/auth/ti-tick?${query}`, { body, headers });
        reaches('a request');
        await request(url, `/auth/ti-tick/batch?${query}`, { body: { items: [body, body] }, headers });
        reaches('a batch', 2);
        await request(url, `/auth/ti-tick?horizons=10s,60s&${query}`, { body: observed, headers });
        reaches('several horizons', 2);
        const client = await connect();
        const fields = needed === '' ? {} : fieldsOf('live plan', readQuery(needed, FORECAST_ROUTES.tickForecast.query).options);
        if (where.includes('live plan')) {
          client.send({ ...OPEN, forecasts: [{ ...OPEN.forecasts[0], ...fields, [name]: example }] });
          client.send(ticksMessage(0, 400));
          await client.next('forecast');
          reaches('a live series');
        }
        if (where.includes('live ask')) {
          client.send({ type: 'score', series: 'a' });
          await client.next('score');
          asked.length = 0;
          client.send({ type: 'ask', series: 'a', horizon: '10s', ...fields, [name]: example });
          await until(() => client.of('forecast').some(({ id }) => id === 'ask'));
          reaches('an asked forecast');
        }
        client.socket.close();
      }
    });
  });
});
