import type { ExternalSigners } from '../trust/auth/index.js';

/** Names of hosts and ports alone: such a text can not end a directive of a policy. */
const ORIGIN = /^https:\/\/[a-z0-9._-]+(?::\d+)?$/;

/** Reads the origins of the login pages of external signers, which pages may ask for tokens. */
export type LoginOrigins = () => Promise<readonly string[]>;

/** Follows the signers, which are read again after a change. */
export const loginOriginsOf =
  (signers: Pick<ExternalSigners, 'all'>): LoginOrigins =>
  async () => {
    // Without them the page can log in by other ways, and says what is wrong.
    const all = await signers.all().catch(() => []);
    const origins = all
      .filter(({ enabled }) => enabled)
      .map(({ externalAuthUrl }) => loginOrigin(externalAuthUrl ?? ''));
    return [...new Set(origins.filter((origin) => origin !== undefined))].sort();
  };

/** Gives the origin of a login page over TLS; hosts with other characters have none. */
export function loginOrigin(address: string): string | undefined {
  const { protocol = '', origin = '' } = URL.canParse(address) ? new URL(address) : {};
  return protocol === 'https:' && ORIGIN.test(origin) ? origin : undefined;
}
