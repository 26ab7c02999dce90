import { expect } from 'chai';
import fc from 'fast-check';
import { compileBodyChecks } from '../../src/contract/compileBodyChecks.ts';
import { splitItems } from '../../src/service/http/handlers/splitItems.ts';

describe('splitItems', () => {
  const checks = compileBodyChecks();
  const split = async (text: string, pause = (): Promise<void> => Promise.resolve()): Promise<string[]> =>
    (await splitItems(Buffer.from(text), checks, pause)).map((item) => item.toString('utf8'));

  it('splits every body that JSON.parse reads, with any items and any white space', async () => {
    const items = fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1, maxLength: 64 });
    const property = fc.asyncProperty(items, fc.constantFrom(0, 1, '\t', '\r\n'), async (values, space) => {
      const cut = await split(JSON.stringify({ items: values }, null, space));
      expect(cut.map((item) => JSON.parse(item) as unknown)).to.deep.equal(JSON.parse(JSON.stringify(values)));
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('never returns items of a body with a broken frame, and throws only ServiceErrors', async () => {
    const text = fc.array(fc.constantFrom('{', '}', '[', ']', '"items"', '"', '\\', ':', ',', '1', ' ', '\0', '\v', '{"items":['), {
      maxLength: 12,
    });
    const property = fc.asyncProperty(text, async (parts) => {
      const body = parts.join('');
      let cut: string[];
      try {
        cut = await split(body);
      } catch (error) {
        expect((error as Error).name, body).to.equal('ServiceError');
        return;
      }
      const whole = cut.every((item) => isJson(item));
      if (whole) expect((JSON.parse(body) as { items: unknown[] }).items, body).to.have.length(cut.length);
    });
    await fc.assert(property, { numRuns: 4000 });
  });

  it('yields to the event loop between sections of a large body', async () => {
    let pauses = 0;
    const body = `{"items":["${'a'.repeat(100)}",${'[1,2],'.repeat(20)}[${'12345678,'.repeat(400_000)}1]]}`;
    await split(body, () => Promise.resolve(void pauses++));
    expect(pauses).to.be.at.least(12);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
