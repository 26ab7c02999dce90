import { expect } from 'chai';
import { curlText, readable, tryRequest, urlOf } from '../../../../src/console/api/tryRequest.ts';

const FORECAST = {
  method: 'POST',
  path: '/auth/ti-tick',
  parameters: [
    { name: 'horizons', place: 'query', value: '10s,60s' },
    { name: 'model', place: 'query', value: '' },
  ],
  key: 'tkm_live_secret',
  body: '{\n  "Price": [1]\n}',
};
const TEMPLATE = 'curl -X POST \\\n  -H "Api-Key: $TICKMARK_KEY" \\\n  --data-binary @body.json \\\n  "$URL/auth/ti-tick"';

describe('the form that sends a request', () => {
  it('fills path and query with what is given, and leaves out what is empty', () => {
    expect(urlOf(FORECAST)).to.equal('/auth/ti-tick?horizons=10s,60s');
    const model = { method: 'GET', path: '/models/{id}', parameters: [{ name: 'id', place: 'path', value: 'a/b?c' }] };
    expect(urlOf(model)).to.equal('/models/a%2Fb%3Fc');
  });

  it('sends key, password and other headers as headers, never in the address', () => {
    const sent = tryRequest(FORECAST);
    expect(sent.url).to.not.include('secret');
    expect(sent.headers).to.deep.equal({ 'Content-Type': 'application/json', 'Api-Key': 'tkm_live_secret' });
    const login = { email: 'ü@example.com', password: 'pass wörd 12' };
    const tag = { name: 'If-None-Match', place: 'header', value: 'W/"1"' };
    const other = tryRequest({ method: 'GET', path: '/account/keys', parameters: [tag], login });
    expect(other).to.deep.equal({
      url: '/account/keys',
      headers: {
        'If-None-Match': 'W/"1"',
        Authorization: `Basic ${Buffer.from('ü@example.com:pass wörd 12').toString('base64')}`,
      },
      body: undefined,
    });
  });

  it('writes the call for a shell with variables for the key, and a short body in line', () => {
    const text = curlText(TEMPLATE, 'http://127.0.0.1:8080', FORECAST);
    expect(text).to.equal(
      `curl -X POST \\\n  -H "Api-Key: $TICKMARK_KEY" \\\n  -d '{ "Price": [1] }' \\\n  'http://127.0.0.1:8080/auth/ti-tick?horizons=10s,60s'`,
    );
    const long = { ...FORECAST, body: `{"Price":[${'1,'.repeat(300)}1]}` };
    expect(curlText(TEMPLATE, '', long)).to.include('--data-binary @body.json');
  });

  it('quotes what a shell would run', () => {
    const hostile = { ...FORECAST, parameters: [{ name: 'model', place: 'query', value: `'; rm -rf $HOME '` }], body: `{"a":"'$(ls)$&"}` };
    const text = curlText(TEMPLATE, 'http://h', hostile);
    expect(text).to.include(`-d '{"a":"'\\''$(ls)$&"}'`);
    expect(text).to.include(`'http://h/auth/ti-tick?model='\\''%3B%20rm%20-rf%20%24HOME%20'\\'''`);
  });

  it('indents JSON with lists of values on one line, and shows other answers as they are', () => {
    expect(readable('{"a":[1,2],"b":{"c":null}}', 'application/problem+json')).to.equal(
      '{\n  "a": [1, 2],\n  "b": {\n    "c": null\n  }\n}',
    );
    expect(readable('{"a":', 'application/json')).to.equal('{"a":');
    expect(readable('<!doctype html>', 'text/html; charset=utf-8')).to.equal('<!doctype html>');
  });
});
