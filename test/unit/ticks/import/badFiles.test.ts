import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import type { ImportOptions } from '../../../../src/ticks/import/ImportReport.ts';
import { importTicks } from '../../../../src/ticks/import/importTicks.ts';
import { importBytes } from '../../../support/importBytes.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';

const stamp = (i: number): string => new Date(Date.UTC(2024, 0, 2, 9) + i * 1234).toISOString().slice(0, 23);
const rows = (count: number, row: (i: number) => string): string => Array.from({ length: count }, (_, i) => `${row(i)}\n`).join('');
const TICKS = `time,price\n${rows(300, (i) => `${stamp(i)},1.1${i}`)}`;

async function refusal(content: Uint8Array | string, options: Partial<ImportOptions> = {}): Promise<string> {
  const error = await importBytes(content, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(ServiceError);
  const { message, remedy } = error as ServiceError;
  return `${message} ${remedy}`;
}

const parquetOf = (columns: Readonly<Record<string, readonly string[]>>): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({ columnData: Object.entries(columns).map(([name, data]) => ({ name, data: [...data], type: 'STRING' as const })) }),
  );
const columnsOf = (count: number, make: (i: number) => Readonly<Record<string, string>>): Record<string, string[]> => {
  const made = Array.from({ length: count }, (_, i) => make(i));
  return Object.fromEntries(Object.keys(made[0]).map((name) => [name, made.map((row) => row[name])]));
};
/** Dates that may be of either order, rows without a stamp, and rows of other days in between. */
const DOUBTS: readonly [string, (i: number) => Readonly<Record<string, string>>, number, string][] = [
  ['a date of either order', (i) => ({ time: `03/04/2024 09:30:${10 + (i % 50)}`, price: `1.1${i}` }), 1, 'the date "03/04/2024 09:30:10"'],
  ['no stamp', (i) => ({ label: `x${i}`, price: `1.1${i}` }), 1, 'no column has date and time'],
  [
    'rows of other days',
    (i) => ({ time: `2024-01-${i % 2 === 0 ? '20' : '10'}T09:30:${10 + (i % 50)}.000`, price: `1.1${i}` }),
    2,
    'the stamp is 10 days earlier',
  ],
];

