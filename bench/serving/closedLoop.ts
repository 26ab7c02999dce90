import { Connection } from './Connection.ts';
import type { ClosedLoad } from './Load.ts';
import type { LoadReport } from './Outcomes.ts';
import { Recorder } from './Recorder.ts';
import { requestsTo } from './requestsTo.ts';

/** Neighbouring connections start this far apart in the bodies; it shares no factor with their number. */
const STRIDE = 61;

/** `connections` callers, each of which asks again as soon as it has its answer. Ends when the last one has its last answer. */
export function closedLoop(load: ClosedLoad): Promise<LoadReport> {
  const requests = requestsTo(load);
  const recorder = new Recorder();
  const endMs = load.seconds * 1000;
  let open = 0;
  return new Promise((resolve) => {
    const start = (caller: number): void => {
      let next = caller * STRIDE;
      let request = -1;
      const ask = (connection: Connection): void => {
        request = recorder.add(recorder.nowMs());
        connection.send(requests[next++ % requests.length]!);
      };
      const connect = (): void => {
        recorder.connectionsOpened++;
        ask(new Connection(load.port, onAnswer, onEnd));
      };
      const onAnswer = (connection: Connection, status: number): void => {
        recorder.answered(request, status);
        if (recorder.nowMs() >= endMs) connection.close();
        else if (!connection.isClosing) ask(connection);
      };
      const onEnd = (): void => {
        if (recorder.nowMs() < endMs) connect();
        else if (--open === 0) resolve(recorder.report());
      };
      open++;
      connect();
    };
    for (let caller = 0; caller < load.connections; caller++) start(caller);
  });
}
