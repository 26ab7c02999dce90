import { expect } from 'chai';
import { Command } from 'commander';
import { fieldsOf as fieldsOfClient, queryOf } from '../../clients/typescript/src/Forecast.ts';
import { ASK_OPTIONS, LIVE_OPTIONS } from '../../clients/typescript/src/options.ts';
import { type CallLanguage, writeCall } from '../../src/console/answer/writeCall.ts';
import { addForecastFlags, optionsOfFlags } from '../../src/cli/forecastFlags.ts';
import { liveInput } from '../../src/cli/mcp/liveTool.ts';
import { forecastInput } from '../../src/cli/mcp/toolInputs.ts';
import { compileBodyCheck } from '../../src/contract/compileBodyChecks.ts';
import { FORECAST_OPTIONS, type ForecastOptions, type OptionName, type OptionRow, type Place } from '../../src/contract/forecastOptions.ts';
import { FORECAST_ROUTES } from '../../src/contract/forecastRoutes.ts';
import { CLIENT_MESSAGES } from '../../src/contract/live.ts';
import { openApi } from '../../src/contract/openApi.ts';
import { readQuery } from '../../src/contract/query.ts';
import { fieldsOf, optionsOf } from '../../src/contract/readOptions.ts';
import { ROUTES } from '../../src/contract/routes.ts';
import type { FieldProblem, ServiceError } from '../../src/core/ServiceError.ts';
import { fakeForecaster, tickRequest } from '../support/fakeForecaster.ts';

type Fields = Readonly<Record<string, unknown>>;
type Bounds = { readonly type?: string } & { readonly [K in 'minimum' | 'exclusiveMinimum' | 'maximum' | 'exclusiveMaximum']?: number };

const ROWS = Object.entries(FORECAST_OPTIONS) as unknown as readonly (readonly [OptionName, OptionRow])[];
const TEXTS = ['nonsense', '', '0', '2', '1e13', '0.9,0.9', '-1', '10000.5', '0.5,abc', '0.51,0.52,0.53,0.54,0.55,0.56,0.57,0.58,0.59'];

/** Reads an option at a place of JSON, a command or a query. Throws what its place throws. */
const openPlan = compileBodyCheck(CLIENT_MESSAGES.open);
const ask = compileBodyCheck(CLIENT_MESSAGES.ask);
const OF_JSON: Readonly<Partial<Record<Place, (fields: Fields) => ForecastOptions>>> = {
  'live plan': (fields) => {
    const checked = openPlan({ type: 'open', series: 's', forecasts: [{ horizon: '60s', every: '5s', ...fields }] });
    return optionsOf(checked.forecasts[0], '/forecasts/0');
  },
  'live ask': (fields) => optionsOf(ask({ type: 'ask', series: 's', horizon: '60s', ...fields })),
  'forecast tool': (fields) => optionsOf(forecastInput.check({ file: 'a.csv', horizon: '60s', ...fields })),
  'live tool': (fields) => optionsOf(liveInput.check({ file: 'a.csv', horizons: ['60s'], ...fields })),
};

function typed(place: Place, flags: readonly string[]): ForecastOptions {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addForecastFlags(command, place).parse(flags, { from: 'user' });
  return optionsOfFlags(place, command.opts());
}

function problemOf(run: () => unknown): FieldProblem | undefined {
  try {
    run();
  } catch (error) {
    return (error as ServiceError).errors?.[0];
  }
  throw new Error('It was not refused.');
}

const query = (text: string): ForecastOptions => readQuery(text, FORECAST_ROUTES.tickForecast.query).options;

