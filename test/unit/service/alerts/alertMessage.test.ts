import { expect } from 'chai';
import { ALERT_EXAMPLES, ALERT_SCHEMAS } from '../../../../src/contract/webhooks.ts';
import { ALERT_FORMATS } from '../../../../src/contract/alertRule.ts';
import { alertMessage, isOver } from '../../../../src/service/alerts/alertMessage.ts';

const WORDS = {
  ForecastMarkedAlert: `eurusd: ${ALERT_EXAMPLES.ForecastMarkedAlert['text']}`,
  ForecastSettledAlert: 'eurusd: the move by 2024-01-02 09:34:18.000 UTC came true: -2.40 bps.',
  RecordWorseAlert:
    'The track record since 2023-12-04 is worse than its baseline, or its ranges are too narrow: 1190 outcomes, 21 of 100 marks came true.',
  TestAlert: 'A test of tickmark: alerts arrive here.',
};

describe('alertMessage', () => {
  for (const name of Object.keys(ALERT_SCHEMAS) as (keyof typeof ALERT_SCHEMAS)[])
    it(`says a ${name} in words to each service, and sends the stored bytes as JSON`, () => {
      const body = JSON.stringify({ type: ALERT_SCHEMAS[name].properties.type.const, data: ALERT_EXAMPLES[name] });
      const sent = Object.fromEntries(ALERT_FORMATS.map((format) => [format, alertMessage({ format, chatId: '42' }, body)]));
      const json = (value: object) => ({ body: JSON.stringify(value), contentType: 'application/json' });
      expect(sent).to.deep.equal({
        json: { body, contentType: 'application/json' },
        telegram: json({ chat_id: '42', text: WORDS[name] }),
        slack: json({ text: WORDS[name] }),
        discord: json({ content: WORDS[name] }),
        ntfy: { body: WORDS[name], contentType: 'text/plain; charset=utf-8' },
      });
      expect(alertMessage({}, body)).to.deep.equal(sent['json']);
    });

  it('knows when the future of a forecast has passed', () => {
    const body = JSON.stringify({ data: { future: '2024-01-02 09:34:18.000' } });
    const futureMs = Date.UTC(2024, 0, 2, 9, 34, 18);
    expect([futureMs - 1, futureMs].map((nowMs) => isOver('forecast.marked', body, nowMs))).to.deep.equal([false, true]);
    expect(isOver('forecast.settled', body, futureMs)).to.equal(false);
    expect(isOver('forecast.marked', '{}', futureMs)).to.equal(false);
  });
});
