import { isObject } from './row.js';

/** The names and positions that a JSON pointer (RFC 6901) goes through. */
export const stepsOfPointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value at a JSON pointer; undefined when the document has none. */
export const valueAtPointer = (document: unknown, pointer: string): unknown =>
  stepsOfPointer(pointer).reduce(
    (value, step) =>
      (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined,
    document,
  );
