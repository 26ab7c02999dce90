/**
 * `node healthCheck.js`: asks the service of this machine whether it is ready, where HOST and PORT say that it listens.
 * Exit codes, as Docker's HEALTHCHECK wants them: 0 ready, 1 not (one line on standard output says why).
 */
const TIME_LIMIT_MS = 8000;
/** A service that listens on all addresses is asked on the loopback one. */
const LOOPBACK = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const setting = (name, fallback) => process.env[name]?.trim() || fallback;
const host = setting('HOST', '127.0.0.1');
const asked = LOOPBACK[host] ?? host;
const url = `http://${asked.includes(':') ? `[${asked}]` : asked}:${setting('PORT', '8080')}/health/ready`;

try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIME_LIMIT_MS) });
  const text = await answer.text();
  if (answer.status !== 200) fail(`${answer.status} ${text.slice(0, 500)}`);
} catch (error) {
  fail(error.cause?.message || error.message);
}

function fail(reason) {
  process.stdout.write(`tickmark: ${url}: ${reason}\n`);
  process.exitCode = 1;
}
