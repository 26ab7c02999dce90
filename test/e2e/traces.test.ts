import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { attributesOf, startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlpReceiver.ts';
import { request } from '../support/request.ts';
import { builtFolder, ROOT, serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

describe('the traces of a service', () => {
  let folder: string;
  let receiver: OtlpReceiver;
  let served: ServedProcess;
  let key: string;
  let sample: TickRequestBody;

  before(async () => {
    folder = temporaryFolder();
    receiver = await startOtlpReceiver();
    served = await serveTickmark(folder, { INFERENCE_PROCESS: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
    sample = (await request(served.url, '/sample')).json as TickRequestBody;
    const body = { email: 'traced@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
    key = String((await request(served.url, '/signup', { body })).json['api_key']);
    const headers = { 'Api-Key': key, traceparent: `00-${TRACE}-${CALLER}-01` };
    const { status } = await request(served.url, '/auth/ti-tick', { body: sample, headers });
    expect(status).to.equal(200);
  });
  after(async () => {
    served?.child.kill('SIGKILL');
    await receiver?.close();
  });

  it('join that of the caller: request, admission, store, batch, and the inference process', async () => {
    const process = await receiver.untilNamed('inference process');
    const root = await receiver.untilNamed('POST /auth/ti-tick');
    const named = (name: string): ReceivedSpan => {
      const found = receiver.spans.find((span) => span.traceId === TRACE && span.name === name);
      expect(found, name).to.not.equal(undefined);
      return found!;
    };
    expect([root.traceId, root.parentSpanId, root.kind]).to.deep.equal([TRACE, CALLER, 2]);
    for (const name of ['admission wait', 'store findAccountByDigest', 'inference batch'])
      expect(named(name).parentSpanId, name).to.equal(root.spanId);
    expect([process.traceId, process.parentSpanId]).to.deep.equal([TRACE, named('inference batch').spanId]);
    expect(attributesOf(named('inference batch'))).to.deep.equal({ 'tickmark.batch.rows': 1 });
    expect(attributesOf(root)).to.include({
      'http.request.method': 'POST',
      'http.route': '/auth/ti-tick',
      'http.response.status_code': 200,
    });
    expect(attributesOf(root)['tickmark.stage.network_ms']).to.be.above(0);
  });

  it('contain no key, no e-mail, no password and no tick', async () => {
    await receiver.untilNamed('POST /signup');
    const sent = receiver.bodies.join();
    const [tick = '', price] = Object.entries(Object.values(sample)[0] ?? {})[0] ?? [];
    for (const secret of [key, key.slice(0, 14), 'traced', 'example.com', 'horse', 'accountId', tick, String(price)].filter(
      (text) => text.length > 3,
    ))
      expect(sent.includes(secret), secret).to.equal(false);
  });

  it('load no module of OpenTelemetry while they are off, except its API, which prom-client loads', () => {
    const build = builtFolder();
    const script = `
      import { createRequire } from 'node:module';
      import '${build}/src/service/app/startService.js';
      import { openTraces } from '${build}/src/service/app/openTraces.js';
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((file) => /@opentelemetry.(?!api)/.test(file)).length;
      const off = await openTraces({ endpoint: '', fraction: 1 }, {});
      const before = loaded();
      await openTraces({ endpoint: 'http://127.0.0.1:9', fraction: 1 }, {});
      process.stdout.write(JSON.stringify([off === undefined, before, loaded() > 10]));`;
    const args = ['--input-type=module', '--eval', script];
    expect(JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }))).to.deep.equal([true, 0, true]);
  });
});
