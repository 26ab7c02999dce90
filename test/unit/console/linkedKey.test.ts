import { expect } from 'chai';
import { isOwnLink, questionOf, takeKeyFromAddress, takesLinks } from '../../../src/console/panels/linkedKey.ts';

describe('a key in the address of the console', () => {
  it('counts only on the machine of the service', () => {
    for (const host of ['localhost', 'desk.localhost', '127.0.0.1', '127.1.2.3', '[::1]']) expect(takesLinks(host), host).to.equal(true);
    for (const host of ['', 'desk.example.com', '192.168.0.2', '[fd00::1]', 'localhost.example', '127.example.com', '127.0.0.1.example'])
      expect(takesLinks(host), host).to.equal(false);
  });

  it('is used without a question only if it is of the account of npm start, and no other key is used', () => {
    expect(isOwnLink('local@tickmark.invalid', null)).to.equal(true);
    expect(isOwnLink('local@tickmark.invalid', 'tkm_live_kept')).to.equal(false);
    for (const email of ['a@example.com', 'xlocal@tickmark.invalid', 'local@tickmark.invalid.example'])
      expect(isOwnLink(email, null), email).to.equal(false);
  });

  it('is asked about with the e-mail of its account, and what it would replace', () => {
    expect(questionOf('a@example.com', null)).to.include('a@example.com').and.not.include('replace');
    expect(questionOf('a@example.com', 'tkm_live_kept')).to.include('replace the key').and.not.include('tkm_live');
  });
});

const KEY = `tkm_live_${'Ab3'.repeat(11)}`;

function take(hash: string): { key: string | null; address: string | undefined } {
  let address: string | undefined;
  const history = { replaceState: (_state: null, _unused: string, url: string) => void (address = url) };
  return { key: takeKeyFromAddress({ hash, pathname: '/', search: '?a=1' }, history), address };
}

describe('takeKeyFromAddress', () => {
  it('takes the key of the link and leaves an address without it', () => {
    expect(take(`#key=${KEY}`)).to.deep.equal({ key: KEY, address: '/?a=1' });
  });

  it('takes nothing that is no key, and removes it from the address all the same', () => {
    for (const hash of ['#key=', '#key=tkm_live_short', `#key=${KEY}x`, `#key=<script>${KEY}`])
      expect(take(hash), hash).to.deep.equal({ key: null, address: '/?a=1' });
  });

  it('leaves every other fragment alone', () => {
    for (const hash of ['', '#answer', `#${KEY}`]) expect(take(hash), hash).to.deep.equal({ key: null, address: undefined });
  });
});
