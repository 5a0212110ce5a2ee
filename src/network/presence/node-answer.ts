export interface InspectedValue {
  readonly name: string;
  /** A text, or a value as JSON. */
  readonly value: string;
}

/** The answer of one node about itself. */
export interface NodeAnswer {
  readonly errors: readonly string[];
  readonly values: readonly InspectedValue[];
}

/** The answer of a node that gives no value. */
export const failedAnswer = (error: string): NodeAnswer => ({ errors: [error], values: [] });

export const NO_ANSWER_IN_TIME = failedAnswer('it did not answer in time');
