import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { readText } from '../../../src/network/control/header-values.js';
import {
  messages,
  type RouterDataModelDiff,
} from '../../../src/network/messages/emitted/messages.js';
import type { Frame } from '../../../src/network/control/frame.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { enrollRouter, helloOfVersion2, TestRouter } from '../../support/test-router.js';
import { StrictRouter } from '../data-model/strict-router.js';
import { ManagementClient } from '../events/management-client.js';

/* Routers compare their data model with the one that they should have. */

const VALIDATE_DATA_MODEL = 10109;
const { RouterDataModelValidateRequest, RouterDataModelValidateResponse } = messages;

/** Routers of version 1.6 are not to follow the model. */
const NOT_FOR_1_6 = { OVERGRAPH_ROUTER_CAPABILITIES: 'grouped-channels,jwt-sessions' };

let controller: TestController;
let client: ManagementClient;
let follower: Follower;

beforeAll(async () => {
  controller = await startController({ env: NOT_FOR_1_6 });
});
afterAll(() => controller.stop());
beforeEach(async () => {
  client = await ManagementClient.connect(controller.port, { 'zt-session': controller.token });
  follower = await Follower.connect();
});
afterEach(async () => {
  client.end();
  await follower.router.close();
});

let count = 0;
const newService = (): Promise<string> =>
  controller.create('services', {
    name: `service ${String((count += 1))}`,
    encryptionRequired: true,
  });

/** A router of version 2 that compares what it has as a real one does. */
class Follower {
  readonly model = new StrictRouter();
  fault: unknown;
  subscriptionId = 'first';
  /** The requests to compare, each with whether the router was to fix it. */
  readonly fixes: boolean[] = [];
  /** The index of each model that came to be compared. */
  readonly compared: number[] = [];
  /** The differences to tell; by default those that there are. */
  differences: ((expected: StrictRouter) => Partial<RouterDataModelDiff>[]) | undefined;

  private constructor(
    readonly name: string,
    readonly id: string,
    readonly router: TestRouter,
  ) {
    router.onFrame = (frame) => this.receive(frame);
  }

  static async connect(): Promise<Follower> {
    const enrolled = await enrollRouter(controller);
    const router = await TestRouter.connect(controller.port, enrolled, helloOfVersion2());
    const connected = new Follower(enrolled.name, enrolled.id, router);
    connected.subscribe();
    await eventually(() => {
      expect(connected.model.index).toBeGreaterThan(0);
    });
    return connected;
  }

  subscribe(): void {
    this.router.tell(CONTENT.subscribeToDataModel, messages.SubscribeToDataModelRequest, {
      currentIndex: this.model.index,
      timelineId: this.model.timelineId,
      subscriptionDurationSeconds: 300,
      subscriptionId: this.subscriptionId,
    });
  }

  private receive(frame: Frame): boolean {
    const { type, headers, body } = frame;
    const id = headers.get(HEADER.dataModelSubscription);
    if (id && readText(id) !== this.subscriptionId) return true;
    try {
      if (type === CONTENT.dataModel) this.model.takeState(body);
      else if (type === CONTENT.dataModelChangeSet && id) this.model.takeSet(body);
      else if (type === CONTENT.validateDataModel) this.compare(frame);
      else return false;
    } catch (error) {
      this.fault = error;
    }
    return true;
  }

  private compare(frame: Frame): void {
    const { state, fix } = RouterDataModelValidateRequest.decode(frame.body);
    const expected = new StrictRouter();
    expected.takeState(state);
    this.fixes.push(fix);
    this.compared.push(expected.index);
    const diffs = (this.differences ?? this.ownDifferences)(expected);
    this.router.answer(
      frame,
      CONTENT.validateDataModelResult,
      RouterDataModelValidateResponse.encode({ diffs }),
    );
    if (!fix || diffs.length === 0) return;
    this.model.takeState(state);
    this.subscriptionId = 'second';
    this.subscribe();
  }

  private readonly ownDifferences = (expected: StrictRouter): Partial<RouterDataModelDiff>[] => {
    try {
      expect(this.model.index).toBe(expected.index);
      expect(this.model.state).toEqual(expected.state);
      return [];
    } catch (error) {
      return [{ entityType: 'model', entityId: 'it', diffType: 'modified', detail: String(error) }];
    }
  };
}

async function validate(fix = false, validateCtrl = false, filter = `id = "${follower.id}"`) {
  const body = messages.ValidateRouterDataModelRequest.encode({
    routerFilter: filter,
    validateCtrl,
    fix,
  });
  const { answer, results } = await client.validate(VALIDATE_DATA_MODEL, body);
  expect(answer).toMatchObject({ success: true });
  return results.map((result) => messages.ComponentDetails.decode(result.body));
}

const MISSING: Partial<RouterDataModelDiff> = {
  entityType: 'service',
  entityId: 'one',
  diffType: 'removed',
  detail: 'entity missing',
};

test('a router in step has no differences', async () => {
  await newService();
  expect(await validate()).toEqual([
    {
      componentType: 'router',
      componentId: follower.id,
      componentName: follower.name,
      validateSuccess: true,
      errors: [],
    },
  ]);
  expect(follower.fault).toBeUndefined();
  expect(follower.fixes).toEqual([false]);
});

