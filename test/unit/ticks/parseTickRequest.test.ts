import { expect } from 'chai';
import { type FieldProblem, ServiceError } from '../../../src/core/ServiceError.ts';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { MAX_PROBLEMS } from '../../../src/ticks/entryProblems.ts';
import { parseTickRequest } from '../../../src/ticks/parseTickRequest.ts';

const START_US = Date.UTC(2024, 2, 1, 9, 30) * 1000;

/** A request of `entries` entries, the last one in the future: a tick every 100 ms, prices from 100 up. */
function request(entries: number): { Timestamp: string[]; Price: number[] } {
  return {
    Timestamp: Array.from({ length: entries }, (_, i) => formatTimestamp(START_US + i * 100_000)),
    Price: Array.from({ length: entries }, (_, i) => (i === entries - 1 ? 0 : 100 + i / 100)),
  };
}

function problemsOf(body: { Timestamp: readonly unknown[]; Price: readonly unknown[] }): readonly FieldProblem[] {
  try {
    parseTickRequest(body.Timestamp as string[], body.Price as number[]);
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    expect((error as ServiceError).code).to.equal('request.invalid');
    return (error as ServiceError).errors;
  }
  return [];
}

/** Asserts that the only problem of a request with one entry changed has this code and pointer, and shows the value. */
function onlyProblem(field: 'Timestamp' | 'Price', index: number, value: unknown, code: string, mention: string): void {
  const body: { Timestamp: unknown[]; Price: unknown[] } = request(300);
  body[field][index] = value;
  const problems = problemsOf(body);
  expect(problems.map((problem) => [problem.code, problem.pointer])).to.deep.equal([[code, `/${field}/${index}`]]);
  expect(problems[0]?.detail).to.include(`${field}[${index}]`).and.to.include(mention);
  expect(problems[0]?.hint).to.not.equal('');
}

