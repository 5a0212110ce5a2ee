import { beforeAll, describe, expect, it, test } from '@jest/globals';
import { ApiError } from '../../../src/base/errors.js';
import {
  HostNames,
  issueFromCsr,
  matcherOf,
  namePattern,
  type CsrOrder,
  type RouterNameRule,
} from '../../../src/trust/pki/index.js';
import { x509 } from '../../../src/trust/pki/x509.js';
import { makeCa, makeCsr, type RequestWishes } from './certificates.js';
import { NOW } from './support.js';

/* Whose names a router can not be certified for, however they are written. */

const ROUTER = 'router1';
const CONTROLLER = 'a controller';

let signer: CsrOrder['signer'];
beforeAll(async () => {
  const ca = await makeCa();
  signer = { signer: ca, intermediates: [ca.cert], trustDomain: 'net.test' };
});

/** The controllers, the other routers, and what OVERGRAPH_ROUTER_NAMES says. */
function ruleOf(patterns?: string): RouterNameRule {
  const controllers = new HostNames([
    'Ctrl.Example.com',
    'bücher.example.com',
    'short',
    '10.0.0.5',
    '[2001:db8::5]',
    '::ffff:10.0.0.6',
    'localhost',
    '127.0.0.2',
  ]);
  const routers = new HostNames(['other.routers.example.com.']);
  return {
    ownerOf: (host) =>
      controllers.areCoveredBy(host)
        ? CONTROLLER
        : routers.areCoveredBy(host)
          ? 'another router'
          : undefined,
    isPermitted:
      patterns === undefined
        ? () => true
        : matcherOf(patterns.split(',').map((one) => namePattern(one) ?? '')),
  };
}

async function certify(
  wishes: RequestWishes,
  { patterns, routerId = ROUTER }: { patterns?: string; routerId?: string } = {},
): Promise<string> {
  const csrPem = await makeCsr({ name: `CN=${routerId}`, ...wishes });
  for (const kind of ['routerServer', 'routerClient'] as const) {
    const profile = { kind, routerId, names: ruleOf(patterns) };
    try {
      await issueFromCsr({ csrPem, signer, profile, now: NOW });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      expect(error).toMatchObject({ status: 400, code: 'COULD_NOT_PROCESS_CSR' });
      return error.detail?.kind === 'message' ? error.detail.message : '';
    }
  }
  return 'issued';
}

type Name = x509.JsonGeneralName;
const dns = (value: string): Name => ({ type: 'dns', value });
const ip = (value: string): Name => ({ type: 'ip', value });
const url = (value: string): Name => ({ type: 'url', value });

/** Alternative names by tag and bytes, which no library would write. */
const rawNames = (...names: [tag: number, content: Buffer][]): RequestWishes => {
  const values = names.map(([tag, content]) =>
    Buffer.concat([Buffer.from([tag, content.length]), content]),
  );
  const all = Buffer.concat(values);
  const list = Buffer.concat([Buffer.from([0x30, all.length]), all]);
  return { extensions: [new x509.Extension('2.5.29.17', false, list)] };
};

