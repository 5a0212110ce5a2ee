import { attribute, bool, oneOf, text, textSet } from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import { NamedEntity } from '../entity.js';

/** Which token of an OIDC provider clients send. */
export const TARGET_TOKEN = oneOf('TargetToken', {
  ACCESS: 'The access token.',
  ID: 'The ID token.',
});

const optional = (description: string) =>
  ({ description, nullable: true, write: 'never' }) as const;

@resource({
  description: 'An external JWT signer as far as clients need it before they log in.',
  plural: 'AuthenticationSigners',
  path: 'external-jwt-signers',
  permission: 'external-jwt-signer',
  table: 'external_jwt_signer',
  model: 'externalJwtSigner',
  discriminator: { enabled: true },
  verbs: [],
  open: true,
  interfaces: ['client'],
})
export class AuthenticationSigner extends NamedEntity {
  @attribute(text(), optional('The `aud` claim that its JWTs need.'))
  audience!: string | null;

  @attribute(text(), optional('Client id for its login page.'))
  clientId!: string | null;

  @attribute(text(), optional('URL of its login page.'))
  externalAuthUrl!: string | null;

  @attribute(textSet(), { description: 'Scopes to ask for.', write: 'never' })
  scopes!: string[];

  @attribute(TARGET_TOKEN, {
    description: 'Which of its tokens to send.',
    write: 'never',
  })
  targetToken!: 'ID' | 'ACCESS';

  @attribute(bool(), {
    description: 'Whether its JWTs may enroll for a certificate.',
    write: 'never',
  })
  enrollToCertEnabled!: boolean;

  @attribute(bool(), {
    description: 'Whether its JWTs may enroll identities that log in with them.',
    write: 'never',
  })
  enrollToTokenEnabled!: boolean;
}
