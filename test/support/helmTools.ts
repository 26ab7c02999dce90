import { spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { expect } from 'chai';
import type { Context } from 'mocha';
import { parseAllDocuments } from 'yaml';
import { buildGo, onPath } from './buildGo.ts';
import { kubernetesTools } from './kubernetesTools.ts';
import { ROOT } from './tickmarkProcess.ts';

const SOURCES = path.join(ROOT, 'test', 'helm');
/** A helm without the flags of its own build takes an old version for that of the cluster. */
export const KUBE_VERSION = '1.32.0';
export const CHART = path.join(ROOT, 'deploy', 'helm', 'tickmark');

export type HelmTools = {
  /** Exit code and output of `helm`. */
  helm(...args: readonly string[]): { readonly code: number | null; readonly out: string; readonly err: string };
  /** One line per manifest: its kind and the type it was decoded into. Throws with the first fault. */
  decode(manifests: string): string[];
};

let tools: Promise<HelmTools> | undefined;

/** Finds them, or fetches helm and builds the decoder if `mayMake`. */
export async function buildHelmTools(mayMake: boolean): Promise<HelmTools> {
  const go = onPath('go');
  if (go === undefined) throw new Error('go is not on the PATH');
  const decode = await buildGo(go, SOURCES, { name: 'decodeManifests', mayBuild: mayMake });
  const { helm } = await kubernetesTools(mayMake);
  const run = (program: string, args: readonly string[], input = '') => {
    // Nothing of the user's Helm configuration is read.
    const env = { PATH: process.env['PATH'] ?? '', HOME: path.join(ROOT, 'node_modules', '.cache', 'tickmark', 'helm-home') };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', input, env, maxBuffer: 64 * 1024 * 1024 });
    return { code: status, out: stdout, err: stderr };
  };
  return {
    helm: (...args) => run(helm, args),
    decode: (manifests) => {
      const { code, out, err } = run(decode, [], manifests);
      if (code !== 0) throw new Error(err.trim());
      return out.trim().split('\n');
    },
  };
}

/** Skips the test with the reason unless they were made by `test/support/prepareHelm.ts`. With REQUIRE_HELM=1, makes them or fails. */
export async function helmTools(test: Context): Promise<HelmTools> {
  test.timeout(1_900_000);
  const isRequired = process.env['REQUIRE_HELM'] === '1';
  try {
    return await (tools ??= buildHelmTools(isRequired));
  } catch (error) {
    if (isRequired) throw error;
    process.stdout.write(`    skipped: ${(error as Error).message}; node --import tsx test/support/prepareHelm.ts makes what is needed\n`);
    test.skip();
  }
}

export type Manifest = { readonly kind: string; readonly metadata: { readonly name: string }; readonly spec: never };

/** What Helm makes of the chart with these options, as text and parsed. Fails the test if Helm refuses them. */
export async function renderText(test: Context, args: readonly string[] = []): Promise<string> {
  const { helm } = await helmTools(test);
  const { code, out, err } = helm('template', 'tickmark', CHART, '--kube-version', KUBE_VERSION, ...args);
  expect(code, err).to.equal(0);
  return out;
}

export const renderChart = async (test: Context, args: readonly string[] = []): Promise<Manifest[]> =>
  parseAllDocuments(await renderText(test, args)).map((document) => document.toJS() as Manifest);
