import { expect } from 'chai';
import { emailKeyOf, emailProblem } from '../../../src/accounts/emailRules.ts';

describe('e-mail rules', () => {
  it('accept addresses that people have', () => {
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
      'a@'.repeat(100_000),
    ];
    for (const text of texts) {
      const problem = emailProblem(text);
      expect(problem?.code, JSON.stringify(text.slice(0, 80))).to.equal('email.malformed');
      expect(problem?.pointer).to.equal('/email');
      expect(problem?.detail.length).to.be.below(200);
    }
  });

  it('compare without regard to case or to how an accent is composed', () => {
    expect(emailKeyOf('Trader@EXAMPLE.com')).to.equal('trader@example.com');
    expect(emailKeyOf('JU\u0308RGEN@example.com')).to.equal(emailKeyOf('j\u00fcrgen@example.com'));
    expect(emailKeyOf('a.b@example.com')).to.not.equal(emailKeyOf('ab@example.com'));
  });

  it('give a compared form that is its own compared form', () => {
    for (const text of [
      'İ@example.com',
      'ΣΑΣ@example.com',
      'Ǆ@example.com',
      'K\u212a@example.com',
      'A\u030a\u0327@example.com',
      'STRASSE@ẞ.de',
    ]) {
      expect(emailKeyOf(emailKeyOf(text)), text).to.equal(emailKeyOf(text));
    }
  });
});
