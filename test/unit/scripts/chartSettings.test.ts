import { Ajv } from 'ajv';
import { expect } from 'chai';
import fc from 'fast-check';
import { rangePattern, settingSchema } from '../../../scripts/chartSettings.ts';
import { readSettings } from '../../../src/core/config/settings.ts';
import { SETTINGS } from '../../../src/core/config/settingTable.ts';
import type { SettingRow } from '../../../src/core/config/SettingRow.ts';

describe('rangePattern', () => {
  it('matches the numbers of its range, and no other', () => {
    const numbers = fc.tuple(fc.nat({ max: 99_999 }), fc.nat({ max: 99_999 }), fc.nat({ max: 200_000 }));
    fc.assert(
      fc.property(numbers, ([a, b, tried]) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        const pattern = new RegExp(`^(${rangePattern(min, max)})$`);
        for (const n of [tried, min, max, max + 1, Math.max(0, min - 1)])
          expect(pattern.test(String(n)), `${min}..${max}: ${n}`).to.equal(n >= min && n <= max);
      }),
      { numRuns: 2000 },
    );
  });

  it('knows the largest number, and refuses leading zeros, signs and fractions', () => {
    const all = new RegExp(`^(${rangePattern(0, Number.MAX_SAFE_INTEGER)})$`);
    for (const text of ['0', '10', '9007199254740991']) expect(all.test(text), text).to.equal(true);
    for (const text of ['', '00', '07', '-1', '1.5', '1e3', '9007199254740992', '10000000000000000'])
      expect(all.test(text), text).to.equal(false);
  });
});

describe('settingSchema', () => {
  const ajv = new Ajv({ allowUnionTypes: true });
  const rows = Object.entries(SETTINGS) as [string, SettingRow][];

  it('accepts the default of each setting, and what an example of its kind may be', () => {
    for (const [name, row] of rows) {
      const check = ajv.compile(settingSchema(row));
      expect(check(row.default), `${name}=${row.default}`).to.equal(true);
      if (row.kind === 'integer')
        for (const value of [row.min ?? 0, String(row.max ?? 7)]) expect(check(value), `${name}=${value}`).to.equal(true);
    }
  });

  /** Whether the service names this setting as wrong. Others may be wrong together with it. */
  const isRefused = (name: string, value: unknown): boolean => {
    try {
      readSettings({ [name]: String(value) });
      return false;
    } catch (error) {
      return (error as Error).message.includes(`${name} must `);
    }
  };

  it('refuses what the service refuses, of settings that are no text', () => {
    const values = [
      'maybe',
      'on',
      'TRUE',
      'yes',
      '-1',
      '1.5',
      '1e3',
      '99999999999999999999',
      'null',
      ' 1 2',
      true,
      false,
      0,
      1,
      1.5,
      -1,
      1e15,
    ];
    let refused = 0;
    for (const [name, row] of rows) {
      if (row.kind === 'text') continue;
      const check = ajv.compile(settingSchema(row));
      for (const value of values)
        if (isRefused(name, value)) {
          refused++;
          expect(check(value), `${name}=${JSON.stringify(value)}`).to.equal(false);
        }
    }
    expect(refused).to.be.above(500);
  });
});
