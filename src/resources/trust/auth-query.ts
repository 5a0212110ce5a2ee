import {
  attribute,
  bool,
  int,
  json,
  text,
  textSet,
  type RestShape,
} from '../../kernel/declare/attribute.js';
import type { AuthQuery as Query } from '../../kernel/request/context.js';

/** A further proof that a client must give. */
export class AuthQuery {
  @attribute(text(), { description: '`MFA`: a code; `EXT-JWT`: a JWT of an external signer.' })
  typeId!: string;

  @attribute(text(), { description: '`ziti`: this controller; `url`: the signer.' })
  provider!: string;

  @attribute(text(), {
    description: 'Id of the signer, of `EXT-JWT`.',
    nullable: true,
    restName: 'id',
  })
  signerId!: string | null;

  @attribute(text(), { description: 'The characters of the code: `numeric`.', nullable: true })
  format!: string | null;

  @attribute(int(), { description: 'Smallest length of the code.', nullable: true })
  minLength!: number | null;

  @attribute(int(), { description: 'Largest length of the code.', nullable: true })
  maxLength!: number | null;

  @attribute(text(), { description: 'Method of the request with the code.', nullable: true })
  httpMethod!: string | null;

  @attribute(text(), { description: 'Where to send the code, or where to get the JWT.' })
  httpUrl!: string;

  @attribute(bool(), { description: 'Whether a second factor is set up.', nullable: true })
  isTotpEnrolled!: boolean | null;

  @attribute(text(), { description: 'Client id for the login page.', nullable: true })
  clientId!: string | null;

  @attribute(textSet(), { description: 'Scopes to ask for.', nullable: true })
  scopes!: string[] | null;
}

/** The graph names the id of the signer `signerId`: an `id` would be the id of the query. */
type ShownQuery = Omit<Query, 'id'> & Pick<AuthQuery, 'signerId'>;

export const shownAuthQueries = (queries: readonly Query[]): ShownQuery[] =>
  queries.map(({ id, ...query }) => ({ ...query, signerId: id ?? null }));

/** REST clients expect each query without the members that it lacks. */
export const AUTH_QUERIES_ON_REST: RestShape = {
  type: json(),
  of: (queries: readonly AuthQuery[]) =>
    queries.map((query) =>
      Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null)),
    ),
};
