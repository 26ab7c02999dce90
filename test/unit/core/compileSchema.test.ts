import { expect } from 'chai';
import { compileSchema } from '../../../src/core/compileSchema.ts';

describe('compileSchema', () => {
  for (const [schema, why] of [
    [{ typ: 'number' }, 'unknown keyword: "typ"'],
    [{ type: 'strin' }, 'type must be JSONType'],
    [{ type: 'number', minimum: '3' }, 'minimum value must be'],
    [{ type: 'object', required: 'a' }, 'required value must be'],
    [{ type: 'array', items: 5 }, 'items value must be'],
  ] as const)
    it(`refuses ${JSON.stringify(schema)}`, () => {
      expect(() => compileSchema(schema)).to.throw(why);
    });

  it('checks values', () => {
    const check = compileSchema<number>({ type: 'number', minimum: 3 });
    expect([check(3), check(2), check('3')]).to.deep.equal([true, false, false]);
  });
});
