import type { AuthQuery } from '../../kernel/request/context.js';

/** A missing proof as logins over OpenID Connect show it; one-time codes have another form than on REST. */
type ShownQuery = Omit<AuthQuery, 'typeId'> & { readonly typeId: 'TOTP' | 'EXT-JWT' };

export const shownQueries = (queries: readonly AuthQuery[]): ShownQuery[] =>
  queries.map(({ typeId, ...query }) =>
    typeId === 'MFA'
      ? { ...query, typeId: 'TOTP', httpUrl: './oidc/login/totp', minLength: 6, maxLength: 8 }
      : { ...query, typeId },
  );
