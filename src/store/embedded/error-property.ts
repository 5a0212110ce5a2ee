/**
 * A property of something caught, as text; '' without it. Not by `instanceof Error`, which is
 * false for Node's own errors where tests run in a context of their own.
 */
export function errorProperty(error: unknown, name: 'code' | 'stderr'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
