import { expect } from 'chai';
import { createLogger } from '../../../../src/core/observability/createLogger.ts';

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

  it('is silent when told so', () => {
    expect(capture('silent', (logger) => logger.error('nothing'))).to.deep.equal([]);
  });
});
