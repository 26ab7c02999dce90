import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { CHART, helmTools, KUBE_VERSION } from '../../support/helmTools.ts';
import { kubectlOf } from '../../support/kubernetesTools.ts';
import { parseDockerfile } from '../../support/parseDockerfile.ts';
import { blocksOf, PAGES } from '../../support/pageBlocks.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

type Manifest = { kind: string; metadata: { name: string; labels?: Record<string, string> }; spec: never };

const read = (...names: string[]): string => readFileSync(path.join(ROOT, ...names), 'utf8');
/** What Helm makes of the chart's own values. */
let service: Manifest[];
/** That of the pages. */
const namespace = 'tickmark';

/** The words of a shell command, without quotes. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/['"]/g, ''));

type Line = { readonly page: string; readonly text: string; readonly words: readonly string[] };

/** Every kubectl command in the shell blocks and in the text of a page. */
function linesOf(page: string): Line[] {
  const shell = blocksOf(page).filter(({ language }) => language === 'bash' || language === 'sh');
  const commands = shell.flatMap(({ code }) => code.replaceAll('\\\n', ' ').split(/\n|&&|&\n/));
  const prose = read(page).replace(/^```[^]*?^```$/gm, '');
  const inline = [...prose.matchAll(/`(kubectl [^`]+)`/g)].map(([, text = '']) => text.replaceAll('\n', ' '));
  return [...commands, ...inline]
    .map((text) => text.replace(/&\s*$/, '').trim())
    .filter((text) => text.startsWith('kubectl '))
    .map((text) => ({ page, text, words: wordsOf(text).slice(1) }));
}

/** What Helm prints after the installation, with the values of docs/how-to/kubernetes.md. */
function notesOf(page: string): Line[] {
  const values = parse(read('deploy', 'helm', 'tickmark', 'values.yaml')) as { service: { port: number } };
  const filled = read(page)
    .replaceAll('{{ .Release.Namespace }}', namespace)
    .replaceAll('{{ include "tickmark.fullname" . }}', 'tickmark')
    .replaceAll('{{ .Values.service.port }}', String(values.service.port));
  const commands = filled.split('\n').map((text) => text.trim());
  return commands.filter((text) => text.startsWith('kubectl ')).map((text) => ({ page, text, words: wordsOf(text).slice(1) }));
}

const lines = [...PAGES.flatMap(linesOf), ...notesOf('deploy/helm/tickmark/templates/NOTES.txt')];
const valueOf = (words: readonly string[], option: string): string | undefined => {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`));
  return at < 0 ? undefined : words[at] === option ? words[at + 1] : words[at]?.slice(option.length + 1);
};

/** A manifest by `kind/name`; those of the service are in a namespace that the command has to name. */
function find(words: readonly string[]): Manifest {
  const [, kind = '', name] = words.map((word) => /^([a-z]+)\/([\w.-]+)$/.exec(word)).find((match) => match !== null) ?? [];
  const is = (each: Manifest): boolean => each.kind.toLowerCase() === kind && each.metadata.name === name;
  const found = service.find(is);
  if (found === undefined) throw new Error(`no manifest of the chart is ${kind}/${name ?? ''}`);
  expect(valueOf(words, '--namespace'), 'the namespace').to.equal(namespace);
  return found;
}

const containersOf = ({ spec }: Manifest): { env: { valueFrom?: { secretKeyRef?: { name: string; key: string } } }[] }[] =>
  (spec as { template: { spec: { containers: never } } }).template.spec.containers;

type Template = { readonly template: { readonly metadata: Manifest['metadata'] } };

/** Labels of the pods of all Deployments and CronJobs. */
const podLabels = (): Readonly<Record<string, string>>[] =>
  service
    .filter(({ kind }) => kind === 'Deployment' || kind === 'CronJob')
    .map(({ kind, spec }) => (kind === 'CronJob' ? (spec as { jobTemplate: { spec: Template } }).jobTemplate.spec : (spec as Template)))
    .map(({ template }) => template.metadata.labels ?? {});

