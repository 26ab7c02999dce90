import { expect } from 'chai';
import { TickmarkClient, type Problem } from '../../clients/typescript/src/index.ts';
import { ERROR_TABLE } from '../../src/core/errorTable.ts';

export type Sent = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  credentials: string | undefined;
};
export type Reply = () => Response | Promise<Response>;

export const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(JSON.stringify(value), { status, headers });

export function problem(code: Problem['code'], more: Partial<Problem> = {}): Problem {
  const { status, title } = ERROR_TABLE[code];
  return { type: `urn:tickmark:error:${code}`, title, status, detail: 'So it is.', code, requestId: 'r1', ...more };
}
export const refusal = (code: Problem['code'], headers: Record<string, string> = {}): Reply =>
  json(ERROR_TABLE[code].status, problem(code), headers);

/** A client over these replies, one after the other, the last again and again; and what it sent. */
export function over(replies: readonly Reply[], options = {}): { client: TickmarkClient; sent: Sent[] } {
  const sent: Sent[] = [];
  const fakeFetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const signal = init?.signal;
    signal?.throwIfAborted();
    sent.push({
      method: init!.method!,
      path: String(url).replace('http://x', ''),
      headers: init!.headers as Record<string, string>,
      body: init!.body as string,
      credentials: init!.credentials,
    });
    const reply = replies[Math.min(sent.length, replies.length) - 1];
    const response = await reply();
    signal?.throwIfAborted();
    return response;
  };
  return { client: new TickmarkClient({ baseUrl: 'http://x/', apiKey: 'k', fetch: fakeFetch, random: () => 0, ...options }), sent };
}

export const BODY = { Timestamp: ['a', 'b'], Price: [1, 0] };
export const ANSWER = { a: { trend_identified: null }, b: { trend_identified: 1 } };
export const refused = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail('it did not throw'),
    (error: unknown) => error,
  );
export const login = { email: 'ä@example.com', password: 'p:ß' };