describe('a router is refused', () => {
  test.each<[string, Name]>([
    ['DNS:ctrl.example.com', dns('ctrl.example.com')],
    ['DNS:CTRL.Example.COM', dns('CTRL.Example.COM')],
    ['DNS:ctrl.example.com.', dns('ctrl.example.com.')],
    ['DNS:*.example.com', dns('*.example.com')],
    ['DNS:*.EXAMPLE.com.', dns('*.EXAMPLE.com.')],
    ['DNS:xn--bcher-kva.example.com', dns('xn--bcher-kva.example.com')],
    ['DNS:XN--BCHER-KVA.example.com', dns('XN--BCHER-KVA.example.com')],
    ['DNS:short', dns('short')],
    ['DNS:10.0.0.5', dns('10.0.0.5')],
    ['DNS:0x0a000005', dns('0x0a000005')],
    ['DNS:012.0.0.5', dns('012.0.0.5')],
    ['DNS:167772165', dns('167772165')],
    ['IP:10.0.0.5', ip('10.0.0.5')],
    ['IP:10.0.0.6', ip('10.0.0.6')],
    ['IP:10.0.0.5', ip('::ffff:a00:5')],
    ['IP:2001:db8::5', ip('2001:db8:0:0:0:0:0:5')],
    ['URI:https://ctrl.example.com/path', url('https://ctrl.example.com/path')],
    ['URI:tls://CTRL.example.com:1280', url('tls://CTRL.example.com:1280')],
    ['URI:https://*.example.com', url('https://*.example.com')],
    ['URI:https://user@10.0.0.5/', url('https://user@10.0.0.5/')],
    ['URI:https://[::ffff:a00:5]/', url('https://[::ffff:a00:5]/')],
  ])('what a controller is reached by: %s', async (shown, name) => {
    const others = [dns('router.example.org'), ip('127.0.0.1')];
    await expect(certify({ names: [...others, name] })).resolves.toBe(
      `${shown} is a name of ${CONTROLLER}`,
    );
  });

  test.each<[string, x509.JsonNameParams]>([
    ['CN=ctrl.example.com', [{ CN: ['ctrl.example.com'] }]],
    ['CN=CTRL.example.com', [{ CN: [{ bmpString: 'CTRL.example.com' }] }]],
    ['CN=*.example.com', [{ CN: [ROUTER] }, { CN: ['*.example.com'] }]],
    ['CN=10.0.0.5', [{ CN: ['10.0.0.5'], O: ['x'] }]],
    ['CN=2001:DB8::5', [{ CN: ['2001:DB8::5'] }]],
  ])('the same as the name of its subject: %s', async (shown, name) => {
    const asked = certify({ name: new x509.Name(name) });
    await expect(asked).resolves.toBe(`${shown} is a name of ${CONTROLLER}`);
  });

  it('the name of a controller that is its own id', async () => {
    await expect(certify({}, { routerId: 'ctrl.example.com' })).resolves.toBe(
      `CN=ctrl.example.com is a name of ${CONTROLLER}`,
    );
  });

  test.each(['other.routers.example.com', '*.routers.example.com', 'OTHER.routers.example.com.'])(
    'what another router advertises: %s',
    async (name) => {
      await expect(certify({ names: [dns(name)] })).resolves.toBe(
        `DNS:${name} is a name of another router`,
      );
    },
  );

  test.each<[string, RequestWishes]>([
    ['DNS:c*.example.com', { names: [dns('c*.example.com')] }],
    ['DNS:*trl.example.com', { names: [dns('*trl.example.com')] }],
    ['DNS:ctrl.*.com', { names: [dns('ctrl.*.com')] }],
    ['DNS:*.*.com', { names: [dns('*.*.com')] }],
    ['DNS:*', { names: [dns('*')] }],
    ['DNS:', { names: [dns('')] }],
    ['DNS:ctrl.example.com..', { names: [dns('ctrl.example.com..')] }],
    ['DNS: ctrl.example.com', { names: [dns(' ctrl.example.com')] }],
    ['DNS:ctrl%2Eexample.com', { names: [dns('ctrl%2Eexample.com')] }],
    ['DNS:ctrl.example.com?.org', rawNames([0x82, Buffer.from('ctrl.example.com\0.org')])],
    ['DNS:b?cher.example.com', rawNames([0x82, Buffer.from('bücher.example.com', 'latin1')])],
    ['DNS:::1', { names: [dns('::1')] }],
    ['DNS:999.0.0.1', { names: [dns('999.0.0.1')] }],
    ['IP:0a00000500000000', rawNames([0x87, Buffer.from('0a00000500000000', 'hex')])],
    ['IP:', rawNames([0x87, Buffer.alloc(0)])],
    ['URI:https://c*.example.com/', { names: [url('https://c*.example.com/')] }],
    ['URI:ctrl.example.com', { names: [url('ctrl.example.com')] }],
    ['CN=c*.example.com', { name: [{ CN: ['c*.example.com'] }] }],
  ])('what clients read in several ways: %s', async (shown, wishes) => {
    await expect(certify(wishes)).resolves.toBe(`${shown} can not be used as a name`);
  });

  test.each([
    'spiffe://net.test/controller/c1',
    'spiffe://net.test:443/identity/alice',
    'SPIFFE://other.test/identity/alice/apiSession/s1',
    'spiffe:/net.test/identity/alice',
  ])('a SPIFFE id: %s', async (uri) => {
    await expect(certify({ names: [url(uri)] })).resolves.toBe(`URI:${uri} is a SPIFFE id`);
  });

  test.each<[string, RequestWishes]>([
    ['a directory name', { names: [{ type: 'dn', value: 'CN=ctrl.example.com' }] }],
    ['another name', rawNames([0xa0, Buffer.from('06032a0304a0030c0161', 'hex')])],
    ['a registered id', { names: [{ type: 'id', value: '1.2.3.4' }] }],
    ['a DNS name made of parts', rawNames([0xa2, Buffer.from('160161', 'hex')])],
  ])('names of forms that no host has: %s', async (_, wishes) => {
    await expect(certify(wishes)).resolves.toBe('its alternative names can not be used');
  });

  it('names that stand in a list twice', async () => {
    const { extensions: harmless = [] } = rawNames([0x82, Buffer.from('router.example.org')]);
    const { extensions: stolen = [] } = rawNames([0x82, Buffer.from('ctrl.example.com')]);
    await expect(certify({ extensions: [...harmless, ...stolen] })).resolves.toBe(
      'it is not a certificate request in DER',
    );
  });

  it('what stands in an extension that claims to be critical', async () => {
    const { extensions = [] } = rawNames([0x82, Buffer.from('ctrl.example.com')]);
    for (const extension of extensions) extension.critical = true;
    const critical = extensions.map(({ type, value }) => new x509.Extension(type, true, value));
    await expect(certify({ extensions: critical })).resolves.toMatch(/is a name of/);
  });

  it('more names than any router has', async () => {
    const names = (count: number) =>
      Array.from({ length: count }, (_, at) => dns(`n${String(at)}.example.org`));
    await expect(certify({ names: names(101) })).resolves.toMatch(/more than 100/);
    await expect(certify({ names: names(100) })).resolves.toBe('issued');
  });
});

