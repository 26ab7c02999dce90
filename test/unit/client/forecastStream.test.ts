import { expect } from 'chai';
import {
  CsvError,
  type Forecast,
  type ModelListAnswer,
  type TickRequestBody,
  type TickSource,
} from '../../../clients/typescript/src/index.ts';
import { forecastStream, type StreamedForecast, type StreamOptions } from '../../../clients/typescript/src/forecastStream.ts';
import { readTicks } from '../../../clients/typescript/src/readTicks.ts';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function asker(answer: (body: TickRequestBody, signal?: AbortSignal) => Promise<unknown> = () => Promise.resolve()) {
  const asked: TickRequestBody[] = [];
  const forecast = async (body: TickRequestBody, { signal }: { signal?: AbortSignal | undefined }): Promise<Forecast> => {
    asked.push(body);
    await answer(body, signal);
    return { timestamp: body.Timestamp.at(-1) } as Forecast;
  };
  const models = () =>
    Promise.resolve({
      default: 'one',
      models: [
        {
          id: 'one',
          window_ticks: [
            { up_to_s: 30, ticks: 300 },
            { up_to_s: null, ticks: 600, with_memory: 400 },
          ],
        },
        { id: 'old' },
      ],
    } as unknown as ModelListAnswer);
  return { asked, forecast, models };
}

const ticks = (count: number) => Array.from({ length: count }, (_, i) => ({ timeMs: 1_700_000_000_000 + i * 1000, price: i + 1 }));
const take = (
  source: TickSource,
  options: Partial<StreamOptions> = {},
  client = asker(),
): AsyncGenerator<StreamedForecast, void, undefined> => forecastStream(client, source, { window: 4, step: 2, horizonMs: 500, ...options });

describe('forecasts of a stream', () => {
  it('come for every window, in order, with its ticks and its horizon', async () => {
    const client = asker();
    const made = await all(take(ticks(9), {}, client));
    expect(client.asked.map((body) => body.Price)).to.deep.equal([
      [1, 2, 3, 4, 0],
      [3, 4, 5, 6, 0],
      [5, 6, 7, 8, 0],
    ]);
    expect(
      made.map(({ index, ticks_read, last_us, last_price, future_us }) => [index, ticks_read, last_price, future_us - last_us]),
    ).to.deep.equal([
      [0, 4, 4, 500_000],
      [1, 6, 6, 500_000],
      [2, 8, 8, 500_000],
    ]);
    expect(made[0]?.forecast.timestamp).to.equal('2023-11-14 22:13:23.500');
  });

  it('have the number of ticks that suits the horizon of their version where the caller names none', async () => {
    const lengths = async (count: number, options: Partial<StreamOptions>): Promise<number[]> => {
      const client = asker();
      await all(take(ticks(count), { window: undefined, step: undefined, ...options }, client));
      return client.asked.map(({ Price }) => Price.length - 1);
    };
    expect(await lengths(650, { horizonMs: 30_000 })).to.deep.equal([300, 300]);
    expect(await lengths(650, { horizonMs: 30_001 })).to.deep.equal([600]);
    expect(await lengths(650, { horizonMs: 30_001, series: 'a' })).to.deep.equal([400]);
    expect(await lengths(650, { horizonMs: 30_001, series: 'a', memoryOff: true })).to.deep.equal([600]);
    // Of an earlier release of the service.
    expect(await lengths(650, { horizonMs: 30_000, series: 'a' })).to.deep.equal([300, 300]);
    expect(await lengths(1100, { model: 'old' })).to.deep.equal([500, 500]);
    // Fewer ticks than suit are sent all, if there are enough for a forecast.
    expect(await lengths(299, { horizonMs: 1000 })).to.deep.equal([299]);
    expect(await lengths(198, { horizonMs: 1000 })).to.deep.equal([]);
  });

  it('leave gaps where the step is longer than the window', async () => {
    const client = asker();
    await all(take(ticks(12), { window: 2, step: 5 }, client));
    expect(client.asked.map((body) => body.Price)).to.deep.equal([
      [1, 2, 0],
      [6, 7, 0],
      [11, 12, 0],
    ]);
  });

  it('come in order even if a later one is ready first, and no more are in flight than asked', async () => {
    let [now, most] = [0, 0];
    const client = asker(async (body) => {
      most = Math.max(most, ++now);
      for (let turns = 10 * (40 - body.Price[0]); turns > 0; turns--) await Promise.resolve();
      now--;
    });
    const made = await all(take(ticks(40), { concurrency: 3 }, client));
    expect(made.map(({ index }) => index)).to.deep.equal([...made.keys()]);
    expect([made.length, most]).to.deep.equal([19, 3]);
  });

  it('do not wait for ticks to come: a slow source gets each forecast at once', async () => {
    let more = (): void => {};
    const source = async function* () {
      yield* ticks(4);
      await new Promise<void>((resolve) => (more = resolve));
      yield* ticks(2);
    };
    const stream = take(source());
    expect((await stream.next()).value).to.include({ index: 0 });
    more();
    expect((await stream.next()).value).to.include({ index: 1 });
    expect((await stream.next()).done).to.equal(true);
  });

  it('end with what the source or a forecast threw', async () => {
    const source = async function* () {
      yield* ticks(4);
      throw new Error('the feed broke');
    };
    const stream = take(source());
    expect((await stream.next()).value).to.include({ index: 0 });
    expect(await stream.next().catch((error: Error) => error.message)).to.equal('the feed broke');
    const failing = asker(() => Promise.reject(new Error('refused')));
    expect(await all(take(ticks(9), {}, failing)).catch((error: Error) => error.message)).to.equal('refused');
  });

  it('abort the requests in flight when the loop is left, and end at the signal while the source is silent', async () => {
    const signals: AbortSignal[] = [];
    const client = asker((body, signal) => {
      signals.push(signal!);
      return body.Price[0] === 1 ? new Promise(setImmediate) : new Promise(() => {});
    });
    for await (const made of take(ticks(20), {}, client)) {
      expect(made.index).to.equal(0);
      break;
    }
    expect(signals.map(({ aborted }) => aborted))
      .to.deep.equal(signals.map(() => true))
      .and.have.length.above(1);
    const aborter = new AbortController();
    const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<string>>(() => {}) }) };
    const next = take(silent, { signal: aborter.signal }).next();
    aborter.abort(new Error('enough'));
    expect(
      await next.then(
        () => '',
        (error: Error) => error.message,
      ),
    ).to.equal('enough');
  });

  it('refuse options that make no sense', async () => {
    for (const options of [{ window: 0 }, { step: 1.5 }, { concurrency: 0 }, { horizonMs: 0 }, { horizonMs: NaN }]) {
      expect(await all(take([], options)).catch((error: unknown) => error), JSON.stringify(options)).to.be.instanceOf(RangeError);
    }
  });
});

