/**
 * A property of a caught error as text; '' without it. It does not use `instanceof Error`, which is
 * false for Node's errors in the separate context of tests.
 */
export function errorProperty(error: unknown, name: 'code' | 'stderr'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
