import { attributesOf, type Shape } from '../../kernel/declare/attribute.js';
import { invalidField } from '../../base/errors.js';
import { isObject } from '../../base/row.js';

/**
 * Reads the members of `shape` from the information that a client sent about itself. It ignores
 * case, since clients spell members differently (`appID`), and leaves out values that are not
 * texts.
 */
export function clientInfo(shape: Shape, value: unknown, field: string): Record<string, string> {
  if (!isObject(value)) return {};
  const sent = new Map(Object.entries(value).map(([name, v]) => [name.toLowerCase(), v]));
  const info: Record<string, string> = {};
  for (const { name, type } of attributesOf(shape)) {
    const text = sent.get(name.toLowerCase());
    if (typeof text !== 'string') continue;
    const max = type.kind === 'text' ? (type.max ?? Infinity) : Infinity;
    if (text.length > max) {
      const at = `${field}.${name}`;
      throw invalidField(at, `${at} in body should be at most ${String(max)} chars long`, '');
    }
    // PostgreSQL can not store NUL in texts.
    info[name] = text.replaceAll('\0', '');
  }
  return info;
}
