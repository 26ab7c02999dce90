/** Messages between a socket that does not wait and a reader. When it is full, the oldest message is dropped and counted. */
export class MessageQueue<Message> {
  readonly #most: number;
  readonly #dropNote: (count: number) => Message;
  #messages: Message[] = [];
  #dropped = 0;
  #wake: (() => void) | undefined;
  #end: { readonly reason: unknown } | undefined;

  /** `dropNote`: the message that tells the reader how many were dropped. */
  constructor(most: number, dropNote: (count: number) => Message) {
    if (!(Number.isInteger(most) && most > 0)) throw new RangeError(`maxWaiting must be a whole number above 0; it is ${most}`);
    this.#most = most;
    this.#dropNote = dropNote;
  }

  put(message: Message): void {
    if (this.#end !== undefined) return;
    if (this.#messages.length >= this.#most) {
      this.#messages.shift();
      this.#dropped++;
    }
    this.#messages.push(message);
    this.#wake?.();
  }

  /** After what waits, readers get the end, or the reason thrown if it is not undefined. */
  end(reason: unknown): void {
    this.#end ??= { reason };
    this.#wake?.();
  }

  /** The next message; undefined at the end. @throws the reason of the end */
  async take(): Promise<Message | undefined> {
    for (;;) {
      if (this.#dropped > 0) {
        const note = this.#dropNote(this.#dropped);
        this.#dropped = 0;
        return note;
      }
      if (this.#messages.length > 0) return this.#messages.shift();
      if (this.#end?.reason !== undefined) throw this.#end.reason;
      if (this.#end !== undefined) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }
}
