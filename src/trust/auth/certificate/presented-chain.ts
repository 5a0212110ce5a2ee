import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** No client has a reason to send more; further certificates are ignored. */
const MAX_CERTIFICATES = 10;

/** Gives the DER certificates that a client showed in its handshake, the leaf first. */
export function presentedChain(socket: Pick<TLSSocket, 'getPeerCertificate'>): Buffer[] {
  const chain: Buffer[] = [];
  let certificate = socket.getPeerCertificate(true);
  // The last certificate of a chain is its own issuer; without a chain the object is empty.
  while (chain.length < MAX_CERTIFICATES && Buffer.isBuffer(certificate.raw)) {
    chain.push(certificate.raw);
    const { issuerCertificate: issuer } = certificate as Partial<DetailedPeerCertificate>;
    if (issuer === undefined || issuer === certificate) break;
    certificate = issuer;
  }
  return chain;
}