describe('the table of forecast options', () => {
  const parameters = (openApi('1.0.0') as { components: { parameters: Record<string, { schema: object; description: string }> } })
    .components.parameters;

  for (const [name, row] of ROWS) {
    const { key, form, example, where, needs, excludes, outOfRange = 'query.malformed' } = row;
    const text = String(example);
    const options = { [key]: form.parse(text) } as ForecastOptions;
    const rest = needs === undefined ? '' : `&${needs.name}=${needs.example}`;
    const { [key]: _, ...needed } = needs === undefined ? {} : (query(rest.slice(1)) as Fields);
    const flag = `--${name.replaceAll('_', '-')}`;
    // In a program, and on a command line: some flags need no word.
    const quote = typeof example === 'string' ? '[\'"]' : '';
    const literal = Array.isArray(example) ? `\\[${example.join(', ')}\\]` : text;
    /** As a pattern. */
    const written = (yes: string): string => (form.flag !== undefined ? yes : `${quote}${literal}${quote}`);
    const flags = form.placeholder === '' ? [flag] : [flag, text];
    const refused = TEXTS.flatMap((wrong) => {
      const refusal = form.refusalOf(wrong);
      return refusal === undefined ? [] : [{ wrong, refusal, code: refusal.isRange === true ? outOfRange : ('query.malformed' as const) }];
    });

    it(`${name}: a query gives what the engine gets, or the field, the rule and the value`, async () => {
      expect(query(`${name}=${text}${rest}`)).to.deep.equal({ ...needed, ...options });
      expect(refused.map(({ code }) => code)).to.include.members(['query.malformed', outOfRange]);
      for (const { wrong, refusal, code } of refused) {
        const problem = problemOf(() => query(`${name}=${wrong}${rest}`));
        expect(problem).to.include({ pointer: `?${name}`, code, detail: `${name} must ${refusal.rule}; ${refusal.found}.` });
      }
      expect(problemOf(() => query(`${name}=${text}&${name}=${text}${rest}`))).to.include({ pointer: `?${name}`, code: 'query.repeated' });
      expect(problemOf(() => readQuery(`${name}=${text}`, []))).to.include({ pointer: `?${name}`, code: 'query.unknown' });
      if (needs !== undefined)
        expect(problemOf(() => query(`${name}=${text}`))).to.include({ pointer: `?${name}`, code: 'query.malformed' });
      expect(parameters[name]).to.include({ schema: form.query }).and.to.have.property('description').that.includes(row.about.slice(1));
    });

    it(`${name}: the engine refuses what no schema has checked, and takes the bounds`, async () => {
      const { items, anyOf, ...own } = form.json as Bounds & { items?: Bounds; anyOf?: readonly Bounds[] };
      const { type, minimum, exclusiveMinimum = NaN, maximum, exclusiveMaximum = NaN } = items ?? anyOf?.[0] ?? own;
      if (type !== 'number') return;
      const given = (value: unknown) => ({ [key]: items === undefined ? value : [value] });
      for (const bound of [minimum, maximum])
        if (bound !== undefined) await fakeForecaster().forecaster.forecast(tickRequest(), given(bound));
      const outside = [
        NaN,
        Infinity,
        -1,
        minimum === undefined ? exclusiveMinimum : minimum - 1e-6,
        maximum === undefined ? exclusiveMaximum : maximum + 1e-6,
      ];
      for (const value of outside) {
        const error = await fakeForecaster()
          .forecaster.forecast(tickRequest(), given(value))
          .then(
            () => undefined,
            (thrown: ServiceError) => thrown.errors[0],
          );
        expect(error, `the engine is given ${value}`).to.include({ pointer: `?${name}`, code: outOfRange });
      }
    });

    it(`${name}: messages and tools give the same, where they have it`, () => {
      for (const [place, read] of Object.entries(OF_JSON) as [Place, (fields: Fields) => ForecastOptions][]) {
        const value = form.flag ?? example;
        if (where.includes(place)) {
          expect(read({ [name]: value }), place).to.deep.equal(options);
          expect(fieldsOf(place, options), place).to.deep.equal({ [name]: value });
          expect(problemOf(() => read({ [name]: {} }))?.pointer, place).to.match(new RegExp(`/${name}$`));
        } else if (name !== 'detail') expect(problemOf(() => read({ [name]: value }))?.code, place).to.equal('field.unknown');
        if (excludes !== undefined && where.includes(place)) {
          const both = { [name]: value, [excludes.name]: FORECAST_OPTIONS[excludes.name as OptionName].example };
          expect(
            problemOf(() => read(both)),
            place,
          ).to.include({ code: excludes.code });
        }
      }
    });

    it(`${name}: the client sends the same, and the console writes it into the call that it shows`, () => {
      const given = { ...needed, ...options };
      expect(query(`${queryOf(given).join('&')}${rest.startsWith('&series') ? rest : ''}`)).to.deep.equal(given);
      if (where.includes('live plan')) expect(optionsOf(fieldsOfClient(LIVE_OPTIONS, options))).to.deep.equal(options);
      if (where.includes('live ask')) expect(optionsOf(fieldsOfClient(ASK_OPTIONS, options))).to.deep.equal(options);
      // The page chooses these itself.
      if (key === 'range' || key === 'model' || key === 'detail') return;
      const body = { Timestamp: ['2024-01-02 09:32:00.001'], Price: [1] };
      const call = (language: CallLanguage): string => writeCall(language, { url: '', body, options, model: null, isShort: false });
      expect(call('curl')).to.include(queryOf(options)[0]);
      expect(call('typescript')).to.match(new RegExp(`, ${key}: ${written('true')}`));
      expect(call('python')).to.match(new RegExp(`, ${name}(_off)?=${written('True')}`));
    });

    it(`${name}: commands give the same, where they have it`, () => {
      for (const place of ['predict', 'replay', 'live'] as const) {
        if (!where.includes(place)) expect(() => typed(place, flags), place).to.throw(`unknown option '${flag}'`);
        else {
          expect(typed(place, flags), place).to.deep.equal(options);
          for (const { wrong, refusal } of flags.length === 1 ? [] : refused)
            expect(() => typed(place, [flag, wrong]), `${place} ${wrong}`).to.throw(`It must ${refusal.rule}, such as ${text}.`);
          if (excludes !== undefined) {
            const other = excludes.name as OptionName;
            const both = [flag, text, `--${other.replaceAll('_', '-')}`, String(FORECAST_OPTIONS[other].example)];
            expect(() => typed(place, both), place).to.throw(`${flag} and`);
          }
        }
      }
    });
  }

  it('refuses an option with one that it excludes in a query', () => {
    for (const [name, { excludes, example }] of ROWS) {
      if (excludes === undefined) continue;
      const text = `series=a&${name}=${String(example)}&${excludes.name}=${String(FORECAST_OPTIONS[excludes.name as OptionName].example)}`;
      expect(problemOf(() => query(text))).to.include({ pointer: `?${name}`, code: excludes.code });
    }
  });
});

