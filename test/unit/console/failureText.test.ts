import { expect } from 'chai';
import { clientService, readLimits } from '../../../src/console/service/clientService.ts';
import { Failure, failureText, fieldText } from '../../../src/console/service/failureText.ts';
import { ROUTES } from '../../../src/contract/routes.ts';
import { ERROR_TABLE } from '../../../src/core/errorTable.ts';

const CODES = [
  ...new Set(
    [ROUTES.signUp, ROUTES.tickForecast, ROUTES.me, ROUTES.sampleForecast, ROUTES.keyList, ROUTES.issueKey, ROUTES.revokeKey].flatMap(
      ({ errors }) => [...errors],
    ),
  ),
];

describe('a failed call in words', () => {
  for (const code of CODES)
    it(`${code}: says what happened and what to do, in sentences`, () => {
      const { title, text } = failureText(
        new Failure(ERROR_TABLE[code].title, { status: ERROR_TABLE[code].status, code, requestId: 'abc' }),
      );
      expect(title).to.match(/^[A-Z].*\.$/);
      expect(text).to.match(/^[A-Z].*\.$/);
    });

  it('says how long to wait where the service says so', () => {
    expect(failureText(new Failure('', { status: 429, code: 'limit.exceeded', retryAfterS: 90 })).text).to.include('in 1 min 30 s');
    expect(failureText(new Failure('', { status: 503, code: 'inference.overloaded', retryAfterS: 1 })).text).to.include('in 1 s');
  });

  it('tells a store that is down from a service that is busy, and a key from a password', () => {
    expect(failureText(new Failure('', { status: 503, code: 'store.unavailable' })).title).to.equal('The account store does not answer.');
    expect(failureText(new Failure('', { status: 401, code: 'auth.key_refused' })).title).to.equal('The key was not accepted.');
  });

  it('names the request for the log where something broke inside', () => {
    expect(failureText(new Failure('', { status: 500, code: 'internal.unexpected', requestId: 'abc-1' })).text).to.include('abc-1');
  });

  it('names a field as the page does, by its pointer and the code of the fault', () => {
    const fault = (pointer: string, code: string, detail: string) => ({ pointer, code, detail, hint: 'Do this.' });
    expect(fieldText(fault('/email', 'email.malformed', 'email must have one @.'))).to.equal('The e-mail must have one @. Do this.');
    expect(fieldText(fault('/name', 'key_name.length', 'names differ'))).to.equal('names differ Do this.');
    expect(fieldText(fault('/confirm_password', 'password.not_confirmed', 'in whatever words'))).to.equal('Both passwords must be equal.');
  });

  it('tells a key that no header can have as one that the service refuses', async () => {
    const failure = await clientService()
      .me('tkm live')
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Failure);
    expect(failureText(failure as Failure).title).to.equal('The key was not accepted.');
  });

  it('tells a service that is down from one that refuses', () => {
    expect(failureText(new Failure('', { status: 0 })).title).to.equal('The service does not answer.');
  });
});

const read = (limit: string, policy: string): readonly string[] =>
  readLimits(new Headers({ RateLimit: limit, 'RateLimit-Policy': policy }));

describe('readLimits', () => {
  it('says what a limit leaves, and when all of it is there again', () => {
    expect(read('"forecasts";r=6000;t=60', '"forecasts";q=6000;w=60')).to.deep.equal(['Limit: 6,000 of 6,000 forecasts in 60 s are left.']);
    const [limit, policy] = ['"forecasts";r=3;t=42, "forecasts of this account";r=0;t=7', '"forecasts";q=20;w=60, "forecasts of this account";q=24;w=60']; // prettier-ignore
    expect(read(limit!, policy!)).to.deep.equal([
      'Limit: 3 of 20 forecasts in 60 s are left; all of them again in 42 s.',
      'Limit: 0 of 24 forecasts of this account in 60 s are left; all of them again in 7 s.',
    ]);
  });

  it('says nothing where the service has no limit or writes another form', () => {
    expect(readLimits(new Headers())).to.deep.equal([]);
    expect(read('5', '10;w=60')).to.deep.equal([]);
  });
});
