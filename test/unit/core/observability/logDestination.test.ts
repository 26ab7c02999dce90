import { expect } from 'chai';
import { createLogger } from '../../../../src/core/observability/createLogger.ts';
import { logDestination, type LogFormat } from '../../../../src/core/observability/logDestination.ts';

const KEY = `tkm_live_${'Ab3'.repeat(11)}`;

function logged(format: LogFormat, isTerminal: boolean, act: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  act(createLogger('info', logDestination(format, isTerminal, { write: (lines) => void (text += lines) })));
  return text;
}

describe('logDestination', () => {
  const ready = (logger: ReturnType<typeof createLogger>): void =>
    logger.info('ready', { url: 'http://127.0.0.1:8080', model: 'base-1', ms: 512, name: 'two words', refused: [] });

  it('writes time, level, message and fields on a terminal', () => {
    expect(logged('auto', true, ready)).to.match(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info {2}ready url=http:\/\/127\.0\.0\.1:8080 model=base-1 ms=512 name="two words" refused=\[\]\n$/,
    );
  });

  it('writes JSON lines into a pipe, and each form where it is asked for', () => {
    expect(JSON.parse(logged('auto', false, ready))).to.include({ level: 'info', msg: 'ready', ms: 512 });
    expect(JSON.parse(logged('json', true, ready))).to.include({ msg: 'ready' });
    expect(logged('text', false, ready)).to.match(/^\S+ info {2}ready url=/);
  });

  it('puts the stack of an error below, and hides secrets as in JSON', () => {
    const text = logged('text', false, (logger) => logger.error(`sent ${KEY}`, { error: new Error('broken'), password: 'hunter2hunter2' }));
    expect(text)
      .to.match(/^\S+ error sent tkm_live_Ab3A… password=\[?"?\[redacted\]"?\n {2}Error: broken\n {2}at /)
      .and.not.include('hunter2')
      .and.not.include(KEY);
  });

  it('lets nothing from outside move the cursor or begin a line', () => {
    const text = logged('text', false, (logger) => logger.info('a\n2026 fatal\u001b[2J', { path: '/\u001b]0;x\u0007\nb\u202e' }));
    expect(text.match(/\n/g)).to.have.length(1);
    expect(text).to.not.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('shows the JSON lines of workers alike, several at once, and other lines as they are', () => {
    let text = '';
    const destination = logDestination('text', false, { write: (lines) => void (text += lines) });
    destination.write('{"level":"warn","time":"2026-01-02T03:04:05.678Z","port":1,"msg":"one"}\nnode: a warning\n{"a":1}\n[1]\n');
    expect(text).to.equal('2026-01-02T03:04:05.678Z warn  one port=1\nnode: a warning\n{"a":1}\n[1]\n');
  });
});
