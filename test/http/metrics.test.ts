import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { TickmarkClient } from '../../clients/typescript/src/index.ts';
import { createApiKey } from '../../src/service/accounts/accountKeys.ts';
import { meteredStore } from '../../src/service/accounts/meteredStore.ts';
import { ROUTES } from '../../src/contract/routes.ts';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { ERROR_CODES } from '../../src/core/errorTable.ts';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { CONTEXT_COLUMN_NAMES } from '../../src/engine/features/columns.ts';
import { FEWEST_FORECASTS } from '../../src/engine/forecast/InputMonitor.ts';
import { METRICS } from '../../src/core/observability/metricTable.ts';
import { PASSWORD, startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { freePort } from '../support/freePort.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { sampleAccount } from '../support/sampleAccount.ts';
import { serviceErrorOf } from '../support/serviceErrorOf.ts';
import { SteppedClock } from '../support/SteppedClock.ts';
import { until } from '../support/until.ts';

function get(port: number, route: string, method = 'GET'): Promise<{ status: number; text: string; type: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path: route, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), type: response.headers['content-type'] ?? '' }),
      );
    });
    request.on('error', reject).end();
  });
}

/** Series by name and labels. */
function seriesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

describe('metrics', () => {
  let place: StoreLocation;
  let rig: AccountRig;
  let port: number;
  let sample: TickRequestBody;
  const keys: string[] = [];
  const read = async (): Promise<Map<string, number>> => seriesOf((await get(port, '/metrics')).text);

  before(async function () {
    place = await makeStoreLocation('sqlite', this);
    port = await freePort();
    rig = await startAccountService(
      place,
      { METRICS_PORT: String(port), LIMIT_FAILED_KEYS_PER_MINUTE: '5' },
      { clock: new SteppedClock() },
    );
    sample = (await rig.ask('/sample')).json as TickRequestBody;
    keys.push(String((await rig.signUp('metrics@example.com')).json['api_key']));
    // Enough forecasts for a drift result.
    for (let i = 0; i < FEWEST_FORECASTS; i++) expect((await rig.withKey(keys[0], '/auth/ti-tick', { body: sample })).status).to.equal(200);
  });
  after(async () => {
    await rig?.close();
    await place?.dispose();
  });

  it('answers GET /metrics on a separate port, and nothing else there', async () => {
    const answer = await get(port, '/metrics');
    expect([answer.status, answer.type]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8']);
    for (const [route, method] of [
      ['/', 'GET'],
      ['/health/live', 'GET'],
      ['/metrics', 'POST'],
      ['/metrics/x', 'GET'],
    ] as const)
      expect((await get(port, route, method)).status, `${method} ${route}`).to.equal(404);
    expect((await rig.ask('/metrics')).status, 'not on the port of requests').to.equal(404);
  });

  it('has every metric of its table, each with its help text', async () => {
    await rig.withKey(keys[0], '/auth/ti-tick', { body: sample });
    const { text } = await get(port, '/metrics');
    for (const [name, { type, help }] of Object.entries(METRICS)) {
      expect(text).to.include(`# HELP ${name} ${help}`).and.include(`# TYPE ${name} ${type}`);
      expect(
        [...seriesOf(text).keys()].some((series) => series.startsWith(name)),
        name,
      ).to.equal(true);
    }
  });

  it('counts events', async () => {
    const before = await read();
    const grown = async (series: string): Promise<number> => ((await read()).get(series) ?? 0) - (before.get(series) ?? 0);
    for (let i = 0; i < 3; i++) await rig.withKey(keys[0], '/auth/ti-tick', { body: sample });
    await rig.withKey(keys[0], '/auth/ti-tick', { body: {} });
    await rig.signUp('metrics@example.com');
    const requests = (route: string, status: number): string =>
      `tickmark_request_duration_seconds_count{route="${route}",method="POST",status="${status}"}`;
    expect(await grown(requests('/auth/ti-tick', 200))).to.equal(3);
    expect(await grown(requests('/auth/ti-tick', 422))).to.equal(1);
    expect(await grown('tickmark_problems_total{code="request.invalid"}')).to.equal(1);
    expect(await grown('tickmark_problems_total{code="account.email_taken"}')).to.equal(1);
    for (const stage of ['parse', 'features', 'network', 'rules'])
      expect(await grown(`tickmark_forecast_stage_duration_seconds_count{stage="${stage}"}`), stage).to.equal(3);
    expect(await grown('tickmark_batch_size_sum')).to.equal(3);
    expect(await grown('tickmark_store_call_duration_seconds_count{call="createAccount",outcome="answered"}')).to.equal(1);
    const now = await read();
    expect(now.get('tickmark_model_info{id="small"}')).to.equal(1);
    expect(now.get('tickmark_live_tensors')).to.be.at.least(0);
    expect(now.get('tickmark_forecasts_waiting')).to.equal(0);
    expect([...now.keys()].some((series) => series.startsWith('nodejs_eventloop_lag_p99_seconds'))).to.equal(true);
  });

  it('counts a refused change of an account as answered by the store, and only faults of the store as failed', async () => {
    const name = (outcome: string): string => `tickmark_store_call_duration_seconds_count{call="changeAccount",outcome="${outcome}"}`;
    const before = await read();
    expect((await rig.asOwner('metrics@example.com', '/account/keys/nosuchkey', { method: 'DELETE' })).status).to.equal(404);
    const now = await read();
    expect((now.get(name('answered')) ?? 0) - (before.get(name('answered')) ?? 0)).to.equal(1);
    expect(now.get(name('failed'))).to.equal(undefined);

    const outcomes: string[] = [];
    const fail = (error: Error): never => {
      throw error;
    };
    const store = meteredStore(new MemoryStore(), systemClock, (_call, outcome) => void outcomes.push(outcome));
    await store.createAccount(sampleAccount('a'));
    for (const error of [new ServiceError('account.too_many_keys', 'x'), new ServiceError('store.unavailable', 'x'), new Error('x')])
      await store.changeAccount('a', () => fail(error)).catch(() => {});
    expect(outcomes).to.deep.equal(['answered', 'answered', 'failed', 'failed']);
  });

  it('shows the input drift of the default version, as GET /models/{id} does', async () => {
    const series = await read();
    const { drift } = (await rig.ask('/models/small')).json as { drift: { forecasts: number; columns: { name: string; psi: number }[] } };
    expect(drift.forecasts).to.be.at.least(FEWEST_FORECASTS);
    expect(series.get('tickmark_input_drift_forecasts')).to.equal(drift.forecasts);
    expect(drift.columns).to.have.length(CONTEXT_COLUMN_NAMES.length);
    for (const { name, psi } of drift.columns) expect(series.get(`tickmark_input_drift{column="${name}"}`), name).to.equal(psi);
    // The same window every time, against fractions of one half.
    expect(drift.columns.at(-1)!.psi).to.be.above(4);
    const { drift: other } = (await rig.ask('/models/base-2026-11-27')).json as { drift: object };
    expect(other).to.deep.equal({ forecasts: 0, columns: null, why: '200 forecasts are needed; there were 0.' });
  });

  it('adds no labels, whatever is sent; no key, e-mail or address is in one (row 42)', async () => {
    const storm = async (n: number): Promise<void> => {
      for (let i = 0; i < 5; i++) {
        const text = randomBytes(6).toString('hex');
        await rig.ask(`/${text}?${text}=${text}`);
        await rig.ask(`/models/${text}`);
        await rig.withKey(createApiKey(), '/auth/me');
        await rig.asOwner(`${text}@example.com`, `/account/keys/${text}`, { method: 'DELETE' });
        await rig.ask('/signup', { method: ['PUT', 'TRACE', 'PATCH', 'MKCOL', 'PURGE'][i] ?? 'GET' });
        await rig.withKey(keys[0], `/auth/ti-tick?model=${text}`, { body: sample });
      }
      keys.push(String((await rig.signUp(`storm${n}@example.com`)).json['api_key']));
    };
    // The first two cover every possible answer, including the limit of bad keys.
    await storm(0);
    await storm(1);
    const before = await read();
    await storm(2);
    await storm(3);
    const after = await get(port, '/metrics');
    // Kinds of garbage collection, of open resources and of store calls appear with the first of them, which Node.js or a timer makes.
    const ofRequests = (series: ReadonlyMap<string, number>): string[] =>
      [...series.keys()].filter((name) => !/^(nodejs_(gc_duration|active)|tickmark_store_call)_/.test(name)).sort();
    const known = new Set(ofRequests(before));
    expect(
      ofRequests(seriesOf(after.text))
        .filter((name) => !known.has(name))
        .join(' '),
    ).to.equal('');
    expect(before.size).to.be.below(1500);
    // Their labels are names of the program.
    for (const [, call] of after.text.matchAll(/[{,]call="([^"]*)"/g)) expect(call).to.match(/^[a-zA-Z]+$/);
    for (const secret of [...keys.map((key) => key.slice(0, 13)), PASSWORD, '@example', '127.0.0.1', 'tkm_live'])
      expect(after.text.includes(secret), secret).to.equal(false);
  });

  it('is off by default, and a port in use is reported with a remedy', async () => {
    const refusal = await serviceErrorOf(startAccountService(place, { METRICS_PORT: String(port) }));
    expect([refusal.code, refusal.message.includes('METRICS_PORT')]).to.deep.equal(['server.cannot_listen', true]);
    expect(refusal.remedy).to.include('METRICS_PORT').and.include('HOST and PORT');
  });

  it('counts live connections and their forecasts', async () => {
    const live = new TickmarkClient({ baseUrl: rig.service.url, apiKey: keys[0] }).live({ WebSocket });
    live.open({ series: 's', forecasts: [{ horizon: '10s', every: 'tick' }] });
    const timeMs = Date.UTC(2024, 0, 2);
    for (let i = 0; i < 201; i++) live.push('s', { timeMs: timeMs + 500 * i, price: 100 + Math.sin(i) });
    live.score('s');
    for await (const { type } of live) {
      if (type !== 'score') continue;
      const during = await read();
      expect(during.get('tickmark_live_connections')).to.equal(1);
      expect(during.get('tickmark_live_forecasts_total{result="computed"}')).to.equal(3);
      expect(during.get('tickmark_live_forecasts_total{result="skipped"}')).to.equal(0);
      live.close();
    }
    await until(async () => (await read()).get('tickmark_live_connections') === 0);
  });

  describe('dashboard and alert rules of the chart', () => {
    /** Prometheus adds them: the install and its replica. */
    const TARGET_LABELS = new Set(['job', 'namespace', 'instance']);
    type Panel = { title: string; targets: { expr: string }[] };
    type Alerts = {
      groups: {
        rules: { alert: string; expr: string; for?: string; labels: { severity: string }; annotations: Record<string, string> }[];
      }[];
    };
    const fileOf = (name: string): string => readFileSync(path.join(packageRoot(), 'deploy', 'helm', 'tickmark', 'files', name), 'utf8');
    const dashboard = JSON.parse(fileOf('grafana-dashboard.json')) as { panels: Panel[]; templating: { list: { name: string }[] } };
    const rules = (parse(fileOf('alerts.yaml')) as Alerts).groups.flatMap((group) => group.rules);
    const queries = [
      ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))),
      ...rules.map(({ alert, expr }) => ({ title: alert, expr })),
    ];

    it('use only series and labels that the service has', async () => {
      const series = [...(await read()).keys()];
      for (const { title, expr } of queries) {
        const names = [...expr.matchAll(/\b((?:tickmark|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)];
        expect(names, `${title}: ${expr}`).to.have.length.above(0);
        for (const [, name = '', selector = ''] of names) {
          const found = series.filter((each) => each === name || each.startsWith(`${name}{`));
          expect(found, `${title}: ${name}`).to.have.length.above(0);
          for (const [, label = ''] of selector.matchAll(/(\w+)\s*(?:=|!=|=~|!~)/g))
            expect(
              TARGET_LABELS.has(label) || found.some((each) => each.includes(`${label}="`)),
              `${title}: label ${label} of ${name}`,
            ).to.equal(true);
        }
        for (const [, labels = ''] of expr.matchAll(/\bby \(([^)]*)\)/g))
          for (const label of labels.split(',').map((each) => each.trim()))
            expect(TARGET_LABELS.has(label) || series.some((each) => each.includes(`${label}="`)), `${title}: by ${label}`).to.equal(true);
      }
    });

    it('name only error codes of the table and routes of the service', () => {
      const paths = Object.values(ROUTES).map((route) => route.path);
      for (const { expr, title } of queries) {
        for (const [, codes = ''] of expr.matchAll(/\bcode=~?"([^"]*)"/g))
          for (const code of codes.split('|')) expect(ERROR_CODES, title).to.include(code);
        for (const [, route = ''] of expr.matchAll(/\broute="([^"]*)"/g)) expect(paths, title).to.include(route);
      }
    });

    it('look at each install by itself, and the dashboard at chosen replicas', () => {
      for (const { alert, expr } of rules) {
        const sums = [...expr.matchAll(/\b(?:sum|count|max|min|avg)\b(?!_)\s*(\w*\s*\([^)]*\))?/g)];
        expect(sums.length + Number(expr.includes(' on (')), alert).to.be.above(0);
        for (const [text, by = ''] of sums) expect(by, `${alert}: ${text}`).to.match(/^by \(job, namespace\b/);
      }
      const variables = dashboard.templating.list.map(({ name }) => name);
      expect(variables).to.deep.equal(['datasource', 'namespace', 'job', 'instance']);
      for (const { title, targets } of dashboard.panels)
        for (const { expr } of targets)
          for (const [, selector = ''] of expr.matchAll(/\b(?:tickmark|nodejs|process)_\w+(?:\{([^}]*)\})?/g))
            for (const label of TARGET_LABELS) expect(selector, `${title}: ${expr}`).to.include(`${label}=~"$${label}"`);
    });

    it('do not count health probes as requests', () => {
      const selectors = queries.flatMap(({ expr }) => [...expr.matchAll(/\btickmark_request_duration_seconds_\w+(?:\{([^}]*)\})?/g)]);
      expect(selectors).to.have.length.above(2);
      for (const [text, selector = ''] of selectors) expect(selector, text).to.match(/\broute(?:!~"\/health\/\.\*"|="\/auth\/[^"]*")/);
    });

    it('do not report one failure as critical: the window is no longer than the wait', () => {
      const minutes = (text: string | undefined): number => Number(/^(\d+)m$/.exec(text ?? '')?.[1] ?? NaN);
      for (const { alert, expr, for: wait, labels } of rules)
        if (labels.severity === 'critical')
          for (const [, window] of expr.matchAll(/\b(?:rate|increase)\([^[]*\[(\w+)\]/g))
            expect(minutes(window), alert).to.be.at.most(minutes(wait));
    });

    it('show every metric of the table, and say in each alert what it means and what to do', () => {
      const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
      for (const name of Object.keys(METRICS)) expect(asked, name).to.include(name);
      for (const { alert, labels, annotations } of rules) {
        expect(labels.severity, alert).to.be.oneOf(['warning', 'critical']);
        expect(annotations, alert).to.have.all.keys('summary', 'description');
      }
    });
  });
});
