import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { writeForecastAnswer } from '../../src/contract/writeForecastAnswer.ts';

/**
 * A process that reads bodies with koa-bodyparser and answers with as many bytes as a forecast has: HTTP and JSON without checks, key or
 * forecast. Its first line is its port.
 */
const app = new Koa();
app.use(bodyParser());
app.use((ctx) => {
  const { Timestamp = [] } = (ctx.request.body ?? {}) as { Timestamp?: string[] };
  ctx.set('Content-Type', 'application/json');
  ctx.body = writeForecastAnswer(Timestamp, null);
});
const answer = app.callback();
const server = http.createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
