import { z } from 'zod';
import { duration, Refusal, wholeNumber } from './config-numbers.js';
import { readableFile } from './config-texts.js';

/* The kinds of variables, each with its description for people who set a wrong value. */

/** A variable that `parse` converts; `parse` throws a `Refusal` for an invalid text. */
export const parsed = <T>(parse: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

export const count = (highest: number) => parsed((text) => wholeNumber(text, highest));
export const limit = (text: string, highest = 1_000_000) =>
  count(highest).prefault(text).describe('a whole number; 0 is off');
export const file = () => parsed(readableFile).optional().describe('a readable PEM file');
export const lifetime = (text: string) =>
  parsed(duration).prefault(text).describe(`a whole number with a unit, like 90s, 30m, 2h or 1d`);

function knownValue<T extends string>(values: readonly T[], text: string): T {
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw new Refusal(`"${text}" is unknown`);
  return value;
}

export const oneOf = <T extends string>(values: readonly T[]) =>
  parsed((text) => knownValue(values, text));
export const someOf = <T extends string>(values: readonly T[]) =>
  parsed((text) =>
    text === 'none' ? [] : text.split(',').map((entry) => knownValue(values, entry.trim())),
  );
