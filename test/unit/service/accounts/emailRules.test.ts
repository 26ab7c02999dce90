import { expect } from 'chai';
import { emailKeyOf, emailProblem, emailKeysOf } from '../../../../src/service/accounts/accountRules.ts';

describe('e-mail rules', () => {
  it('accept common addresses', () => {
    const addresses = [
      'trader@example.com',
      'a@b.co',
      'First.Last+ticks@mail.example-fund.co.uk',
      "o'neil_42@example.com",
      'root@localhost',
      'jürgen@exämple.de',
      '用户@例子.广告',
      `${'a'.repeat(64)}@example.com`,
      `${'a'.repeat(62)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(60)}.co`,
    ];
    for (const address of addresses) expect(emailProblem(address), address).to.equal(undefined);
  });

  it('refuse every other text, with the rule and the start of the value', () => {
    const texts = [
      '',
      '@',
      'a',
      'a@',
      '@example.com',
      'a@b',
      'a@@example.com',
      'a@b@example.com',
      'a@example.com@example.org',
      ' a@example.com',
      'a@example.com ',
      'a b@example.com',
      'a@exam ple.com',
      'a\n@example.com',
      'a@example.com\r\nBcc: b@example.com',
      'a\0@example.com',
      'a\u200b@example.com',
      '.a@example.com',
      'a.@example.com',
      'a..b@example.com',
      'a@.example.com',
      'a@example.com.',
      'a@example..com',
      'a@-example.com',
      'a@example-.com',
      'a@exa_mple.com',
      'a@[127.0.0.1]',
      '"a b"@example.com',
      '<a@example.com>',
      'a@example.com,b@example.com',
      '\ud800@example.com',
      `${'a'.repeat(65)}@example.com`,
      `${'é'.repeat(33)}@example.com`,
      `a@${'b'.repeat(64)}.com`,
      `${'a'.repeat(62)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}.co`,
      `${'\ufdfa'.repeat(21)}@example.com`,
      'a@xn--i\u00f1valid.com',
      'a@xn--a.com',
      'a@example.256',
      'a@'.repeat(100_000),
    ];
    for (const text of texts) {
      const problem = emailProblem(text);
      expect(problem?.code, JSON.stringify(text.slice(0, 80))).to.equal('email.malformed');
      expect(problem?.pointer).to.equal('/email');
      expect(problem?.detail.length).to.be.below(200);
    }
  });

  it('compare without regard to case or to the composition of accents', () => {
    expect(emailKeyOf('Trader@EXAMPLE.com')).to.equal('trader@example.com');
    expect(emailKeyOf('JU\u0308RGEN@example.com')).to.equal(emailKeyOf('j\u00fcrgen@example.com'));
    expect(emailKeyOf('a.b@example.com')).to.not.equal(emailKeyOf('ab@example.com'));
  });

  it('treat a domain in Unicode, in punycode and in full width as equal', () => {
    const key = 'trader@bücher.example';
    for (const domain of [
      'bücher.example',
      'BÜCHER.Example',
      'xn--bcher-kva.example',
      'XN--Bcher-KVA.example',
      'bu\u0308cher.example',
      'ｂücher.ｅｘａｍｐｌｅ',
    ])
      expect(emailKeyOf(`trader@${domain}`), domain).to.equal(key);
    expect(emailKeyOf('ｔｒａｄｅｒ１@example.com')).to.equal('trader1@example.com');
    expect(emailKeyOf('trader@例子。广告')).to.equal('trader@例子.广告');
    expect(emailKeyOf('trader@fa\u00df.example'), 'not transitional').to.not.equal(emailKeyOf('trader@fass.example'));
  });

  it('distinguish letters of different scripts that look alike', () => {
    expect(emailKeyOf('\u0430dmin@example.com'), 'a Cyrillic a').to.not.equal('admin@example.com');
    expect(emailKeyOf('admin@ex\u0430mple.com')).to.not.equal('admin@example.com');
  });

  it('return the normalised forms of earlier versions, the spelling as typed first, if they can differ', () => {
    expect(emailKeysOf('Trader@Example.com')).to.deep.equal(['trader@example.com']);
    expect(emailKeysOf('Jürgen@example.com')).to.deep.equal(['jürgen@example.com']);
    expect(emailKeysOf('a@Bücher.example')).to.deep.equal(['a@bücher.example', 'a@xn--bcher-kva.example']);
    expect(emailKeysOf('a@xn--Bcher-kva.example')).to.deep.equal(['a@xn--bcher-kva.example', 'a@bücher.example']);
    expect(emailKeysOf('ａ@Example.com')).to.deep.equal(['ａ@example.com', 'a@example.com']);
  });

  it('normalise any text in bounded time', () => {
    // Time of the processor: other tests run at the same time.
    const start = process.cpuUsage();
    for (const label of [
      String.fromCodePoint(...Array.from({ length: 8000 }, (_, i) => 0x4e00 + i)),
      'xn--'.repeat(2000),
      'ü'.repeat(8000),
    ])
      expect(emailKeyOf(`a@${label}.com`)).to.have.length.above(0);
    expect(process.cpuUsage(start).user / 1000).to.be.below(100);
  });

  it('normalise idempotently', () => {
    for (const text of [
      'İ@example.com',
      'ΣΑΣ@example.com',
      'Ǆ@example.com',
      'K\u212a@example.com',
      'A\u030a\u0327@example.com',
      'STRASSE@ẞ.de',
      'ﬁ\u0345@xn--fa-hia.de',
      'a@xn--zzzz--.com',
      'ϓ\u0308@1.2.3',
      'no e-mail at all',
    ]) {
      expect(emailKeyOf(emailKeyOf(text)), text).to.equal(emailKeyOf(text));
    }
  });
});
