import { attribute, oneOf, time } from '../../kernel/declare/attribute.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { Entity } from '../entity.js';

export const REVOCATION_TYPE = oneOf(
  'RevocationType',
  {
    JTI: 'The access token or refresh token with this id.',
    IDENTITY: 'All API sessions of the identity with this id, and their tokens.',
    API_SESSION: 'The API session with this id, and its tokens.',
  },
  'What a revocation ends.',
);

function setTimes({ ctx, values }: Write<'Revocation'>): void {
  const now = ctx.now();
  values.issuedBefore = now;
  values.expiresAt = ctx.modules.tokenLife.endFrom(now);
}

/** Clients read one by its id alone, and so do routers: an id has one revocation, whatever its type. */
@resource({
  description:
    'Ends tokens and API sessions before their time. It has the id of the token, the identity or the API session, and is stored until all the tokens have expired.',
  plural: 'Revocations',
  path: 'revocations',
  permission: 'admin',
  verbs: [],
  isRecord: true,
  createdOften: true,
  decides: { callers: 'tokenId' },
  hooks: { before: setTimes },
  storage: { indexes: [{ on: ['expiresAt'] }] },
})
export class Revocation extends Entity {
  @attribute(REVOCATION_TYPE, { description: 'What it ends.', required: true, filter: true })
  type!: 'JTI' | 'IDENTITY' | 'API_SESSION';

  @attribute(time(), {
    description: 'Tokens of the identity that are issued later count.',
    write: 'never',
    graphOnly: true,
    filter: true,
  })
  issuedBefore!: Date;

  @attribute(time(), {
    description: 'When all the tokens have expired, and it is deleted.',
    write: 'never',
    filter: true,
  })
  expiresAt!: Date;
}