describe('the CSV of the client', () => {
  const read = async (...chunks: (string | Uint8Array)[]) => (await all(readTicks(chunks))).flat();

  it('is the same wherever its chunks are cut, as text and as bytes', async () => {
    const text = '\uFEFFtimestamp,price\r\n2024-01-02 09:32:00.478,1.25\r\n\r\n2024-01-02T09:32:01Z,1.5';
    const wanted = [
      { timeUs: 1_704_187_920_478_000, price: 1.25 },
      { timeUs: 1_704_187_921_000_000, price: 1.5 },
    ];
    const bytes = new TextEncoder().encode(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await read(bytes.subarray(0, cut), bytes.subarray(cut)), String(cut)).to.deep.equal(wanted);
      expect(await read(text.slice(0, cut), text.slice(cut))).to.deep.equal(wanted);
    }
  });

  it('may have no header, other dividers, a decimal comma, bid and ask, and integers for times', async () => {
    const second = [{ timeUs: 1_704_187_921_000_000, price: 1.5 }];
    expect(await read('1704187921,1.5\n')).to.deep.equal(second);
    expect(await read('1704187921000;1,5\n')).to.deep.equal(second);
    expect(await read('1704187921000000\t1.5\n')).to.deep.equal(second);
    expect(await read('1704187921000000000,1.5')).to.deep.equal(second);
    expect(await read('Symbol,"Bid","Ask","Time"\nX,1.25,1.75,"2024-01-02 09:32:01"')).to.deep.equal([
      { timeUs: 1_704_187_921_000_000, bid: 1.25, ask: 1.75 },
    ]);
  });

  it('says line and reason where it cannot be read', async () => {
    const fault = async (text: string): Promise<string> =>
      read(text).then(
        () => '',
        (error: unknown) => (error instanceof CsvError ? error.message : String(error)),
      );
    expect(await fault('a\n')).to.match(/^line 1: neither comma/);
    expect(await fault('time,volume\n')).to.match(/^line 1: the header names no price/);
    expect(await fault('time,price\n2024-01-02 09:32:01,x\n')).to.equal('line 2: "x" is no price');
    expect(await fault('time,price\n2024-01-02 09:32:01,\n')).to.equal('line 2: "" is no price');
    expect(await fault('time,price\n02.01.2024 09:32:01,1\n')).to.match(/^line 2: .* is no time/);
  });
});
