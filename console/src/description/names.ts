import { description } from './description.js';

/** Words that people write in another way than the schema does. */
const WORDS: Readonly<Record<string, string>> = {
  api: 'API',
  ca: 'CA',
  cert: 'certificate',
  ctrl: 'control',
  id: 'id',
  ip: 'IP',
  jwt: 'JWT',
  mfa: 'MFA',
  os: 'OS',
  ott: 'one-time token',
  ottca: 'one-time token of an authority',
  pem: 'PEM',
  sdk: 'SDK',
  totp: 'TOTP',
  updb: 'name and password',
  url: 'URL',
};

/** `roleAttributes` -> `Role attributes`; `isAdmin` -> `Admin`. */
export function wordsOf(name: string): string {
  const words = name
    .replace(/^is(?=[A-Z])/, '')
    .replace(/Display$/, '')
    .replace(/Connection$/, '')
    .replace(/__totalCount$/, ' count')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s._]+/)
    .map((word) => word.toLowerCase())
    .map((word) => (Object.hasOwn(WORDS, word) ? WORDS[word] : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface KindName {
  /** The list of the kind in the graph. */
  readonly list: string;
  /** For people: `Service policies`. */
  readonly many: string;
}

/** The kinds of entities in the order of their names. */
export function kindNames(): readonly KindName[] {
  return Object.values(description.kinds)
    .map(({ list }) => ({ list, many: wordsOf(list) }))
    .sort((a, b) => a.many.localeCompare(b.many));
}

/** Values of enums: `SERVICE_POLICY` -> `Service policy`, `AnyOf` -> `Any of`. */
export const wordsOfValue = (value: string): string =>
  wordsOf(value === value.toUpperCase() ? value.toLowerCase() : value);
