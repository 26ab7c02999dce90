import { expect } from 'chai';
import { isLocalHost } from '../../../src/core/hostNames.ts';

describe('isLocalHost', () => {
  const local = ['localhost', 'localhost:8080', 'LocalHost:1', 'localhost.', 'desk.localhost:80', '127.0.0.1', '127.0.0.1:8080', '127.1.2.3', '[::1]', '[::1]:8080']; // prettier-ignore
  const foreign = ['', ':8080', 'x', 'rebind.example', 'rebind.example:8080', 'localhost.example', 'notlocalhost', '127.0.0.1.example', '127.example.com', '0.0.0.0:8080', '192.168.0.2', '[::2]', '[::ffff:7f00:1]', 'localhost@x', 'localhost:8080:1', 'localhost\tx', '2130706433', '0x7f.1']; // prettier-ignore

  for (const host of local) it(`accepts ${host}`, () => expect(isLocalHost(host, [])).to.equal(true));
  for (const host of foreign) it(`refuses ${JSON.stringify(host)}`, () => expect(isLocalHost(host, ['desk.example'])).to.equal(false));

  it('accepts further names with any port, and every name with *', () => {
    for (const host of ['desk.example', 'Desk.Example:443']) expect(isLocalHost(host, ['desk.example'])).to.equal(true);
    for (const host of foreign) expect(isLocalHost(host, ['*']), host).to.equal(true);
  });
});
