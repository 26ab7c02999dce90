import { expect } from 'chai';
import { readTraceparent } from '../../../../src/core/observability/readTraceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('readTraceparent', () => {
  it('reads a valid one, and of a later version what it knows', () => {
    for (const header of [`00-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-00`, `01-${TRACE}-${SPAN}-00-what-comes`])
      expect(readTraceparent(header), header).to.deep.equal({ traceId: TRACE, parentId: SPAN });
  });

  it('takes nothing from any other', () => {
    const wrong = [
      undefined,
      '',
      `00-${TRACE}-${SPAN}-01-more`,
      `ff-${TRACE}-${SPAN}-01`,
      `00-${'0'.repeat(32)}-${SPAN}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${SPAN}-01`,
      `00-${TRACE}-${SPAN}`,
      `00-${TRACE}-${SPAN}-011`,
      ` 00-${TRACE}-${SPAN}-01`,
    ];
    for (const header of wrong) expect(readTraceparent(header), header).to.equal(undefined);
  });
});