describe('readQuery', () => {
  const { query: names } = FORECAST_ROUTES.tickForecast;

  it('reads the parameters of the request next to the options, and several thresholds with horizons', () => {
    expect(readQuery('', names)).to.deep.equal({ options: {} });
    expect(readQuery('detail=full&answer=last&timing=server&memory=off', names)).to.deep.equal({
      ...{ options: { detail: true }, answer: 'last', timing: true, memoryOff: true },
    });
    expect(readQuery('horizons=10s,1m&min_move_bps=1,cost&above=2', names)).to.deep.equal({
      horizons: [
        { text: '10s', ms: 10_000 },
        { text: '1m', ms: 60_000 },
      ],
      ...{ thresholds: [1, 'cost'], options: { above: 2 } },
    });
    expect(readQuery('horizon_bars=3', names)).to.deep.equal({
      ...{ horizons: [{ text: '3bars', bars: 3 }], thresholds: [undefined], options: {} },
    });
    expect(readQuery('series=a,b', names, true)).to.deep.equal({ seriesOfItems: ['a', 'b'], options: {} });
    expect(readQuery('series=a', names, true)).to.deep.equal({ series: 'a', options: {} });
  });

  for (const [text, detail] of [
    ['horizons=60s,1m', 'horizons must have different values; "1m" occurs twice.'],
    [
      'horizons=3bars',
      'horizons must be a list of durations up to a day, such as 10s,60s,5m (horizon_bars=3 counts in bars); it is "3bars".',
    ],
    ['horizons=10s&horizon_bars=3', 'horizon_bars and horizons each name the horizons; both are sent.'],
    ['horizons=10s&min_move_bps=0', 'min_move_bps must be above 0 and at most 10000; it is "0".'],
    ['horizons=10s&answer=last', 'answer must be left out with horizons, whose answer has no entries before the last; it is "last".'],
    ['horizon_bars=0', 'horizon_bars must be a list of whole numbers of bars, such as 3,12; it is "0".'],
    ['series=a,b', 'series must be 1 to 64 of A-Z, a-z, 0-9, . _ : and -; it is "a,b".'],
    ['answer=first', 'answer must be last; it is "first".'],
  ] as const)
    it(`refuses ${text}`, () => {
      expect(problemOf(() => readQuery(text, names))?.detail).to.equal(detail);
    });

  it('refuses days that end before they begin', () => {
    const problem = problemOf(() => readQuery('from=2026-01-02&to=2026-01-01', ROUTES.trackRecord.query));
    expect(problem?.detail).to.equal('to must be 2026-01-02 or later; it is "2026-01-01".');
  });
});
