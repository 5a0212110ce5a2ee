import { Gate } from '../../base/gate.js';
import { NO_ANSWER_IN_TIME, validationAnswer, type Inspector } from '../presence/index.js';
import { inspectRouter } from './inspect-router.js';
import { validateRouter, type ValidatedRouter } from './validate-router.js';

export interface RouterInspectorOptions extends Omit<ValidatedRouter, 'router' | 'dataModel'> {
  /** A router that is connected here. */
  readonly served: (routerId: string) => Pick<ValidatedRouter, 'router' | 'dataModel'> | undefined;
  readonly now: () => Date;
}

/** Each may get the whole data model, or answer with all its circuits. */
const MAX_VALIDATED_AT_ONCE = 10;

/** Answers questions about the routers that are connected here. */
export function routerInspector({ served, now, ...facts }: RouterInspectorOptions): Inspector {
  const gate = new Gate(MAX_VALIDATED_AT_ONCE);
  return (nodeId, question) => {
    const { names, validation, until } = question;
    const router = served(nodeId);
    if (!router) return undefined;
    if (validation === null) return inspectRouter(router.router, names);
    return gate.run(async () => {
      // No process waits for the answer any more.
      if (until <= now()) return NO_ANSWER_IN_TIME;
      return validationAnswer(await validateRouter({ ...facts, ...router }, validation, question));
    });
  };
}
