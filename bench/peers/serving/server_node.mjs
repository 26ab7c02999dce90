// A service as one would write it in plain Node.js: node:http and onnxruntime-node. The same environment, first line and features as server_fastapi.py.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import * as path from 'node:path';

const [ENTRIES, STEPS, PATCH, COLUMNS, CONTEXT] = [501, 96, 5, 10, 71];
const TICKS = ENTRIES - 1;
const { PORT, MODEL_FILE, GOLDEN_FILE, KEYS, PEERS_JS = import.meta.dirname } = process.env;
const LIMIT_BYTES = 1 << 20;

const require = createRequire(path.resolve(PEERS_JS, 'index.js'));
const ort = require('onnxruntime-node');
const session = await ort.InferenceSession.create(MODEL_FILE, { intraOpNumThreads: 1, interOpNumThreads: 1 });

async function logitsOf(x, context, baseline) {
  const tensor = (values, ...dims) => new ort.Tensor('float32', values, [1, ...dims]);
  const feeds = { x: tensor(x, STEPS, COLUMNS), context: tensor(context, CONTEXT), baseline: tensor(baseline, 1) };
  return (await session.run(feeds)).logits.data;
}

function features(prices, ms) {
  const logs = new Float64Array(TICKS);
  for (let i = 0; i < TICKS; i++) logs[i] = Math.log(prices[i]);
  const f = new Float64Array(STEPS * COLUMNS);
  const offset = TICKS - 1 - STEPS * PATCH;
  let spread = 0;
  for (let step = 0; step < STEPS; step++) {
    let [sum, squares, least, most, moved, up, down, gaps, longest] = [0, 0, Infinity, -Infinity, 0, 0, 0, 0, -Infinity];
    let last = 0;
    for (let k = 1; k <= PATCH; k++) {
      const i = offset + step * PATCH + k;
      const r = (logs[i] - logs[i - 1]) * 1e4;
      const gap = Math.log1p((ms[i] - ms[i - 1]) / 1e3);
      sum += r;
      squares += r * r;
      if (r < least) least = r;
      if (r > most) most = r;
      moved += Math.abs(r);
      if (r > 0) up++;
      else if (r < 0) down++;
      gaps += gap;
      if (gap > longest) longest = gap;
      last = (logs[i] - logs[0]) * 1e4;
    }
    const deviation = Math.sqrt(Math.max(0, squares / PATCH - (sum / PATCH) ** 2));
    spread += deviation / STEPS;
    f.set([sum, deviation, least, most, moved, up / PATCH, down / PATCH, gaps / PATCH, longest, last], step * COLUMNS);
  }
  const x = new Float32Array(STEPS * COLUMNS);
  for (let column = 0; column < COLUMNS; column++) {
    let [mean, variance] = [0, 0];
    for (let step = 0; step < STEPS; step++) mean += f[step * COLUMNS + column] / STEPS;
    for (let step = 0; step < STEPS; step++) variance += (f[step * COLUMNS + column] - mean) ** 2 / STEPS;
    const scale = Math.sqrt(variance) + 1e-9;
    for (let step = 0; step < STEPS; step++) x[step * COLUMNS + column] = (f[step * COLUMNS + column] - mean) / scale;
  }
  const context = new Float32Array(CONTEXT).fill(1);
  context.set(x.subarray(x.length - CONTEXT + 1));
  return [x, context, Float32Array.of(Math.log(spread + 1e-9))];
}

class Refused extends Error {}

function parse(body) {
  const { Timestamp: stamps, Price: prices } = body ?? {};
  if (!Array.isArray(stamps) || !Array.isArray(prices) || stamps.length !== ENTRIES || prices.length !== ENTRIES)
    throw new Refused(`expected ${ENTRIES} entries`);
  const ms = new Float64Array(ENTRIES);
  for (let i = 0; i < ENTRIES; i++) {
    ms[i] = Date.parse(`${stamps[i].replace(' ', 'T')}Z`);
    if (Number.isNaN(ms[i]) || (i > 0 && ms[i] < ms[i - 1])) throw new Refused('bad Timestamp');
    const isGood = i === TICKS ? prices[i] === 0 : typeof prices[i] === 'number' && prices[i] > 0 && prices[i] < Infinity;
    if (!isGood) throw new Refused('bad Price');
  }
  if (ms[TICKS] <= ms[TICKS - 1]) throw new Refused('bad Timestamp');
  return [prices, ms];
}

const digest = (key) => createHash('sha256').update(key).digest('hex');
const keys = new Set(KEYS.split(',').map(digest));

function send(response, status, text) {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

async function answer(response, bytes) {
  try {
    const body = JSON.parse(bytes.toString('utf8'));
    const logits = await logitsOf(...features(...parse(body)));
    if (!logits.every(Number.isFinite)) return send(response, 500, '{"detail":"model output"}');
    const entries = {};
    for (const stamp of body.Timestamp) entries[stamp] = { trend_identified: null };
    return send(response, 200, JSON.stringify(entries));
  } catch (error) {
    const isBad = error instanceof Refused || error instanceof SyntaxError || error instanceof TypeError;
    return send(response, isBad ? 422 : 500, JSON.stringify({ detail: String(error.message) }));
  }
}

const server = createServer((request, response) => {
  if (request.method !== 'POST' || request.url !== '/auth/ti-tick') return send(response, 404, '{"detail":"Not Found"}');
  const key = request.headers['api-key'];
  if (key === undefined || !keys.has(digest(key))) {
    request.resume();
    return send(response, 401, '{"detail":"invalid API key"}');
  }
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > LIMIT_BYTES) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => void answer(response, Buffer.concat(chunks)));
});

const logits = [];
for (const { sequence, context, baseline } of JSON.parse(readFileSync(GOLDEN_FILE, 'utf8')).rows)
  logits.push([...(await logitsOf(Float32Array.from(sequence), Float32Array.from(context), Float32Array.of(baseline)))]);
const { versions } = ort.env;
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ runtime: `Node.js ${process.versions.node}, ONNX Runtime ${versions.node ?? versions.common}`, logits })}\n`,
  );
});
