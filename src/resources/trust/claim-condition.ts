import { attribute, described, list, text } from '../../kernel/declare/attribute.js';

@described('A condition on a claim of a JWT or an X509-SVID.')
export class ClaimCondition {
  @attribute(text(), {
    description: 'The claim, as a JSON pointer whose leading slash may be left out.',
    required: true,
  })
  claim!: string;

  @attribute(list(text()), {
    description:
      'The claim is one of these texts; of a claim that is a list, one entry is enough. Either `values` or `pattern`.',
    default: [],
  })
  values!: string[];

  @attribute(text(), {
    description: 'A regular expression (RE2) that matches the whole text of the claim.',
    nullable: true,
  })
  pattern!: string | null;
}