test('the comparison holds while the model changes', async () => {
  const changes = (async () => {
    for (let i = 0; i < 40; i += 1) await newService();
  })();
  for (let i = 0; i < 3; i += 1) {
    expect(await validate()).toMatchObject([{ validateSuccess: true, errors: [] }]);
  }
  await changes;
  expect(follower.fault).toBeUndefined();
});

test('differences are told when the router still has them a moment later', async () => {
  let calls = 0;
  follower.differences = () => ((calls += 1) === 1 ? [MISSING] : []);
  expect(await validate()).toMatchObject([{ validateSuccess: true, errors: [] }]);
  follower.differences = () => [MISSING];
  expect(await validate()).toMatchObject([
    { validateSuccess: false, errors: ['service id: one removed: entity missing'] },
  ]);
  expect(follower.fixes).toEqual([false, false, false, false]);
});

test('a router that is to fix them takes the model over, and goes on from there', async () => {
  follower.differences = () => [MISSING];
  expect(await validate(true)).toMatchObject([{ validateSuccess: false }]);
  expect(follower.fixes).toEqual([false, true]);
  follower.differences = undefined;
  const later = await newService();
  await eventually(() => {
    expect(follower.fault).toBeUndefined();
    expect(follower.model.entity('service', later)).toBeDefined();
  });
  expect(await validate()).toMatchObject([{ validateSuccess: true }]);
});

test('more than a thousand differences are counted', async () => {
  follower.differences = () => Array(1_500).fill(MISSING) as Partial<RouterDataModelDiff>[];
  const [{ errors } = { errors: [] }] = await validate();
  expect(errors).toHaveLength(1_001);
  expect(errors.at(-1)).toBe('and 500 more');
});

describe('a router that can not be compared', () => {
  test('does not follow the model', async () => {
    const enrolled = await enrollRouter(controller);
    const router = await TestRouter.connect(controller.port, enrolled, helloOfVersion2());
    expect(await validate(false, false, `id = "${enrolled.id}"`)).toMatchObject([
      { validateSuccess: false, errors: ['it does not follow the data model'] },
    ]);
    await router.close();
  });

  test('answers with garbage', async () => {
    const { router } = follower;
    const { onFrame } = router;
    router.onFrame = (frame) => {
      if (frame.type !== CONTENT.validateDataModel) return onFrame(frame);
      router.answer(frame, CONTENT.validateDataModelResult, Buffer.from([0xff, 0xff]));
      return true;
    };
    expect(await validate()).toMatchObject([{ errors: ['its answer can not be read'] }]);
  });

  test('leaves meanwhile', async () => {
    const { router } = follower;
    router.onFrame = ({ type }) => {
      if (type === CONTENT.validateDataModel) router.socket.destroy();
      return true;
    };
    expect(await validate()).toMatchObject([{ errors: ['it has left meanwhile'] }]);
  });
});

test('a router without the data model has nothing to compare', async () => {
  const enrolled = await enrollRouter(controller);
  const router = await TestRouter.connect(controller.port, enrolled);
  expect(await validate(false, false, `id = "${enrolled.id}"`)).toMatchObject([
    { validateSuccess: true, errors: [] },
  ]);
  await router.close();
});

test('the controller compares its model with the database', async () => {
  await newService();
  const policy = {
    name: `policy ${String(count)}`,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  };
  await controller.create('service-policies', policy);
  const results = await validate(false, true);
  const byType = results.sort((a, b) => (a.componentType < b.componentType ? -1 : 1));
  expect(byType).toMatchObject([
    { componentType: 'controller', validateSuccess: true, errors: [] },
    { componentType: 'router', validateSuccess: true, errors: [] },
  ]);
});

describe('a router is in step', () => {
  async function inStepSince(id: string): Promise<string | null> {
    const text = 'query ($id: ID!) { edgeRouter(id: $id) { inStepSince } }';
    const { data } = await controller.graphql(text, { id });
    return (data as { edgeRouter: { inStepSince: string | null } }).edgeRouter.inStepSince;
  }

  test('since it has been sent the latest change', async () => {
    const begin = new Date();
    const { value: first } = await eventually(async () => {
      const since = await inStepSince(follower.id);
      expect(since).not.toBeNull();
      return new Date(since ?? '');
    });
    const service = await newService();
    await eventually(async () => {
      expect(follower.model.entity('service', service)).toBeDefined();
      const since = new Date((await inStepSince(follower.id)) ?? 0);
      expect(since.getTime()).toBeGreaterThan(Math.max(first.getTime(), begin.getTime()));
    });
  });

  test('no more when it is gone, or follows no model', async () => {
    await eventually(async () => {
      expect(await inStepSince(follower.id)).not.toBeNull();
    });
    await follower.router.close();
    await eventually(async () => {
      expect(await inStepSince(follower.id)).toBeNull();
    });
    const enrolled = await enrollRouter(controller);
    const router = await TestRouter.connect(controller.port, enrolled);
    await router.introduce();
    await eventually(async () => {
      const { body } = await controller.rest('GET', `/edge-routers/${enrolled.id}`);
      expect(body.data).toMatchObject({ isOnline: true, syncStatus: 'SYNC_DONE' });
    });
    expect(await inStepSince(enrolled.id)).toBeNull();
    await router.close();
  });
});
