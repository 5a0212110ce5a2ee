import {
  keysOf,
  networkCertificate,
  type ClientCertificate,
  type NetworkCertificate,
} from '../auth/certificates.js';
import { unique } from '../auth/client.js';
import type { TestController } from '../../support/controller.js';
import { LoginClient, type Tokens } from './login-client.js';

export interface Device {
  readonly id: string;
  readonly certificate: NetworkCertificate;
}

/** An identity that logs in by certificate. */
export async function newDevice(
  controller: TestController & { readonly dataDir: string },
  identity: Record<string, unknown> = {},
): Promise<Device> {
  const id = await controller.create('identities', {
    ...{ name: unique('device'), type: 'Default', isAdmin: false },
    ...identity,
  });
  const certificate = await networkCertificate(await keysOf(controller), id);
  const authenticator = { identityId: id, method: 'cert', certPem: certificate.leaf };
  await controller.create('authenticators', authenticator);
  return { id, certificate };
}

/** The tokens of a device, after a login by its certificate. */
export async function tokensOf(
  controller: Pick<TestController, 'port'>,
  { certificate }: { readonly certificate: ClientCertificate },
): Promise<Tokens> {
  const client = new LoginClient(controller, { certificate });
  await client.begin({ method: 'cert' });
  return client.tokens(await client.ask('POST', `/oidc/login/cert?id=${client.id}`, { json: {} }));
}
