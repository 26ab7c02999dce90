import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { EventFile } from '../../../../training/tensorboard/EventFile.ts';
import { crc32c, maskedCrc32c } from '../../../../training/tensorboard/crc32c.ts';

describe('crc32c', () => {
  it('is that of RFC 3720, appendix B.4', () => {
    expect(crc32c(new Uint8Array(32))).to.equal(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).to.equal(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).to.equal(0x46dd794e);
    expect(crc32c(Buffer.from('123456789'))).to.equal(0xe3069283);
  });
});

describe('EventFile', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'tickmark-events-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has records with correct lengths and checksums: the version, then each value with step, tag and time', () => {
    const file = new EventFile(path.join(folder, 'run'), { nowMs: () => 1_700_000_000_500 });
    file.add('loss', 300, 0.25);
    file.close();
    const [name] = readdirSync(path.join(folder, 'run')) as [string];
    expect(name).to.equal('events.out.tfevents.1700000000.tickmark');
    const bytes = readFileSync(path.join(folder, 'run', name));
    const records: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
      const length = Number(bytes.readBigUInt64LE(at));
      expect(bytes.readUInt32LE(at + 8)).to.equal(maskedCrc32c(bytes.subarray(at, at + 8)));
      const data = bytes.subarray(at + 12, at + 12 + length);
      expect(bytes.readUInt32LE(at + 12 + length)).to.equal(maskedCrc32c(data));
      records.push(data);
      at += 16 + length;
    }
    expect(records).to.have.length(2);
    // field 1, double; field 3, text of 13 bytes
    expect(records[0]!.readDoubleLE(1)).to.equal(1_700_000_000.5);
    expect(records[0]!.subarray(9).toString('latin1')).to.equal('\x1a\x0dbrain.Event:2');
    // step 300 as a varint; summary of 13 bytes, value of 11: tag, then a float
    expect([...records[1]!.subarray(9, 18)]).to.deep.equal([0x10, 0xac, 0x02, 0x2a, 0x0d, 0x0a, 0x0b, 0x0a, 0x04]);
    expect(records[1]!.subarray(18, 22).toString()).to.equal('loss');
    expect(records[1]!.readFloatLE(23)).to.equal(0.25);
  });
});
