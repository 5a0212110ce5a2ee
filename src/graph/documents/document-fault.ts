import type { GraphQLError, SourceLocation } from 'graphql';

/** The codes that GraphQL clients know. */
type FaultCode = 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED';

interface Fault {
  readonly message: string;
  readonly locations?: readonly SourceLocation[];
}

const MAX_MESSAGE_LENGTH = 500;

/** The fault of a text that does not parse, or of a document that does not fit the schema. */
export class DocumentFault extends Error {
  readonly status = 400;
  readonly faults: readonly Fault[];

  constructor(
    readonly code: FaultCode,
    errors: readonly GraphQLError[],
  ) {
    const faults = errors.map(faultOf);
    super(faults[0]?.message);
    this.name = 'DocumentFault';
    this.faults = faults;
  }
}

/** Messages repeat names of the document, which may be long. */
const faultOf = ({ message, locations }: GraphQLError): Fault => ({
  message:
    message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}...` : message,
  ...(locations ? { locations } : {}),
});
