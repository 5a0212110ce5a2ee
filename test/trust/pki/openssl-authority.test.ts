import { describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { x509 } from '../../../src/trust/pki/x509.js';
import { load, temporaryFolder } from './support.js';

const suite = spawnSync('openssl', ['version']).status === 0 ? describe : describe.skip;
const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();

suite('material checked by openssl', () => {
  it.each([
    ['EC key', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'], 'utf8only'],
    ['RSA key', ['rsa', '-pkeyopt', 'rsa_keygen_bits:2048'], 'default'],
  ])('verifies under a CA of openssl with an %s', async (_, [kind, ...options], mask) => {
    const folder = await temporaryFolder();
    const signerCert = join(folder, 'ca.pem');
    const signerKey = join(folder, 'ca.key');
    const leaf = join(folder, 'leaf.pem');
    openssl('genpkey', '-algorithm', kind ?? '', ...options, '-out', signerKey);
    const config = join(folder, 'ca.cnf');
    await writeFile(
      config,
      `[req]\ndistinguished_name=dn\nprompt=no\nstring_mask=${mask}\nx509_extensions=v3\n` +
        '[dn]\nC=CH\nO=Zürich, "Netz" + Co\nCN=Example CA\n' +
        '[v3]\nbasicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\n',
    );
    openssl(
      ...['req', '-x509', '-new', '-utf8', '-key', signerKey, '-days', '3650'],
      ...['-config', config, '-out', signerCert],
    );
    const material = await load(folder, {
      files: { signerCert, signerKey },
      clock: () => new Date(),
    });
    await writeFile(leaf, material.server.leaf.toString());
    const verdict = openssl(
      ...['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', signerCert, leaf],
    );
    expect(verdict).toContain('leaf.pem: OK');
    const issuer = new x509.X509Certificate(material.server.leaf.raw).issuerName.toArrayBuffer();
    // Clients in Go compare names byte by byte.
    expect(material.root.raw.includes(Buffer.from(issuer))).toBe(true);
  });

  it('verifies its own chain strictly', async () => {
    const folder = await temporaryFolder();
    const { root, signer, server } = await load(folder, { clock: () => new Date() });
    const paths = { root, signer: signer.cert, leaf: server.leaf };
    for (const [name, cert] of Object.entries(paths)) {
      await writeFile(join(folder, `${name}.crt`), cert.toString());
    }
    const verdict = openssl(
      ...['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', join(folder, 'root.crt')],
      ...['-untrusted', join(folder, 'signer.crt'), join(folder, 'leaf.crt')],
    );
    expect(verdict).toContain('leaf.crt: OK');
    const text = openssl('x509', '-in', join(folder, 'signer.crt'), '-noout', '-text');
    expect(text).toContain('CA:TRUE, pathlen:0');
  });
});
