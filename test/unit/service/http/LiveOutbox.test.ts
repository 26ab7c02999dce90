import { Writable, type Duplex } from 'node:stream';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { LiveOutbox } from '../../../../src/service/http/live/LiveOutbox.ts';
import type { ServerMessage } from '../../../../src/contract/live.ts';

const outcome = (n: number): ServerMessage => ({ type: 'outcome', series: 'a', id: '10s', n, moved: true, move_bps: 1 });
/** Not an outcome: like a forecast, it does not wait. */
const score: ServerMessage = { type: 'score', series: 'a', scores: [] };

/** An outbox over a stream whose system calls are listed, each with the types of its messages. */
function open() {
  const calls: string[] = [];
  const types = (chunks: readonly Buffer[]): string =>
    chunks.map((chunk) => (JSON.parse(chunk.toString()) as ServerMessage).type).join(' ');
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => (calls.push(types([chunk])), done()),
    writev: (chunks, done) => (calls.push(types(chunks.map(({ chunk }) => chunk as Buffer))), done()),
  });
  const socket = { OPEN: 1, readyState: 1, bufferedAmount: 0, send: (text: string) => void stream.write(text) };
  let stuck = 0;
  const outbox = new LiveOutbox(socket as unknown as WebSocket, stream as unknown as Duplex, () => stuck++);
  return { outbox, calls, socket, stuck: () => stuck };
}

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('LiveOutbox', () => {
  it('sends what is ready together in one system call, in order', async () => {
    const { outbox, calls } = open();
    await immediate();
    // As the forecasts of a batch, each is sent by a promise.
    outbox.send(score);
    await Promise.resolve();
    outbox.send(outcome(0));
    outbox.send(score);
    expect(calls).to.deep.equal([]);
    await immediate();
    outbox.send(score);
    await immediate();
    expect(calls).to.deep.equal(['score outcome score', 'score']);
  });

  it('lets an outcome wait for the batch that is queued meanwhile, and no longer', async () => {
    const { outbox, calls } = open();
    outbox.send(outcome(0));
    // Queued by a promise, as a forecast is after its admission.
    void Promise.resolve().then(() => setImmediate(() => outbox.send(score)));
    for (let i = 0; i < 3; i++) await immediate();
    outbox.send(outcome(1));
    for (let i = 0; i < 3; i++) await immediate();
    expect(calls).to.deep.equal(['outcome score', 'outcome']);
  });

  it('sends nothing on a closed socket, and reports one whose client reads nothing', async () => {
    const { outbox, calls, socket, stuck } = open();
    socket.bufferedAmount = 9e6;
    outbox.send(score);
    socket.readyState = 3;
    outbox.send(score);
    await immediate();
    expect([calls, stuck()]).to.deep.equal([[], 1]);
  });
});
