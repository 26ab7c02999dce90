import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { LiveSocket, OPEN, ticksMessage } from '../support/liveSocket.ts';
import { request } from '../support/request.ts';
import { serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';

describe('watching a key over two workers', function () {
  this.timeout(180_000);
  let folder: string;
  let served: ServedProcess;
  const sockets: LiveSocket[] = [];

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-watch-'));
    const env = { WORKERS: '2', RUNTIME_BACKEND: 'wasm', METRICS_PORT: '0', LOG_LEVEL: 'error' };
    served = await serveTickmark(folder, env);
  });
  after(() => {
    for (const { socket } of sockets) socket.terminate();
    served?.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('gives the series of connections that the other worker serves', async () => {
    const body = { email: 'watch@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
    const key = String((await request(served.url, '/signup', { body })).json['api_key']);
    const connect = async (): Promise<LiveSocket> => {
      const socket = new LiveSocket(served.url, { key });
      sockets.push(socket);
      await socket.opened;
      return socket;
    };
    // Connections alternate between the workers: some of four are served by each.
    const producers = [await connect(), await connect(), await connect(), await connect()];
    const watchers = [await connect(), await connect()];
    for (const watcher of watchers) watcher.send({ type: 'watch' });
    for (const [i, producer] of producers.entries()) {
      producer.send({ ...OPEN, series: `s${i}` });
      producer.send(ticksMessage(0, 400, `s${i}`));
    }
    const forecasts = (watcher: LiveSocket) =>
      watcher
        .of('watched')
        .flatMap(({ copies }) => copies)
        .filter(({ message }) => message.type === 'forecast');
    for (const producer of producers) producer.send({ type: 'score', series: `s${producers.indexOf(producer)}` });
    for (const producer of producers) await producer.next('score');
    const made = producers.flatMap((producer) => producer.of('forecast'));
    expect(made.length).to.be.above(20);
    for (const watcher of watchers) {
      await until(() => forecasts(watcher).length >= made.length);
      expect(forecasts(watcher).map(({ message }) => message)).to.have.deep.members(made);
      expect(new Set(forecasts(watcher).map(({ source }) => source)).size).to.equal(4);
    }
  });
});
