import type { SpiffeId } from './spiffe-id.js';

/* The claims of an X509-SVID: its SPIFFE ID, and the segments of its path that a template names. */

const LITERAL = /^[A-Za-z0-9._-]+$/;
const PLACEHOLDER = /^\{([A-Za-z][A-Za-z0-9_]{0,63})\}$/;

/** The claim with the whole SPIFFE ID. */
const SUBJECT = 'sub';

const nameIn = (segment: string): string | undefined => PLACEHOLDER.exec(segment)?.[1];

const segmentsOf = (path: string): string[] => path.split('/').slice(1);

/** Why a text is no template of paths, if so. */
export function pathTemplateFault(template: string): string | undefined {
  const segments = segmentsOf(template);
  const isSegment = (segment: string): boolean =>
    nameIn(segment) !== undefined || (LITERAL.test(segment) && segment !== '.' && segment !== '..');
  if (!template.startsWith('/') || !segments.every(isSegment)) {
    return 'must be a path such as /ns/{namespace}/sa/{serviceAccount}, whose segments are texts or names in braces';
  }
  const names = segments.flatMap((segment) => nameIn(segment) ?? []);
  if (names.includes(SUBJECT)) return `must not name ${SUBJECT}, which is the SPIFFE ID`;
  return new Set(names).size === names.length ? undefined : 'must not have the same name twice';
}

/** The claims of a workload by their names. */
export type SvidClaims = Readonly<Record<string, string>>;

/** Reads the claims of an X509-SVID; undefined if its path does not fit the template, so that it meets no condition. */
export function svidClaims(
  { trustDomain, path }: SpiffeId,
  template: string | null,
): SvidClaims | undefined {
  const named = template === null ? {} : namedSegments(segmentsOf(path), segmentsOf(template));
  return named && { ...named, [SUBJECT]: `spiffe://${trustDomain}${path}` };
}

function namedSegments(
  segments: readonly string[],
  template: readonly string[],
): SvidClaims | undefined {
  if (segments.length !== template.length) return undefined;
  const claims: [string, string][] = [];
  for (const [index, expected] of template.entries()) {
    const segment = segments[index] ?? '';
    const name = nameIn(expected);
    if (name !== undefined) claims.push([name, segment]);
    else if (expected !== segment) return undefined;
  }
  return Object.fromEntries(claims);
}
