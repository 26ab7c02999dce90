import { expect } from 'chai';
import { importFile, refusalOf } from '../../../src/console/worker/importFile.ts';
import { TickRing } from '../../../src/console/worker/TickRing.ts';
import { readBps } from '../../../src/console/panels/CostFields.ts';
import { keepSettings, keptSettings, type KeptSettings } from '../../../src/console/panels/keptSettings.ts';
import { writeTimestamp } from '../../../src/ticks/timestamps.ts';
import { typicalMoveBps } from '../../../src/console/ticks/typicalMoveBps.ts';

const SETTINGS: KeptSettings = { count: '500', horizon: '90 s', isOwn: true, move: '2', spread: '1,5', fees: '0.5', least: '40' };

function memory(text?: string) {
  let kept: string | null = text ?? null;
  return { getItem: () => kept, setItem: (_: string, written: string) => void (kept = written) };
}

describe('kept settings', () => {
  it('come back as they were typed', () => {
    const store = memory();
    keepSettings(SETTINGS, () => store);
    expect(keptSettings(() => store)).to.deep.equal(SETTINGS);
  });

  it('are none where nothing, something else or rubbish was kept', () => {
    const texts = ['', 'null', '[]', '{', '7', '{"count":500}', JSON.stringify({ ...SETTINGS, move: 'x'.repeat(41) })];
    for (const text of [undefined, ...texts])
      expect(
        keptSettings(() => memory(text)),
        text,
      ).to.equal(null);
  });

  it('last for the page where storage is blocked', () => {
    const blocked = (): never => {
      throw new Error('SecurityError');
    };
    keepSettings(SETTINGS, blocked);
    expect(keptSettings(blocked)).to.equal(null);
  });
});

describe('the cost of a trade', () => {
  it('is read with a point or a comma, and empty is 0', () => {
    expect(['1.5', '0,25', ' 3 ', ''].map(readBps)).to.deep.equal([1.5, 0.25, 3, 0]);
    expect(['x', '-1', '1e3', '1.2.3', '123456'].map(readBps)).to.deep.equal([null, null, null, null, null]);
  });

  it('is compared with the mean move of a diffusion from the entry to the future time', () => {
    expect(typicalMoveBps(1, 101_000)).to.be.closeTo(10 * Math.sqrt(2 / Math.PI), 1e-12);
    expect(typicalMoveBps(1, 500)).to.equal(0);
  });
});

describe('the order of dates', () => {
  async function* bytes(text: string): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(text);
  }
  const read = (date: string, order: 'dmy' | 'mdy' | null) => {
    const ring = new TickRing(10);
    return importFile(bytes(`time,price\n${date} 09:00:00.000,100\n${date} 09:00:01.000,101\n`), 'dates.csv', ring, {
      ...{ zone: null, trained: null, barTime: null },
      way: order === null ? null : `--date-order ${order}`,
    }).then(() => writeTimestamp(ring.toSeries().timesUs[0]).slice(0, 10));
  };

  it('is asked for where the file does not tell it, with the orders that are possible', async () => {
    const error: unknown = await read('03/04/2024', null).catch((caught: unknown) => caught);
    const refusal = refusalOf(error);
    expect(refusal?.ways).to.deep.equal(['--date-order dmy', '--date-order mdy']);
    expect(refusal?.message)
      .to.include('no row shows which')
      .and.to.match(/Choose below how it is read\.$/);
    expect(await read('03/04/2024', 'mdy')).to.equal('2024-03-04');
    expect(await read('03/04/2024', 'dmy')).to.equal('2024-04-03');
  });

  it('is not asked for where the file cannot be read at all', async () => {
    const error: unknown = await read('33/44/2024', null).catch((caught: unknown) => caught);
    expect(refusalOf(error)?.ways).to.deep.equal([]);
    expect(refusalOf(new Error('other'))).to.equal(undefined);
  });
});
