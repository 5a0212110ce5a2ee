import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { externalIdOf } from '../../../../src/trust/auth/certificate/index.js';
import type { ExternalIdClaim } from '../../../../src/trust/auth/index.js';
import { x509 } from '../../../../src/trust/pki/x509.js';
import { make } from '../../pki/certificates.js';
import { makeKey } from '../../pki/support.js';
import { COMMON_NAME_CLAIM } from '../../../support/auth-settings.js';
import { costlyRuns } from '../../../support/runs.js';

const privateKey = makeKey('P-256');

interface Names {
  readonly cn?: string[];
  readonly uri?: string[];
  readonly email?: string[];
  readonly dns?: string[];
}

async function read(names: Names, claim: Partial<ExternalIdClaim>): Promise<string | undefined> {
  const { cn = [], uri = [], email = [], dns = [] } = names;
  const { cert } = await make({
    privateKey,
    subject: new x509.Name([
      { O: ['Company'] },
      ...cn.map((value) => ({ CN: [{ utf8String: value }] })),
    ]),
    names: [
      ...dns.map((value) => ({ type: 'dns' as const, value })),
      ...email.map((value) => ({ type: 'email' as const, value })),
      ...uri.map((value) => ({ type: 'url' as const, value })),
    ],
  });
  return externalIdOf({ ...COMMON_NAME_CLAIM, ...claim }, cert);
}

/** A certificate with the given bytes as its alternative names. */
async function withNames(bytes: Buffer, claim: Partial<ExternalIdClaim>) {
  const extensions = [new x509.Extension('2.5.29.17', false, bytes)];
  const { cert } = await make({ privateKey, extensions });
  return externalIdOf({ ...COMMON_NAME_CLAIM, ...claim }, cert);
}

const general = (tag: number, value: string | Buffer): Buffer => {
  const content = Buffer.from(value);
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
};
const sequence = (...members: Buffer[]): Buffer => general(0x30, Buffer.concat(members));

describe('the external id of a certificate', () => {
  const alice: Names = {
    cn: ['dev-alice-7.corp'],
    uri: ['https://corp.test/u/1', 'spiffe://corp/a/b', 'SPIFFE://corp/second', 'urn:x'],
    email: ['root@other.test', 'alice+dev@corp.test'],
    dns: ['dns.corp.test'],
  };
  const cn = { location: 'COMMON_NAME' } as const;
  const uri = { location: 'SAN_URI' } as const;
  const email = { location: 'SAN_EMAIL' } as const;
  const split = (parserCriteria: string, index = 0) =>
    ({ parser: 'SPLIT', parserCriteria, index }) as const;

  test.each<[Partial<ExternalIdClaim>, string | undefined]>([
    [{ ...cn }, 'dev-alice-7.corp'],
    [{ ...cn, index: 1 }, undefined],
    [{ ...cn, ...split('-') }, 'dev'],
    [{ ...cn, ...split('-', 2) }, '7.corp'],
    [{ ...cn, ...split('-', 3) }, undefined],
    [{ ...cn, ...split('|') }, 'dev-alice-7.corp'],
    [{ ...cn, matcher: 'PREFIX', matcherCriteria: 'dev-' }, 'alice-7.corp'],
    [{ ...cn, matcher: 'PREFIX', matcherCriteria: 'DEV-' }, undefined],
    [{ ...cn, matcher: 'PREFIX', matcherCriteria: 'dev-', ...split('-', 1) }, '7.corp'],
    [{ ...cn, matcher: 'PREFIX', matcherCriteria: 'alice' }, undefined],
    [{ ...cn, matcher: 'PREFIX', matcherCriteria: 'dev-alice-7.corp' }, undefined],
    [{ ...cn, matcher: 'SUFFIX', matcherCriteria: '.corp' }, 'dev-alice-7'],
    [{ ...cn, matcher: 'SUFFIX', matcherCriteria: '.corp', ...split('-', 1) }, 'alice'],
    [{ ...cn, matcher: 'SUFFIX', matcherCriteria: '.com' }, undefined],
    [{ ...email }, 'root@other.test'],
    [{ ...email, index: 1 }, 'alice+dev@corp.test'],
    [{ ...email, index: 2 }, undefined],
    [{ ...email, matcher: 'SUFFIX', matcherCriteria: '@corp.test' }, 'alice+dev'],
    [{ ...email, matcher: 'SUFFIX', matcherCriteria: '@corp.test', ...split('+', 1) }, 'dev'],
    [{ ...email, matcher: 'PREFIX', matcherCriteria: 'alice+' }, 'dev@corp.test'],
    [{ ...email, ...split('@', 2) }, 'alice+dev'],
    [{ ...uri }, 'https://corp.test/u/1'],
    [{ ...uri, index: 3 }, 'urn:x'],
    [{ ...uri, matcher: 'SCHEME', matcherCriteria: 'spiffe' }, 'spiffe://corp/a/b'],
    [{ ...uri, matcher: 'SCHEME', matcherCriteria: 'spiffe', index: 1 }, 'SPIFFE://corp/second'],
    [{ ...uri, matcher: 'SCHEME', matcherCriteria: 'spiffe', ...split('/', 4) }, 'b'],
    [{ ...uri, matcher: 'SCHEME', matcherCriteria: 'urn', ...split(':', 1) }, 'x'],
    [{ ...uri, matcher: 'SCHEME', matcherCriteria: 'http' }, undefined],
    [{ ...uri, ...split('/', 1) }, undefined],
  ])('by %j is %s', async (claim, expected) => {
    await expect(read(alice, claim)).resolves.toBe(expected);
  });

  test.each<[Partial<ExternalIdClaim>]>([[cn], [uri], [email]])(
    'by %j is none where there is no such name',
    async (claim) => {
      await expect(read({ dns: ['a.test'] }, claim)).resolves.toBeUndefined();
    },
  );

  it('by common name is the last of several, none with control characters', async () => {
    await expect(read({ cn: ['first', 'last'] }, cn)).resolves.toBe('last');
    await expect(read({ cn: ['Zoë, O=x + "y"'] }, cn)).resolves.toBe('Zoë, O=x + "y"');
    await expect(read({ cn: ['admin\u0000.evil'] }, cn)).resolves.toBeUndefined();
    await expect(read({ cn: ['admin\n'] }, cn)).resolves.toBeUndefined();
  });
});

