import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect } from 'chai';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { NODE_DECODERS } from '../../../../src/ticks/import/bytes/nodeDecoders.ts';
import { unpackLz4 } from '../../../../src/ticks/import/bytes/unpackLz4.ts';
import { importBytes } from '../../../support/importBytes.ts';
import { ROOT } from '../../../support/tickmarkProcess.ts';

/** Files of pyarrow, base64 by codec; test/golden/makeParquet.py made them. */
const GOLDEN = JSON.parse(readFileSync(path.join(ROOT, 'test/golden/parquetCodecs.json'), 'utf8')) as Record<string, string>;
const fileOf = (codec: string): Uint8Array => new Uint8Array(Buffer.from(GOLDEN[codec], 'base64'));
const START_US = 1704810600000000;
const COUNT = 300;
const refusal = (content: Uint8Array, options = {}): Promise<string> =>
  importBytes(content, options).then(
    () => 'read',
    ({ message, remedy }: ServiceError) => `${message} ${remedy}`,
  );

describe('Parquet', () => {
  for (const codec of Object.keys(GOLDEN))
    it(`packed by pyarrow with ${codec} is read to its ticks`, async () => {
      const { timesUs, bids, asks } = await importBytes(fileOf(codec), NODE_DECODERS);
      const at = Array.from({ length: COUNT }, (_, i) => i);
      expect(timesUs).to.deep.equal(at.map((i) => START_US + 250_000 * i));
      expect([bids, asks]).to.deep.equal([109431, 109434].map((price) => at.map((i) => (price + ((7 * i) % 11)) / 1e5)));
    });

  it('with Brotli is refused by name where nothing unpacks it, as in a browser', async () => {
    expect(await refusal(fileOf('brotli'))).to.equal(
      'test-file: its column timestamp is packed with Brotli, which is not read here. Write it again with zstd, snappy, gzip or LZ4_RAW: in pandas, frame.to_parquet("ticks.parquet", compression="zstd"); tickmark import reads it as it is.',
    );
  });

  it("with a codec that is not read is refused by name: Hadoop's LZ4, LZO", async () => {
    const columnData = [
      { name: 'timestamp', data: [1, 2, 3].map((i) => new Date(START_US / 1000 + i)), type: 'TIMESTAMP' as const },
      { name: 'price', data: [1.5, 1.6, 1.7], type: 'DOUBLE' as const },
    ];
    for (const [codec, named] of [
      ['LZ4', "LZ4 in Hadoop's framing"],
      ['LZO', 'LZO'],
    ] as const) {
      const file = parquetWriteBuffer({ columnData, codec, compressors: { [codec]: (bytes: Uint8Array) => bytes } });
      expect(await refusal(new Uint8Array(file), NODE_DECODERS)).to.include(`is packed with ${named}, which is not read here`);
    }
  });

  it('with a broken page is refused, and none unpacks to more than its header says', async () => {
    for (const codec of ['lz4', 'brotli']) {
      const file = fileOf(codec);
      file.fill(0xff, 60, 300);
      expect(await refusal(file, NODE_DECODERS), codec).to.include('the Parquet data cannot be read');
    }
    const bomb = new Uint8Array(brotliCompressSync(new Uint8Array(1e6)));
    expect(NODE_DECODERS.brotli(bomb, 1e6)).to.have.length(1e6);
    expect(() => NODE_DECODERS.brotli(bomb, 999_999)).to.throw(RangeError);
  });

  it('with a group of more rows than memory holds is refused before a page is unpacked, whichever count says so (row 90)', async () => {
    const { file } = JSON.parse(readFileSync(path.join(ROOT, 'test/golden/parquetBomb.json'), 'utf8')) as { file: string };
    const bomb = Buffer.from(file, 'base64');
    expect(bomb.length).to.be.below(2000);
    // 12,000,000 and 1,100,000 as Parquet writes them, in as many bytes.
    const [many, fewer] = [varint(24_000_000), varint(2_200_000)];
    const footer = bomb.length - 8 - bomb.readUInt32LE(bomb.length - 8);
    const with12Million = (from: number, to: number): Uint8Array => {
      const changed = Buffer.from(bomb);
      for (let at = bomb.indexOf(many); at >= 0; at = bomb.indexOf(many, at + 1)) if (at < from || at >= to) changed.set(fewer, at);
      return new Uint8Array(changed);
    };
    const files = {
      both: new Uint8Array(bomb),
      'only the pages': with12Million(0, footer),
      'only the footer': with12Million(footer, bomb.length),
    };
    for (const [which, bytes] of Object.entries(files))
      expect(await refusal(bytes), which).to.match(/a row group has 12000000 rows; at most 10000000 rows .* row_group_size=1_000_000/);
  });
});

