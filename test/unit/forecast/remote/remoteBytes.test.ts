import { expect } from 'chai';
import fc from 'fast-check';
import { NULL_REASONS, type NullReason } from '../../../../src/contract/forecastDetail.ts';
import { readVerdict, verdictBytes, type SentVerdict } from '../../../../src/forecast/remote/verdictBytes.ts';
import { WindowReader, windowParcel } from '../../../../src/forecast/remote/windowParcel.ts';
import type { Parcel } from '../../../../src/inference/InferenceHost.ts';

/** As it lies in a frame: anywhere, with other bytes around. */
function bytesOf(parcel: Parcel, at: number): Buffer {
  const frame = Buffer.alloc(at + parcel.byteLength + 5, 0xee);
  parcel.write(frame, at);
  expect([...frame.subarray(at + parcel.byteLength)]).to.deep.equal([0xee, 0xee, 0xee, 0xee, 0xee]);
  return frame.subarray(at, at + parcel.byteLength);
}

describe('what crosses to the process of the network', () => {
  it('is the window with every bit, and the threshold or none', () => {
    const reader = new WindowReader();
    const floats = fc.float64Array({ minLength: 1, maxLength: 50, noNaN: true });
    fc.assert(
      fc.property(floats, fc.option(fc.double({ noNaN: true })), fc.double({ noNaN: true }), fc.nat(9), (timesUs, theta, futureUs, at) => {
        const prices = timesUs.map((time) => time / 3);
        const read = reader.read(bytesOf(windowParcel({ request: { series: { timesUs, prices }, futureUs }, theta }), at));
        expect(Object.is(read.theta, theta) && Object.is(read.request.futureUs, futureUs)).to.equal(true);
        expect(read.request.series.timesUs).to.deep.equal(timesUs);
        expect(read.request.series.prices).to.deep.equal(prices);
      }),
    );
  });

  it('is the verdict that comes back, or why there is none', () => {
    const codes = Object.keys(NULL_REASONS) as NullReason[];
    const number = fc.double({ noNaN: true });
    const sent = fc.record({
      verdict: fc.record({
        reasons: fc.array(fc.record({ code: fc.constantFrom(...codes) }), { maxLength: 20 }),
        theta: number,
        probability: number,
        decision: fc.option(number, { nil: null }),
        featuresMs: number,
        rulesMs: number,
      }),
      ownContext: fc.option(fc.float32Array({ minLength: 1, maxLength: 9 }), { nil: null }),
    });
    fc.assert(
      fc.property(sent, fc.nat(9), (verdict: SentVerdict, at) => {
        const frame = Buffer.concat([Buffer.alloc(at), verdictBytes(verdict), Buffer.alloc(3)]);
        expect(readVerdict(frame.subarray(at, frame.length - 3))).to.deep.equal(verdict);
      }),
    );
    for (const refusal of ['constant_price', 'feature_not_finite', 'too_few_distinct_ticks', 'window_without_duration'] as const)
      expect(readVerdict(verdictBytes({ verdict: refusal, ownContext: null }))).to.deep.equal({ verdict: refusal, ownContext: null });
  });
});
