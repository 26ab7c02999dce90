import { expect } from 'chai';
import { compileBodyChecks } from '../../../src/contract/compileBodyChecks.ts';
import { exampleTickRequest } from '../../../src/contract/tickForecast.ts';
import { type FieldProblem, ServiceError } from '../../../src/core/ServiceError.ts';
import { readTicks } from '../../../src/service/http/handlers/readTicks.ts';
import { formatTimestamp, parseTimestampUs } from '../../../src/ticks/timestamps.ts';
import type { TickRequest } from '../../../src/ticks/parseTickRequest.ts';

const checks = compileBodyChecks();
const FIRST_US = parseTimestampUs(exampleTickRequest().Timestamp[0]!);

type Closes = { Timestamp: unknown[]; Price: unknown[] };

/** One close a minute, the last one a second before the first tick. */
function closes(count: number, everyS = 60): Closes {
  const Timestamp = Array.from({ length: count }, (_, i) => formatTimestamp(FIRST_US - 1e6 - (count - 1 - i) * everyS * 1e6, 3));
  return { Timestamp, Price: Timestamp.map((_, i) => 100 + (i % 7) / 100) };
}

const read = (Closes: unknown): TickRequest => readTicks(Buffer.from(JSON.stringify({ ...exampleTickRequest(), Closes })), checks).ticks;

function problems(Closes: unknown): FieldProblem[] {
  try {
    read(Closes);
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    expect((error as ServiceError).code).to.equal('request.invalid');
    return [...(error as ServiceError).errors];
  }
  return [];
}

const changed = (change: (given: Closes) => void, count = 100): Closes => {
  const given = closes(count);
  change(given);
  return given;
};

describe('closes of a request', () => {
  it('are read as ticks, up to 1500 of them, and change nothing of the ticks', () => {
    const ticks = read(closes(1500));
    expect(ticks.closes?.timesUs).to.have.length(1500);
    expect(ticks.closes?.timesUs.at(-1)).to.equal(FIRST_US - 1e6);
    expect(ticks.closes?.prices[1]).to.equal(100.01);
    const { series, futureUs } = readTicks(Buffer.from(JSON.stringify(exampleTickRequest())), checks).ticks;
    expect({ series: ticks.series, futureUs: ticks.futureUs }).to.deep.equal({ series, futureUs });
  });

  const refusals: [string, unknown, string, string, string][] = [
    ['no close', { Timestamp: [], Price: [] }, 'closes.empty', '/Closes/Timestamp', 'Closes.Timestamp has no entries.'],
    ['a missing list', { Timestamp: closes(3).Timestamp }, 'field.missing', '/Closes/Price', 'Price is required'],
    ['a member that is unknown', { ...closes(3), Volume: [] }, 'field.unknown', '/Closes/Volume', '"Volume" is not a field'],
    ['a list in place of the object', [1, 2], 'field.wrong_type', '/Closes', 'Closes must be an object'],
    ['null', null, 'field.wrong_type', '/Closes', 'it is null'],
    [
      'a shorter list of prices',
      changed(({ Price }) => void Price.pop()),
      'ticks.lengths_differ',
      '/Closes/Price',
      'Closes.Price has 99 entries and Closes.Timestamp has 100',
    ],
    [
      'a price of 0',
      changed(({ Price }) => void (Price[7] = 0)),
      'price.not_positive',
      '/Closes/Price/7',
      'Closes.Price[7] is 0; a price must be above 0.',
    ],
    [
      'a price that is a text',
      changed(({ Price }) => void (Price[7] = '1')),
      'field.wrong_type',
      '/Closes/Price/7',
      'Closes.Price[7] must be a number; it is the string "1".',
    ],
    [
      'a day that does not exist',
      changed(({ Timestamp }) => void (Timestamp[7] = '2024-02-30 00:00:00.000')),
      'timestamp.not_a_time',
      '/Closes/Timestamp/7',
      'Closes.Timestamp[7] is "2024-02-30 00:00:00.000"',
    ],
    [
      'a step back',
      changed(({ Timestamp }) => void (Timestamp[7] = Timestamp[3])),
      'timestamp.step_back',
      '/Closes/Timestamp/7',
      'earlier than Closes.Timestamp[6]',
    ],
    [
      'a close at the time of the first tick',
      changed(({ Timestamp }) => void (Timestamp[99] = formatTimestamp(FIRST_US, 3))),
      'closes.not_before_ticks',
      '/Closes/Timestamp/99',
      'not earlier than the first tick',
    ],
    ['bars of 5 minutes', closes(60, 300), 'closes.not_one_minute', '/Closes/Timestamp', 'no two of them are less than 90 s apart'],
  ];
  for (const [name, given, code, pointer, text] of refusals)
    it(`are refused with pointer and value: ${name}`, () => {
      const found = problems(given);
      expect(found.map((problem) => [problem.code, problem.pointer])).to.deep.equal([[code, pointer]]);
      expect(found[0]?.detail).to.include(text);
      expect(found[0]?.hint).to.not.equal('');
    });

  it('are numbers where the ticks are, and texts where those are texts', () => {
    const { Timestamp, Price } = exampleTickRequest();
    const toMs = (stamps: readonly unknown[]): number[] => stamps.map((text) => parseTimestampUs(text as string) / 1000);
    const given = closes(70);
    const numbers = { Timestamp: toMs(Timestamp), Price, Closes: { ...given, Timestamp: toMs(given.Timestamp) } };
    expect(readTicks(Buffer.from(JSON.stringify(numbers)), checks).ticks).to.deep.equal(read(given));
    expect(problems({ ...given, Timestamp: toMs(given.Timestamp) })[0]?.detail).to.include('Closes.Timestamp[0] must be a string');
  });

  it('are refused above 1500', () => {
    const found = problems(closes(1501));
    expect(found.map(({ code, pointer }) => `${code} ${pointer}`)).to.have.members([
      'closes.too_many /Closes/Timestamp',
      'closes.too_many /Closes/Price',
    ]);
    expect(found.map(({ detail }) => detail)).to.include('Closes.Timestamp must have at most 1500 entries; it has 1501.');
  });

  it('that are faulty in thousands of entries get at most 20 problems', () => {
    expect(problems({ Timestamp: Array(1500).fill('x'), Price: Array(1500).fill(1) })).to.have.length(20);
    expect(problems({ Timestamp: Array(50_000).fill(1), Price: Array(50_000).fill('x') })).to.have.length(1);
  });
});
