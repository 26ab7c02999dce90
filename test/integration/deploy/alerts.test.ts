import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { CHART } from '../../support/helmTools.ts';
import { findPromtool } from '../../support/promtool.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

type Rule = { alert: string; labels: Record<string, string>; annotations: Record<string, string> };
type Labels = Readonly<Record<string, string>>;

const FILE = path.join(CHART, 'files', 'alerts.yaml');
const rules = (parse(readFileSync(FILE, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);

const PRODUCTION = { job: 'tickmark', namespace: 'production' };
const STAGING = { job: 'tickmark', namespace: 'staging' };
const first = { ...PRODUCTION, instance: 'a:9464' };
const second = { ...PRODUCTION, instance: 'b:9464' };
const staging = { ...STAGING, instance: 'c:9464' };

const named = (name: string, labels: Labels): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`;
const REQUESTS = 'tickmark_request_duration_seconds';
const forecast = { route: '/auth/ti-tick', method: 'POST' };
/** `values` in the notation of promtool, one a minute: `0+60x30` counts one a second for 30 min. */
const counted = (name: string, labels: Labels, values: string) => ({ series: named(name, labels), values });

/** Series of some minutes, and the alerts that fire at the last of them, with the labels that they have next to severity. */
const ROWS: readonly {
  readonly title: string;
  readonly series: readonly { readonly series: string; readonly values: string }[];
  readonly minutes: number;
  readonly fire: readonly (readonly [alert: string, labels: Labels])[];
}[] = [
  {
    title: 'production answers every request with 503, next to a staging with a hundred times its traffic',
    series: [
      counted(`${REQUESTS}_count`, { ...first, ...forecast, status: '503' }, '0+60x30'),
      counted(`${REQUESTS}_count`, { ...staging, ...forecast, status: '200' }, '0+6000x30'),
    ],
    minutes: 15,
    fire: [['TickmarkErrors', PRODUCTION]],
  },
  {
    title: 'one request in 50 fails on one of two replicas',
    series: [
      counted(`${REQUESTS}_count`, { ...first, ...forecast, status: '200' }, '0+60x30'),
      counted(`${REQUESTS}_count`, { ...second, ...forecast, status: '200' }, '0+57x30'),
      counted(`${REQUESTS}_count`, { ...second, ...forecast, status: '500' }, '0+3x30'),
    ],
    minutes: 15,
    fire: [['TickmarkErrors', PRODUCTION]],
  },
  {
    title: 'health probes of a pod that starts get 503, and callers with a wrong key 401',
    series: [
      counted(`${REQUESTS}_count`, { ...first, route: '/health/ready', method: 'GET', status: '503' }, '0+60x30'),
      counted(`${REQUESTS}_count`, { ...first, ...forecast, status: '401' }, '0+60x30'),
    ],
    minutes: 15,
    fire: [],
  },
  {
    title: 'a replica is down, while another one and another program are as they should be or not',
    series: [counted('up', first, '1x5 0x25'), counted('up', second, '1x30'), counted('up', { job: 'node', instance: 'n:9100' }, '0x30')],
    minutes: 15,
    fire: [['TickmarkDown', first]],
  },
  {
    title: 'a target under another job name, and without a namespace, is down after it answered',
    series: [
      counted('up', { job: 'forecasts', instance: 'x:9464' }, '1x5 0x25'),
      counted('tickmark_model_info', { job: 'forecasts', instance: 'x:9464', id: 'base' }, '1x5'),
    ],
    minutes: 15,
    fire: [['TickmarkDown', { job: 'forecasts', instance: 'x:9464' }]],
  },
  {
    title: 'a replica is down for as long as a restart takes',
    series: [counted('up', first, '1x5 0x1 1x25')],
    minutes: 8,
    fire: [],
  },
  {
    title: 'a replica ends and starts again every 15 s, and another one was started again twice',
    series: [
      ...[first, second].map((instance) => counted('tickmark_build_info', instance, '1x30')),
      counted('up', first, '1x30'),
      counted('process_start_time_seconds', first, '1700000000+60x30'),
      counted('up', second, '1x30'),
      counted('process_start_time_seconds', second, '1700000000x4 1700000300x4 1700000600x20'),
    ],
    minutes: 20,
    fire: [['TickmarkStartsAgain', first]],
  },
  {
    title: 'a replica ends and starts again every 15 s, and only some scrapes find it',
    series: [
      ...[first, second].map((instance) => counted('tickmark_build_info', instance, '1x30')),
      counted('up', first, '1 0 1 0 0 1 0 1 0 0 1 0 1 0 0 1 0 1 0 0 1 0 1 0 0'),
      counted('up', second, '1x10 0 1x15'),
      // Another program.
      counted('process_start_time_seconds', { job: 'cron', instance: 'n:1' }, '1700000000+60x30'),
    ],
    minutes: 20,
    fire: [['TickmarkStartsAgain', first]],
  },
  {
    title: 'the backup of production was made two days before, and that of staging every day',
    series: [
      counted('tickmark_last_backup_timestamp_seconds', first, '3600x3100'),
      counted('tickmark_last_backup_timestamp_seconds', second, '0x3100'),
      counted('tickmark_last_backup_timestamp_seconds', staging, '3600x1440 90000x1440 176400x220'),
    ],
    minutes: 3100,
    fire: [['TickmarkBackupOld', PRODUCTION]],
  },
  {
    title: 'a new install has no backup for a day',
    series: [counted('tickmark_last_backup_timestamp_seconds', first, '0x2900')],
    minutes: 2900,
    fire: [],
  },
  {
    title: 'alerts of production are given up, and those of staging are tried again',
    series: [
      counted('tickmark_alert_attempts_total', { ...first, result: 'failed' }, '0x5 1x25'),
      counted('tickmark_alert_attempts_total', { ...staging, result: 'retry' }, '0+5x30'),
      counted('tickmark_alert_attempts_total', { ...staging, result: 'failed' }, '0x30'),
    ],
    minutes: 10,
    fire: [['TickmarkDeliveriesFail', PRODUCTION]],
  },
  {
    title: 'two installs serve different versions',
    series: [
      counted('tickmark_model_info', { ...first, id: 'one' }, '1x30'),
      counted('tickmark_model_info', { ...staging, id: 'two' }, '1x30'),
    ],
    minutes: 15,
    fire: [],
  },
  {
    title: 'two replicas of one install serve different versions',
    series: [
      counted('tickmark_model_info', { ...first, id: 'one' }, '1x30'),
      counted('tickmark_model_info', { ...first, id: 'two' }, '0x30'),
      counted('tickmark_model_info', { ...second, id: 'two' }, '1x30'),
    ],
    minutes: 15,
    fire: [['TickmarkVersionsDiffer', PRODUCTION]],
  },
  {
    title: 'the store of production fails at each call, and that of staging failed once',
    series: [
      counted('tickmark_store_call_duration_seconds_count', { ...first, call: 'ping', outcome: 'failed' }, '0+60x30'),
      counted('tickmark_store_call_duration_seconds_count', { ...staging, call: 'ping', outcome: 'failed' }, '0x9 1x20'),
    ],
    minutes: 11,
    fire: [['TickmarkStoreFails', PRODUCTION]],
  },
  {
    title: 'the clock of one replica is 3 s late, and that of another one 1 s early',
    series: [counted('tickmark_clock_offset_seconds', first, '-3x30'), counted('tickmark_clock_offset_seconds', second, '1x30')],
    minutes: 10,
    fire: [['TickmarkClockOff', first]],
  },
  {
    title: 'one forecast in ten of production is slow, and the fast ones of staging are many more',
    series: [
      counted(`${REQUESTS}_bucket`, { ...first, ...forecast, status: '200', le: '0.5' }, '0+54x40'),
      counted(`${REQUESTS}_bucket`, { ...first, ...forecast, status: '200', le: '1' }, '0+60x40'),
      counted(`${REQUESTS}_bucket`, { ...first, ...forecast, status: '200', le: '+Inf' }, '0+60x40'),
      ...['0.5', '1', '+Inf'].map((le) => counted(`${REQUESTS}_bucket`, { ...staging, ...forecast, status: '200', le }, '0+60000x40')),
    ],
    minutes: 25,
    fire: [['TickmarkSlow', PRODUCTION]],
  },
  {
    title: 'production refuses forecasts because of overload, and staging because of a quota',
    series: [
      counted('tickmark_problems_total', { ...first, code: 'inference.overloaded' }, '0+60x30'),
      counted('tickmark_problems_total', { ...staging, code: 'limit.exceeded' }, '0+6000x30'),
    ],
    minutes: 15,
    fire: [['TickmarkOverloaded', PRODUCTION]],
  },
  {
    title: 'workers of one replica end again and again, and one of another ended once',
    series: [
      counted('tickmark_restarts_total', { ...first, process: 'worker' }, '0+1x30'),
      counted('tickmark_restarts_total', { ...second, process: 'worker' }, '0x5 1x25'),
    ],
    minutes: 15,
    fire: [['TickmarkRestarts', first]],
  },
  {
    title: 'one replica drops log lines',
    series: [counted('tickmark_log_lines_dropped_total', first, '0+1x30'), counted('tickmark_log_lines_dropped_total', second, '7x30')],
    minutes: 10,
    fire: [['TickmarkLogLinesDropped', first]],
  },
];

/** An alert as promtool expects it: with the texts of the rule for these labels. */
const expected = ({ labels: own, annotations }: Rule, labels: Labels) => ({
  exp_labels: { ...own, ...labels },
  exp_annotations: Object.fromEntries(
    Object.entries(annotations).map(([name, text]) => [
      name,
      text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_all, label: string) => labels[label] ?? ''),
    ]),
  ),
});

describe('the alert rules', () => {
  it('fire for the install or replica at fault, and for no other', function () {
    const promtool = findPromtool();
    if (promtool === undefined) {
      process.stdout.write(
        '    skipped: promtool is neither fetched nor on the PATH; node --import tsx test/support/preparePromtool.ts fetches it\n',
      );
      this.skip();
    }
    const tests = ROWS.map(({ title, series, minutes, fire }) => ({
      name: title,
      interval: '1m',
      input_series: series,
      alert_rule_test: rules.map((rule) => ({
        eval_time: `${minutes}m`,
        alertname: rule.alert,
        exp_alerts: fire.filter(([alert]) => alert === rule.alert).map(([, labels]) => expected(rule, labels)),
      })),
    }));
    const folder = temporaryFolder();
    const file = path.join(folder, 'tests.yaml');
    writeFileSync(file, stringify({ rule_files: [FILE], evaluation_interval: '1m', tests }));
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout + stderr).to.include('SUCCESS');
  });

  it('are each fired by a row of this test', () => {
    const fired = new Set(ROWS.flatMap(({ fire }) => fire.map(([alert]) => alert)));
    expect([...fired].sort()).to.deep.equal(rules.map(({ alert }) => alert).sort());
  });
});
