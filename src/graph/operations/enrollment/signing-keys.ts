import { listOf, objectOf, STRING, type Schema } from '../../../kernel/declare/rest-schema.js';

/** The members of a key depend on its kind: `crv`, `x`, `y` of EC, `n` and `e` of RSA. */
const KEY: Schema = objectOf(
  {
    kty: STRING,
    kid: { ...STRING, description: 'The `keyId` of a challenge.' },
    alg: STRING,
    use: STRING,
    x5c: listOf(STRING),
    crv: STRING,
    x: STRING,
    y: STRING,
    n: STRING,
    e: STRING,
  },
  ['kty', 'kid', 'use', 'x5c'],
);

/** A JSON Web Key Set, RFC 7517 5. */
export const SIGNING_KEYS: Schema = objectOf({ keys: listOf(KEY) });
