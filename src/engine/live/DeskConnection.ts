import type { ServerMessage } from '../../contract/live.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { DeskMessage } from './DeskOwner.ts';
import { LiveDesk } from './LiveDesk.ts';
import { errorMessage, typeOf, unknownType } from './liveMessages.ts';
import { type LocalParts, localOwner } from './localOwner.ts';

/**
 * The other end of a live connection without a service: reads its messages in order, one at a time. Of a client that keeps the rules of the messages;
 * `watch` is not answered.
 */
export class DeskConnection {
  readonly #desk: LiveDesk;
  readonly #send: (message: ServerMessage) => void;
  #work = Promise.resolve();

  constructor(parts: Omit<LocalParts, 'send'>, send: (message: ServerMessage) => void) {
    this.#desk = new LiveDesk(localOwner({ ...parts, send }));
    this.#send = send;
  }

  receive(text: string): void {
    const message: unknown = JSON.parse(text);
    this.#work = this.#work
      .then(() => this.#handle(message))
      .catch((thrown: unknown) => {
        const error = thrown instanceof ServiceError ? thrown : new ServiceError('inference.failed', String(thrown), { cause: thrown });
        this.#send(errorMessage(error, '', message));
      });
  }

  #handle(message: unknown): Promise<void> | undefined {
    const type = typeOf(message);
    if (type === undefined || type === 'watch') throw unknownType(message);
    return type === 'auth' ? undefined : this.#desk.handle(message as DeskMessage);
  }
}
