import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCertificatePem, type KeyMaterialFiles } from '../../../src/trust/pki/index.js';
import { StartError } from '../../../src/base/start-error.js';
import { load, temporaryFolder } from './support.js';

/** Key material as operators make it with openssl: what is taken, and why the rest is refused. */

const suite = spawnSync('openssl', ['version']).status === 0 ? describe : describe.skip;

let folder: string;
let count = 0;
const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder }).toString();

const KEYS = {
  'P-256': ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-384': ['EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'P-521': ['EC', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  'RSA 2048': ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  'RSA 3072': ['RSA', '-pkeyopt', 'rsa_keygen_bits:3072'],
  'RSA 1024': ['RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
  Ed25519: ['ED25519'],
  'P-224': ['EC', '-pkeyopt', 'ec_paramgen_curve:P-224'],
} as const;
type Kind = keyof typeof KEYS;

interface Pair {
  readonly crt: string;
  readonly key: string;
}

function write(name: string, text: string): string {
  const path = join(folder, `${String(++count)}-${name}`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const CA = 'basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign\n';
const SERVER = 'basicConstraints=CA:false\nextendedKeyUsage=serverAuth\n';
const NAMED = `${SERVER}subjectAltName=DNS:controller.example.com\n`;

/** A certificate, self-signed without an issuer. `-days` among the options takes the place of 30 days. */
function make(kind: Kind, extensions: string, issuer?: Pair, ...options: string[]): Pair {
  const key = write('key.pem', '');
  const [algorithm, ...parameters] = KEYS[kind];
  openssl('genpkey', '-algorithm', algorithm, ...parameters, '-out', key);
  chmodSync(key, 0o600);
  const request = `${key}.csr`;
  openssl('req', '-new', '-key', key, '-subj', `/CN=subject ${String(count)}`, '-out', request);
  const crt = `${key}.crt`;
  const by = issuer ? ['-CA', issuer.crt, '-CAkey', issuer.key] : ['-signkey', key];
  openssl(
    ...['x509', '-req', '-in', request, ...by, '-extfile', write('ext', extensions)],
    ...['-set_serial', String(++count), '-out', crt],
    ...(options.includes('-days') ? options : ['-days', '30', ...options]),
  );
  return { crt, key };
}

const joined = (...pairs: Pair[]): string =>
  write('chain.pem', pairs.map(({ crt }) => readFileSync(crt, 'utf8')).join('\n'));

const attempt = async (files: KeyMaterialFiles, clock = () => new Date()) =>
  load(await temporaryFolder(), { files, clock });

async function refusal(files: KeyMaterialFiles, clock?: () => Date): Promise<string> {
  const error: unknown = await attempt(files, clock).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StartError);
  const { message } = error as StartError;
  expect(message).toMatch(/^overgraph: [^\n]+: [^\n]+$/);
  expect(message).not.toContain('PRIVATE');
  return message;
}

suite('configured material made by openssl', () => {
  beforeAll(async () => {
    folder = await temporaryFolder();
  });

  it.each<Kind>(['P-256', 'P-384', 'P-521', 'RSA 2048', 'RSA 3072'])(
    'is taken with a server key and a signer of %s',
    async (kind) => {
      const root = make(kind, CA);
      const signer = make(kind, CA.replace('true', 'true,pathlen:0'), root);
      const server = make(kind, NAMED, root);
      const material = await attempt({
        tlsCert: server.crt,
        tlsKey: server.key,
        signerCert: signer.crt,
        signerKey: signer.key,
        caBundle: root.crt,
      });
      expect(material.root.toString()).toContain(
        parseCertificatePem(readFileSync(root.crt, 'utf8'))[0].toString().trim(),
      );
    },
  );

  it.each([
    ['leaf first', [0, 1, 2]],
    ['root first', [2, 1, 0]],
    ['leaf last', [1, 2, 0]],
    ['leaf in the middle', [1, 0, 2]],
  ])('is served from the leaf upwards when the file has the %s', async (_, order) => {
    const root = make('P-256', CA);
    const middle = make('P-256', CA, root);
    const server = make('P-256', NAMED, middle);
    const pairs = [server, middle, root];
    const tlsCert = joined(...order.flatMap((at) => pairs[at] ?? []));
    const material = await attempt({ tlsCert, tlsKey: server.key });
    const serials = (text: string) => parseCertificatePem(text).map((c) => c.serialNumber);
    const upwards = [server, middle].map(({ crt }) => serials(readFileSync(crt, 'utf8'))[0]);
    expect(serials(material.server.certificateChainPem)).toEqual(upwards);
  });

  it.each([
    ['of the older kind for EC', ['ec']],
    ['with the parameters of its curve before it', ['ec', 'parameters']],
    ['of the older kind for RSA', ['rsa', '-traditional']],
  ])('is taken with a key %s', async (_, [form = '', extra]) => {
    const root = make('P-256', CA);
    const server = make(form === 'ec' ? 'P-256' : 'RSA 2048', NAMED, root);
    const options = extra === '-traditional' ? [extra] : [];
    const converted = openssl(form, '-in', server.key, ...options);
    const parameters = openssl('ecparam', '-name', 'prime256v1');
    const tlsKey = write('old.key', extra === 'parameters' ? parameters + converted : converted);
    await expect(attempt({ tlsCert: joined(server, root), tlsKey })).resolves.toBeDefined();
  });

  it('is refused with an encrypted key', async () => {
    const server = make('P-256', NAMED);
    const tlsKey = write(
      'encrypted.key',
      openssl('ec', '-in', server.key, '-aes256', '-passout', 'pass:secret'),
    );
    const pkcs8 = write(
      'encrypted.pk8',
      openssl('pkcs8', '-topk8', '-in', server.key, '-passout', 'pass:secret'),
    );
    for (const path of [tlsKey, pkcs8]) {
      expect(await refusal({ tlsCert: server.crt, tlsKey: path })).toMatch(
        /holds no unencrypted private key.*OVERGRAPH_TLS_KEY/,
      );
    }
  });

  it.each<[string, Kind, string, RegExp]>([
    ['no alternative name', 'P-256', SERVER, /not valid for the advertised host/],
    [
      'the name of another host',
      'P-256',
      `${SERVER}subjectAltName=DNS:other.example.com\n`,
      /advertised host controller\.example\.com.*OVERGRAPH_ADVERTISE/,
    ],
    [
      'a usage for clients alone',
      'P-256',
      NAMED.replace('serverAuth', 'clientAuth'),
      /OVERGRAPH_TLS_CERT is not for servers.*serverAuth/,
    ],
    ['an RSA key of 1024 bits', 'RSA 1024', NAMED, /OVERGRAPH_TLS_KEY.*2048/],
    ['a key on P-224', 'P-224', NAMED, /OVERGRAPH_TLS_KEY.*P-256/],
    ['a key of Ed25519', 'Ed25519', NAMED, /OVERGRAPH_TLS_KEY.*P-256/],
  ])('is refused for a server certificate with %s', async (_, kind, extensions, reason) => {
    const root = make('P-256', CA);
    const server = make(kind, extensions, root);
    const files = { tlsCert: joined(server, root), tlsKey: server.key };
    expect(await refusal(files)).toMatch(reason);
  });

  it.each<[string, () => Pair, RegExp]>([
    ['no CA', () => make('P-256', 'basicConstraints=CA:false\n'), /SIGNER_CERT is not a CA/],
    [
      'a CA without the usage to sign certificates',
      () =>
        make('P-256', 'basicConstraints=critical,CA:true\nkeyUsage=critical,digitalSignature\n'),
      /SIGNER_CERT is not a CA, or its key usage/,
    ],
    ['a CA of 1024 bits', () => make('RSA 1024', CA), /OVERGRAPH_SIGNER_KEY.*2048/],
  ])('is refused for a signer that is %s', async (_, signer, reason) => {
    const { crt: signerCert, key: signerKey } = signer();
    expect(await refusal({ signerCert, signerKey })).toMatch(reason);
  });

  it('is refused for a signer below one that allows no authority below it', async () => {
    const strict = CA.replace('true', 'true,pathlen:0');
    const root = make('P-256', CA);
    const middle = make('P-256', strict, root);
    const signer = make('P-256', CA, middle);
    const files = { signerCert: joined(signer, middle, root), signerKey: signer.key };
    expect(await refusal(files)).toMatch(/chain of OVERGRAPH_SIGNER_CERT.*path length/);
    const server = make('P-256', NAMED, signer);
    expect(
      await refusal({ tlsCert: joined(server, signer, middle, root), tlsKey: server.key }),
    ).toMatch(/chain of OVERGRAPH_TLS_CERT.*path length/);
    // What the limit allows: leaves of its own.
    const direct = make('P-256', NAMED, middle);
    await expect(
      attempt({ tlsCert: joined(direct, middle, root), tlsKey: direct.key }),
    ).resolves.toBeDefined();
  });

  it('is refused before and after its time, for each member of the chain', async () => {
    const day = 24 * 60 * 60_000;
    const at = (days: number) => () => new Date(Date.now() + days * day);
    const longRoot = make('P-256', CA, undefined, '-days', '300');
    const longMiddle = make('P-256', CA, longRoot, '-days', '300');
    const shortMiddle = make('P-256', CA, longRoot, '-days', '5');
    const cases = [
      [make('P-256', NAMED, longMiddle, '-days', '5'), longMiddle],
      [make('P-256', NAMED, shortMiddle, '-days', '300'), shortMiddle],
    ] as const;
    for (const [server, middle] of cases) {
      const files = { tlsCert: joined(server, middle, longRoot), tlsKey: server.key };
      await expect(attempt(files)).resolves.toBeDefined();
      expect(await refusal(files, at(6))).toMatch(
        /in the chain of OVERGRAPH_TLS_CERT is not valid/,
      );
      expect(await refusal(files, at(-1))).toMatch(/not valid now.*clock of this machine/);
    }
  });
});
