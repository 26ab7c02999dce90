import { expect } from 'chai';
import { secretOf, signWebhook } from '../../../../src/service/alerts/signWebhook.ts';

describe('signWebhook', () => {
  it('gives the signature of the example of the Standard Webhooks specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const body = '{"test": 2432232314}';
    const fields = signWebhook(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330_999, body);
    expect(fields).to.deep.equal({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('makes secrets of 32 bytes that the specification allows', () => {
    expect(secretOf(Buffer.alloc(32, 7))).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});
