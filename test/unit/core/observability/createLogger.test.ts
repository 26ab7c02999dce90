import { expect } from 'chai';
import type { Logger } from '../../../../src/core/Logger.ts';
import { createLogger } from '../../../../src/core/observability/createLogger.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

const KEY = `tkm_live_${'Ab3'.repeat(12)}`;

function capture(level: 'debug' | 'info' | 'silent', act: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  act(createLogger(level, { write: (line: string) => void lines.push(line) }));
  return lines;
}

describe('createLogger', () => {
  it('writes one JSON line an event, whatever is in the fields', () => {
    const lines = capture('info', (logger) => {
      logger.info('two\r\nlines {"level":"fatal"}', { path: '/a\n{"x":1}', count: 3 });
      logger.debug('not at this level');
    });
    expect(lines).to.have.length(1);
    expect(lines[0]?.match(/[\r\n]/g)).to.deep.equal(['\n']);
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(line).to.include({ level: 'info', msg: 'two\r\nlines {"level":"fatal"}', path: '/a\n{"x":1}', count: 3 });
    expect(line['time']).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('never writes a key or a password, at any depth', () => {
    const lines = capture('info', (logger) => {
      const error = new Error(`refused ${KEY}`, { cause: { password: 'hunter2hunter2', note: [`in ${KEY}`] } });
      logger.info(`sent ${KEY}`, {
        error,
        password: 'hunter2hunter2',
        apiKey: KEY,
        headers: { 'api-key': 'x', authorization: 'hunter2hunter2' },
      });
    });
    expect(lines[0]).to.not.include(KEY).and.not.include('hunter2hunter2');
    expect(lines[0]).to.include('tkm_live_').and.include('"name":"Error"');
  });

  it('bounds long texts and deep or circular values', () => {
    const circular: { self?: unknown; text: string } = { text: 'x'.repeat(100_000) };
    circular.self = circular;
    const lines = capture('info', (logger) => logger.info('large', { circular }));
    expect(lines[0]?.length).to.be.below(20_000);
  });

  describe('errors that repeat', () => {
    type Shown = { level: string; msg: string; id?: number; repeats?: number; error?: { message: string; stack?: string } };
    const clock = new FakeClock();
    let lines: Shown[];
    let logger: Logger;
    beforeEach(() => {
      lines = [];
      logger = createLogger('debug', { write: (line: string) => void lines.push(JSON.parse(line) as Shown) }, clock);
    });
    const failAt = (place: () => Error, id: number, say: 'error' | 'warn' | 'info' = 'error'): void =>
      logger[say]('request failed', { id, error: place() });
    const full = (): Error => new ServiceError('store.unavailable', `no space left (${lines.length})`, { cause: new RangeError('SQLITE_FULL') }); // prettier-ignore
    const away = (): Error => new Error('connection refused');

    it('are written once with their stack, then counted each minute, until a minute has none', () => {
      for (let second = 0; second < 150; second++) {
        for (let i = 0; i < 4; i++) failAt(full, second);
        clock.advance(1000);
      }
      expect(lines.map(({ id, repeats }) => [id, repeats])).to.deep.equal([
        [0, undefined],
        [undefined, 239],
        [undefined, 240],
      ]);
      expect(lines[0]?.error?.stack).to.include('at full');
      expect(lines[1]).to.deep.include({ level: 'error', msg: 'request failed' });
      expect(lines[1]?.error).to.have.all.keys('name', 'code', 'message');
      clock.advance(60_000);
      expect(lines.at(-1)?.repeats).to.equal(120);
      clock.advance(60_000);
      failAt(full, 7);
      expect(lines.at(-1)?.id, 'in full again').to.equal(7);
      expect(lines).to.have.length(5);
    });

    it('are told apart by place, cause, message of the line and level', () => {
      const other = (): Error => new ServiceError('store.unavailable', 'no space left', { cause: new TypeError('SQLITE_FULL') });
      for (let i = 0; i < 5; i++) {
        for (const place of [full, away, other]) failAt(place, i);
        failAt(away, i, 'warn');
        logger.error('answer failed', { error: away() });
      }
      expect(lines).to.have.length(5);
      expect(lines.every(({ repeats }) => repeats === undefined)).to.equal(true);
    });

    it('are all written below a warning, and without an error', () => {
      for (let i = 0; i < 5; i++) failAt(away, i, 'info');
      for (let i = 0; i < 5; i++) logger.error('audit event not stored', { i, reason: 'Error: no space' });
      expect(lines).to.have.length(10);
    });

    it('take bounded memory: the oldest of more kinds than can be known is reported and forgotten', () => {
      const of = (kind: number): Error => Object.assign(away(), { code: `E${kind}` });
      for (let kind = 0; kind < 101; kind++) for (let i = 0; i < 2; i++) failAt(() => of(kind), kind);
      expect(lines.filter(({ repeats }) => repeats !== undefined).map(({ error }) => (error as { code?: string }).code)).to.deep.equal(['E0']); // prettier-ignore
      clock.advance(60_000);
      expect(lines.filter(({ repeats }) => repeats === 1)).to.have.length(101);
    });
  });

  it('is silent when told so', () => {
    expect(capture('silent', (logger) => logger.error('nothing'))).to.deep.equal([]);
  });
});
