import fc from 'fast-check';

/* What encodings become by accident or malice. */

type Change = (bytes: Buffer) => Buffer;

const replaced = (bytes: Buffer, at: number, removed: number, added: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);

/** Somewhere in what is to be changed, as a fraction of its length. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (bytes: Buffer, fraction: number): number => Math.floor(bytes.length * fraction);

const CHANGES: readonly fc.Arbitrary<Change>[] = [
  // A byte that is another one.
  fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([where, mask]) => (bytes) => {
    const i = at(bytes, where);
    return replaced(bytes, i, 1, Buffer.from([(bytes[i] ?? 0) ^ mask]));
  }),
  // A byte that means something to a parser: ends, long and indefinite lengths, tags.
  fc.tuple(place, fc.constantFrom(0, 1, 2, 3, 5, 6, 0x30, 0x31, 0x7f, 0x80, 0x84, 0xa0, 0xff)).map(
    ([where, byte]) =>
      (bytes) =>
        replaced(bytes, at(bytes, where), 1, Buffer.from([byte])),
  ),
  // Some that are missing.
  fc.tuple(place, fc.integer({ min: 1, max: 40 })).map(
    ([where, count]) =>
      (bytes) =>
        replaced(bytes, at(bytes, where), count, Buffer.alloc(0)),
  ),
  // The end that is missing.
  place.map((where) => (bytes) => bytes.subarray(0, at(bytes, where))),
  // Some that are too many.
  fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 40 })).map(
    ([where, more]) =>
      (bytes) =>
        replaced(bytes, at(bytes, where), 0, more),
  ),
  // A part that stands elsewhere as well.
  fc.tuple(place, place, fc.integer({ min: 1, max: 60 })).map(([from, to, count]) => (bytes) => {
    const start = at(bytes, from);
    return replaced(bytes, at(bytes, to), count, bytes.subarray(start, start + count));
  }),
];

/** One change to some bytes, or several. */
const mutation: fc.Arbitrary<Change> = fc
  .array(fc.oneof(...CHANGES), { minLength: 1, maxLength: 3 })
  .map((changes) => (bytes) => changes.reduce((changed, change) => change(changed), bytes));

/** Some bytes, changed. */
export const mutated = (...bytes: readonly Buffer[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.constantFrom(...bytes), mutation)
    .map(([original, change]) => change(original))
    .filter((changed) => !bytes.some((original) => original.equals(changed)));

const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');

const pemOf = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;

/** Whether what stands inside is still one of some, though the text around it has changed. */
const holdsOne = (pems: readonly string[]) => (text: string) => {
  const [, body = ''] = /-----BEGIN [^-]*-----([^-]*)-----END /.exec(text) ?? [];
  const der = Buffer.from(body, 'base64');
  return pems.some((pem) => derOf(pem).equals(der));
};

/** PEM of one block: changed inside, changed as text, under another label, or something else. */
export const mutatedPem = (label: string, ...pems: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: mutated(...pems.map(derOf)).map((der) => pemOf(label, der)) },
    {
      weight: 2,
      arbitrary: mutated(...pems.map((pem) => Buffer.from(pem)))
        .map((text) => text.toString('latin1'))
        .filter((text) => !holdsOne(pems)(text)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...pems), fc.constantFrom('PKCS7', 'PRIVATE KEY', 'X', ''))
        .map(([pem, other]) => pemOf(other, derOf(pem))),
    },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => pemOf(label, bytes)),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
  );

/** The members of a JWT changed each, or what only looks like one. */
export const mutatedJwt = (...jwts: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    mutated(...jwts.map((jwt) => Buffer.from(jwt))).map((text) => text.toString('latin1')),
    fc.tuple(fc.constantFrom(...jwts), fc.nat(2), mutation).map(([jwt, part, change]) =>
      jwt
        .split('.')
        .map((text, i) =>
          i === part ? change(Buffer.from(text, 'base64url')).toString('base64url') : text,
        )
        .join('.'),
    ),
    fc
      .tuple(fc.jsonValue(), fc.jsonValue(), fc.base64String({ maxLength: 90 }))
      .map(([header, claims, signature]) =>
        [
          ...[header, claims].map((part) =>
            Buffer.from(JSON.stringify(part)).toString('base64url'),
          ),
          signature.replace(/[+/=]/g, ''),
        ].join('.'),
      ),
  );
