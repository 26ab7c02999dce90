import { expect } from 'chai';
import { FIELDS, parseAddress, writeAddress } from '../../../src/console/panels/viewAddress.ts';

describe('the address of a view', () => {
  it('reads what it has written', () => {
    const values = { 'live-from': 'binance', 'live-symbol': 'BTC/USDT', 'live-span': '900' };
    const address = writeAddress('live', values);
    expect(address).to.equal('#live?live-from=binance&live-symbol=BTC/USDT&live-span=900');
    expect(parseAddress(address)).to.deep.equal({ view: 'live', values });
    const window = { horizon: '90 s', at: '2024-01-02 00:13:22.946', zoom: '1704153000000-1704153900000' };
    expect(parseAddress(writeAddress('forecast', window))).to.deep.equal({ view: 'forecast', values: window });
    expect(writeAddress('record', { 'record-series': '' })).to.equal('#record');
  });

  it('leads to the forecast for any other fragment, and takes no field that is none of its view', () => {
    for (const hash of ['', '#', '#answer', '#key=tkm_live_x'])
      expect(parseAddress(hash), hash).to.deep.equal({ view: 'forecast', values: {} });
    expect(parseAddress('#record?key=tkm_live_x&email=a&record-by=week').values).to.deep.equal({ 'record-by': 'week' });
    expect(
      Object.values(FIELDS)
        .flat()
        .filter((id) => /key|password|email|hook/.test(id)),
    ).to.deep.equal([]);
  });
});
