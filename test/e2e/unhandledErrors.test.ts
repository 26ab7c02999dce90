import { expect } from 'chai';
import { request } from '../support/request.ts';
import { serveTickmark } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Code that runs in the process of the service some time after its start. */
const inside = (code: string): Record<string, string> => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { setImmediate(() => { ${code} }) })`)}`,
});

describe('unhandled errors (row 39)', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it('a rejected promise, with a value that is not an Error: it is logged, and the service continues', async () => {
    const { child, url, stderr, ended } = await serveTickmark(folder, inside('Promise.reject(7)'));
    child.kill('SIGUSR2');
    while (!stderr().includes('unhandled promise rejection')) expect((await request(url, '/health/ready')).status).to.equal(200);
    expect((await request(url, '/sample/forecast')).status).to.equal(200);
    child.kill('SIGTERM');
    expect((await ended).code).to.equal(0);
  });

  it('an exception: it is logged without a hint to callers, requests in flight are finished, and the process ends with 1', async () => {
    const { child, stderr, ended } = await serveTickmark(folder, inside("throw 'text'"));
    child.kill('SIGUSR2');
    const { code, signal } = await ended;
    expect([code, signal]).to.deep.equal([1, null]);
    const line =
      stderr()
        .split('\n')
        .find((each) => each.includes('uncaught exception')) ?? '';
    expect(JSON.parse(line)).to.include({ level: 'error', error: 'text' });
  });
});
