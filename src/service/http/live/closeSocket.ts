import type { WebSocket } from 'ws';
import type { CloseCode } from '../../../contract/live.ts';
import type { Clock } from '../../../core/Clock.ts';

/** How long a closed connection may take to answer the close frame. */
const CLOSE_MS = 2000;

/** Closes a WebSocket; a client that does not answer the close frame is cut off. */
export function closeSocket(socket: WebSocket, code: CloseCode, clock: Clock): void {
  socket.close(code);
  const cancel = clock.after(CLOSE_MS, () => socket.terminate());
  socket.once('close', cancel);
}
