import { Ajv } from 'ajv';
import { expect } from 'chai';
import { DETAILED_FORECAST_EXAMPLE } from '../../../src/contract/answerExamples.ts';
import { NULL_REASONS, type NullReason } from '../../../src/contract/reasons.ts';
import { LastAnswerSchema } from '../../../src/contract/tickForecast.ts';
import { writeLastAnswer } from '../../../src/contract/writeForecastAnswer.ts';

const matchesSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(LastAnswerSchema);
const STAMP = '2024-01-02 09:34:18.000';

describe('writeLastAnswer', () => {
  it('writes a mark as identified, without a reason', () => {
    expect(writeLastAnswer(STAMP, null)).to.equal(
      '{"timestamp":"2024-01-02 09:34:18.000","trend_identified":1,"status":"identified","reason":null}',
    );
  });

  it('writes a null as none if the probability is below its decision threshold, and as abstained for every other reason', () => {
    for (const reason of Object.keys(NULL_REASONS) as NullReason[]) {
      const text = writeLastAnswer(STAMP, reason);
      const status = reason === 'below_threshold' ? 'none' : 'abstained';
      expect(text).to.equal(`{"timestamp":"${STAMP}","trend_identified":null,"status":"${status}","reason":"${reason}"}`);
      expect(matchesSchema(JSON.parse(text)), reason).to.equal(true);
      expect(text.length, reason).to.be.below(150);
    }
  });

  it('adds the detail last, if requested', () => {
    const detail = Object.values(DETAILED_FORECAST_EXAMPLE).flatMap((entry) => ('detail' in entry ? [entry.detail] : []))[0];
    const text = writeLastAnswer(STAMP, null, { detail });
    expect(text).to.equal(`${writeLastAnswer(STAMP, null).slice(0, -1)},"detail":${JSON.stringify(detail)}}`);
    expect(matchesSchema(JSON.parse(text)), JSON.stringify(matchesSchema.errors)).to.equal(true);
  });
});
