import { expect } from 'chai';
import { type DayMoves, learnShape } from '../../../../src/engine/features/learnProfile.ts';

describe('learnShape', () => {
  it('divides each day by its own level, so that one lively day does not dominate', () => {
    const dayOf = (day: number, level: number, loudHour: number): DayMoves => {
      const minute = Int16Array.from({ length: 1440 }, (_, i) => i);
      return { day, minute, size: Float64Array.from(minute, (at) => level * (Math.floor(at / 60) === loudHour ? 5 : 1)) };
    };
    const usual = Array.from({ length: 9 }, (_, day) => dayOf(day, 1e-4, 9));
    const { shape, levels } = learnShape([...usual, dayOf(9, 1e-2, 20)]);
    expect(shape[9 * 60 + 30]! / shape[20 * 60 + 30]!).to.be.closeTo((9 * 5 + 1) / (9 + 5), 0.3);
    expect(levels.at(-1)!.level / levels[0]!.level).to.be.closeTo(100, 10);
  });
});
