import { expect } from 'chai';
import fc from 'fast-check';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { HEAD_BYTES, KIND } from '../../../../src/inference/child/frames.ts';
import { parcelAnswersFrame, parcelsFrame, readParcelAnswers, readParcels } from '../../../../src/inference/child/parcels.ts';

const parcelOf = (bytes: Uint8Array) => ({ byteLength: bytes.length, write: (target: Buffer, at: number) => target.set(bytes, at) });

describe('parcels', () => {
  it('arrive as they were sent, in their order, empty ones too', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 9 }), (name, contents) => {
        const frame = parcelsFrame(name, contents.map(parcelOf));
        expect([frame.readUInt32LE(0), frame[4]]).to.deep.equal([frame.length - HEAD_BYTES, KIND.parcels]);
        const { networkId, parcels } = readParcels(frame.subarray(HEAD_BYTES));
        expect(networkId).to.equal(Buffer.from(name).toString());
        expect(parcels.map((each) => [...each])).to.deep.equal(contents.map((each) => [...each]));
      }),
    );
  });

  it('come back with an answer or an error each', () => {
    const tensors = { count: 4_000_000_000, bytes: 2 ** 40 };
    const answers = [Buffer.from('one'), new ServiceError('inference.failed', 'Zwei geht nicht: ½.'), Buffer.alloc(0)];
    const frame = parcelAnswersFrame({ tensors, answers });
    expect([frame.readUInt32LE(0), frame[4]]).to.deep.equal([frame.length - HEAD_BYTES, KIND.parcelAnswers]);
    const read = readParcelAnswers(frame.subarray(HEAD_BYTES));
    expect(read.tensors).to.deep.equal(tensors);
    expect(read.answers.map((each) => (each instanceof ServiceError ? [each.code, each.message] : each.toString()))).to.deep.equal([
      'one',
      ['inference.failed', 'Zwei geht nicht: ½.'],
      '',
    ]);
  });
});
