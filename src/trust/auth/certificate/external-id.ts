import type { X509Certificate } from 'node:crypto';
import { alternativeNames, describeCertificate } from '../../pki/index.js';
import type { ExternalIdClaim } from '../rules/index.js';

/** Control characters: the database refuses NUL, and no id needs the others. */
// eslint-disable-next-line no-control-regex -- the pattern finds them
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Reads the external id of a leaf certificate by a claim. It takes the matching values at the
 * claim's location, removes the matched prefix or suffix, splits them with the parser and gives the
 * part at `index`. Undefined when there is none.
 */
export function externalIdOf(claim: ExternalIdClaim, leaf: X509Certificate): string | undefined {
  const segments = valuesAt(claim.location, leaf)
    .flatMap((value) => matched(claim, value) ?? [])
    .flatMap((value) => (claim.parser === 'SPLIT' ? value.split(claim.parserCriteria) : [value]));
  const id = segments[claim.index];
  return id === undefined || id === '' || CONTROL.test(id) ? undefined : id;
}

function valuesAt(location: ExternalIdClaim['location'], leaf: X509Certificate): readonly string[] {
  switch (location) {
    case 'COMMON_NAME':
      return [describeCertificate(leaf).commonName];
    case 'SAN_URI':
      return alternativeNames(leaf).uris;
    case 'SAN_EMAIL':
      return alternativeNames(leaf).emails;
  }
}

function matched(claim: ExternalIdClaim, value: string): string | undefined {
  const criteria = claim.matcherCriteria;
  switch (claim.matcher) {
    case 'ALL':
      return value;
    case 'PREFIX':
      return value.startsWith(criteria) ? value.slice(criteria.length) : undefined;
    case 'SUFFIX':
      return value.endsWith(criteria) ? value.slice(0, value.length - criteria.length) : undefined;
    case 'SCHEME':
      return hasScheme(value, criteria) ? value : undefined;
  }
}

/** RFC 3986 3.1: the text up to the first colon, in either case. */
const hasScheme = (uri: string, scheme: string): boolean =>
  uri.includes(':') && uri.slice(0, uri.indexOf(':')).toLowerCase() === scheme.toLowerCase();
