import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import * as net from 'node:net';
import * as path from 'node:path';
import { expect } from 'chai';
import { startService, type RunningService } from '../../src/service/app/startService.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { silentLogger } from '../../src/core/Logger.ts';
import { request } from '../support/request.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const DEADLINE_MS = 300;
const BLOCK_MS = 500;
const ACCEPTED = 'net.server.socket';

function block(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

describe('an event loop that was blocked (row 40)', () => {
  const folder = temporaryFolder();
  let service: RunningService;
  before(async () => {
    await saveSmallModel(path.join(folder, 'models'), 'small');
    const settings = { DATA_DIR: folder, PORT: '0', MODEL: 'small', RUNTIME_BACKEND: 'wasm', INFERENCE_PROCESS: 'false' };
    service = await startService(readSettings({ ...settings, FORECAST_DEADLINE_MS: String(DEADLINE_MS) }), { logger: silentLogger });
  });
  after(async () => {
    await service.close();
  });

  it('answers 503 to requests that waited past their deadline, and health and the next forecast as usual', async () => {
    const account = { email: 'trader@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
    const key = String((await request(service.url, '/signup', { body: account })).json['api_key']);
    const { text: sample, json: body } = await request(service.url, '/sample');
    const forecast = () => request(service.url, '/auth/ti-tick', { body, headers: { 'Api-Key': key } });
    const answers200 = async (): Promise<boolean> => (await forecast()).status === 200;
    await until(answers200);

    const head = `POST /auth/ti-tick HTTP/1.1\r\nHost: localhost\r\nApi-Key: ${key}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    const asked = [
      ...Array.from({ length: 5 }, () => `${head}Content-Length: ${Buffer.byteLength(sample)}\r\n\r\n${sample}`),
      'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    ];
    // The service has accepted the connections before the requests are sent, and reads them in the first iteration after the block.
    let accepted = 0;
    const count = (): void => void accepted++;
    subscribe(ACCEPTED, count);
    const sockets = asked.map(() => net.connect(service.port, '127.0.0.1'));
    const answers = sockets.map(async (socket) => {
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      return text;
    });
    await until(() => accepted === asked.length && sockets.every(({ connecting }) => !connecting));
    unsubscribe(ACCEPTED, count);
    for (const [i, socket] of sockets.entries()) socket.write(asked[i]);
    // The requests are sent, and the blocked loop does not read them.
    block(BLOCK_MS);
    const all = await Promise.all(answers);
    for (const answer of all.slice(0, 5)) {
      expect(answer).to.match(/^HTTP\/1\.1 503 /);
      expect(answer)
        .to.include('inference.overloaded')
        .and.to.match(/\r\nRetry-After: \d+\r\n/);
    }
    expect(all[5]).to.match(/^HTTP\/1\.1 200 /);
    await until(answers200);
  });
});
