import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './tickmarkProcess.ts';

/** openapi-typescript and Redocly, which need TypeScript 5: packages of their own, installed by `npm run test:openapi`. */
const FOLDER = path.join(ROOT, 'scripts', 'openapi');
const PYTHON = process.env['PYTHON'] ?? 'python3';
const CACHE = path.join(ROOT, '.ci', 'cache', 'openapi-python-client');

export const hasTools = (): boolean => existsSync(path.join(FOLDER, 'node_modules', 'openapi-typescript'));

/** Runs a program to its end; throws with its output if it fails. */
function run(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? ''}\n${stdout}${stderr}`);
  return stdout;
}

/** What the recommended rules of Redocly say of a document, warnings too. */
export async function redoclyProblems(document: string): Promise<string[]> {
  const { createConfig, lintFromString } = createRequire(path.join(FOLDER, 'package.json'))('@redocly/openapi-core') as {
    createConfig: (config: object) => Promise<object>;
    lintFromString: (options: object) => Promise<{ ruleId: string; message: string }[]>;
  };
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: document, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

export type Call = { readonly url: string; readonly key: string; readonly body: object; readonly observed: object };

const TYPESCRIPT = `import type { components, paths } from './schema.ts';
type Post = paths['/auth/ti-tick']['post'];
type Answer = Post['responses'][200]['content']['application/json'];
type Query = NonNullable<Post['parameters']['query']>;
type Forms = components['schemas'];
const { url, key, body, observed } = JSON.parse(process.env['CALL'] ?? '') as Record<'url' | 'key', string> & Record<'body' | 'observed', Forms['TickRequestBody']>;
async function send<T extends Answer>(sent: Forms['TickRequestBody'], query: Query): Promise<T> {
  const headers = { 'Content-Type': 'application/json', 'Api-Key': key };
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const answer = await fetch(url + '/auth/ti-tick?' + text, { method: 'POST', headers, body: JSON.stringify(sent) });
  return (await answer.json()) as T;
}
const whole = await send<Forms['TickAnswer']>(body, {});
const last = await send<Forms['LastAnswer']>(body, { answer: 'last', min_move_bps: 2.5 });
const { forecasts } = await send<Forms['HorizonsAnswer']>(observed, { horizons: '10s,60s', min_move_bps: '2.5' });
const mark: 1 | null | undefined = whole[body.Timestamp.at(-1) ?? '']?.trend_identified;
const status: 'identified' | 'none' | 'abstained' = last.status;
console.log(JSON.stringify({ entries: Object.keys(whole).length, mark, last: [last.timestamp, status], futures: forecasts.map((each: Forms['HorizonForecast']) => each.future) }));
`;

/** Generates the types, checks a program that uses them without \`any\`, and runs it. */
export function callByTypeScript(folder: string, document: string, call: Call): unknown {
  writeFileSync(path.join(folder, 'openapi.json'), document);
  writeFileSync(path.join(folder, 'calls.ts'), TYPESCRIPT);
  const cli = path.join(FOLDER, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  run(process.execPath, [cli, 'openapi.json', '-o', 'schema.ts'], folder);
  const types = path.join(ROOT, 'node_modules', '@types');
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'];
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  run(path.join(ROOT, 'node_modules', '.bin', 'tsc'), [...options, '--typeRoots', types, 'calls.ts'], folder);
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return JSON.parse(run(process.execPath, ['--import', tsx, 'calls.ts'], folder, { CALL: JSON.stringify(call) }));
}

const PYTHONPATH = { PYTHONPATH: CACHE };

export const hasPythonTools = (): boolean =>
  spawnSync(PYTHON, ['-c', 'import openapi_python_client'], { env: { ...process.env, ...PYTHONPATH } }).status === 0;

const PYTHON_CALLS = `import json, os
from generated import AuthenticatedClient
from generated.api.forecasts import tick_batch, tick_forecast
from generated.models import HorizonsAnswer, LastAnswer, TickAnswer, TickBatchRequestBody, TickRequestBody
call = json.loads(os.environ["CALL"])
client = AuthenticatedClient(base_url=call["url"], token=call["key"], prefix="", auth_header_name="Api-Key")
body, observed = (TickRequestBody.from_dict(call[name]) for name in ("body", "observed"))
whole = tick_forecast.sync(client=client, body=body)
last = tick_forecast.sync(client=client, body=body, answer="last", min_move_bps=2.5)
several = tick_forecast.sync(client=client, body=observed, horizons="10s,60s", min_move_bps="1,2.5")
batch = tick_batch.sync(client=client, body=TickBatchRequestBody(items=[body]), answer="last")
kinds = [type(each).__name__ for each in (whole, last, several, batch.results[0].body)]
futures = [each.future for each in several.forecasts]
print(json.dumps({"kinds": kinds, "entries": len(whole.additional_properties), "last": [last.timestamp, last.status], "futures": futures}))
`;

/** Generates the Python package, without a warning about an endpoint, and calls the service with it. */
export function callByPython(folder: string, document: string, call: Call): unknown {
  writeFileSync(path.join(folder, 'openapi.json'), document);
  writeFileSync(path.join(folder, 'calls.py'), PYTHON_CALLS);
  // Without formatters, which it would look for on the PATH.
  writeFileSync(path.join(folder, 'config.yml'), 'post_hooks: []\n');
  const args = [
    'generate',
    '--path',
    'openapi.json',
    '--output-path',
    'generated',
    '--meta',
    'none',
    '--config',
    'config.yml',
    '--fail-on-warning',
  ];
  run(PYTHON, ['-m', 'openapi_python_client', ...args], folder, PYTHONPATH);
  return JSON.parse(run(PYTHON, ['calls.py'], folder, { ...PYTHONPATH, CALL: JSON.stringify(call) }));
}
