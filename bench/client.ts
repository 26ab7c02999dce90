import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { TickmarkClient } from '../clients/typescript/src/index.ts';
import { exampleTickRequest } from '../src/contract/tickForecast.ts';
import { writeForecastAnswer } from '../src/contract/writeForecastAnswer.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const TARGET_US = 50;
const ADDED_PEER = 'bare fetch, JSON.stringify and response.json()';

/** Answers every request with one forecast, as fast as node:http can. */
async function startAnswerer(answer: string): Promise<{ url: string; close: () => void }> {
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => (server.close(), server.closeAllConnections()) };
}

async function compare(what: string, url: string, fetchOnly: typeof fetch): Promise<BenchRow[]> {
  const body = exampleTickRequest();
  const client = new TickmarkClient({ baseUrl: url, apiKey: 'k', fetch: fetchOnly });
  const bare = async (): Promise<unknown> => {
    const headers = { 'Api-Key': 'k', 'Content-Type': 'application/json' };
    const response = await fetchOnly(`${url}/auth/ti-tick`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as unknown;
  };
  const [oursUs, bareUs] = (await measure([() => client.forecast(body), bare])) as [number, number];
  return [
    { what: `${what}, a call`, value: oursUs, unit: 'us', peer: ADDED_PEER, peerValue: bareUs, ratio: bareUs / oursUs },
    { what: `${what}, added by the client`, value: oursUs - bareUs, unit: 'us', target: `<= ${TARGET_US} us` },
  ];
}

async function run(): Promise<BenchRow[]> {
  const answer = writeForecastAnswer(exampleTickRequest().Timestamp, 1);
  const answerer = await startAnswerer(answer);
  try {
    const inMemory = async (): Promise<Response> => new Response(answer, { headers: { 'Content-Type': 'application/json' } });
    return [...(await compare('over loopback', answerer.url, fetch)), ...(await compare('without a network', 'http://x', inMemory))];
  } finally {
    answerer.close();
  }
}

export const bench: Bench = {
  name: 'client',
  about: 'forecast() of the TypeScript client with 200 entries, compared with a bare fetch of the same bytes.',
  run,
};
