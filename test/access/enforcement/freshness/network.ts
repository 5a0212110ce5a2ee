import type { Caller, RequestContext } from '../../../../src/kernel/request/context.js';
import { callerOf, type InProcess } from '../../../support/in-process.js';

/** How the policy names both its sides and its posture check. */
export type Naming = 'by id' | 'by attribute' | 'by #all';
export const NAMINGS: readonly Naming[] = ['by id', 'by attribute', 'by #all'];

/** Somebody who may dial one service, with a check that its policy names. */
export interface Network {
  readonly own: () => RequestContext;
  readonly tag: string;
  readonly naming: Naming;
  /** What the policy says of its three sides. */
  readonly roles: Roles;
  readonly identity: string;
  readonly service: string;
  readonly policy: string;
  readonly check: string;
  readonly config: string;
  readonly otherConfig: string;
  readonly configType: string;
}

export interface Roles {
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly postureCheckRoles: readonly string[];
}

let count = 0;

export async function createNetwork(controller: InProcess, naming: Naming): Promise<Network> {
  count += 1;
  const tag = `n${String(count)}`;
  const configType = await controller.create('ConfigType', { name: `${tag}-type` });
  const config = await controller.create('Config', {
    name: `${tag}-config`,
    configTypeId: configType,
    data: { port: 80 },
  });
  const otherConfig = await controller.create('Config', {
    name: `${tag}-other-config`,
    configTypeId: configType,
    data: { port: 81 },
  });
  const check = await controller.create('PostureCheck', {
    name: `${tag}-check`,
    typeId: 'DOMAIN',
    domains: ['example.com'],
    roleAttributes: [`${tag}-check`],
  });
  const service = await controller.create('Service', {
    name: `${tag}-service`,
    encryptionRequired: true,
    roleAttributes: [`${tag}-service`],
    configs: [config],
  });
  const identity = await controller.create('Identity', {
    type: 'Default',
    isAdmin: false,
    name: `${tag}-identity`,
    roleAttributes: [`${tag}-identity`],
  });
  const named = (id: string, attribute: string): string[] =>
    ({ 'by id': [`@${id}`], 'by attribute': [`#${attribute}`], 'by #all': ['#all'] })[naming];
  const roles = {
    identityRoles: named(identity, `${tag}-identity`),
    serviceRoles: named(service, `${tag}-service`),
    postureCheckRoles: named(check, `${tag}-check`),
  };
  const policy = await controller.create('ServicePolicy', {
    name: `${tag}-policy`,
    type: 'Dial',
    semantic: 'AnyOf',
    ...roles,
  });
  const { id } = await controller.openSession(identity);
  const caller: Caller = { ...callerOf(identity), apiSessionId: id };
  return {
    own: () => controller.ctx(caller),
    tag,
    naming,
    roles,
    identity,
    service,
    policy,
    check,
    config,
    otherConfig,
    configType,
  };
}