describe('alternative names', () => {
  const email = { location: 'SAN_EMAIL' } as const;
  const uri = { location: 'SAN_URI' } as const;

  test.each([
    'urn:a, email:admin@corp.test',
    'urn:a", email:"admin@corp.test',
    "urn:a', URI:spiffe://corp/admin",
    'urn:a\\, DNS:x, email:admin@corp.test',
  ])('are not made out of the text of another: %s', async (value) => {
    await expect(read({ uri: [value] }, email)).resolves.toBeUndefined();
    await expect(read({ uri: [value] }, uri)).resolves.toBe(value);
    await expect(read({ uri: [value] }, { ...uri, index: 1 })).resolves.toBeUndefined();
    await expect(read({ email: [value] }, uri)).resolves.toBeUndefined();
    await expect(read({ dns: [value] }, email)).resolves.toBeUndefined();
    await expect(read({ cn: [value] }, email)).resolves.toBeUndefined();
  });

  it('are read beside forms that are not used', async () => {
    // otherName with a user principal name, as smart cards have it.
    const oid = Buffer.from('060a2b060104018237140203', 'hex');
    const other = general(0xa0, Buffer.concat([oid, general(0xa0, general(0x0c, 'alice@ad'))]));
    const registered = general(0x88, Buffer.from('2a0304', 'hex'));
    const names = sequence(other, registered, general(0x81, 'alice@corp.test'));
    await expect(withNames(names, email)).resolves.toBe('alice@corp.test');
  });

  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['no sequence', general(0x81, 'a@b.test')],
    ['names cut short', Buffer.from('3006810a612e', 'hex')],
    [
      'bytes after the names',
      Buffer.concat([sequence(general(0x81, 'a@b.test')), Buffer.from([0])]),
    ],
    ['an endless length', Buffer.from('3080810161', 'hex')],
    ['a length of many bytes', Buffer.from('3088ffffffffffffffff', 'hex')],
    ['a name beyond ASCII', sequence(general(0x81, 'ä@b.test'))],
    ['a name with a NUL', sequence(general(0x81, 'a@b.test\u0000.evil'))],
  ])('of %s give no id', async (_, bytes) => {
    await expect(withNames(bytes, email)).resolves.toBeUndefined();
  });

  it('of any bytes give an id or none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
        const id = await withNames(sequence(Buffer.from(bytes)), email);
        expect(['string', 'undefined']).toContain(typeof id);
      }),
      costlyRuns(60),
    );
  });
});
