import {
  roleAssignments,
  type ComingAttributes,
} from '../../../data/rows/role-assignment/index.js';
import { servicePolicies, type ComingPolicy } from '../../../data/rows/policy/index.js';
import { withAttributes, writtenAttributes } from '../../../kernel/policy/index.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { ModelOverlay } from '../model/model-overlay.js';
import { eachSliced, type Sliced } from '../../../base/slices.js';
import { forceAt } from '../../times/index.js';
import { rowInForce } from '../model/row-in-force.js';
import { entityRow } from '../model/what-if-change.js';
import type { PresentModel } from './past-model.js';

/** The present network at a time to come, when role assignments and service policies have begun and ended. */
export class FutureModel extends ModelOverlay {
  constructor(
    private readonly present: PresentModel,
    readonly time: Date,
  ) {
    super(present);
  }

  /** Replaces the attributes that assignments give an identity. */
  assign({ identityId, attributes }: ComingAttributes): void {
    const identity = this.present.entity('identity', identityId);
    if (!identity) return;
    const later = withAttributes(identity, writtenAttributes(identity), attributes);
    this.apply(entityRow('identity', identityId, later));
  }

  /** Brings a policy into force or out of it. */
  setForce(policy: ComingPolicy): void {
    const row = rowInForce(this.present, policy.id, forceAt(policy, this.time));
    if (row) this.apply(row);
  }
}

/** Gives the network at a time to come, valid as long as the present is held. */
export async function futureModel(
  store: Rows,
  present: PresentModel,
  time: Date,
  run: <T>(work: Sliced<T>) => Promise<T>,
): Promise<FutureModel> {
  const model = new FutureModel(present, time);
  for await (const slice of roleAssignments.comingAttributes(store, time)) {
    await run(
      eachSliced(slice, 32, (coming) => {
        model.assign(coming);
      }),
    );
  }
  for await (const slice of servicePolicies.coming(store, time)) {
    await run(
      eachSliced(slice, 32, (policy) => {
        model.setForce(policy);
      }),
    );
  }
  return model;
}
