import type { InProcess } from '../support/in-process.js';

/** A person of the staff and a service of the docs; policies are left to the test. */
export async function makeAdaAndWiki(
  controller: InProcess,
): Promise<{ readonly identity: string; readonly service: string }> {
  const service = await controller.create('Service', {
    name: 'wiki',
    encryptionRequired: true,
    roleAttributes: ['docs'],
  });
  const identity = await controller.create('Identity', {
    name: 'ada',
    type: 'Default',
    isAdmin: false,
    roleAttributes: ['staff'],
  });
  return { identity, service };
}
