import { expect } from 'chai';
import { BodyRoom } from '../../../src/http/BodyRoom.ts';

const MIB = 1024 * 1024;

describe('BodyRoom', () => {
  it('holds 64 MiB, 32 of them of one key, and takes more when some is let go', () => {
    const room = new BodyRoom();
    const held = [1, 2, 3, 4].map(() => room.hold('a', 8 * MIB));
    expect(() => room.hold('a', 1)).to.throw('this key');
    for (let i = 0; i < 4; i++) room.hold(`b${i}`, 8 * MIB);
    expect(() => room.hold('c', 1)).to.throw('all callers');
    held[0]?.();
    expect(() => room.hold('c', 8 * MIB)).to.not.throw();
  });

  it('takes one body of any size where nothing is held', () => {
    const room = new BodyRoom();
    const letGo = room.hold('a', 100 * MIB);
    letGo();
    expect(() => room.hold('b', 100 * MIB)).to.not.throw();
  });

  it('says when to try again', () => {
    const room = new BodyRoom();
    room.hold('a', 64 * MIB);
    try {
      room.hold('a', 1);
      expect.fail('it was taken');
    } catch (error) {
      expect(error).to.deep.include({ code: 'inference.overloaded', headers: { 'Retry-After': '1' } });
    }
  });
});
