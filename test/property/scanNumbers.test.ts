import { expect } from 'chai';
import { seededRandom, type Random } from '../../src/core/Random.ts';
import { scanNumbers } from '../../src/ticks/scanNumbers.ts';

const LISTS = 250;
const NUMBERS = 1000;

/** A number as JavaScript, Python or a person writes it, also near the middle of two doubles. */
function numberText(random: Random): string {
  const pick = (count: number): number => Math.floor(random.uniform() * count);
  const digits = (count: number): string => Array.from({ length: count }, () => pick(10)).join('');
  const value = random.uniform() * 10 ** (pick(18) - 6);
  switch (pick(8)) {
    case 0:
      return String(value);
    case 1:
      return value.toExponential(pick(2) === 0 ? undefined : pick(18));
    case 2:
      return value.toFixed(pick(15));
    case 3:
      // The middle of two doubles, or near it: more digits than the doubles have.
      return (BigInt(2 ** 53) + BigInt(pick(2 ** 30)) * 2n + 1n).toString();
    case 4:
      return `${pick(100)}.${'0'.repeat(pick(6))}${digits(1 + pick(24))}`;
    case 5:
      return `${1 + pick(9)}${digits(pick(18))}${['', '.5', `.${digits(3)}`][pick(3)]}${['e', 'E'][pick(2)]}${['', '+', '-', '-0'][pick(4)]}${pick(30)}`;
    case 6:
      return `0.${'0'.repeat(pick(25))}${digits(1 + pick(18))}`;
    default:
      // The mid of two prices.
      return String((value + value * (1 + 1e-9 * pick(9))) / 2);
  }
}

describe('scanNumbers', () => {
  it(`reads each of ${LISTS * NUMBERS} numbers as JSON.parse does, bit for bit`, () => {
    const random = seededRandom(7);
    const values = new Float64Array(NUMBERS);
    let long = 0;
    for (let i = 0; i < LISTS; i++) {
      const texts = Array.from({ length: NUMBERS }, () => numberText(random));
      const text = `[${texts.join([',', ', ', ' ,\n'][i % 3])}]`;
      const wanted = JSON.parse(text) as number[];
      expect(scanNumbers(Buffer.from(`${text} `), 1, values)).to.deep.equal({ at: text.length, count: NUMBERS });
      const wrong = wanted.findIndex((value, at) => !Object.is(value, values[at]));
      if (wrong >= 0) expect.fail(`${texts[wrong]} is read as ${values[wrong]}`);
      long += texts.filter((one) => one.replace(/e.*/i, '').replace(/^0\.0*|\./g, '').length > 15).length;
    }
    expect(long).to.be.above((LISTS * NUMBERS) / 4);
  });

  for (const text of ['', '-1', '1.', '.5', '01', '1e', '1e+', '1,', '1 2', 'null', '"1"', '[1]', '+1', '1x', 'NaN', '0x1', '1.5.5', '1e5.5', '1ee5', '\u00a01'])
    it(`leaves [${text}] to the general path`, () => expect(scanNumbers(Buffer.from(`${text}]`), 0, new Float64Array(9)).at).to.equal(-1)); // prettier-ignore

  it('leaves a list that is longer than its values, and one that does not end', () => {
    expect(scanNumbers(Buffer.from('1,2,3]'), 0, new Float64Array(2)).at).to.equal(-1);
    expect(scanNumbers(Buffer.from('1,2]'), 0, new Float64Array(2))).to.deep.equal({ at: 4, count: 2 });
    expect(scanNumbers(Buffer.from('1,2'), 0, new Float64Array(9)).at).to.equal(-1);
  });
});
