import { expect } from 'chai';
import { zoneChoices } from '../../../src/console/ticks/timeText.ts';
import { zoneClock } from '../../../src/ticks/import/DateReader.ts';

const labelsOf = (own: string | undefined): string[] => zoneChoices(own).map(({ label }) => label);

describe('the zones that the console offers', () => {
  it('are all known to the importer, UTC first', () => {
    const zones = zoneChoices('Pacific/Auckland').map(({ zone }) => zone);
    expect(zones[0]).to.equal('UTC');
    for (const zone of zones) expect(zoneClock(zone)).to.have.property('toUtc');
  });

  it("have the browser's own once, at the end or marked where it is among the usual ones", () => {
    expect(labelsOf('Pacific/Auckland').at(-1)).to.equal('Pacific/Auckland (this computer)');
    expect(labelsOf('Europe/Berlin')).to.include('Frankfurt, this computer');
    expect(zoneChoices('Europe/Berlin')).to.have.length(zoneChoices(undefined).length);
  });

  it('offer no zone of its own where the browser knows none', () => {
    for (const own of [undefined, '', 'Etc/Unknown', 'Etc/UTC', 'UTC'])
      expect(zoneChoices(own)).to.have.length(zoneChoices(undefined).length);
  });
});
