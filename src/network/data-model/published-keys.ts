import type { X509Certificate } from 'node:crypto';
import { certificateAuthorities } from '../../data/rows/certificate-authority/index.js';
import { signingKeys, type SigningKey } from '../../data/rows/controller/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import {
  fingerprint,
  storedCertificate,
  storedCertificates,
  type KeyMaterial,
} from '../../trust/pki/index.js';
import { messages, type DataStateKeyUsage } from '../messages/index.js';
import { eventOf } from './model-events.js';

/** The resources whose rows hold keys. */
const KEY_RESOURCES: ReadonlySet<string> = new Set(['CertificateAuthority', 'Controller']);

export const holdsKeys = (resource: string): boolean => KEY_RESOURCES.has(resource);

const SIGNS_TOKENS: readonly DataStateKeyUsage[] = ['JWTValidation', 'ClientX509CertValidation'];
const ISSUES_CLIENTS: readonly DataStateKeyUsage[] = ['ClientX509CertValidation'];

export type ControllerKeys = Pick<KeyMaterial, 'authorities'> & {
  readonly server: Pick<KeyMaterial['server'], 'leaf' | 'formerLeaves'>;
};

/**
 * The keys by which routers check tokens and certificates of clients. They have no index: every change of them is
 * told at once.
 */
export class PublishedKeys {
  /** The events that create the keys, by their ids. */
  #byId: ReadonlyMap<string, Buffer> = new Map();
  #events: readonly Buffer[] = [];
  /** The stored keys that were not sent to all routers when they were read. */
  #unsent: readonly string[] = [];

  constructor(
    private readonly rows: Rows,
    private readonly keys: () => ControllerKeys,
    private readonly now: () => Date,
  ) {}

  /** The events that create all keys. */
  get events(): readonly Buffer[] {
    return this.#events;
  }

  /** Notes that all connected routers have been sent the keys that were read. */
  async markSent(): Promise<void> {
    if (this.#unsent.length === 0) return;
    await signingKeys.markSent(this.rows, this.#unsent, this.now());
    this.#unsent = [];
  }

  /** Reads the keys again; gives the events that bring a router from the earlier ones to these. */
  async read(): Promise<Buffer[]> {
    const earlier = this.#byId;
    const { authorities, server } = this.keys();
    const stored = await signingKeys.all(this.rows, this.now());
    const signers = [
      server.leaf,
      ...server.formerLeaves,
      ...stored.flatMap(({ certPem }) => storedCertificate(certPem) ?? []),
    ];
    // A router trusts roots alone; clients send the certificates between.
    const issuers = [
      ...authorities.filter((certificate) => certificate.checkIssued(certificate)),
      ...(await certificateAuthorities.verifiedPems(this.rows)).flatMap(
        ({ certPem, bundleRoots }) =>
          bundleRoots === null
            ? (storedCertificate(certPem) ?? [])
            : storedCertificates(bundleRoots),
      ),
    ];
    const events = new Map<string, Buffer>();
    for (const issuer of issuers) events.set(fingerprint(issuer), keyEvent(issuer, ISSUES_CLIENTS));
    for (const signer of signers) events.set(fingerprint(signer), keyEvent(signer, SIGNS_TOKENS));
    const changes = [
      ...[...earlier].flatMap(([id, event]) => (events.has(id) ? [] : [eventOf('Delete', event)])),
      ...[...events].flatMap(([id, event]) => (earlier.get(id)?.equals(event) ? [] : [event])),
    ];
    if (changes.length > 0) this.#events = [...events.values()];
    this.#byId = events;
    this.#unsent = stored.filter(isUnsent).map(({ kid }) => kid);
    return changes;
  }
}

const isUnsent = ({ sentAt }: SigningKey): boolean => sentAt === null;

const keyEvent = (certificate: X509Certificate, usages: readonly DataStateKeyUsage[]): Buffer =>
  messages.DataStateEvent.encode({
    isSynthetic: true,
    publicKey: {
      data: certificate.raw,
      kid: fingerprint(certificate),
      usages,
      format: 'X509CertDer',
    },
  });
