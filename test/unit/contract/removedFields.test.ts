import { expect } from 'chai';
import { compileBodyChecks } from '../../../src/contract/compileBodyChecks.ts';
import { exampleTickRequest } from '../../../src/contract/tickForecast.ts';
import type { ServiceError } from '../../../src/core/ServiceError.ts';

describe('a field of an earlier release', () => {
  const { tickRequest, observedTicks, live } = compileBodyChecks();
  const { Timestamp, Price } = exampleTickRequest();
  const epochs = Timestamp.map((_, i) => 1_704_187_800_000 + i);
  const Closes = { Timestamp: ['2024-01-02 09:29:00'], Price: [1] };
  const open = { type: 'open', series: 'a', forecasts: [{ horizon: '10s', every: '5s' }] };
  const cases: [string, (body: unknown) => unknown, object, string][] = [
    ...[Timestamp, epochs].flatMap((stamps): [string, (body: unknown) => unknown, object, string][] =>
      [{ Price }, { Bid: Price, Ask: Price }, { Close: Price }].flatMap(
        (prices): [string, (body: unknown) => unknown, object, string][] => [
          ['a body', tickRequest, { Timestamp: stamps, ...prices, Closes }, 'Closes'],
          ['a body of observed ticks', observedTicks, { Timestamp: stamps, ...prices, Closes }, 'Closes'],
        ],
      ),
    ),
    ['open', live.open, { ...open, closes: Closes }, 'closes'],
  ];
  for (const [what, check, body, field] of cases)
    it(`is refused in ${what} of ${Object.keys(body).join(', ')}, with what takes its place`, () => {
      const { [field]: _, ...rest } = body as Record<string, unknown>;
      expect(check(rest)).to.equal(rest);
      try {
        check(body);
        expect.fail('not refused');
      } catch (error) {
        const [problem] = (error as ServiceError).errors;
        expect([problem!.pointer, problem!.code]).to.deep.equal([`/${field}`, 'field.unknown']);
        expect(problem!.detail).to.match(new RegExp(`^"${field}" is not a field of this request any more: the memory of (a|the) series`));
      }
    });
});
