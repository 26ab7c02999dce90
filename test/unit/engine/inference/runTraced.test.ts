import { expect } from 'chai';
import type { Attributes, Tracer } from '../../../../src/core/Tracer.ts';
import type { InferenceRow } from '../../../../src/engine/inference/InferenceHost.ts';
import { runTraced } from '../../../../src/engine/inference/runTraced.ts';

describe('runTraced', () => {
  const rowOf = (trace?: string): InferenceRow => ({
    sequence: new Float32Array(1),
    context: new Float32Array(1),
    baseline: 0,
    head: 0,
    trace,
  });
  let made: { from: Parameters<Tracer['start']>[1]; attributes?: Attributes; isFailed?: boolean }[];
  const tracer: Pick<Tracer, 'start'> = {
    start: (_name, from) => {
      const span = { from };
      made.push(span);
      return { traceparent: 'of the batch', end: (result) => void Object.assign(span, result) };
    },
  };
  const run = (rows: InferenceRow[], work: (traceparent: string | undefined) => string): Promise<string> =>
    runTraced(tracer as Tracer, rows, work);

  beforeEach(() => {
    made = [];
  });

  it('gives a batch one span, in the first request and linked with each other one', async () => {
    expect(await run([rowOf(), rowOf('a'), rowOf('a'), rowOf('b')], String)).to.equal('of the batch');
    expect(made).to.deep.equal([{ from: { parent: 'a', links: ['b'] }, attributes: { 'tickmark.batch.rows': 4 }, isFailed: false }]);
  });

  it('gives none to rows without a request, and none without a tracer', async () => {
    expect(await run([rowOf()], String)).to.equal('undefined');
    expect(await runTraced(undefined, [rowOf('a')], String)).to.equal('undefined');
    expect(made).to.deep.equal([]);
  });

  it('marks the span of a batch that fails', async () => {
    const error = new Error('no');
    const thrown: unknown = await run([rowOf('a')], () => {
      throw error;
    }).catch((reason: unknown) => reason);
    expect(thrown).to.equal(error);
    expect(made[0]?.isFailed).to.equal(true);
  });
});
