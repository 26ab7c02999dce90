import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { renderChart } from '../../support/helmTools.ts';
import { kubectlOf } from '../../support/kubernetesTools.ts';
import { PAGES } from '../../support/pageBlocks.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

/** Those of the chart, of the pages. */
const NAMESPACE = 'tickmark';
const NOTES = 'deploy/helm/tickmark/templates/NOTES.txt';

/** Every kubectl command in the shell blocks and in the text of the pages, and those that Helm prints after the installation. */
const commands = [...PAGES, NOTES].flatMap((page) => {
  const text = readFileSync(path.join(ROOT, page), 'utf8')
    .replaceAll('\\\n', ' ')
    .replaceAll(/\{\{ (?:include "tickmark.fullname" \.|\.Release\.Namespace) \}\}/g, NAMESPACE)
    .replaceAll('{{ .Values.service.port }}', '80');
  const found = [...text.matchAll(/^\s*(kubectl [^&\n]+)|`(kubectl [^`]+)`/gm)];
  return found.map(([, line, inline = '']) => ({ page, text: (line ?? inline).replaceAll(/\s+/g, ' ').trim() }));
});
const wordsOf = (text: string): string[] => [...text.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));

describe('the kubectl commands of the pages', () => {
  it('name resources, keys, labels and ports of the manifests, and the namespace', async function () {
    const manifests = await renderChart(this, ['--namespace', NAMESPACE]);
    const names = manifests.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
    const rendered = JSON.stringify(manifests);
    expect(commands.length).to.be.above(10);
    for (const { page, text } of commands) {
      const what = `${page}: ${text}`;
      const has = (part: string): unknown => expect(rendered, what).to.include(part);
      // The name of a command, in a sentence, names no resource.
      if (text.split(' ').length > 2)
        expect(text, what).to.match(/ --namespace tickmark\b|^kubectl create namespace tickmark$| tickmark\/POD:/);
      for (const [, name = ''] of text.replace(/ -- .*/, '').matchAll(/ (\w+\/[\w.-]+)(?= |$)/g)) expect(names, what).to.include(name);
      for (const [, port] of text.matchAll(/ \d+:(\d+)/g)) has(`"port":${port},`);
      for (const [, label, value] of text.matchAll(/--selector (\S+)=(\S+)/g)) has(`"${label}":"${value}"`);
      for (const [, name, key] of text.matchAll(/create secret generic (\S+) .*--from-literal=(\w+)/g))
        has(`"secretKeyRef":{"name":"${name}","key":"${key}"}`);
      for (const [, script = ''] of text.matchAll(/ -- node (\S+)/g)) expect(existsSync(path.join(ROOT, script)), what).to.equal(true);
    }
  });

  it('have verbs and flags that kubectl knows', async function () {
    this.timeout(60_000);
    const kubectl = await kubectlOf(this);
    // kubectl reads the flags before it prints its help; a subcommand that it does not know ends in the help of the group.
    const isKnown = (text: string): boolean => {
      const args = [...wordsOf(text.replace(/ -- .*/, '')).slice(1), '--help'];
      const { status, stdout } = spawnSync(kubectl, args, {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], KUBECONFIG: '/dev/null' },
      });
      return status === 0 && !stdout.includes('SUBCOMMAND');
    };
    for (const { page, text } of commands) expect(isKnown(text), `${page}: ${text}`).to.equal(true);
    for (const wrong of ['rolout status a', 'rollout sttus a', 'rollout status a --namspace b', 'wait --timeout=soon job/a'])
      expect(isKnown(`kubectl ${wrong}`), wrong).to.equal(false);
  });
});
