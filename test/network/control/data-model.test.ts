import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { readBool, readText } from '../../../src/network/control/header-values.js';
import { newAuthority, newLeaf } from '../../trust/auth/certificates.js';
import { addAuthority, sendProof, verificationToken } from '../../trust/enrollment/enrolling.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  enrollRouter,
  helloOfVersion2,
  TestRouter,
  type EnrolledRouter,
} from '../../support/test-router.js';
import { StrictRouter } from '../data-model/strict-router.js';

/* Routers of version 2 and the data model: what each gets, and what it gets when it comes again. */

/** Routers of version 1.6 are not to follow the model. */
const NOT_FOR_1_6 = { OVERGRAPH_ROUTER_CAPABILITIES: 'grouped-channels,jwt-sessions' };

let controller: TestController;
let enrolled: EnrolledRouter;
const open: Follower[] = [];

beforeAll(async () => {
  controller = await startController({ env: NOT_FOR_1_6 });
  enrolled = await enrollRouter(controller);
});
afterAll(() => controller.stop());
afterEach(async () => {
  for (const each of open.splice(0)) await each.router.close();
});

type Subscription = Partial<Parameters<typeof messages.SubscribeToDataModelRequest.encode>[0]>;

/** A router of version 2 that takes what comes as a real one does, or fails. */
class Follower {
  readonly model: StrictRouter;
  /** The messages of the subscription, in order. */
  readonly came: ('whole' | 'set')[] = [];
  /** The keys that came without an index. */
  readonly keys = new StrictRouter();
  fault: unknown;

  private constructor(
    readonly router: TestRouter,
    known: StrictRouter,
  ) {
    this.model = known;
    router.onFrame = ({ type, headers, body }) => {
      if (type !== CONTENT.dataModel && type !== CONTENT.dataModelChangeSet) return false;
      const id = headers.get(HEADER.dataModelSubscription);
      // Routers drop what is of an earlier subscription.
      if (id && readText(id) !== 'mine') return true;
      try {
        if (!id) this.keys.takeSet(body);
        else if (type === CONTENT.dataModel) this.model.takeState(body);
        else this.model.takeSet(body);
        if (id) this.came.push(type === CONTENT.dataModel ? 'whole' : 'set');
      } catch (error) {
        this.fault = error;
      }
      return true;
    };
  }

  static async connect(known = new StrictRouter()): Promise<Follower> {
    const router = await TestRouter.connect(controller.port, enrolled, helloOfVersion2());
    const follower = new Follower(router, known);
    open.push(follower);
    return follower;
  }

  subscribe(request: Subscription = {}): void {
    this.router.tell(CONTENT.subscribeToDataModel, messages.SubscribeToDataModelRequest, {
      currentIndex: this.model.index,
      timelineId: this.model.timelineId,
      subscriptionDurationSeconds: 300,
      subscriptionId: 'mine',
      ...request,
    });
  }

  async has(kind: Parameters<StrictRouter['entity']>[0], id: string): Promise<void> {
    await eventually(() => {
      expect(this.fault).toBeUndefined();
      expect(this.model.entity(kind, id)).toBeDefined();
    });
  }
}

let count = 0;
const newService = (): Promise<string> =>
  controller.create('services', {
    name: `service ${String((count += 1))}`,
    encryptionRequired: true,
    roleAttributes: ['offered'],
  });

