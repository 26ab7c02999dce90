import type { WebSocketLike } from '../../clients/typescript/src/index.ts';

/** A WebSocket whose other end is the test. */
export class PuppetSocket implements WebSocketLike {
  /** All that were made since the last reset. */
  static made: PuppetSocket[] = [];
  readonly url: string;
  readonly protocols: string | string[] | undefined;
  readyState = 0;
  bufferedAmount = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  readonly sent: Record<string, unknown>[] = [];
  closedWith: number | undefined;

  constructor(url: string, protocols?: string | string[]) {
    this.url = url;
    this.protocols = protocols;
    PuppetSocket.made.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(code = 1000): void {
    this.lose(code);
  }

  accept(): void {
    this.readyState = 1;
    this.onopen?.({} as never);
  }

  say(...messages: readonly Record<string, unknown>[]): void {
    for (const message of messages) this.onmessage?.({ data: JSON.stringify(message) } as never);
  }

  /** The connection ends. */
  lose(code: number, reason = ''): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.closedWith = code;
    this.onclose?.({ code, reason } as never);
  }
}