/** What a command must agree with, by its verb. */
const CHECKS: Readonly<Record<string, (words: readonly string[]) => void>> = {
  'create namespace': ([, , name]) => expect(name).to.equal(namespace),
  'create secret': (words) => {
    const refs = service
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap(containersOf)
      .flatMap(({ env }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []));
    const [key] = valueOf(words, '--from-literal')?.split('=') ?? [];
    expect(refs).to.deep.equal([{ name: words[3], key }]);
    expect(valueOf(words, '--namespace')).to.equal(namespace);
  },
  'rollout status': (words) => expect(find(words).kind).to.equal('Deployment'),
  'rollout restart': (words) => expect(find(words).kind).to.equal('Deployment'),
  'rollout undo': (words) => expect(find(words).kind).to.equal('Deployment'),
  'port-forward': (words) => {
    const { ports } = find(words).spec as { ports: { port: number }[] };
    const [, remote] = words.find((word) => /^\d+:\d+$/.test(word))?.split(':') ?? [];
    expect(ports.map(({ port }) => port)).to.include(Number(remote));
  },
  exec: (words) => {
    find(words);
    const steps = parseDockerfile(path.join(ROOT, 'Dockerfile')).flatMap((stage) => stage.steps);
    const [program, script = ''] = words.slice(words.indexOf('--') + 1);
    expect(JSON.stringify(steps), script).to.include(`/app/${script}`);
    expect([program, existsSync(path.join(ROOT, script))]).to.deep.equal(['node', true]);
  },
  describe: (words) => expect([words[1], valueOf(words, '--namespace')]).to.deep.equal(['pods', namespace]),
  logs: (words) => {
    const [label = '', value] = valueOf(words, '--selector')?.split('=') ?? [];
    if (label === '') return void find(words);
    expect(valueOf(words, '--namespace')).to.equal(namespace);
    expect(podLabels().map((labels) => labels[label])).to.include(value);
  },
  get: (words) => {
    expect([['pods', 'jobs'].includes(words[1] ?? ''), valueOf(words, '--namespace')]).to.deep.equal([true, namespace]);
    const [label = '', value] = valueOf(words, '--selector')?.split('=') ?? [];
    if (label !== '') expect(podLabels().map((labels) => labels[label])).to.include(value);
  },
  cp: (words) => expect(words.at(-1)).to.match(new RegExp(`^${namespace}/POD:/tmp/`)),
  'create job': (words) => {
    const [kind, name] = valueOf(words, '--from')?.split('/') ?? [];
    expect([kind, valueOf(words, '--namespace')]).to.deep.equal(['cronjob', namespace]);
    expect(service.filter((each) => each.kind === 'CronJob').map(({ metadata }) => metadata.name)).to.include(name);
  },
};

describe('the kubectl commands of the pages', () => {
  it('name resources, keys and ports of the manifests, and the namespace', async function () {
    const { helm } = await helmTools(this);
    const { code, out, err } = helm('template', 'tickmark', CHART, '--namespace', namespace, '--kube-version', KUBE_VERSION);
    expect(code, err).to.equal(0);
    service = parseAllDocuments(out).map((document) => document.toJS() as Manifest);
    expect(lines.length).to.be.above(10);
    for (const { page, text, words } of lines) {
      // The name of a command, in a sentence.
      if (words.length === 1) continue;
      const check = CHECKS[words.slice(0, 2).join(' ')] ?? CHECKS[words[0] ?? ''];
      if (check === undefined) throw new Error(`${page}: a verb that this test does not know: ${text}`);
      try {
        check(words);
      } catch (error) {
        throw new Error(`${page}: ${text}: ${(error as Error).message}`, { cause: error });
      }
    }
  });

  const runnerOf = async (test: Mocha.Context): Promise<(...args: readonly string[]) => { code: number | null; out: string }> => {
    const kubectl = await kubectlOf(test);
    return (...args) => {
      const { status, stdout, stderr } = spawnSync(kubectl, args, {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], KUBECONFIG: '/dev/null' },
      });
      return { code: status, out: stdout + stderr };
    };
  };

  it('have verbs and flags that kubectl knows', async function () {
    this.timeout(60_000);
    const kubectl = await runnerOf(this);
    // kubectl reads the flags before it prints its help; a subcommand that it does not know ends in the help of the group.
    const isKnown = (words: readonly string[]): boolean => {
      const end = words.indexOf('--');
      const { code, out } = kubectl(...(end < 0 ? words : words.slice(0, end)), '--help');
      return code === 0 && !out.includes('SUBCOMMAND');
    };
    for (const { page, text, words } of lines) expect(isKnown(words), `${page}: ${text}`).to.equal(true);
    for (const wrong of ['rolout status a', 'rollout sttus a', 'rollout status a --namspace b', 'wait --timeout=soon job/a'])
      expect(isKnown(wrong.split(' ')), wrong).to.equal(false);
  });
});
