import { expect } from 'chai';
import { freePort } from '../support/freePort.ts';
import { request } from '../support/request.ts';
import { spawnTickmark, type TickmarkProcess } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('a signal while the service loads (row 38)', function () {
  this.timeout(180_000);
  let folder: string;
  let loading: TickmarkProcess;

  beforeEach(async () => {
    folder = temporaryFolder();
    const port = await freePort();
    // Under npm, each Ctrl-C counts as two signals.
    loading = spawnTickmark(['serve'], { PORT: String(port), DATA_DIR: folder, LOG_FORMAT: 'json', npm_lifecycle_event: undefined });
    const url = `http://127.0.0.1:${port}`;
    const statusOf = (route: string): Promise<number> =>
      request(url, route).then(
        ({ status }) => status,
        () => 0,
      );
    await until(async () => (await statusOf('/health/live')) === 200);
    expect(await statusOf('/health/ready')).to.equal(503);
  });
  afterEach(async () => {
    loading.child.kill('SIGKILL');
    await loading.ended;
  });

  it('ends the process at once with 0', async () => {
    loading.child.kill('SIGTERM');
    const { code, signal, stdout, stderr } = await loading.ended;
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    for (const line of lines) expect(() => JSON.parse(line) as unknown, line).to.not.throw();
    expect(stderr).to.include('SIGTERM during the start');
    expect({ code, signal }).to.deep.equal({ code: 0, signal: null });
    expect(stdout, 'it does not wait for the start').to.not.include('is ready on');
  });

  it('ends the process if a second one follows', async () => {
    loading.child.kill('SIGTERM');
    loading.child.kill('SIGINT');
    const { code, stdout } = await loading.ended;
    // 0 if the first one had ended it already.
    expect(code).to.be.oneOf([0, 130, 143]);
    expect(stdout).to.not.include('is ready on');
  });
});
