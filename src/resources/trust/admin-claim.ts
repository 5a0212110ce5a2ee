import { attribute, bool, described, list, text, textSet } from '../../kernel/declare/attribute.js';

@described('A rule by which a claim of the JWTs of a signer gives rights in management.')
export class AdminClaim {
  @attribute(text(), {
    description: 'The claim, as a JSON pointer whose leading slash may be left out.',
    required: true,
  })
  claim!: string;

  @attribute(list(text()), {
    description:
      'The claim is one of these texts; of a claim that is a list, one entry is enough. At least one.',
    required: true,
  })
  values!: string[];

  @attribute(bool(), {
    description: 'Whether it makes an administrator with all rights.',
    default: false,
  })
  isAdmin!: boolean;

  @attribute(textSet(), {
    description: 'The permissions that it gives, as those of identities.',
    default: [],
  })
  permissions!: string[];
}
