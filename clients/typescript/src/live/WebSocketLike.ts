/** A WebSocket of a browser, of Node.js from 22 on, or of the package `ws`. */
export type WebSocketLike = {
  readonly readyState: number;
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
};
export type WebSocketConstructor = new (
  url: string,
  protocols?: string | string[],
  /** Taken by `ws` alone. */
  options?: { readonly headers: Record<string, string> },
) => WebSocketLike;
