import { InvalidArgumentError } from 'commander';

/** A parser for an option that takes a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,15}$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** A parser for an option that takes a number above 0 and at most `max`. */
export function positiveNumber(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,15}(?:\.\d{1,15})?$/.test(text) || !(value > 0) || value > max)
      throw new InvalidArgumentError(`Write a number above 0 and at most ${max}.`);
    return value;
  };
}
