import { expect } from 'chai';
import { takeKeyFromAddress } from '../../../src/console/panels/takeKeyFromAddress.ts';

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
