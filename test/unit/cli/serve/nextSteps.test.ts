import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { nextSteps } from '../../../../src/cli/serve/nextSteps.ts';

const commands = (url: string): string[] =>
  nextSteps(url, '1.2.3')
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim());

describe('nextSteps', () => {
  it('names the address in every command, and nothing that must be filled in', () => {
    expect(commands('http://127.0.0.1:9000')).to.have.length(3);
    for (const command of commands('http://127.0.0.1:9000'))
      expect(command)
        .to.include('http://127.0.0.1:9000/')
        .and.not.match(/<[a-z_]+>/);
  });

  it('prints commands that a shell can parse', () => {
    for (const command of commands('http://[::1]:8080')) execFileSync('bash', ['-n', '-c', command]);
  });
});