describe('importTicks on files that are not what they should be', () => {
  it('counts the first row of JSON as a row where another has another form of stamp', async () => {
    const made = Array.from({ length: 40 }, (_, i) => ({ time: i === 30 ? '02.01.2024 09:10:00' : stamp(i), price: 1.1 + i / 100 }));
    expect(await refusal(JSON.stringify(made))).to.match(/, row 31: the stamp "02.01.2024 09:10:00" has another form than that of row 1\./);
  });
  for (const [what, make, row, found] of DOUBTS) {
    const made = Array.from({ length: 40 }, (_, i) => make(i));
    const head = Object.keys(made[0]).join(',');
    for (const [format, content, place] of [
      ['a text', `${head}\n${made.map((each) => `${Object.values(each).join(',')}\n`).join('')}`, `line ${row + 1}`],
      ['JSON', JSON.stringify(made), `row ${row}`],
      ['Parquet', parquetOf(columnsOf(40, make)), `row ${row}`],
    ] as const)
      it(`counts the rows of ${format} as people do, with ${what}`, async () => {
        expect(await refusal(content)).to.match(new RegExp(`^[^,:]+, ${place}: .*${found.replaceAll(/[/"]/g, (sign) => `\\${sign}`)}`));
      });
  }

  const cases: readonly [string, Uint8Array | string, string][] = [
    ['an empty file', '', 'the file is empty'],
    ['blanks alone', ' \n \n', 'contains only blanks'],
    ['a header alone', 'timestamp,price\n', 'there is a header but no row after it'],
    ['binary garbage', Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3)) & 255), 'binary data of an unknown kind'],
    ['a web page', '<!DOCTYPE html><html>404</html>', 'it is a web page'],
    ['prose', 'hello\nthis is a letter\n', 'no columns were found'],
    ['a .bi5 file', new Uint8Array([0x5d, 0, 0, 0x20, 0, 1, 2, 3]), 'the .bi5 files of Dukascopy'],
    ['xz', new Uint8Array([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 1, 2]), 'packed with xz'],
    ['an Excel workbook', zipSync({ '[Content_Types].xml': new Uint8Array(5), 'xl/workbook.xml': new Uint8Array(5) }), 'Excel workbook'],
    ['a zip without data', zipSync({ 'readme.md': new Uint8Array(5) }), 'holds no data file'],
    ['a gzip that is cut off', new Uint8Array(gzipSync(TICKS)).slice(0, 400), 'the gzip data end too early: the file is cut off'],
    ['no stamp', `price,volume\n${rows(9, (i) => `1.${i},5`)}`, 'no column has date and time'],
    ['no price', `time,colour\n${rows(9, (i) => `${stamp(i)},red`)}`, 'no column is named as a price'],
    ['a price in words', TICKS.replace('1.1100\n', 'abc\n'), 'line 102: the price "abc" is not a number'],
    ['a price in hexadecimal', TICKS.replace('1.1100\n', '0x10\n'), 'line 102: the price "0x10" is not a number'],
    ['a price too large', TICKS.replace('1.1100\n', '1e12\n'), 'line 102: the price 1000000000000 is not below 1000000000000'],
    ['an infinite price', TICKS.replace('1.1100\n', '1e999\n'), 'line 102: the price Infinity is not below 1000000000000'],
    ['a header that is a key of every object', `constructor\n${rows(9, () => '1')}`, 'no columns were found'],
    ['a step back', TICKS.replace(stamp(100), stamp(50)), 'line 102: the stamp is 60.466 s earlier than that of line 101'],
    [
      'another unit',
      `ts,price\n${rows(300, (i) => `${1704186000 + i}${i > 200 ? '000' : ''},1.1`)}`,
      'line 203: the stamp "1704186201000" has another unit than the rows before',
    ],
    [
      'another form',
      TICKS.replace(stamp(200), '02.01.2024 09:10:00'),
      'line 202: the stamp "02.01.2024 09:10:00" has another form than that of line 2',
    ],
    ['no such day', TICKS.replace(stamp(250), '2024-02-30T09:10:00'), 'is not in the calendar'],
    ['a zone in some rows', TICKS.replaceAll(/(:4\d\.\d{3}),/g, '$1Z,'), 'carries a zone and the rows before carry none'],
    [
      'a row of another width',
      TICKS.replace('1.1200\n', '1.1200,5\n'),
      'line 202: there are 3 fields between "," where the rows before have 2',
    ],
    ['a row of more fields than are counted', TICKS.replace('1.1200\n', `1.1200${',5'.repeat(600)}\n`), 'there are 512 fields'],
    ['NUL bytes further down', TICKS.replace('1.1299', '\0\0\0'), 'line 301: it holds a NUL byte'],
    [
      'day and month that cannot be told apart',
      `time,price\n${rows(9, (i) => `03/04/2024 09:00:0${i},1.1`)}`,
      '--date-order dmy or --date-order mdy',
    ],
    ['an array that is cut off', '[{"time":1704186000000,"price":1.5},{"time":17041', 'the array is not closed'],
    ['broken JSON with NaN in a text', '[{"note":"x: NaN, y","price":}]', 'is not a JSON object or array'],
    ['one bar', 'time,open,high,low,close\n2024-01-02 09:00,1,2,0.5,1.5\n', 'one bar is not enough to detect their length'],
    ['prices of 0 only', `time,price\n${rows(9, (i) => `${stamp(i)},0`)}`, 'none of its 9 rows holds a tick'],
  ];
  for (const [name, content, wanted] of cases)
    it(`says what is wrong with ${name}, and what to do`, async () => {
      const message = await refusal(content);
      expect(message).to.include(wanted);
      expect(message).to.match(/^test-file.*: .+\. [A-Z].*\.$/s);
    });

  it('tells a corrupt byte in a zip by its checksum', async () => {
    const packed = zipSync({ 'ticks.csv': new TextEncoder().encode(TICKS) }, { level: 0 });
    const at = packed.length / 2;
    packed[Math.floor(at)] ^= 1;
    expect(await refusal(packed)).to.include('corrupt');
  });

  it('refuses a line without end early, however far a gzip bomb would unpack', async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.concat([Buffer.from(TICKS), Buffer.alloc(64 * 1024 * 1024, '1')])));
    const read: number[] = [];
    const message = await refusal(bomb, { onProgress: (bytes) => void read.push(bytes) });
    expect(message).to.include('longer than 64 KiB');
  });

  it('closes the source of a file that it refuses before all bytes are read', async () => {
    let isOpen = false;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      isOpen = true;
      try {
        for (let i = 0; i < 10; i++) yield new TextEncoder().encode('neither,nor\n'.repeat(5000));
      } finally {
        isOpen = false;
      }
    }
    const refused = await serviceErrorOf(importTicks(chunks(), { add: () => expect.fail() }, { name: 'x' }));
    expect([refused.code, isOpen]).to.deep.equal(['file.malformed', false]);
  });

  it('names an unknown zone', async () => {
    expect(await refusal(TICKS, { zone: 'Mars/Olympus' })).to.include('The zone "Mars/Olympus" is unknown');
  });

  it('reads a file of ten ticks and says that a forecast needs more', async () => {
    const { report } = await importBytes(`time,price\n${rows(10, (i) => `${stamp(i)},1.1`)}`);
    expect(report.notes.map(({ code, text }) => [code, text])).to.deep.include([
      'ticks.too_few',
      'The file holds 10 ticks; a forecast needs 199 or more.',
    ]);
  });

  it('takes the first data file of a zip and names those left out', async () => {
    const bytes = new TextEncoder().encode(TICKS);
    const { report } = await importBytes(zipSync({ 'status.txt': bytes, 'a.csv': bytes, 'b.csv': bytes }));
    expect(report.ticks).to.equal(300);
    expect(report.notes.find(({ code }) => code === 'zip.other_files')?.text).to.equal(
      'The zip archive holds 2 data files; a.csv was read and b.csv left out.',
    );
  });
});
