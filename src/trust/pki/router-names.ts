import { unusableCsr, type CertificateRequest } from './certificate-request.js';
import { ifDer } from './der.js';
import { NameForm, readAlternativeNames, type AlternativeNames } from './extensions.js';
import { addressOf, canonicalHost, isDnsName, isLoopback } from './host-names.js';
import type { x509 } from './x509.js';

/** The rule for hosts in router certificates, in the form of `canonicalHost`, or with `*.`. */
export interface RouterNameRule {
  /** Gives the other owner of the name, or of a name that it covers, e.g. `the controller`. */
  readonly ownerOf: (host: string) => string | undefined;
  /** Whether the patterns of the operator allow the name. */
  readonly isPermitted: (host: string) => boolean;
}

const FORMS: ReadonlySet<number> = new Set([
  NameForm.dns,
  NameForm.ip,
  NameForm.uri,
  NameForm.email,
]);

/** No router needs more names; each is compared with those of all others. */
const MAX_NAMES = 100;

/** A name in the request, and the host that clients read in it; undefined for no host. */
interface RequestedName {
  readonly text: string;
  readonly host: string | undefined;
}

/**
 * Refuses a request for names of other hosts: clients trust the holder of a network certificate for
 * its names, and the right to enroll a router does not include the right to run the network.
 * @throws ApiError COULD_NOT_PROCESS_CSR with the first refused name
 */
export function checkRouterNames(
  { extensions }: Pick<CertificateRequest, 'extensions'>,
  subject: x509.Name,
  routerId: string,
  rule: RouterNameRule,
): void {
  const names = ifDer(() => readAlternativeNames(extensions));
  if (!names || [...names.forms].some((form) => !FORMS.has(form))) {
    throw unusableCsr('its alternative names can not be used');
  }
  const requestedNames = requestedNamesOf(names);
  if (requestedNames.length > MAX_NAMES) {
    throw unusableCsr(`it has more than ${String(MAX_NAMES)} alternative names`);
  }
  for (const name of requestedNames) check(name, rule);
  for (const commonName of subject.getField('CN')) {
    // The id of the router is always allowed, without a matching pattern.
    const isPermitted = (host: string): boolean =>
      commonName === routerId || rule.isPermitted(host);
    check(commonNameOf(commonName), { ...rule, isPermitted });
  }
}

function check({ text, host }: RequestedName, { ownerOf, isPermitted }: RouterNameRule): void {
  if (host === undefined || isLoopback(host)) return;
  const owner = ownerOf(host);
  if (owner !== undefined) throw unusableCsr(`${shown(text)} is a name of ${owner}`);
  if (isPermitted(host)) return;
  throw unusableCsr(`${shown(text)} is not among the names that routers may have`);
}

const requestedNamesOf = ({
  dnsNames,
  addresses,
  uris,
  emails,
}: AlternativeNames): RequestedName[] => [
  ...dnsNames.map(dnsNameOf),
  ...addresses.map(addressNameOf),
  ...uris.map(uriNameOf),
  ...emails.map((email) => ({ text: `email:${email}`, host: undefined })),
];

/** Refuses `c*.example`: only some clients accept it for `ctrl.example`. */
function dnsNameOf(value: string): RequestedName {
  const text = `DNS:${value}`;
  const name = value.toLowerCase().replace(/\.$/, '');
  const host = canonicalHost(value);
  // Some clients search addresses among the DNS names.
  if (host === undefined || !isDnsName(name.replace(/^\*\./, ''))) throw unusable(text);
  return { text, host };
}

function addressNameOf(bytes: Buffer): RequestedName {
  const host = addressOf(bytes);
  if (host === undefined) throw unusable(`IP:${bytes.toString('hex')}`);
  return { text: `IP:${host}`, host };
}

/**
 * Older clients compare the hosts of URIs. SPIFFE ids of any trust domain are refused: routers accept
 * the holder of a session's SPIFFE id as its client without checking the domain.
 */
function uriNameOf(value: string): RequestedName {
  const text = `URI:${value}`;
  if (/^spiffe:/i.test(value)) throw unusableCsr(`${shown(text)} is a SPIFFE id`);
  if (!URL.canParse(value)) throw unusable(text);
  const { hostname } = new URL(value);
  const host = hostname === '' ? undefined : canonicalHost(hostname);
  if (host !== undefined && isPartialWildcard(host)) throw unusable(text);
  return { text, host };
}

/** Without a matching alternative name, clients read the common names. */
function commonNameOf(value: string): RequestedName {
  const text = `CN=${value}`;
  const host = canonicalHost(value);
  if (host !== undefined && isPartialWildcard(host)) throw unusable(text);
  return { text, host };
}

const isPartialWildcard = (host: string): boolean => host.replace(/^\*\./, '').includes('*');

const unusable = (text: string) => unusableCsr(`${shown(text)} can not be used as a name`);

const MAX_SHOWN = 300;

/** Removes characters that could break a line of a log. */
const shown = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_SHOWN);
