import { Connection } from './Connection.ts';
import type { ClosedLoad } from './Load.ts';
import type { LoadReport } from './Outcomes.ts';
import { Recorder } from './Recorder.ts';
import { requestsTo } from './requestsTo.ts';

/** Distance of the first bodies of two adjacent connections; has no common factor with the number of bodies. */
const STRIDE = 61;
/** Time limit for the last answers. */
const GRACE_MS = 5000;

/** Runs `connections` callers, each of which sends its next request when it has an answer. Ends with the last answer, or after its time limit. */
export function closedLoop(load: ClosedLoad, graceMs = GRACE_MS): Promise<LoadReport> {
  const requests = requestsTo(load);
  const recorder = new Recorder();
  const endMs = load.seconds * 1000;
  const connections = new Set<Connection>();
  let open = 0;
  return new Promise((resolve) => {
    setTimeout(() => {
      resolve(recorder.report());
      for (const connection of connections) connection.close();
    }, endMs + graceMs).unref();
    const start = (caller: number): void => {
      let next = caller * STRIDE;
      let request = -1;
      const ask = (connection: Connection): void => {
        request = recorder.add(recorder.nowMs());
        connection.send(requests[next++ % requests.length]);
      };
      const connect = (): void => {
        recorder.connectionsOpened++;
        const connection = new Connection(load.port, onAnswer, onEnd);
        connections.add(connection);
        ask(connection);
      };
      const onAnswer = (connection: Connection, status: number): void => {
        recorder.answered(request, status);
        if (recorder.nowMs() >= endMs) connection.close();
        else if (!connection.isClosing) ask(connection);
      };
      const onEnd = (connection: Connection): void => {
        connections.delete(connection);
        if (recorder.nowMs() < endMs) connect();
        else if (--open === 0) resolve(recorder.report());
      };
      open++;
      connect();
    };
    for (let caller = 0; caller < load.connections; caller++) start(caller);
  });
}
