import { expect } from 'chai';
import { systemClock, type Clock } from '../../../../src/core/Clock.ts';
import { openTracer, type OpenTracer, type TracerOptions } from '../../../../src/core/observability/openTracer.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { attributesOf, startOtlpReceiver, type OtlpReceiver } from '../../../support/otlpReceiver.ts';
import { until } from '../../../support/until.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

describe('openTracer', () => {
  let status: number;
  let receiver: OtlpReceiver;
  let tracer: OpenTracer;
  const states: { isUp: boolean; reason: string }[] = [];

  const open = async (given: Partial<TracerOptions> = {}): Promise<OpenTracer> => {
    const onCollector: TracerOptions['onCollector'] = (state) => states.push(state);
    return (tracer = await openTracer({
      endpoint: receiver.endpoint,
      fraction: 1,
      version: '0',
      clock: systemClock,
      onCollector,
      ...given,
    }));
  };

  beforeEach(async () => {
    status = 200;
    states.length = 0;
    receiver = await startOtlpReceiver(() => status);
  });
  afterEach(async () => {
    await receiver.close();
  });

  it('continues the trace of a caller, and passes its position on', async () => {
    await open();
    const span = tracer.start('request', { parent: `00-${TRACE}-${CALLER}-01`, isServer: true })!;
    expect(span.traceparent).to.match(new RegExp(`^00-${TRACE}-[\\da-f]{16}-01$`));
    await tracer.within(span, async () => {
      await Promise.resolve();
      expect(tracer.current).to.equal(span.traceparent);
      tracer.record('store ping', 20, { isFailed: true, attributes: { rows: 3 } });
    });
    span.end({ name: 'GET /x', attributes: { answer: 42 } });
    await tracer.close();
    const [store, request] = receiver.spans;
    expect([request?.name, request?.traceId, request?.parentSpanId]).to.deep.equal(['GET /x', TRACE, CALLER]);
    expect(attributesOf(request!)).to.deep.equal({ answer: 42 });
    expect([store?.name, store?.parentSpanId, store?.status.code]).to.deep.equal(['store ping', request?.spanId, 2]);
    const tookMs = (Number(store?.endTimeUnixNano) - Number(store?.startTimeUnixNano)) / 1e6;
    expect(tookMs).to.be.closeTo(20, 0.01);
  });

  it('starts a trace for a header that is absent or not valid', async () => {
    await open();
    for (const parent of [undefined, '', 'junk', `00-${TRACE}-${'0'.repeat(16)}-01`]) tracer.start('request', { parent })?.end();
    await tracer.close();
    expect(receiver.spans.map(({ parentSpanId = '' }) => parentSpanId)).to.deep.equal(['', '', '', '']);
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).to.equal(4);
  });

  it('records nothing that the caller or the fraction leaves out', async () => {
    await open({ fraction: 0 });
    expect(tracer.start('request', { parent: undefined })).to.equal(undefined);
    expect(tracer.start('request', { parent: `00-${TRACE}-${CALLER}-00` })).to.equal(undefined);
    tracer.start('request of a caller that wants it', { parent: `00-${TRACE}-${CALLER}-01` })?.end();
    await tracer.close();
    expect(receiver.spans.map(({ name }) => name)).to.deep.equal(['request of a caller that wants it']);
  });

  it('links a batch with the other requests in it, and records nothing outside of a request', async () => {
    await open();
    const [a, b] = [tracer.start('a', { parent: undefined })!, tracer.start('b', { parent: undefined })!];
    tracer.start('inference batch', { parent: a.traceparent, links: [b.traceparent] })?.end();
    tracer.record('store ping', 1);
    await tracer.close();
    expect(receiver.spans.map(({ name, links }) => [name, links.map(({ spanId }) => spanId)])).to.deep.equal([
      ['inference batch', [b.traceparent.slice(36, 52)]],
    ]);
  });

  it('tells once that a collector does not take spans, records almost no request until it does, and tells that', async () => {
    status = 400;
    const clock = new FakeClock();
    await open({ clock });
    const request = (): boolean => {
      const span = tracer.start('request', { parent: undefined, isServer: true });
      span?.end();
      return span !== undefined;
    };
    for (let i = 0; i < 512; i++) request();
    await until(() => states.length === 1);
    expect([request(), request(), request()]).to.deep.equal([true, false, false]);
    clock.advance(2000);
    expect([request(), request()]).to.deep.equal([true, false]);
    status = 200;
    await until(() => states.length === 2);
    expect(states.map(({ isUp }) => isUp)).to.deep.equal([false, true]);
    expect([request(), request()]).to.deep.equal([true, true]);
    const closed = tracer.close();
    clock.advance(1000);
    await closed;
  });

  it('keeps a bounded number of spans, and drops later ones', async () => {
    await open();
    for (let i = 0; i < 20_000; i++) tracer.start('request', { parent: undefined })?.end();
    await until(() => receiver.spans.length > 0);
    await tracer.close();
    expect(receiver.spans.length).to.be.at.most(4096 + 512);
  });

  it('closes although nothing listens', async () => {
    const hurried: Clock = { ...systemClock, after: (_ms, run) => systemClock.after(0, run) };
    await open({ endpoint: 'http://127.0.0.1:9', clock: hurried });
    tracer.start('request', { parent: undefined })?.end();
    await tracer.close();
    expect(receiver.spans).to.deep.equal([]);
  });
});
