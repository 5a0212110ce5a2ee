import { unusableCsr, type CertificateRequest } from './certificate-request.js';
import { ifDer } from './der.js';
import { NameForm, readAlternativeNames, type AlternativeNames } from './extensions.js';
import { addressOf, canonicalHost, isDnsName, isLoopback } from './host-names.js';
import type { x509 } from './x509.js';

/** Which hosts a router may be certified as, each in the form of `canonicalHost`, or with `*.`. */
export interface RouterNameRule {
  /** Who else is known by the name, or by one that it covers: `the controller`. */
  readonly ownerOf: (host: string) => string | undefined;
  /** Whether names of routers are as the operator wants them. */
  readonly isPermitted: (host: string) => boolean;
}

const FORMS: ReadonlySet<number> = new Set([
  NameForm.dns,
  NameForm.ip,
  NameForm.uri,
  NameForm.email,
]);

/** No router is known by so many; each is compared with those of all others. */
const MOST_NAMES = 100;

/** A name as the request has it, and the host that clients take it for; undefined for none. */
interface AskedName {
  readonly text: string;
  readonly host: string | undefined;
}

/**
 * Refuses a request for names of somebody else: clients trust whoever holds a certificate of the
 * network for the names in it, and may enroll a router need not be who runs the network.
 * @throws ApiError COULD_NOT_PROCESS_CSR with the first name that is refused
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
  const asked = askedNames(names);
  if (asked.length > MOST_NAMES) {
    throw unusableCsr(`it has more than ${String(MOST_NAMES)} alternative names`);
  }
  for (const name of asked) check(name, rule);
  for (const commonName of subject.getField('CN')) {
    // A router is always known by its id, which no pattern has to allow.
    const isPermitted = (host: string): boolean =>
      commonName === routerId || rule.isPermitted(host);
    check(commonNameOf(commonName), { ...rule, isPermitted });
  }
}

function check({ text, host }: AskedName, { ownerOf, isPermitted }: RouterNameRule): void {
  if (host === undefined || isLoopback(host)) return;
  const owner = ownerOf(host);
  if (owner !== undefined) throw unusableCsr(`${shown(text)} is a name of ${owner}`);
  if (isPermitted(host)) return;
  throw unusableCsr(`${shown(text)} is not among the names that routers may have`);
}

const askedNames = ({ dnsNames, addresses, uris, emails }: AlternativeNames): AskedName[] => [
  ...dnsNames.map(dnsNameOf),
  ...addresses.map(addressNameOf),
  ...uris.map(uriNameOf),
  ...emails.map((email) => ({ text: `email:${email}`, host: undefined })),
];

/** `c*.example` is refused: some clients take it for `ctrl.example`, others do not. */
function dnsNameOf(value: string): AskedName {
  const text = `DNS:${value}`;
  const name = value.toLowerCase().replace(/\.$/, '');
  const host = canonicalHost(value);
  // Some clients look for addresses among the DNS names.
  if (host === undefined || !isDnsName(name.replace(/^\*\./, ''))) throw unusable(text);
  return { text, host };
}

function addressNameOf(bytes: Buffer): AskedName {
  const host = addressOf(bytes);
  if (host === undefined) throw unusable(`IP:${bytes.toString('hex')}`);
  return { text: `IP:${host}`, host };
}

/**
 * Clients compared the hosts of URIs in earlier days. A SPIFFE id is refused in any trust domain:
 * routers take whoever has that of an API session for its client, without a look at the domain.
 */
function uriNameOf(value: string): AskedName {
  const text = `URI:${value}`;
  if (/^spiffe:/i.test(value)) throw unusableCsr(`${shown(text)} is a SPIFFE id`);
  if (!URL.canParse(value)) throw unusable(text);
  const { hostname } = new URL(value);
  const host = hostname === '' ? undefined : canonicalHost(hostname);
  if (host !== undefined && isPartialWildcard(host)) throw unusable(text);
  return { text, host };
}

/** Clients that find no alternative name of a host look at the common names. */
function commonNameOf(value: string): AskedName {
  const text = `CN=${value}`;
  const host = canonicalHost(value);
  if (host !== undefined && isPartialWildcard(host)) throw unusable(text);
  return { text, host };
}

const isPartialWildcard = (host: string): boolean => host.replace(/^\*\./, '').includes('*');

const unusable = (text: string) => unusableCsr(`${shown(text)} can not be used as a name`);

const MOST_SHOWN = 300;

/** Without what could break a line of a log. */
const shown = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, MOST_SHOWN);
