import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { nextSteps } from '../../../../src/cli/serve/nextSteps.ts';

const commands = (url: string, isSignUpOpen = true): string[] =>
  nextSteps(url, '1.2.3', { isSignUpOpen })
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
    for (const isOpen of [true, false])
      for (const command of commands('http://[::1]:8080', isOpen)) execFileSync('bash', ['-n', '-c', command]);
  });

  it('proposes to create an account where sign-up is closed, and keeps its key', () => {
    const closed = nextSteps('http://127.0.0.1:9000', '1.2.3', { isSignUpOpen: false });
    expect(closed).to.not.match(/\/signup|Sign up/);
    const [, create = ''] = commands('http://127.0.0.1:9000', false);
    expect(create).to.include('tickmark accounts create you@example.com');
    const printed = "echo 'you@example.com has an account: 1.\nAPI key, shown only now:  tkm_live_1\nPassword, shown only now: x'";
    const script = `${create.replace(/npx tickmark accounts create \S+ --generate-password/, printed)}; echo "<$KEY>"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).to.include('<tkm_live_1>');
  });
});
