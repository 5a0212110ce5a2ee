import type { ExecutionResult } from 'graphql';
import type { GraphQuery } from '../../graph/index.js';
import { messages, type InspectNodesRequest } from '../../network/messages/index.js';

export const UNREADABLE = 'the request can not be read';

/** The part of a connection that an inspection uses. */
export interface InspectionChannel {
  readonly run: (query: GraphQuery) => Promise<ExecutionResult>;
  /** The text for operators of an error that refuses the request. */
  readonly textOf: (error: unknown) => string;
}

const DOCUMENT = `query ($appRegex: String!, $requestedValues: [String!]!) {
  inspect(pattern: $appRegex, names: $requestedValues) {
    success errors values { nodeId name value }
  }
}`;

interface Inspection {
  readonly success: boolean;
  readonly errors: readonly string[];
  readonly values: readonly {
    readonly nodeId: string;
    readonly name: string;
    readonly value: unknown;
  }[];
}

/** Gives the body of the answer to a request for values; a refusal is an answer with an error. */
export async function answerInspection(body: Buffer, channel: InspectionChannel): Promise<Buffer> {
  let request: InspectNodesRequest;
  try {
    request = messages.InspectNodesRequest.decode(body);
  } catch {
    return refusedInspection(UNREADABLE);
  }
  try {
    const { data, errors } = await channel.run({ query: DOCUMENT, variables: { ...request } });
    const inspection = data?.inspect as Inspection | null | undefined;
    return inspection
      ? bodyOf(inspection)
      : refusedInspection(errors?.[0]?.message ?? 'there is no answer');
  } catch (error) {
    return refusedInspection(channel.textOf(error));
  }
}

/** The body of an answer without values. */
export const refusedInspection = (error: string): Buffer =>
  messages.InspectNodesResponse.encode({ success: false, errors: [error] });

const bodyOf = ({ values, ...inspection }: Inspection): Buffer =>
  messages.InspectNodesResponse.encode({
    ...inspection,
    values: values.map(({ nodeId, name, value }) => ({
      appId: nodeId,
      name,
      value: textOf(value),
    })),
  });

/** The command line reads texts: values that are JSON become one again. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
