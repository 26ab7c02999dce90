import { expect } from 'chai';
import { openApi } from '../../src/contract/openApi.ts';
import { withoutReferences } from '../../src/contract/shareSchemas.ts';
import { ROUTES, TRANSPORT_CODES } from '../../src/contract/routes.ts';
import { ERROR_TABLE, type ErrorRow } from '../../src/core/errorTable.ts';

const table: Readonly<Record<string, ErrorRow>> = ERROR_TABLE;

/** Operator codes that a response may contain; the others end a start or a command. */
const OPERATOR_CODES_ON_THE_WIRE = ['store.unavailable', 'inference.failed', 'internal.unexpected'];

describe('the tables of codes', () => {
  const codesOnTheWire = Object.keys(table)
    .filter((code) => table[code]?.audience === 'caller' || OPERATOR_CODES_ON_THE_WIRE.includes(code))
    .sort();

  it('contain exactly the codes that the routes list, plus operator codes', () => {
    const listed = new Set<string>([...TRANSPORT_CODES, ...Object.values(ROUTES).flatMap(({ errors }) => [...errors])]);
    expect([...listed].sort()).to.deep.equal(codesOnTheWire);
  });

  it('match the OpenAPI document, which lists each code under its status with an example', () => {
    type Answer = { content?: Record<string, { examples?: Record<string, { value: { status: number; code: string } }> }> };
    const { paths } = withoutReferences(openApi('0.0.0-test')) as {
      paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
    };
    const listed = new Set<string>();
    for (const [path, operations] of Object.entries(paths)) {
      for (const { responses } of Object.values(operations)) {
        for (const [status, { content = {} }] of Object.entries(responses)) {
          for (const [code, { value }] of Object.entries(content['application/problem+json']?.examples ?? {})) {
            expect([String(table[code]?.status), String(value.status), value.code], `${path} ${code}`).to.deep.equal([
              ...(status === '4XX' ? [String(value.status), String(table[code]?.status)] : [status, status]),
              code,
            ]);
            listed.add(code);
          }
        }
      }
    }
    expect([...listed].sort()).to.deep.equal(codesOnTheWire);
  });

  it('have codes of the form <topic>.<what_happened>, and titles that end like sentences', () => {
    for (const [code, { title, remedy }] of Object.entries(table)) {
      expect(code).to.match(/^[a-z]+\.[a-z_]+$/);
      expect(title, code).to.match(/\.$/);
      expect(remedy, code).to.match(/\.$/);
    }
  });
});