function varint(value: number): Buffer {
  const bytes = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 128)) bytes.push(rest < 128 ? rest : (rest % 128) + 128);
  return Buffer.from(bytes);
}

type Sequence = { readonly literals: Uint8Array; readonly back: number; readonly match: number };

/** Packed sequences of literals and a match that begins some bytes back, and what they unpack to. */
function sequences(all: readonly Sequence[]): { readonly packed: Uint8Array; readonly bytes: Uint8Array } {
  const [packed, bytes]: [number[], number[]] = [[], []];
  const goOn = (length: number): number[] =>
    length < 15 ? [] : [...Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255];
  for (const { literals, back, match } of all) {
    packed.push((Math.min(15, literals.length) << 4) | Math.min(15, match - 4), ...goOn(literals.length), ...literals);
    bytes.push(...literals);
    const offset = 1 + (back % bytes.length);
    packed.push(offset & 255, offset >> 8, ...goOn(match - 4));
    for (let i = 0; i < match; i++) bytes.push(bytes.at(-offset)!);
  }
  return { packed: Uint8Array.from([...packed, 0x10, 7]), bytes: Uint8Array.from([...bytes, 7]) };
}

describe('unpackLz4', () => {
  it('unpacks literals, matches, runs and long lengths', () => {
    const sequence = fc.record({
      ...{ literals: fc.uint8Array({ minLength: 1, maxLength: 700 }), back: fc.nat(), match: fc.integer({ min: 4, max: 700 }) },
    });
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 6 }), (all) => {
        const { packed, bytes } = sequences(all);
        expect(unpackLz4(packed, bytes.length)).to.deep.equal(bytes);
        expect(() => unpackLz4(packed, bytes.length + 1)).to.throw(RangeError);
      }),
      { numRuns: 150 },
    );
  });

  it('answers any bytes with as many as were asked for, or a RangeError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(2000), (packed, length) => {
        try {
          expect(unpackLz4(packed, length)).to.have.length(length);
        } catch (error) {
          expect(error).to.be.instanceOf(RangeError).with.property('message', 'the LZ4 data are corrupt');
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses matches that begin before the first byte or nowhere, or go beyond the end', () => {
    const [literal, end] = [
      [0x10, 7],
      [0x10, 7],
    ] as const;
    expect(unpackLz4(Uint8Array.from([...literal, 1, 0, ...end]), 6)).to.deep.equal(new Uint8Array(6).fill(7));
    for (const offset of [0, 2]) expect(() => unpackLz4(Uint8Array.from([...literal, offset, 0, ...end]), 6)).to.throw('corrupt');
    expect(() => unpackLz4(Uint8Array.from([0x1f, 7, 1, 0, 9, ...end]), 6)).to.throw('corrupt');
  });

  it('reserves no memory for lengths that so few bytes cannot unpack to', () => {
    // More than any array holds: to ask for it would say so.
    expect(() => unpackLz4(new Uint8Array(10), 2 ** 50)).to.throw(RangeError, 'the LZ4 data are corrupt');
  });
});