describe('parseTickRequest', () => {
  it('separates the observed ticks from the future timestamp', () => {
    const { series, futureUs } = parseTickRequest(request(300).Timestamp, request(300).Price);
    expect(series.timesUs).to.have.length(299);
    expect(series.timesUs[298]).to.equal(START_US + 298 * 100_000);
    expect(series.prices[298]).to.equal(102.98);
    expect(futureUs).to.equal(START_US + 299 * 100_000);
  });

  describe('lengths', () => {
    const cases: [number, string | undefined][] = [
      [0, 'ticks.too_few'],
      [1, 'ticks.too_few'],
      [199, 'ticks.too_few'],
      [200, undefined],
      [3001, undefined],
      [3002, 'ticks.too_many'],
    ];
    for (const [entries, code] of cases) {
      it(`${entries} entries: ${code ?? 'accepted'}`, () => {
        const problems = problemsOf(request(entries));
        expect(problems.map((problem) => [problem.code, problem.pointer])).to.deep.equal(code === undefined ? [] : [[code, '/Timestamp']]);
        if (code !== undefined) expect(problems[0]?.detail).to.include(String(entries));
      });
    }

    it('refuses lists of different lengths at /Price, whichever is longer', () => {
      for (const prices of [299, 301, 0]) {
        const problems = problemsOf({ Timestamp: request(300).Timestamp, Price: request(prices).Price });
        expect(problems.map((problem) => [problem.code, problem.pointer])).to.deep.equal([['ticks.lengths_differ', '/Price']]);
        expect(problems[0]?.detail).to.include(String(prices)).and.to.include('300');
      }
    });

    it('refuses values that are not lists', () => {
      const body = request(300);
      expect(problemsOf({ ...body, Timestamp: 'x' as unknown as string[] })[0]).to.include({
        code: 'field.wrong_type',
        pointer: '/Timestamp',
      });
      expect(problemsOf({ ...body, Price: null as unknown as number[] })[0]).to.include({ code: 'field.wrong_type', pointer: '/Price' });
    });
  });

  describe('prices', () => {
    // A JSON parser reads 1e999 as Infinity.
    const refused: [unknown, string, string][] = [
      [JSON.parse('1e999'), 'price.not_finite', 'Infinity'],
      [-Infinity, 'price.not_finite', '-Infinity'],
      [NaN, 'price.not_finite', 'NaN'],
      [-1, 'price.not_positive', '-1'],
      [0, 'price.not_positive', '0'],
      [-0, 'price.not_positive', '0'],
      [1e12, 'price.too_large', '1000000000000'],
      ['1', 'field.wrong_type', '"1"'],
      [null, 'field.wrong_type', 'null'],
      [undefined, 'field.wrong_type', 'undefined'],
      [[1], 'field.wrong_type', '[1]'],
      [true, 'field.wrong_type', 'true'],
    ];
    for (const [value, code, mention] of refused) {
      it(`${Object.is(value, -0) ? '-0' : (JSON.stringify(value) ?? String(value))} (${mention}) is ${code}`, () => {
        for (const index of [0, 12, 298]) onlyProblem('Price', index, value, code, mention);
      });
    }

    it('accepts the smallest and the largest', () => {
      const body = request(300);
      body.Price[3] = Number.MIN_VALUE;
      body.Price[4] = 999_999_999_999.9;
      expect(problemsOf(body)).to.deep.equal([]);
    });

    it('requires exactly 0 as the last price', () => {
      for (const value of [1, -1, 1e-300, NaN, Infinity]) onlyProblem('Price', 299, value, 'price.future_not_zero', String(value));
      for (const value of ['0', null, false]) onlyProblem('Price', 299, value, 'field.wrong_type', JSON.stringify(value));
      const body = request(300);
      body.Price[299] = -0;
      expect(problemsOf(body)).to.deep.equal([]);
    });
  });

  describe('timestamps', () => {
    const refused: [unknown, string][] = [
      ['yesterday', 'timestamp.malformed'],
      ['2024-02-31 09:30:00', 'timestamp.not_a_time'],
      ['2016-12-31 23:59:60', 'timestamp.not_a_time'],
      ['0001-01-01 00:00:00', 'timestamp.out_of_range'],
      ['9999-12-31 23:59:59', 'timestamp.out_of_range'],
      ['2024-03-01 09:30:00+24:00', 'timestamp.offset_unsupported'],
      [1709285400000, 'field.wrong_type'],
      [null, 'field.wrong_type'],
      [undefined, 'field.wrong_type'],
      [{}, 'field.wrong_type'],
      // Converted to text, this value would be a valid timestamp.
      [['2099-03-01 09:30:00'], 'field.wrong_type'],
    ];
    for (const [value, code] of refused) {
      it(`${JSON.stringify(value) ?? 'undefined'} is ${code}`, () => {
        const mention = JSON.stringify(value) ?? 'undefined';
        for (const index of [0, 12, 298, 299]) onlyProblem('Timestamp', index, value, code, mention);
      });
    }

    it('accepts equal timestamps, even if all observed ones are equal', () => {
      const body = request(300);
      body.Timestamp.fill(body.Timestamp[0], 0, 299);
      expect(problemsOf(body)).to.deep.equal([]);
    });

    it('refuses a step back in time at its index, once, with both values', () => {
      const body = request(300);
      const early = formatTimestamp(START_US - 1_000_000);
      body.Timestamp[50] = early;
      const problems = problemsOf(body);
      expect(problems.map((problem) => [problem.code, problem.pointer])).to.deep.equal([['timestamp.step_back', '/Timestamp/50']]);
      expect(problems[0]?.detail).to.include(early).and.to.include(body.Timestamp[49]);
    });

    it('compares order at microseconds', () => {
      const body = request(300);
      body.Timestamp[0] = '2024-03-01 09:30:00.000002';
      body.Timestamp[1] = '2024-03-01 09:30:00.000001';
      expect(problemsOf(body)[0]).to.include({ code: 'timestamp.step_back', pointer: '/Timestamp/1' });
      body.Timestamp[0] = '2024-03-01 09:30:00.000001999';
      expect(problemsOf(body), 'digits beyond the microsecond do not count').to.deep.equal([]);
    });

    it('detects a step back in time across an invalid timestamp', () => {
      const body = request(300);
      body.Timestamp[10] = 'x';
      body.Timestamp[11] = formatTimestamp(START_US);
      expect(problemsOf(body).map((problem) => problem.pointer)).to.deep.equal(['/Timestamp/10', '/Timestamp/11']);
    });

    it('requires a future timestamp strictly later than the last observed tick', () => {
      const last = START_US + 298 * 100_000;
      for (const us of [last, last - 1, START_US]) {
        onlyProblem('Timestamp', 299, formatTimestamp(us, 6), 'timestamp.future_not_later', formatTimestamp(us, 6));
      }
      const body = request(300);
      body.Timestamp[299] = formatTimestamp(last + 1, 6);
      expect(problemsOf(body)).to.deep.equal([]);
    });
  });

  it('lists several problems and at most 20', () => {
    const body = request(300);
    body.Price.fill(-1);
    body.Timestamp.fill('x');
    const problems = problemsOf(body);
    expect(problems).to.have.length(MAX_PROBLEMS);
    expect(problems[0]?.pointer).to.equal('/Timestamp/0');
    expect(problems[1]?.pointer).to.equal('/Price/0');
  });

  it('shows no more than the start of a long value', () => {
    const body = request(300);
    body.Timestamp[7] = 'x'.repeat(100_000);
    expect(problemsOf(body)[0]?.detail.length).to.be.below(300);
  });
});
