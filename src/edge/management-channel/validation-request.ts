import type { GraphQuery, RouterValidationResult, ValidatedTerminator } from '../../graph/index.js';
import type { Frame } from '../../network/control/index.js';
import { messages, type RouterCircuitDetail } from '../../network/messages/index.js';

/** A request to validate something, as a subscription of the graph. */
export interface ValidationRequest {
  readonly query: GraphQuery;
  /** The member of the result of the subscription. */
  readonly field: 'routerValidation' | 'terminatorValidation';
  /** The types of the frame that answers, and of those with the results. */
  readonly responseType: number;
  readonly resultType: number;
  readonly encode: (result: ValidationResultOfGraph) => Buffer;
}

/** The members that the document of the request selects. */
export type ValidationResultOfGraph = RouterValidationResult & ValidatedTerminator;

/** The answer and the results have the next numbers. */
const VALIDATE_TERMINATORS = 10100;
const VALIDATE_DATA_MODEL = 10109;

const ROUTER_DOCUMENT = `subscription ($kind: RouterValidationKind!, $filter: String, $withControllers: Boolean!, $fix: Boolean!) {
  routerValidation(kind: $kind, filter: $filter, withControllers: $withControllers, fix: $fix) {
    count result { nodeId name isController isDone isValid errors details }
  }
}`;

const TERMINATOR_DOCUMENT = `subscription ($filter: String, $fix: Boolean!) {
  terminatorValidation(filter: $filter, fix: $fix) {
    count result {
      terminatorId serviceId serviceName routerId routerName binding address hostId createdAt state isFixed detail
    }
  }
}`;

interface RouterRequest {
  readonly kind: string;
  readonly encode: (result: RouterValidationResult) => Buffer;
}

/** The router, and whether it could be validated. */
const routerOf = ({ nodeId, name, isDone, errors }: RouterValidationResult) => ({
  routerId: nodeId,
  routerName: name,
  validateSuccess: isDone,
  message: isDone ? '' : (errors[0] ?? ''),
});

const componentOf = (result: RouterValidationResult, validateSuccess: boolean): Buffer =>
  messages.ComponentDetails.encode({
    componentType: result.isController ? 'controller' : 'router',
    componentId: result.nodeId,
    componentName: result.name,
    validateSuccess,
    errors: [...result.errors],
  });

const byCircuit = ({ details }: RouterValidationResult): Record<string, RouterCircuitDetail> =>
  Object.fromEntries(
    (details as unknown as readonly RouterCircuitDetail[]).map((detail) => [
      detail.circuitId,
      detail,
    ]),
  );

/** The details have the members of the message that each kind is sent by. */
const ROUTER_REQUESTS: ReadonlyMap<number, RouterRequest> = new Map<number, RouterRequest>([
  [
    10103,
    {
      kind: 'LINKS',
      encode: (result) =>
        messages.RouterLinkDetails.encode({
          ...routerOf(result),
          linkDetails: result.details,
        }),
    },
  ],
  [
    10106,
    {
      kind: 'SDK_TERMINATORS',
      encode: (result) =>
        messages.RouterSdkTerminatorsDetails.encode({
          ...routerOf(result),
          details: result.details,
        }),
    },
  ],
  [
    VALIDATE_DATA_MODEL,
    { kind: 'DATA_MODEL', encode: (result) => componentOf(result, result.isValid) },
  ],
  [10112, { kind: 'IDENTITY_CONNECTIONS', encode: (result) => componentOf(result, result.isDone) }],
  [
    10115,
    {
      kind: 'TUNNELER_TERMINATORS',
      encode: (result) =>
        messages.RouterErtTerminatorsDetails.encode({
          ...routerOf(result),
          details: result.details,
        }),
    },
  ],
  [
    10118,
    {
      kind: 'CIRCUITS',
      encode: (result) =>
        messages.RouterCircuitDetails.encode({
          ...routerOf(result),
          details: byCircuit(result),
        }),
    },
  ],
]);

/**
 * Reads a request to validate; gives undefined for frames of other types.
 * @throws Error for a body that is no such request
 */
export function readValidationRequest({ type, body }: Frame): ValidationRequest | undefined {
  if (type === VALIDATE_TERMINATORS) return terminatorRequest(body);
  const request = ROUTER_REQUESTS.get(type);
  if (!request) return undefined;
  return {
    query: { query: ROUTER_DOCUMENT, variables: { kind: request.kind, ...optionsIn(type, body) } },
    field: 'routerValidation',
    ...typesOf(type),
    encode: request.encode,
  };
}

function optionsIn(type: number, body: Buffer) {
  if (type !== VALIDATE_DATA_MODEL) {
    const { filter } = messages.ValidateRoutersRequest.decode(body);
    return { filter, withControllers: false, fix: false };
  }
  const { routerFilter, validateCtrl, fix } = messages.ValidateRouterDataModelRequest.decode(body);
  return { filter: routerFilter, withControllers: validateCtrl, fix };
}

function terminatorRequest(body: Buffer): ValidationRequest {
  const { terminatorsFilter, fixInvalid } = messages.ValidateTerminatorsRequest.decode(body);
  return {
    query: {
      query: TERMINATOR_DOCUMENT,
      variables: { filter: terminatorsFilter, fix: fixInvalid },
    },
    field: 'terminatorValidation',
    ...typesOf(VALIDATE_TERMINATORS),
    encode: terminatorBody,
  };
}

const typesOf = (type: number) => ({ responseType: type + 1, resultType: type + 2 });

const terminatorBody = ({
  createdAt,
  state,
  isFixed: fixed,
  ...terminator
}: ValidatedTerminator): Buffer =>
  messages.TerminatorDetail.encode({
    ...terminator,
    createDate: new Date(createdAt).toISOString(),
    state,
    fixed,
  });
