import { expect } from 'chai';
import { toolProblem } from '../../../../src/cli/mcp/toolProblem.ts';
import { ERROR_TABLE, FIELD_CODES, type ErrorCode, type FieldCode } from '../../../../src/core/errorTable.ts';
import { fieldProblem, ServiceError } from '../../../../src/core/ServiceError.ts';

type Told = { remedy: string; errors: { hint: string }[] };

/** What needs a command line, an HTTP client, a header or a log. */
const ELSEWHERE =
  /tickmark |--|npm |\bGET\b|\bPOST\b|\/(account|models|rules|signup|docs)|Retry-After|Api-Key|Content-|header|\blog\b|command|\?\w/i;
const isFit = (text: string): boolean => !ELSEWHERE.test(text) || text.startsWith('Tell the user');

describe('toolProblem', () => {
  it('gives for every code a remedy that a model without a command line can follow, or says what to tell the user', () => {
    const codes = Object.keys(ERROR_TABLE) as ErrorCode[];
    const told = codes.map((code) => ({ code, remedy: (toolProblem(new ServiceError(code, 'x')) as Told).remedy }));
    expect(told.filter(({ remedy }) => !isFit(remedy))).to.deep.equal([]);
  });

  it('does the same for every code of a field, and for the remedy of one error', () => {
    const errors = (Object.keys(FIELD_CODES) as FieldCode[]).map((code) => fieldProblem('/x', code, 'x'));
    const hints = (toolProblem(new ServiceError('request.invalid', 'x', { errors })) as Told).errors.map(({ hint }) => hint);
    expect(hints.filter((hint) => !isFit(hint))).to.deep.equal([]);
    const own = toolProblem(new ServiceError('file.malformed', 'x', { remedy: 'Run tickmark doctor --fix FILE.' })) as Told;
    expect(own.remedy).to.match(/^Tell the user/);
  });
});