describe('a router may be certified for', () => {
  test.each<[string, Name]>([
    ['a name of its own', dns('router.example.com')],
    ['a name below that of a controller', dns('a.ctrl.example.com')],
    ['a domain with no controller in it', dns('*.ctrl.example.com')],
    ['an address of its own', ip('10.0.0.7')],
    ['localhost', dns('localhost')],
    ['LOCALHOST.', dns('LOCALHOST.')],
    ['127.0.0.1', ip('127.0.0.1')],
    ['another loopback address, of a controller too', ip('127.0.0.2')],
    ['::1', ip('::1')],
    ['loopback written as IPv6', ip('::ffff:7f00:1')],
    ['an URI of no host', url('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6')],
    ['an e-mail address', { type: 'email', value: 'ops@ctrl.example.com' }],
  ])('%s', async (_, name) => {
    await expect(certify({ names: [name] })).resolves.toBe('issued');
  });
});

describe('OVERGRAPH_ROUTER_NAMES', () => {
  const patterns =
    '*.routers.example.com,fixed.example.com,10.1.0.0/16,2001:db8:1::/48,10.0.0.0/29';

  test.each<[string, Name]>([
    ['DNS', dns('r1.routers.example.com')],
    ['DNS', dns('R1.Routers.example.com.')],
    ['DNS', dns('fixed.example.com')],
    ['DNS', dns('10.1.2.3')],
    ['IP', ip('10.1.255.255')],
    ['IP', ip('::ffff:a01:1')],
    ['IP', ip('2001:db8:1:2::3')],
    ['loopback', ip('127.0.0.1')],
    ['loopback', dns('localhost')],
  ])('lets routers have what is within it: %s %j', async (_, name) => {
    await expect(certify({ names: [name] }, { patterns })).resolves.toBe('issued');
  });

  test.each<[string, Name]>([
    ['DNS:routers.example.com', dns('routers.example.com')],
    ['DNS:a.b.routers.example.com', dns('a.b.routers.example.com')],
    ['DNS:*.b.routers.example.com', dns('*.b.routers.example.com')],
    ['DNS:x.fixed.example.com', dns('x.fixed.example.com')],
    ['DNS:r1-routers.example.com', dns('r1-routers.example.com')],
    ['DNS:10.2.0.1', dns('10.2.0.1')],
    ['IP:10.2.0.1', ip('10.2.0.1')],
    ['IP:2001:db8:2::1', ip('2001:db8:2::1')],
    ['URI:https://bank.example.com/', url('https://bank.example.com/')],
  ])('refuses %s', async (shown, name) => {
    await expect(certify({ names: [name] }, { patterns })).resolves.toBe(
      `${shown} is not among the names that routers may have`,
    );
  });

  it('does not let a router be what somebody else is', async () => {
    await expect(certify({ names: [ip('10.0.0.5')] }, { patterns })).resolves.toMatch(/controller/);
    const other = dns('other.routers.example.com');
    await expect(certify({ names: [other] }, { patterns })).resolves.toMatch(/another router/);
  });

  it('is about the subject, too, unless it is the id of the router', async () => {
    await expect(certify({}, { patterns })).resolves.toBe('issued');
    await expect(certify({ name: 'CN=bank.example.com' }, { patterns })).resolves.toBe(
      'CN=bank.example.com is not among the names that routers may have',
    );
  });

  test.each([
    ['R.Example.com', 'r.example.com'],
    ['*.example.com', '*.example.com'],
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['2001:DB8::/32', '2001:db8::/32'],
  ])('takes %s', (text, pattern) => {
    expect(namePattern(text)).toBe(pattern);
  });

  test.each([
    ...['', '*', '*.', 'r*.example.com', 'a.*.com', '*.*.com', 'a b', 'https://a.example', 'a.'],
    ...['10.0.0.0/33', '::/129', '10.0.0/8', '10.0.0.0/', '10.0.0.256', '1.2', '0x7f000001'],
    ...['fe80::1%eth0', 'example.com/8', 'bücher.example'],
  ])('does not take "%s"', (text) => {
    expect(namePattern(text)).toBeUndefined();
  });
});
