import { ask, drive, inTurn } from './load.js';
import { byTurns, statementsOf, type Effort, type Measured } from './measure.js';
import { ProcessorMeter, type ProcessorTime } from './processor-time.js';
import type { HttpRequest } from './reads.js';
import type { Stage } from './stage.js';

const BASE = '/edge/management/v1';
const POLICIES = 20;

/** One kind of write; `prepare` gives what makes its requests. */
export interface WriteKind {
  readonly name: string;
  readonly prepare: (stage: Stage, token: string) => Promise<() => HttpRequest>;
}

let created = 0;

export const unique = (kind: string): string => {
  created += 1;
  return `bench-${kind}-${String(process.pid)}-${String(created)}`;
};

export const CREATE_IDENTITY: WriteKind = {
  name: 'create an identity with 4 attributes',
  prepare: () =>
    Promise.resolve(() => ({
      method: 'POST',
      path: `${BASE}/identities`,
      body: JSON.stringify({
        name: unique('identity'),
        type: 'Device',
        isAdmin: false,
        roleAttributes: ['os-1', 'site-3', 'staff', 'team-7'],
      }),
    })),
};

/** More policies than connections: their row locks are not what is measured. */
export const EDIT_POLICY: WriteKind = {
  name: 'edit an #all x #all service policy',
  prepare: async (stage, token) => {
    const ids: string[] = [];
    for (let n = 0; n < POLICIES; n += 1) ids.push(await createPolicy(stage, token));
    const id = inTurn(ids);
    const semantic = inTurn(['AllOf', 'AnyOf', 'AnyOf']);
    return () => ({
      method: 'PATCH',
      path: `${BASE}/service-policies/${id()}`,
      body: JSON.stringify({
        semantic: semantic(),
        identityRoles: ['#all'],
        serviceRoles: ['#all'],
      }),
    });
  },
};

async function createPolicy({ controller }: Stage, token: string): Promise<string> {
  const request: HttpRequest = {
    method: 'POST',
    path: `${BASE}/service-policies`,
    body: JSON.stringify({
      name: unique('policy'),
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: ['#all'],
    }),
  };
  return (await ask<{ data: { id: string } }>(controller, request, token)).data.id;
}

export interface WriteResult {
  readonly name: string;
  readonly ours: Measured;
  readonly statements: number;
  readonly processor: ProcessorTime;
}

export async function measureWrite(
  stage: Stage,
  { name, prepare }: WriteKind,
  token: string,
  effort: Effort,
): Promise<WriteResult> {
  const next = await prepare(stage, token);
  const statements = await statementsOf(stage, async () => {
    for (let i = 0; i < 10; i += 1) await ask(stage.controller, next(), token);
    return 10;
  });
  const meter = new ProcessorMeter(stage);
  const [ours] = await byTurns(
    [(seconds) => meter.measure(() => drive(stage.controller, next, seconds, token))],
    effort,
  );
  if (!ours) throw new Error('nothing was measured');
  return { name, ours, statements, processor: meter.perAnswer };
}