/** Somebody, something, and a policy between them. */
async function newAccess(): Promise<Record<'identity' | 'service' | 'policy', string>> {
  const name = `access ${String((count += 1))}`;
  const service = await newService();
  const identity = await controller.create('identities', {
    name,
    type: 'Default',
    isAdmin: false,
    appData: { floor: 2 },
  });
  const policy = await controller.create('service-policies', {
    name,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${identity}`],
    serviceRoles: ['#offered'],
  });
  return { identity, service, policy };
}

test('a router gets the whole model, and each change after it', async () => {
  const { identity, service, policy } = await newAccess();
  const follower = await Follower.connect();
  follower.subscribe();
  await follower.has('servicePolicy', policy);
  expect(follower.came[0]).toBe('whole');
  expect(follower.model.entity('identity', identity)).toMatchObject({
    appDataJson: Buffer.from('{"floor":2}'),
    disabled: false,
  });
  expect(follower.model.allows(identity, service, 'Dial')).toBe(true);
  expect(follower.model.allows(identity, service, 'Bind')).toBe(false);
  const later = await newService();
  await follower.has('service', later);
  expect(follower.model.allows(identity, later, 'Dial')).toBe(true);
  await controller.rest('DELETE', `/service-policies/${policy}`);
  await eventually(() => {
    expect(follower.fault).toBeUndefined();
    expect(follower.model.allows(identity, service, 'Dial')).toBe(false);
  });
  expect(follower.came.filter((each) => each === 'whole')).toHaveLength(1);
});

test('administrators see the index of the controller', async () => {
  const follower = await Follower.connect();
  follower.subscribe();
  await follower.has('service', await newService());
  const { body } = await controller.rest('POST', '/fabric/v1/inspections', {
    appRegex: '.*',
    requestedValues: ['router-data-model-index'],
  });
  const { values } = body as unknown as { values: { value: unknown }[] };
  const { timelineId: timeline, index } = follower.model;
  expect(values.map(({ value }) => value)).toEqual([{ timeline, index }]);
});

describe('a router that comes again', () => {
  let known: StrictRouter;
  let missed: string;

  /** It was away while a service was made. */
  beforeAll(async () => {
    const first = await Follower.connect();
    first.subscribe();
    await first.has('service', await newService());
    await first.router.close();
    known = first.model;
    missed = await newService();
  });

  test('gets what it lacks alone', async () => {
    const again = await Follower.connect(known);
    again.subscribe();
    await again.has('service', missed);
    expect(again.came).not.toContain('whole');
  });

  test('gets nothing twice', async () => {
    const again = await Follower.connect(known);
    again.subscribe();
    again.subscribe({ renew: true });
    again.subscribe({ renew: true, currentIndex: 0, timelineId: '' });
    await again.has('service', await newService());
    expect(again.came).toEqual(['set']);
  });

  test.each<[string, () => Subscription]>([
    ['it has another timeline', () => ({ timelineId: 'another' })],
    ['its index is not there yet', () => ({ currentIndex: known.index + 10_000_000 })],
    ['its index is that of no set', () => ({ currentIndex: known.index - 1 })],
    ['its index is long gone', () => ({ currentIndex: 1 })],
    ['it has no model', () => ({ currentIndex: 0, timelineId: '' })],
    ['it renews what is not known here', () => ({ renew: true, currentIndex: 0 })],
  ])('gets the whole when %s', async (_, request) => {
    const again = await Follower.connect();
    again.subscribe({ currentIndex: known.index, timelineId: known.timelineId, ...request() });
    await again.has('service', missed);
    expect(again.came[0]).toBe('whole');
    const other = await Follower.connect();
    other.subscribe();
    await other.has('service', missed);
    expect(again.model.state).toEqual(other.model.state);
  });

  test('gets what its latest request asks for', async () => {
    const again = await Follower.connect();
    again.subscribe({ subscriptionId: 'earlier' });
    again.subscribe();
    await again.has('service', missed);
  });
});

describe('keys', () => {
  const kidOf = (der: Buffer): string => createHash('sha1').update(der).digest('hex');

  test('come before the model: of the controller, and of the authorities that clients may have', async () => {
    const { body } = await controller.rest('GET', '/edge/client/v1/controllers');
    const [{ certPem } = { certPem: '' }] = body.data as { certPem: string }[];
    const follower = await Follower.connect();
    const greeting = await follower.router.next(CONTENT.serverHello);
    expect(readBool(greeting.headers.get(HEADER.dataModel))).toBe(true);
    expect(messages.ServerHello.decode(greeting.body).data).toMatchObject({ routerModel: 'true' });
    follower.router.answer(
      greeting,
      CONTENT.clientHello,
      messages.ClientHello.encode({ version: 'v2.0.3', hostname: 'router.example' }),
    );
    await eventually(() => {
      expect(follower.fault).toBeUndefined();
      expect(follower.keys.keys.get(kidOf(new X509Certificate(certPem).raw))).toEqual([
        'JWTValidation',
        'ClientX509CertValidation',
      ]);
    });
    expect([...follower.keys.keys.values()]).toContainEqual(['ClientX509CertValidation']);
    follower.subscribe();
    await follower.has('service', await newService());
    expect(follower.model.keys).toEqual(follower.keys.keys);
  });
});

test('an authority of others counts at routers while it is verified', async () => {
  const authority = await newAuthority('CA of others');
  const kid = createHash('sha1')
    .update(new X509Certificate(authority.cert.toString()).raw)
    .digest('hex');
  const follower = await Follower.connect();
  await follower.router.introduce();
  const known = async (isKnown: boolean): Promise<void> => {
    await eventually(() => {
      expect(follower.fault).toBeUndefined();
      expect(follower.keys.keys.has(kid)).toBe(isKnown);
    });
  };
  const id = await addAuthority(controller, authority);
  follower.subscribe();
  await follower.has('service', await newService());
  expect(follower.model.keys.has(kid)).toBe(false);
  const proof = await newLeaf(await verificationToken(controller, id), authority);
  await sendProof(controller, id, proof.cert);
  await known(true);
  const late = await Follower.connect();
  late.subscribe();
  await late.has('service', await newService());
  expect(late.model.keys.get(kid)).toEqual(['ClientX509CertValidation']);
  await late.router.introduce();
  await eventually(() => {
    expect(late.keys.keys.has(kid)).toBe(true);
  });
  await controller.rest('DELETE', `/cas/${id}`);
  await eventually(() => {
    expect(late.keys.keys.has(kid)).toBe(false);
  });
});

test('a router of version 1.6 is offered no data model', async () => {
  const router = await TestRouter.connect(controller.port, enrolled);
  const greeting = await router.next(CONTENT.serverHello);
  expect(readBool(greeting.headers.get(HEADER.dataModel))).toBe(false);
  expect(messages.ServerHello.decode(greeting.body).data).toEqual({ instant: 'true' });
  await router.close();
});

test('a router follows role assignments that begin and end by time', async () => {
  const follower = await Follower.connect();
  follower.subscribe();
  const { identity, service, policy } = await newAccess();
  await follower.has('servicePolicy', policy);
  await controller.rest('PATCH', `/service-policies/${policy}`, { identityRoles: ['#visitors'] });
  const assignment = await controller.create('role-assignments', {
    identityId: identity,
    roleAttribute: 'visitors',
    activeFrom: new Date(Date.now() + 1_000).toISOString(),
  });
  const allows = (isAllowed: boolean): Promise<unknown> =>
    eventually(() => {
      expect(follower.fault).toBeUndefined();
      expect(follower.model.allows(identity, service, 'Dial')).toBe(isAllowed);
    });
  await allows(false);
  await allows(true);
  await controller.rest('PATCH', `/role-assignments/${assignment}`, {
    activeUntil: new Date(Date.now() + 1_000).toISOString(),
  });
  await allows(false);
  expect(follower.came.filter((each) => each === 'whole')).toHaveLength(1);
});
